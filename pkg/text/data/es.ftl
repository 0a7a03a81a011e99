### Español. Las frases para personas y las notas para el modelo.

## La pregunta

confirm-head = Voy a: { $title }
confirm = ¿Confirmas? (sí/no)
confirm-buttons = ¿Confirmas?
button-yes = Sí
button-no = No
choice = → { $choice }
choice-replied = otra respuesta
choice-expired = sin respuesta
choice-cancelled = cancelado
confirm-expired = Esa confirmación ya no está activa.
confirm-answered = Respuesta recibida: { $answer }.
confirm-repeat = Ojo: ya hice «{ $title }» hace un momento (resultado: { $result }). Si confirmas, se hará otra vez.
confirm-repeat-plain = Ojo: ya hice «{ $title }» hace un momento. Si confirmas, se hará otra vez.
confirm-repeat-unknown = Ojo: puede que «{ $title }» ya se haya hecho hace un momento; no pude comprobarlo. Si confirmas, podría hacerse otra vez.
confirm-open-until = Hay una confirmación pendiente hasta las { $time }: { $title }
approval-expired = Tu sí quedó sin efecto: «{ $title }» no empezó a tiempo y no se hizo. Pídelo otra vez si aún lo quieres.
done-untold = Esto sí quedó hecho: { $titles }.

## Notas para el modelo

now = Ahora: { $weekday }, { $date }, { $time } ({ $zone }).
confirm-note = Estas herramientas piden confirmación a la persona antes de ejecutarse: { $tools }. Llámalas en cuanto la persona quiera la acción; no preguntes tú «¿lo hago?» ni menciones la confirmación. Nunca digas que algo se hizo, cambió, reemplazó o canceló si no lo dice el resultado de una herramienta. Si no hay herramienta para lo que pide, dilo claramente.
done-note =
    Acciones de este chat, de la más reciente a la más antigua. No las repitas salvo que la persona lo pida:
    { $lines }
done-line = - { $when }: { $tool } { $arguments } → { $result }
done-line-unknown = - { $when }: { $tool } { $arguments } → resultado desconocido: puede que se haya hecho
wait-expired = [La persona no respondió a tiempo: { $tool } no se ejecutó.]
truncated = Tu respuesta anterior se cortó por el límite de longitud y sus llamadas no se ejecutaron. Responde otra vez, más breve.
filtered = El filtro de contenido de tu proveedor detuvo tu respuesta anterior y sus llamadas no se ejecutaron. Responde otra vez con otras palabras, o di que no puedes ayudar con eso.
rejected-instruction = La persona dijo que no. No lo reintentes (do not retry) ni lo propongas otra vez, salvo que ella lo pida.
not-asked-earlier = La persona no aceptó una acción anterior de este mismo paso; por eso no se preguntó por esta.
not-asked-nobody = Aquí no hay a quién pedirle confirmación.
not-asked-limit = En este turno ya se hicieron todas las preguntas permitidas.
result-cut = [cortado: faltan { $bytes } bytes]

## El turno

model-failed = Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
empty-reply = Lo siento, no encontré respuesta. ¿Me lo dices de otra forma?
max-steps = Lo siento, esto necesita más pasos de los que puedo dar de una vez. Dime cómo quieres seguir.
repeated-call = No lo conseguí: «{ $title }» falló varias veces con los mismos datos, así que paré.
turn-too-old = Lo siento, me interrumpí y no terminé de atender tu último mensaje. Si aún lo necesitas, escríbelo otra vez.
message-too-long = Tu mensaje es demasiado largo: el máximo es de { $max } caracteres.
text-only = Solo puedo leer texto. Escríbemelo, por favor.
inbox-full = Tengo demasiados mensajes en espera y no pude atender este. Escríbelo otra vez en un momento.
reset-done = Conversación reiniciada.
handoff-started = Te paso con una persona del equipo.
handoff-ended = Vuelvo a atenderte yo, el asistente.
rules-only = Falta la clave del modelo ({ $variable }): respondo solo con reglas.
working = Trabajando: { $title }…

## Ayuda

no-match =
    No te entendí. Puedes escribir:
    { $commands }
help =
    Puedes escribir:
    { $commands }
command-help = /help: muestra esta ayuda
command-reset = /reset: empieza de nuevo la conversación
command-tools = !tools: lista las herramientas
command-tool = !tool nombre clave=valor: ejecuta una herramienta

## Cuando una regla habla por la herramienta

rule-changed = Los datos de «{ $title }» cambiaron mientras confirmabas, así que no lo hice. Pídelo otra vez.
rule-duplicate = «{ $title }» ya se hizo hace un momento; no lo repetí.
rule-failed = No pude hacer «{ $title }».
rule-invalid = Faltan datos para «{ $title }», o alguno no es válido. Revísalos e inténtalo otra vez.
rule-not-asked = No pude pedir confirmación para «{ $title }», así que no lo hice.
rule-refused = No tienes permiso para «{ $title }».
rule-rejected = De acuerdo, no hice «{ $title }».
rule-timeout = «{ $title }» no respondió a tiempo.
rule-too-long = «{ $title }» es demasiado largo para confirmarlo, así que no lo hice.
rule-unknown = No sé si «{ $title }» llegó a hacerse. Compruébalo antes de pedirlo otra vez.
