//! What `manos init` writes.

/// A file to start from, and what goes beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// The agent file.
    pub agent: String,
    /// The SQL of its database, `schema.sql`.
    pub schema_sql: String,
    /// The `.gitignore`.
    pub gitignore: String,
}

/// Returns a commented agent that runs without a key: rules and two SQL tools, one of which asks.
///
/// `name` is the agent's; letters, digits, `_` and `-`.
pub fn starter(name: &str) -> Starter {
    Starter {
        agent: include_str!("init/agent.yaml").replace("name: starter", &format!("name: {name}")),
        schema_sql: include_str!("init/schema.sql").to_owned(),
        gitignore: include_str!("init/gitignore").to_owned(),
    }
}
