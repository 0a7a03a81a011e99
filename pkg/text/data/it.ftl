### Italiano. Le frasi per le persone e le note per il modello.

## La domanda

confirm-head = Sto per fare: { $title }
confirm = Confermi? (sì/no)
confirm-buttons = Confermi?
button-yes = Sì
button-no = No
choice = → { $choice }
choice-replied = altra risposta
choice-expired = nessuna risposta
choice-cancelled = annullato
confirm-expired = Quella conferma non è più attiva.
confirm-answered = Risposta ricevuta: { $answer }.
confirm-repeat = Attenzione: ho già fatto «{ $title }» poco fa (risultato: { $result }). Se confermi, sarà fatto di nuovo.
confirm-repeat-plain = Attenzione: ho già fatto «{ $title }» poco fa. Se confermi, sarà fatto di nuovo.
confirm-repeat-unknown = Attenzione: «{ $title }» potrebbe essere già stato fatto poco fa; non ho potuto verificarlo. Se confermi, potrebbe essere fatto di nuovo.
confirm-open-until = C’è una conferma in sospeso fino alle { $time }: { $title }
approval-expired = Il tuo sì non vale più: «{ $title }» non è iniziato in tempo e non è stato fatto. Chiedilo di nuovo se lo vuoi ancora.
done-untold = Questo è stato fatto: { $titles }.

## Note per il modello

now = Adesso: { $weekday } { $date }, { $time } ({ $zone }).
confirm-note = Questi strumenti chiedono conferma alla persona prima di essere eseguiti: { $tools }. Chiamali appena la persona vuole l’azione; non chiedere tu «lo faccio?» e non parlare della conferma. Non dire mai che qualcosa è stato fatto, cambiato, sostituito o annullato se non lo dice il risultato di uno strumento. Se non c’è uno strumento per la richiesta, dillo chiaramente.
done-note =
    Azioni di questa chat, dalla più recente alla più vecchia. Non ripeterle, a meno che la persona lo chieda:
    { $lines }
done-line = - { $when }: { $tool } { $arguments } → { $result }
done-line-unknown = - { $when }: { $tool } { $arguments } → esito sconosciuto: potrebbe essere stato fatto
wait-expired = [La persona non ha risposto in tempo: { $tool } non è stato eseguito.]
truncated = La tua ultima risposta è stata tagliata dal limite di lunghezza e le sue chiamate non sono state eseguite. Rispondi di nuovo, più breve.
filtered = Il filtro dei contenuti del tuo fornitore ha fermato la tua ultima risposta e le sue chiamate non sono state eseguite. Rispondi di nuovo con altre parole, o di’ che non puoi aiutare in questo.
rejected-instruction = La persona ha detto no. Non riprovare (do not retry) e non proporlo di nuovo, a meno che lo chieda.
not-asked-earlier = La persona non ha accettato un’azione precedente dello stesso passo, quindi non è stata interpellata su questa.
not-asked-nobody = Qui non c’è nessuno a cui chiedere conferma.
not-asked-limit = In questo turno sono già state fatte tutte le domande permesse.
result-cut = [tagliato: mancano { $bytes } byte]

## Il turno

model-failed = Mi dispiace, adesso non riesco a rispondere. Riprova tra poco.
empty-reply = Mi dispiace, non ho trovato una risposta. Puoi dirlo in un altro modo?
max-steps = Mi dispiace, servono più passi di quanti ne possa fare in una volta. Dimmi come vuoi continuare.
repeated-call = Non ci sono riuscito: «{ $title }» è fallito più volte con gli stessi dati, quindi mi sono fermato.
turn-too-old = Mi dispiace, sono stato interrotto e non ho finito di seguire il tuo ultimo messaggio. Se ti serve ancora, scrivilo di nuovo.
message-too-long = Il tuo messaggio è troppo lungo: il limite è di { $max } caratteri.
text-only = So leggere solo testo. Scrivimelo, per favore.
inbox-full = Ho troppi messaggi in attesa e non ho potuto prendere questo. Scrivilo di nuovo tra poco.
reset-done = Conversazione riavviata.
handoff-started = Ti passo a una persona del team.
handoff-ended = Eccomi di nuovo, sono l’assistente.
rules-only = Manca la chiave del modello ({ $variable }): rispondo solo con le regole.
working = In corso: { $title }…

## Aiuto

no-match =
    Non ho capito. Puoi scrivere:
    { $commands }
help =
    Puoi scrivere:
    { $commands }
command-help = /help: mostra questo aiuto
command-reset = /reset: ricomincia la conversazione
command-tools = !tools: elenca gli strumenti
command-tool = !tool nome chiave=valore: esegue uno strumento

## Quando una regola parla per lo strumento

rule-changed = I dati di «{ $title }» sono cambiati mentre confermavi, quindi non l’ho fatto. Chiedilo di nuovo.
rule-duplicate = «{ $title }» è già stato fatto poco fa; non l’ho ripetuto.
rule-failed = Non sono riuscito a fare «{ $title }».
rule-invalid = Mancano dati per «{ $title }», o qualcuno non è valido. Controllali e riprova.
rule-not-asked = Non ho potuto chiedere conferma per «{ $title }», quindi non l’ho fatto.
rule-refused = Non hai il permesso di usare «{ $title }».
rule-rejected = Va bene, non ho fatto «{ $title }».
rule-timeout = «{ $title }» non ha risposto in tempo.
rule-too-long = «{ $title }» è troppo lungo da confermare, quindi non l’ho fatto.
rule-unknown = Non so se «{ $title }» sia stato fatto. Controlla prima di chiederlo di nuovo.
