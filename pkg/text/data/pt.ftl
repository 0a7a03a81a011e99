### Português. As frases para as pessoas e as notas para o modelo.

## A pergunta

confirm-head = Vou fazer: { $title }
confirm = Você confirma? (sim/não)
confirm-buttons = Você confirma?
button-yes = Sim
button-no = Não
choice = → { $choice }
choice-replied = outra resposta
choice-expired = sem resposta
choice-cancelled = cancelado
confirm-expired = Essa confirmação não está mais ativa.
confirm-answered = Resposta recebida: { $answer }.
confirm-repeat = Atenção: já fiz «{ $title }» há pouco (resultado: { $result }). Se você confirmar, será feito de novo.
confirm-repeat-plain = Atenção: já fiz «{ $title }» há pouco. Se você confirmar, será feito de novo.
confirm-repeat-unknown = Atenção: talvez «{ $title }» já tenha sido feito há pouco; não consegui verificar. Se você confirmar, pode ser feito de novo.
confirm-open-until = Há uma confirmação em aberto até { $time }: { $title }
approval-expired = O seu sim perdeu o efeito: «{ $title }» não começou a tempo e não foi feito. Peça de novo se ainda quiser.
done-untold = Isto ficou feito: { $titles }.

## Notas para o modelo

now = Agora: { $weekday }, { $date }, { $time } ({ $zone }).
confirm-note = Estas ferramentas pedem confirmação à pessoa antes de executar: { $tools }. Chame-as assim que a pessoa quiser a ação; não pergunte você «posso fazer?» nem mencione a confirmação. Nunca diga que algo foi feito, alterado, substituído ou cancelado se o resultado de uma ferramenta não o disser. Se não houver ferramenta para o pedido, diga claramente.
done-note =
    Ações deste chat, da mais recente para a mais antiga. Não as repita, a menos que a pessoa peça:
    { $lines }
done-line = - { $when }: { $tool } { $arguments } → { $result }
done-line-unknown = - { $when }: { $tool } { $arguments } → resultado desconhecido: talvez tenha sido feito
wait-expired = [A pessoa não respondeu a tempo: { $tool } não foi executada.]
truncated = Sua última resposta foi cortada pelo limite de tamanho e as chamadas não foram executadas. Responda de novo, mais curto.
filtered = O filtro de conteúdo do seu provedor interrompeu sua última resposta e as chamadas não foram executadas. Responda de novo com outras palavras, ou diga que não pode ajudar com isso.
rejected-instruction = A pessoa disse não. Não tente de novo (do not retry) nem proponha outra vez, a menos que ela peça.
not-asked-earlier = A pessoa não aceitou uma ação anterior deste mesmo passo; por isso não se perguntou por esta.
not-asked-nobody = Aqui não há a quem pedir confirmação.
not-asked-limit = Neste turno já foram feitas todas as perguntas permitidas.
result-cut = [cortado: faltam { $bytes } bytes]

## O turno

model-failed = Desculpe, não consigo responder agora. Tente de novo daqui a pouco.
empty-reply = Desculpe, não encontrei resposta. Você pode dizer de outra forma?
max-steps = Desculpe, isto precisa de mais passos do que consigo dar de uma vez. Diga como quer continuar.
repeated-call = Não consegui: «{ $title }» falhou várias vezes com os mesmos dados, então parei.
turn-too-old = Desculpe, fui interrompido e não terminei de atender sua última mensagem. Se ainda precisar, escreva de novo.
message-too-long = Sua mensagem é longa demais: o limite é de { $max } caracteres.
text-only = Só consigo ler texto. Escreva para mim, por favor.
inbox-full = Tenho mensagens demais na fila e não pude atender esta. Escreva de novo daqui a pouco.
reset-done = Conversa reiniciada.
handoff-started = Vou passar você para uma pessoa da equipe.
handoff-ended = Voltei, sou o assistente.
rules-only = Falta a chave do modelo ({ $variable }): respondo apenas por regras.
working = Trabalhando: { $title }…

## Ajuda

no-match =
    Não entendi. Você pode escrever:
    { $commands }
help =
    Você pode escrever:
    { $commands }
command-help = /help: mostra esta ajuda
command-reset = /reset: recomeça a conversa
command-tools = !tools: lista as ferramentas
command-tool = !tool nome chave=valor: executa uma ferramenta

## Quando uma regra fala pela ferramenta

rule-changed = Os dados de «{ $title }» mudaram enquanto você confirmava, então não fiz. Peça de novo.
rule-duplicate = «{ $title }» já foi feito há pouco; não repeti.
rule-failed = Não consegui fazer «{ $title }».
rule-invalid = Faltam dados para «{ $title }», ou algum não é válido. Verifique e tente de novo.
rule-not-asked = Não pude pedir confirmação de «{ $title }», então não fiz.
rule-refused = Você não tem permissão para «{ $title }».
rule-rejected = Tudo bem, não fiz «{ $title }».
rule-timeout = «{ $title }» não respondeu a tempo.
rule-too-long = «{ $title }» é longo demais para confirmar, então não fiz.
rule-unknown = Não sei se «{ $title }» chegou a ser feito. Verifique antes de pedir de novo.
