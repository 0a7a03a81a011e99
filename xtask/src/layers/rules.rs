//! The tables: which folder may depend on which, and the outside libraries of `pkg/`.

/// What a package may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edges {
    /// These folders.
    Only(&'static [&'static str]),
    /// Every package: a composition root, or a program over one.
    All,
}

/// The adapters: each stands between one port and the world, and knows no other adapter.
const ADAPTERS: [&str; 7] = [
    "shell/channels",
    "shell/notices",
    "shell/providers",
    "shell/server",
    "shell/store",
    "shell/tools",
    "shell/voice",
];

/// The rows of the dependency table, in the order of the layers. A row that ends in `/*` stands for
/// every package in that folder.
const TABLE: &[(&str, Edges)] = &[
    ("pkg/model", Edges::Only(&[])),
    ("pkg/answer", Edges::Only(&[])),
    ("pkg/schema", Edges::Only(&["pkg/model"])),
    ("pkg/text", Edges::Only(&["pkg/model"])),
    ("pkg/wire-llm", Edges::Only(&["pkg/model"])),
    ("pkg/wire-tool", Edges::Only(&["pkg/model"])),
    ("pkg/openapi", Edges::Only(&["pkg/model", "pkg/wire-tool"])),
    ("pkg/wire-channel", Edges::Only(&["pkg/model"])),
    ("pkg/policy", Edges::Only(&["pkg/model", "pkg/schema"])),
    ("pkg/engine", Edges::Only(&["pkg/model", "pkg/policy", "pkg/schema", "pkg/text"])),
    (
        "pkg/chat",
        Edges::Only(&[
            "pkg/answer",
            "pkg/engine",
            "pkg/model",
            "pkg/policy",
            "pkg/schema",
            "pkg/text",
        ]),
    ),
    (
        // It fills the types of the machines and never drives them.
        "pkg/config",
        Edges::Only(&[
            "pkg/answer",
            "pkg/chat",
            "pkg/engine",
            "pkg/model",
            "pkg/openapi",
            "pkg/policy",
            "pkg/schema",
            "pkg/text",
            "pkg/wire-channel",
            "pkg/wire-llm",
            "pkg/wire-tool",
        ]),
    ),
    ("shell/ports", Edges::Only(&["pkg/model", "pkg/policy"])),
    ("shell/net", Edges::Only(&["pkg/model", "pkg/wire-tool"])),
    (
        "shell/providers",
        Edges::Only(&["pkg/model", "pkg/text", "pkg/wire-llm", "shell/net", "shell/ports"]),
    ),
    (
        "shell/tools",
        Edges::Only(&["pkg/model", "pkg/policy", "pkg/wire-tool", "shell/net", "shell/ports"]),
    ),
    ("shell/notices", Edges::Only(&["pkg/model", "pkg/wire-tool", "shell/net", "shell/ports"])),
    (
        "shell/channels",
        Edges::Only(&["pkg/model", "pkg/text", "pkg/wire-channel", "shell/net", "shell/ports"]),
    ),
    ("shell/voice", Edges::Only(&["pkg/model", "pkg/wire-channel", "shell/net", "shell/ports"])),
    ("shell/store", Edges::Only(&["pkg/model", "shell/ports"])),
    (
        "shell/runtime",
        Edges::Only(&[
            "pkg/chat",
            "pkg/engine",
            "pkg/model",
            "pkg/policy",
            "pkg/text",
            "shell/ports",
        ]),
    ),
    (
        "shell/server",
        // What comes in is an event of the chat, and what it says is read by the tools' wire.
        Edges::Only(&[
            "pkg/chat",
            "pkg/config",
            "pkg/engine",
            "pkg/model",
            "pkg/text",
            "pkg/wire-tool",
            "shell/ports",
            "shell/runtime",
        ]),
    ),
    ("shell/facade", Edges::All),
    ("shell/cli", Edges::All),
    ("testkit", Edges::Only(&["pkg/model", "pkg/policy", "shell/ports"])),
    (
        // It plays the pure core and the runtime; of the adapters it takes the store in memory.
        "sim",
        Edges::Only(&[
            "pkg/answer",
            "pkg/chat",
            "pkg/engine",
            "pkg/model",
            "pkg/policy",
            "pkg/schema",
            "pkg/text",
            "shell/ports",
            "shell/runtime",
            "shell/store",
        ]),
    ),
    ("bench", Edges::All),
    ("bench/decode", Edges::Only(&["pkg/wire-llm"])),
    ("examples/*", Edges::All),
    (
        // It tries the pure packages on other people's documents in bulk.
        "xtask",
        Edges::Only(&["pkg/openapi", "pkg/schema", "pkg/wire-llm", "pkg/wire-tool"]),
    ),
    ("fuzz", Edges::All),
];

/// Outside libraries that `pkg/` may use: they compute, and reach for nothing.
const OUTSIDE: [(&str, &str); 21] = [
    ("fluent-bundle", "the localised sentences are Fluent messages"),
    ("fluent-syntax", "the parse of a Fluent text, for its mistakes with their place"),
    ("hmac", "signatures of requests"),
    ("intl-memoizer", "Fluent's plural rules, kept per language"),
    ("jiff", "instants, durations and zones as values; its clock is fenced off by clippy"),
    ("jsonschema", "the argument check, with its network resolver left out"),
    ("minijinja", "templates of confirmations and replies, with fuel"),
    ("regex", "linear-time patterns of rules"),
    ("saphyr-parser", "YAML events with their place, for diagnostics"),
    ("serde", "the stored and wire forms"),
    ("serde_json", "JSON that keeps every digit and the order of keys"),
    ("sha2", "the digest of a call"),
    ("strsim", "the nearest known name"),
    ("subtle", "signatures compared in constant time"),
    ("thiserror", "error enums"),
    ("unicode-normalization", "folding of answers and names"),
    ("unicode-properties", "which characters are safe to show"),
    ("unicode-script", "words of mixed scripts"),
    ("unicode-segmentation", "cutting text between what people see as characters"),
    ("unicode-width", "how wide a table's column is"),
    ("url", "addresses taken apart as every client takes them apart"),
];

/// The row for a folder, or `None` when it is in no layer.
pub(super) fn edges(folder: &str) -> Option<Edges> {
    let row = TABLE.iter().find(|(row, _)| match row.strip_suffix("/*") {
        Some(parent) => folder.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/')),
        None => *row == folder,
    });
    row.map(|(_, edges)| *edges)
}

/// Why the edge is refused, or `None` when it may be.
pub(super) fn refusal(from: &str, to: &str, allowed: Edges) -> Option<&'static str> {
    let allowed = match allowed {
        Edges::All => return None,
        Edges::Only(folders) => folders,
    };
    if allowed.contains(&to) {
        return None;
    }
    Some(if from.starts_with("pkg/") && !to.starts_with("pkg/") {
        "nothing in pkg/ points down to what does IO"
    } else if ADAPTERS.contains(&from) && ADAPTERS.contains(&to) {
        "adapters never know each other"
    } else if ADAPTERS.contains(&to) {
        "only the facade and the command name adapters"
    } else if to == "testkit" {
        "the test kit is a dev-dependency only"
    } else {
        "the edge is not in the table of layers"
    })
}

/// Whether an outside library is on the list for `pkg/`.
pub(super) fn is_outside_library_of_pkg(name: &str) -> bool {
    OUTSIDE.iter().any(|(listed, _)| *listed == name)
}
