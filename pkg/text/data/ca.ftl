### Català. Les frases per a les persones i les notes per al model.

## La pregunta

confirm-head = Faré això: { $title }
confirm = Ho confirmes? (sí/no)
confirm-buttons = Ho confirmes?
button-yes = Sí
button-no = No
choice = → { $choice }
choice-replied = una altra resposta
choice-expired = sense resposta
choice-cancelled = cancel·lat
confirm-expired = Aquesta confirmació ja no està activa.
confirm-answered = Resposta rebuda: { $answer }.
confirm-repeat = Compte: ja he fet «{ $title }» fa un moment (resultat: { $result }). Si ho confirmes, es tornarà a fer.
confirm-repeat-plain = Compte: ja he fet «{ $title }» fa un moment. Si ho confirmes, es tornarà a fer.
confirm-repeat-unknown = Compte: pot ser que «{ $title }» ja s’hagi fet fa un moment; no ho he pogut comprovar. Si ho confirmes, es podria tornar a fer.
confirm-open-until = Hi ha una confirmació pendent fins a les { $time }: { $title }
approval-expired = El teu sí ja no compta: «{ $title }» no ha començat a temps i no s’ha fet. Torna-ho a demanar si encara ho vols.
done-untold = Això sí que ha quedat fet: { $titles }.

## Notes per al model

now = Ara: { $weekday }, { $date }, { $time } ({ $zone }).
confirm-note = Aquestes eines demanen confirmació a la persona abans d’executar-se: { $tools }. Crida-les tan bon punt la persona vulgui l’acció; no preguntis tu «ho faig?» ni esmentis la confirmació. No diguis mai que s’ha fet, canviat, substituït o cancel·lat res si no ho diu el resultat d’una eina. Si no hi ha cap eina per al que demana, digues-ho clarament.
done-note =
    Accions d’aquest xat, de la més recent a la més antiga. No les repeteixis si la persona no ho demana:
    { $lines }
done-line = - { $when }: { $tool } { $arguments } → { $result }
done-line-unknown = - { $when }: { $tool } { $arguments } → resultat desconegut: pot ser que s’hagi fet
wait-expired = [La persona no ha respost a temps: { $tool } no s’ha executat.]
truncated = La teva última resposta s’ha tallat pel límit de llargada i les seves crides no s’han executat. Respon un altre cop, més breu.
filtered = El filtre de contingut del teu proveïdor ha aturat la teva última resposta i les seves crides no s’han executat. Respon un altre cop amb altres paraules, o digues que no hi pots ajudar.
rejected-instruction = La persona ha dit que no. No ho tornis a intentar (do not retry) ni ho proposis de nou, si ella no ho demana.
not-asked-earlier = La persona no ha acceptat una acció anterior del mateix pas; per això no se li ha preguntat per aquesta.
not-asked-nobody = Aquí no hi ha ningú a qui demanar confirmació.
not-asked-limit = En aquest torn ja s’han fet totes les preguntes permeses.
result-cut = [tallat: falten { $bytes } bytes]

## El torn

model-failed = Ho sento, ara mateix no puc respondre. Torna-ho a provar d’aquí a un moment.
empty-reply = Ho sento, no he trobat resposta. M’ho pots dir d’una altra manera?
max-steps = Ho sento, això necessita més passos dels que puc fer d’un cop. Digues-me com vols continuar.
repeated-call = No me n’he sortit: «{ $title }» ha fallat diverses vegades amb les mateixes dades, així que m’he aturat.
turn-too-old = Ho sento, m’he interromput i no he acabat d’atendre el teu últim missatge. Si encara ho necessites, escriu-lo un altre cop.
message-too-long = El teu missatge és massa llarg: el màxim és de { $max } caràcters.
text-only = Només puc llegir text. Escriu-m’ho, si us plau.
inbox-full = Tinc massa missatges en espera i no he pogut atendre aquest. Escriu-lo un altre cop d’aquí a un moment.
reset-done = Conversa reiniciada.
handoff-started = Et passo amb una persona de l’equip.
handoff-ended = Torno a ser jo, l’assistent.
rules-only = Falta la clau del model ({ $variable }): responc només amb regles.
working = Treballant: { $title }…

## Ajuda

no-match =
    No t’he entès. Pots escriure:
    { $commands }
help =
    Pots escriure:
    { $commands }
command-help = /help: mostra aquesta ajuda
command-reset = /reset: torna a començar la conversa
command-tools = !tools: llista les eines
command-tool = !tool nom clau=valor: executa una eina

## Quan una regla parla per l’eina

rule-changed = Les dades de «{ $title }» han canviat mentre confirmaves, així que no ho he fet. Torna-ho a demanar.
rule-duplicate = «{ $title }» ja s’ha fet fa un moment; no ho he repetit.
rule-failed = No he pogut fer «{ $title }».
rule-invalid = Falten dades per a «{ $title }», o alguna no és vàlida. Revisa-les i torna-ho a provar.
rule-not-asked = No he pogut demanar confirmació per a «{ $title }», així que no ho he fet.
rule-refused = No tens permís per a «{ $title }».
rule-rejected = D’acord, no he fet «{ $title }».
rule-timeout = «{ $title }» no ha respost a temps.
rule-too-long = «{ $title }» és massa llarg per confirmar-ho, així que no ho he fet.
rule-unknown = No sé si «{ $title }» s’ha arribat a fer. Comprova-ho abans de tornar-ho a demanar.
