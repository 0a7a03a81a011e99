//! Against a server that checks what it is asked.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod anthropic;
mod asking;
mod fallback;
mod gemini;
mod ollama;
mod openai;
mod responses;
mod scripted;
mod server;
