### Deutsch. Die Sätze für Menschen und die Hinweise für das Modell.

## Die Frage

confirm-head = Ich werde: { $title }
confirm = Bestätigst du? (ja/nein)
confirm-buttons = Bestätigst du?
button-yes = Ja
button-no = Nein
choice = → { $choice }
choice-replied = andere Antwort
choice-expired = keine Antwort
choice-cancelled = abgebrochen
confirm-expired = Diese Bestätigung ist nicht mehr aktiv.
confirm-answered = Antwort erhalten: { $answer }.
confirm-repeat = Achtung: „{ $title }“ habe ich gerade erst ausgeführt (Ergebnis: { $result }). Wenn du bestätigst, geschieht es noch einmal.
confirm-repeat-plain = Achtung: „{ $title }“ habe ich gerade erst ausgeführt. Wenn du bestätigst, geschieht es noch einmal.
confirm-repeat-unknown = Achtung: „{ $title }“ ist vielleicht gerade schon geschehen; ich konnte es nicht prüfen. Wenn du bestätigst, geschieht es womöglich noch einmal.
confirm-open-until = Eine Bestätigung ist offen bis { $time }: { $title }
approval-expired = Dein Ja gilt nicht mehr: „{ $title }“ hat nicht rechtzeitig begonnen und wurde nicht ausgeführt. Bitte noch einmal darum, wenn du es weiterhin willst.
done-untold = Das wurde ausgeführt: { $titles }.

## Hinweise für das Modell

now = Jetzt: { $weekday }, { $date }, { $time } ({ $zone }).
confirm-note = Diese Werkzeuge fragen die Person um Bestätigung, bevor sie laufen: { $tools }. Rufe sie auf, sobald die Person die Aktion will; frage nicht selbst „soll ich?“ und erwähne die Bestätigung nicht. Sage nie, dass etwas getan, geändert, ersetzt oder storniert wurde, wenn kein Ergebnis eines Werkzeugs es sagt. Gibt es für den Wunsch kein Werkzeug, sage es klar.
done-note =
    Aktionen dieses Chats, die neueste zuerst. Wiederhole sie nicht, außer die Person bittet darum:
    { $lines }
done-line = - { $when }: { $tool } { $arguments } → { $result }
done-line-unknown = - { $when }: { $tool } { $arguments } → Ausgang unbekannt: vielleicht ist es geschehen
wait-expired = [Die Person hat nicht rechtzeitig geantwortet: { $tool } wurde nicht ausgeführt.]
truncated = Deine letzte Antwort wurde an der Längengrenze abgeschnitten und ihre Aufrufe wurden nicht ausgeführt. Antworte noch einmal, kürzer.
filtered = Der Inhaltsfilter deines Anbieters hat deine letzte Antwort angehalten und ihre Aufrufe wurden nicht ausgeführt. Antworte noch einmal mit anderen Worten, oder sage, dass du dabei nicht helfen kannst.
rejected-instruction = Die Person hat Nein gesagt. Versuche es nicht erneut (do not retry) und schlage es nicht wieder vor, außer sie bittet darum.
not-asked-earlier = Die Person hat eine frühere Aktion desselben Schritts nicht angenommen; nach dieser wurde deshalb nicht gefragt.
not-asked-nobody = Hier ist niemand, der um Bestätigung gefragt werden kann.
not-asked-limit = In dieser Runde wurden schon alle erlaubten Fragen gestellt.
result-cut = [abgeschnitten: { $bytes } Bytes fehlen]

## Die Runde

model-failed = Tut mir leid, ich kann gerade nicht antworten. Versuch es gleich noch einmal.
empty-reply = Tut mir leid, ich habe keine Antwort gefunden. Kannst du es anders sagen?
max-steps = Tut mir leid, das braucht mehr Schritte, als ich auf einmal gehen kann. Sag mir, wie du weitermachen willst.
repeated-call = Es ist mir nicht gelungen: „{ $title }“ ist mehrmals mit denselben Angaben gescheitert, darum habe ich aufgehört.
turn-too-old = Tut mir leid, ich wurde unterbrochen und habe deine letzte Nachricht nicht fertig bearbeitet. Wenn du es noch brauchst, schreib sie bitte noch einmal.
message-too-long = Deine Nachricht ist zu lang: die Grenze liegt bei { $max } Zeichen.
text-only = Ich kann nur Text lesen. Bitte schreib es mir.
inbox-full = Bei mir warten zu viele Nachrichten, diese konnte ich nicht annehmen. Schreib sie bitte gleich noch einmal.
reset-done = Unterhaltung neu begonnen.
handoff-started = Ich übergebe dich an einen Menschen aus dem Team.
handoff-ended = Ich bin wieder da, der Assistent.
rules-only = Der Schlüssel des Modells ({ $variable }) fehlt: ich antworte nur nach Regeln.
working = In Arbeit: { $title }…

## Hilfe

no-match =
    Das habe ich nicht verstanden. Du kannst schreiben:
    { $commands }
help =
    Du kannst schreiben:
    { $commands }
command-help = /help: zeigt diese Hilfe
command-reset = /reset: beginnt die Unterhaltung neu
command-tools = !tools: listet die Werkzeuge auf
command-tool = !tool Name Schlüssel=Wert: führt ein Werkzeug aus

## Wenn eine Regel für das Werkzeug spricht

rule-changed = Die Angaben zu „{ $title }“ haben sich während der Bestätigung geändert, darum habe ich es nicht getan. Bitte noch einmal darum.
rule-duplicate = „{ $title }“ ist gerade schon geschehen; ich habe es nicht wiederholt.
rule-failed = „{ $title }“ ist mir nicht gelungen.
rule-invalid = Für „{ $title }“ fehlt eine Angabe oder eine ist ungültig. Prüf sie und versuch es noch einmal.
rule-not-asked = Für „{ $title }“ konnte ich keine Bestätigung einholen, darum habe ich es nicht getan.
rule-refused = Du darfst „{ $title }“ nicht verwenden.
rule-rejected = In Ordnung, „{ $title }“ habe ich nicht ausgeführt.
rule-timeout = „{ $title }“ hat nicht rechtzeitig geantwortet.
rule-too-long = „{ $title }“ ist zu lang, um es zu bestätigen, darum habe ich es nicht getan.
rule-unknown = Ich weiß nicht, ob „{ $title }“ geschehen ist. Prüf es, bevor du noch einmal darum bittest.
