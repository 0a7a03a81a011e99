//! The agent file: YAML text to a checked agent, or diagnostics with line and column.
