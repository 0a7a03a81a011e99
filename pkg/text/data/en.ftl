### English. The sentences for people and the notes for the model.

## The question

confirm-head = I am going to: { $title }
confirm = Do you confirm? (yes/no)
confirm-buttons = Do you confirm?
button-yes = Yes
button-no = No
choice = → { $choice }
choice-replied = another answer
choice-expired = no answer
choice-cancelled = cancelled
confirm-expired = That confirmation is no longer active.
confirm-answered = Answer received: { $answer }.
confirm-repeat = Careful: I already did “{ $title }” a moment ago (result: { $result }). If you confirm, it will be done again.
confirm-repeat-plain = Careful: I already did “{ $title }” a moment ago. If you confirm, it will be done again.
confirm-repeat-unknown = Careful: “{ $title }” may already have been done a moment ago; I could not find out. If you confirm, it might be done again.
confirm-open-until = A confirmation is open until { $time }: { $title }
approval-expired = Your yes no longer counts: “{ $title }” did not start in time and was not done. Ask again if you still want it.
done-untold = This was done: { $titles }.

## Notes for the model

now = Now: { $weekday }, { $date }, { $time } ({ $zone }).
confirm-note = These tools ask the person for confirmation before they run: { $tools }. Call them as soon as the person wants the action; do not ask “shall I?” yourself and do not mention the confirming. Never say that something was done, changed, replaced or cancelled unless a tool result says so. If there is no tool for the wish, say so plainly.
done-note =
    Actions of this chat, newest first. Do not repeat them unless the person asks for it:
    { $lines }
done-line = - { $when }: { $tool } { $arguments } → { $result }
done-line-unknown = - { $when }: { $tool } { $arguments } → outcome unknown: it may have been done
wait-expired = [The person did not answer in time: { $tool } was not run.]
truncated = Your last reply was cut by the length limit and its calls were not run. Reply again, shorter.
filtered = Your provider’s content filter stopped your last reply and its calls were not run. Reply again in other words, or say that you cannot help with this.
rejected-instruction = The person said no: do not retry this call and do not offer it again unless they ask for it.
not-asked-earlier = The person did not accept an earlier action of the same step, so they were not asked about this one.
not-asked-nobody = There is nobody here to ask for confirmation.
not-asked-limit = All questions allowed in this turn have been asked.
result-cut = [cut: { $bytes } bytes are missing]

## The turn

model-failed = Sorry, I cannot answer right now. Please try again in a moment.
empty-reply = Sorry, I found no answer. Could you say it another way?
max-steps = Sorry, this takes more steps than I can do at once. Tell me how you want to go on.
repeated-call = I did not manage it: “{ $title }” failed several times with the same data, so I stopped.
turn-too-old = Sorry, I was interrupted and did not finish your last message. If you still need it, please write it again.
message-too-long = Your message is too long: the limit is { $max } characters.
text-only = I can only read text. Please write it to me.
inbox-full = I have too many messages waiting and could not take this one. Please write it again in a moment.
reset-done = Conversation restarted.
handoff-started = I am handing you over to a person of the team.
handoff-ended = I am back, the assistant.
rules-only = The model's key ({ $variable }) is missing: I answer by rules alone.
working = Working: { $title }…

## Help

no-match =
    I did not understand. You can write:
    { $commands }
help =
    You can write:
    { $commands }
command-help = /help: shows this help
command-reset = /reset: starts the conversation again
command-tools = !tools: lists the tools
command-tool = !tool name key=value: runs a tool

## When a rule speaks for the tool

rule-changed = The data of “{ $title }” changed while you were confirming, so I did not do it. Please ask again.
rule-duplicate = “{ $title }” was already done a moment ago; I did not repeat it.
rule-failed = I could not do “{ $title }”.
rule-invalid = Something is missing or not valid for “{ $title }”. Please check it and try again.
rule-not-asked = I could not ask for confirmation of “{ $title }”, so I did not do it.
rule-refused = You are not allowed to use “{ $title }”.
rule-rejected = All right, I did not do “{ $title }”.
rule-timeout = “{ $title }” did not answer in time.
rule-too-long = “{ $title }” is too long to confirm, so I did not do it.
rule-unknown = I do not know whether “{ $title }” was done. Check before you ask again.
