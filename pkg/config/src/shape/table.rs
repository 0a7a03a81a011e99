//! Every key of an agent file.

use super::{Field, Shape, Struct};

mod channels;
mod rules;
mod tools;

pub(crate) use rules::EACH;

const DAY_MS: u64 = 86_400_000;
/// The longest duration a key takes: a year.
const LONGEST_MS: u64 = 366 * DAY_MS;
const ANY_COUNT: Shape = Shape::Count { min: 0, max: 1_000_000_000 };
const SOME: Shape = Shape::Count { min: 1, max: 1_000_000_000 };
const TEXTS: Shape = Shape::List(&Shape::Text);
const TIMEOUT: Shape = Shape::Duration { min_ms: 1, max_ms: LONGEST_MS };
/// `0` turns it off.
const TIMEOUT_OR_OFF: Shape = Shape::Duration { min_ms: 0, max_ms: LONGEST_MS };
const BYTES: Shape = Shape::Size { min: 1, max: 1 << 30 };
const SECRETS: Shape = Shape::Either(&[Shape::Secret, Shape::List(&Shape::Secret)]);

/// The whole file.
pub(crate) static AGENT: Struct = Struct {
    name: "agent",
    doc: "An agent: who it is, which model it has, what it may do and where it listens.",
    fields: &[
        Field::new("name", Shape::Text, "The agent's name: letters, digits, `_` and `-`.").required(),
        Field::new("language", Shape::Choice(&["es", "en", "pt", "fr", "it", "de", "ca"]), "The language of our texts for people and for the model.").default("en"),
        Field::new("locale", Shape::Text, "How numbers, dates and money are written, such as `es-CO`; from the language when left out."),
        Field::new("time_zone", Shape::Text, "An IANA zone such as `America/Bogota`; the system's when left out."),
        Field::new("money", Shape::Struct(&MONEY), "How amounts are written."),
        Field::new("persona", Shape::Text, "What the model is told about itself."),
        Field::new("model", Shape::Struct(&MODEL), "The model; left out, the agent runs on rules alone.").variables(),
        Field::new("fallback_models", Shape::List(&Shape::Struct(&MODEL)), "Models to try when the first one fails, in order.").variables(),
        Field::new("store", Shape::Text, "Where chats are kept: `memory`, `sqlite:PATH` or `postgres://…`; `sqlite:<name>.db` when left out.").variables(),
        Field::new("store_keep", TIMEOUT, "How long finished turns are kept; for ever when left out."),
        Field::new("databases", Shape::Map(&Shape::Struct(&DATABASE)), "Databases of `sql` tools, by name.").variables(),
        Field::new("confirm", Shape::Struct(&CONFIRM), "How people are asked."),
        Field::new("tools", Shape::List(&Shape::Struct(&tools::TOOL)), "What the agent can do.").default("[]"),
        Field::new("security", Shape::Struct(&SECURITY), "Who may use what."),
        Field::new("webhook", Shape::Struct(&WEBHOOK), "Runs the tools that have nothing else to run them.").variables(),
        Field::new("notices", Shape::List(&Shape::Struct(&NOTICE)), "Who is told after every tool run, and of what else the audit trail holds; at most 20.").default("[]").variables(),
        Field::new("rules", Shape::List(&Shape::Struct(&rules::RULE)), "What is decided before the model is asked, in order.").default("[]"),
        Field::new("channels", Shape::Struct(&channels::CHANNELS), "Where the agent listens, apart from the terminal and the API.").variables(),
        Field::new("max_steps", Shape::Count { min: 1, max: 100 }, "The most model calls in one turn.").default("5"),
        Field::new("max_steps_message", Shape::Text, "What is said when they are used up."),
        Field::new("final_answer", Shape::Bool, "Whether one more call without tools follows the last step.").default("false"),
        Field::new("interim_text", Shape::Bool, "Whether text beside tool calls is sent to the person.").default("false"),
        Field::new("parallel_reads", Shape::Bool, "Whether read-only calls of one step run side by side.").default("false"),
        Field::new("tool_timeout", TIMEOUT_OR_OFF, "How long a tool may take; 0 turns it off.").default("15s"),
        Field::new("turn_max_age", TIMEOUT, "A turn found unfinished and older than this is not continued.").default("10m"),
        Field::new("max_result_bytes", BYTES, "The most of a result that the model is told.").default("16KiB"),
        Field::new("max_response_bytes", BYTES, "The most of a result that is read from a tool; beyond it the run fails.").default("1MiB"),
        Field::new("max_message_chars", SOME, "The longest message a person may send.").default("8000"),
        Field::new("history", Shape::Struct(&HISTORY), "How much of the chat the model sees."),
        Field::new("inbox", Shape::Struct(&INBOX), "What happens to messages that have to wait."),
        Field::new("shutdown_grace", TIMEOUT_OR_OFF, "How long a stop waits for effects that run.").default("30s"),
        Field::new("fallback", Shape::Text, "What is said when no rule fits and there is no model."),
        Field::new("greeting", Shape::Text, "The answer to the first message of a chat and to `/start`."),
        Field::new("texts", Shape::Map(&Shape::Text), "Our sentences in your words, by message key."),
        Field::new("signing", Shape::Struct(&SIGNING), "The names of our signature headers.").variables(),
        Field::new("network", Shape::Struct(&NETWORK), "Where requests may go.").variables(),
        Field::new("server", Shape::Struct(&SERVER), "The HTTP server.").variables(),
        Field::new("direct_tools", TEXTS, "The roles that may run tools by `!tool`; none when left out.").default("[]"),
    ],
};

static MONEY: Struct = Struct {
    name: "money",
    doc: "How amounts are written. Amounts are whole numbers of the smallest unit.",
    fields: &[
        Field::new("symbol", Shape::Text, "What stands beside the number.").default("\"$\""),
        Field::new(
            "decimals",
            Shape::Count { min: 0, max: 8 },
            "How many digits of an amount stand after the point.",
        )
        .default("2"),
    ],
};

static MODEL: Struct = Struct {
    name: "model",
    doc: "One model of one provider.",
    fields: &[
        Field::new("provider", Shape::Text, "`openai`, `openai-responses`, `anthropic`, `gemini`, `ollama`, `scripted`, or the name of an OpenAI-compatible service.").required(),
        Field::new("model", Shape::Text, "The model's name at the provider."),
        Field::new("base_url", Shape::Text, "Where the provider's API is, when not at its own address."),
        Field::new("api_key", Shape::Secret, "The key, from a variable: \"${OPENAI_API_KEY}\"."),
        Field::new("timeout", TIMEOUT, "How long one model call may take, with its retries.").default("60s"),
        Field::new("first_byte_timeout", TIMEOUT, "How long the first byte of a reply may take; as long as `timeout` when left out."),
        Field::new("idle_timeout", TIMEOUT, "How long a reply may be silent between two bytes.").default("60s"),
        Field::new("stream", Shape::Bool, "Whether replies are asked for in pieces.").default("true"),
        Field::new("max_output_tokens", Shape::Count { min: 1, max: 10_000_000 }, "The most tokens of one reply; the provider's own bound when left out."),
        Field::new("num_ctx", Shape::Count { min: 1, max: 10_000_000 }, "For `ollama`: how many tokens the model looks back on; the server's own bound when left out."),
        Field::new("keep_alive", Shape::Either(&[TIMEOUT_OR_OFF, Shape::Choice(&["forever"])]), "For `ollama`: how long the server keeps the model in memory after a call, or `forever`; 0 unloads it at once."),
        Field::new("temperature", Shape::Number { min: 0.0, max: 2.0 }, "How freely words are chosen; the provider's own when left out."),
        Field::new("tool_choice", Shape::Text, "`auto`, `none`, `required` or the name of a tool: what the first model call of each turn may or must use.").default("auto"),
        Field::new("parallel_tool_calls", Shape::Bool, "Whether one reply may ask for several calls; the provider's own when left out."),
        Field::new("strict", Shape::Bool, "Whether the provider is asked to hold the model to the schemas, for each tool whose schema it can.").default("false"),
        Field::new("price", Shape::Struct(&PRICE), "What tokens cost, for the audit trail."),
        Field::new("optional", Shape::Bool, "Without a key, run on rules alone and say so once.").default("false"),
        Field::new("script", Shape::Either(&[Shape::Text, Shape::List(&Shape::Struct(&SCRIPT_ENTRY))]), "For `scripted`: a file, or the entries themselves."),
    ],
};

static PRICE: Struct = Struct {
    name: "price",
    doc: "What a million tokens of a model cost. Digits count: nothing is rounded.",
    fields: &[
        Field::new("input", PRICE_NUMBER, "Of what is sent.").required(),
        Field::new("output", PRICE_NUMBER, "Of what comes back, reasoning included.").required(),
        Field::new(
            "cached",
            PRICE_NUMBER,
            "Of what the provider read from its cache; as `input` when left out.",
        ),
        Field::new("currency", Shape::Text, "The currency.").default("USD"),
    ],
};

/// With at most six digits after the point.
const PRICE_NUMBER: Shape = Shape::Number { min: 0.0, max: 999_999_999.0 };

static SCRIPT_ENTRY: Struct = Struct {
    name: "script_entry",
    doc: "One reply of a scripted model; the first entry that matches answers.",
    fields: &[
        Field::new("when", Shape::Struct(&SCRIPT_WHEN), "When it answers; always when left out."),
        Field::new("call", Shape::List(&Shape::Struct(&SCRIPT_CALL)), "Tools it asks for.")
            .default("[]"),
        Field::new("say", Shape::Template, "Its text, over `result` and `user`."),
        Field::new(
            "finish",
            Shape::Choice(&["stop", "tool_calls", "length", "content_filter"]),
            "Why the reply ends.",
        ),
        Field::new("once", Shape::Bool, "Whether it serves once only.").default("false"),
        Field::new("delay", TIMEOUT_OR_OFF, "How long it takes to answer.").default("0"),
    ],
};

static SCRIPT_WHEN: Struct = Struct {
    name: "script_when",
    doc: "What the newest message must be.",
    fields: &[
        Field::new("user", Shape::Pattern, "The user's, matching this."),
        Field::new("result", Shape::Pattern, "A tool result, its JSON text matching this."),
    ],
};

static SCRIPT_CALL: Struct = Struct {
    name: "script_call",
    doc: "A tool call of a scripted model.",
    fields: &[
        Field::new("tool", Shape::Text, "The tool's name, right or wrong.").required(),
        Field::new("args", Shape::Any, "The arguments."),
        Field::new("args_text", Shape::Text, "The arguments as raw text."),
    ],
};

/// A script file.
pub(crate) static SCRIPT: Shape = Shape::List(&Shape::Struct(&SCRIPT_ENTRY));

static DATABASE: Struct = Struct {
    name: "database",
    doc: "A database of `sql` tools.",
    fields: &[
        Field::new("url", Shape::Text, "`sqlite:PATH` or `postgres://…`.").required(),
        Field::new(
            "init",
            Shape::Text,
            "A file with SQL that runs once, in a transaction, when the database is new.",
        ),
    ],
};

static CONFIRM: Struct = Struct {
    name: "confirm",
    doc: "How people are asked before a tool runs.",
    fields: &[
        Field::new("timeout", TIMEOUT, "How long a question waits.").default("2m"),
        Field::new("buttons", Shape::Bool, "Whether buttons are drawn where the channel has them.")
            .default("true"),
        Field::new("menu", Shape::Bool, "Whether `1` and `2` answer on channels without buttons.")
            .default("false"),
        Field::new("expired_notice", Shape::Bool, "Whether a late press is told that it is late.")
            .default("true"),
        Field::new(
            "answered_notice",
            Shape::Bool,
            "Whether a press is answered on channels that cannot edit.",
        )
        .default("false"),
        Field::new("who", Shape::Text, "Who may answer: `requester`, `anyone`, or a role.")
            .default("requester"),
        Field::new(
            "system_note",
            Shape::Either(&[Shape::Bool, Shape::Text]),
            "What the model is told about confirming; `false` turns it off.",
        )
        .default("true"),
        Field::new(
            "min_confidence",
            Shape::Number { min: 0.0, max: 1.0 },
            "A transcript below this is no answer.",
        )
        .default("0.6"),
        Field::new("max_chars", SOME, "The longest question.").default("4000"),
        Field::new("max_per_turn", SOME, "The most questions in one turn.").default("5"),
        Field::new(
            "repeat_window",
            TIMEOUT_OR_OFF,
            "How long a done call is warned about when it comes again.",
        )
        .default("1h"),
    ],
};

static SECURITY: Struct = Struct {
    name: "security",
    doc: "Who may use what.",
    fields: &[
        Field::new(
            "allowed_tools",
            TEXTS,
            "The tools that may be used at all; all of this file when left out, none when empty.",
        ),
        Field::new(
            "roles",
            Shape::Map(&Shape::Struct(&ROLE)),
            "Roles by name; `everyone` is the role of all.",
        ),
    ],
};

static ROLE: Struct = Struct {
    name: "role",
    doc: "What the users of a role may do.",
    fields: &[
        Field::new("users", TEXTS, "Who is in it, with the channel: `telegram:42`.").default("[]"),
        Field::new("tools", TEXTS, "Tools it may use; `*` is all.").default("[]"),
        Field::new("commands", TEXTS, "Commands it may write, such as `reset`; `*` is all. Without a list in any role, all are for everybody.").default("[]"),
        Field::new("deny", TEXTS, "Tools it may not use, whatever other roles say.").default("[]"),
    ],
};

static WEBHOOK: Struct = Struct {
    name: "webhook",
    doc: "The endpoint that runs tools which have none of their own.",
    fields: &[
        Field::new("url", Shape::Text, "Its address.").required(),
        Field::new(
            "secret",
            SECRETS,
            "What requests are signed with; a list while it is being changed.",
        ),
    ],
};

static NOTICE: Struct = Struct {
    name: "notice",
    doc: "An endpoint that is told what happened.",
    fields: &[
        Field::new("url", Shape::Text, "Its address; it must run nothing.").required(),
        Field::new(
            "events",
            TEXTS,
            "The kinds it wants: `chat.tool`, `telephony.tool` and `web.tool` for the ends of runs, and every kind of audit event; all when empty.",
        )
        .default("[]"),
        Field::new(
            "secret",
            SECRETS,
            "What notices are signed with; a list while it is being changed.",
        ),
        Field::new("agent", Shape::Text, "Only when the file is that of this agent."),
    ],
};

static HISTORY: Struct = Struct {
    name: "history",
    doc: "How much of the chat the model sees.",
    fields: &[
        Field::new("messages", ANY_COUNT, "How many messages, cut by whole turns.").default("20")
    ],
};

static INBOX: Struct = Struct {
    name: "inbox",
    doc: "What happens to messages that have to wait.",
    fields: &[
        Field::new("max_waiting", SOME, "How many wait in one chat; beyond it one notice is sent.")
            .default("20"),
        Field::new(
            "gather",
            TIMEOUT_OR_OFF,
            "How long messages in a row are joined; 1.5s on messengers when left out.",
        ),
        Field::new("remember", TIMEOUT, "How long message ids are known.").default("8d"),
    ],
};

static SIGNING: Struct = Struct {
    name: "signing",
    doc: "The names of our signature headers.",
    fields: &[
        Field::new("prefix", Shape::Text, "`X-<prefix>-Signature-V2` and so on.").default("Manos")
    ],
};

static NETWORK: Struct = Struct {
    name: "network",
    doc: "Where requests may go.",
    fields: &[
        Field::new(
            "allow_http",
            TEXTS,
            "Hosts that may be spoken to without TLS; loopback always may.",
        )
        .default("[]"),
        Field::new("proxy", Shape::Text, "A proxy; those of the environment are not used."),
    ],
};

static SERVER: Struct = Struct {
    name: "server",
    doc: "The HTTP server.",
    fields: &[
        Field::new("listen", Shape::Text, "Address and port.").default("127.0.0.1:8080"),
        Field::new("hosts", TEXTS, "Host names it answers to, apart from loopback.").default("[]"),
        Field::new(
            "api_keys",
            Shape::Map(&Shape::Either(&[Shape::Secret, Shape::Struct(&API_KEY)])),
            "Keys by name.",
        ),
        Field::new("callers", Shape::Struct(&CALLERS), "Platforms that call this agent's tools."),
    ],
};

static CALLERS: Struct = Struct {
    name: "callers",
    doc: "Platforms that call this agent's tools, each with what its requests are checked with.",
    fields: &[
        Field::new(
            "tools",
            Shape::Struct(&CALLER),
            "Whoever signs as we do, at `/tools`; the webhook's secret when left out.",
        ),
        Field::new(
            "retell",
            Shape::Struct(&CALLER),
            "Retell, at `/retell`; its secret is the API key with the webhook badge.",
        ),
        Field::new("vapi", Shape::Struct(&CALLER), "Vapi, at `/vapi`."),
    ],
};

static CALLER: Struct = Struct {
    name: "caller",
    doc: "A platform that calls this agent's tools.",
    fields: &[
        Field::new("secret", SECRETS, "What its requests are signed with, or show; a list while it is being changed."),
        Field::new("confirms", TEXTS, "Tools with `confirm` about which the platform asks the person itself: its call counts as the yes.").default("[]"),
    ],
};

static API_KEY: Struct = Struct {
    name: "api_key",
    doc: "A key of the HTTP API.",
    fields: &[
        Field::new("key", Shape::Secret, "The key itself, from a variable.").required(),
        Field::new("scopes", Shape::List(&Shape::Choice(&["chat", "operate"])), "What it may do.")
            .default("[chat]"),
    ],
};
