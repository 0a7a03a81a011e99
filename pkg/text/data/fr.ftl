### Français. Les phrases pour les personnes et les notes pour le modèle.

## La question

confirm-head = Je vais faire : { $title }
confirm = Tu confirmes ? (oui/non)
confirm-buttons = Tu confirmes ?
button-yes = Oui
button-no = Non
choice = → { $choice }
choice-replied = autre réponse
choice-expired = sans réponse
choice-cancelled = annulé
confirm-expired = Cette confirmation n’est plus active.
confirm-answered = Réponse reçue : { $answer }.
confirm-repeat = Attention : j’ai déjà fait « { $title } » il y a un instant (résultat : { $result }). Si tu confirmes, ce sera fait encore une fois.
confirm-repeat-plain = Attention : j’ai déjà fait « { $title } » il y a un instant. Si tu confirmes, ce sera fait encore une fois.
confirm-repeat-unknown = Attention : « { $title } » a peut-être déjà été fait il y a un instant ; je n’ai pas pu le vérifier. Si tu confirmes, ce sera peut-être fait une deuxième fois.
confirm-open-until = Une confirmation est ouverte jusqu’à { $time } : { $title }
approval-expired = Ton oui ne compte plus : « { $title } » n’a pas commencé à temps et n’a pas été fait. Redemande-le si tu le veux encore.
done-untold = Ceci a bien été fait : { $titles }.

## Notes pour le modèle

now = Maintenant : { $weekday } { $date }, { $time } ({ $zone }).
confirm-note = Ces outils demandent une confirmation à la personne avant de s’exécuter : { $tools }. Appelle-les dès que la personne veut l’action ; ne demande pas toi-même « je le fais ? » et ne parle pas de la confirmation. Ne dis jamais que quelque chose a été fait, modifié, remplacé ou annulé si le résultat d’un outil ne le dit pas. S’il n’y a pas d’outil pour la demande, dis-le clairement.
done-note =
    Actions de ce chat, de la plus récente à la plus ancienne. Ne les répète pas, sauf si la personne le demande :
    { $lines }
done-line = - { $when } : { $tool } { $arguments } → { $result }
done-line-unknown = - { $when } : { $tool } { $arguments } → résultat inconnu : c’est peut-être fait
wait-expired = [La personne n’a pas répondu à temps : { $tool } n’a pas été exécuté.]
truncated = Ta dernière réponse a été coupée par la limite de longueur et ses appels n’ont pas été exécutés. Réponds à nouveau, plus court.
filtered = Le filtre de contenu de ton fournisseur a arrêté ta dernière réponse et ses appels n’ont pas été exécutés. Réponds à nouveau avec d’autres mots, ou dis que tu ne peux pas aider pour cela.
rejected-instruction = La personne a dit non. Ne réessaie pas (do not retry) et ne le propose plus, sauf si elle le demande.
not-asked-earlier = La personne n’a pas accepté une action précédente de la même étape ; celle-ci ne lui a donc pas été demandée.
not-asked-nobody = Il n’y a personne ici à qui demander confirmation.
not-asked-limit = Toutes les questions permises dans ce tour ont déjà été posées.
result-cut = [coupé : il manque { $bytes } octets]

## Le tour

model-failed = Désolé, je ne peux pas répondre pour le moment. Réessaie dans un instant.
empty-reply = Désolé, je n’ai pas trouvé de réponse. Peux-tu le dire autrement ?
max-steps = Désolé, cela demande plus d’étapes que je ne peux en faire d’un coup. Dis-moi comment tu veux continuer.
repeated-call = Je n’y suis pas arrivé : « { $title } » a échoué plusieurs fois avec les mêmes données, alors je me suis arrêté.
turn-too-old = Désolé, j’ai été interrompu et je n’ai pas fini de traiter ton dernier message. Si tu en as encore besoin, écris-le à nouveau.
message-too-long = Ton message est trop long : la limite est de { $max } caractères.
text-only = Je ne peux lire que du texte. Écris-le-moi, s’il te plaît.
inbox-full = J’ai trop de messages en attente et je n’ai pas pu prendre celui-ci. Écris-le à nouveau dans un instant.
reset-done = Conversation réinitialisée.
handoff-started = Je te passe une personne de l’équipe.
handoff-ended = Je suis de retour, l’assistant.
rules-only = La clé du modèle ({ $variable }) manque : je réponds seulement par des règles.
working = En cours : { $title }…

## Aide

no-match =
    Je n’ai pas compris. Tu peux écrire :
    { $commands }
help =
    Tu peux écrire :
    { $commands }
command-help = /help : affiche cette aide
command-reset = /reset : recommence la conversation
command-tools = !tools : liste les outils
command-tool = !tool nom clé=valeur : exécute un outil

## Quand une règle parle pour l’outil

rule-changed = Les données de « { $title } » ont changé pendant que tu confirmais, donc je ne l’ai pas fait. Redemande-le.
rule-duplicate = « { $title } » a déjà été fait il y a un instant ; je ne l’ai pas répété.
rule-failed = Je n’ai pas pu faire « { $title } ».
rule-invalid = Il manque des données pour « { $title } », ou l’une d’elles n’est pas valable. Vérifie-les et réessaie.
rule-not-asked = Je n’ai pas pu demander de confirmation pour « { $title } », donc je ne l’ai pas fait.
rule-refused = Tu n’as pas le droit d’utiliser « { $title } ».
rule-rejected = D’accord, je n’ai pas fait « { $title } ».
rule-timeout = « { $title } » n’a pas répondu à temps.
rule-too-long = « { $title } » est trop long à confirmer, donc je ne l’ai pas fait.
rule-unknown = Je ne sais pas si « { $title } » a été fait. Vérifie avant de le redemander.
