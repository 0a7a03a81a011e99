//! Tool dialects: SQL text to statements and parameters. No sockets.
