//! Manos gives bots hands that ask before they touch.
//!
//! An agent is a YAML file: a persona, a model, tools, rules. [`Agent::from_file`] reads one,
//! handlers in Rust can be given to its tools by name, and [`Agent::start`] opens its store and
//! runs it. What a person writes goes in by [`Chat::send`]; what the agent says comes back.
//!
//! ```
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! use manos::Agent;
//! use serde_json::json;
//!
//! let agent = Agent::from_text(
//!     r#"
//! name: faro
//! language: en
//! store: memory
//! tools:
//!   - name: open_door
//!     description: Opens the door.
//!     confirm: true
//! rules:
//!   - when: { equals: open }
//!     then: { tool: open_door, reply: "It is {{ result.state }}." }
//! "#,
//! )
//! .handler("open_door", |_arguments, _context| async { Ok(json!({"state": "open"})) })
//! .start()
//! .await
//! .unwrap();
//!
//! let chat = agent.chat("terminal:local");
//! assert_eq!(chat.send("open").await.unwrap(), ["I am going to: open_door\nDo you confirm? (yes/no)"]);
//! assert_eq!(chat.send("yes").await.unwrap(), ["It is open."]);
//! agent.stop().await;
//! # });
//! ```

mod agent;
mod collector;
mod declared;
mod dry;
mod http;
mod masked;
mod network;
mod notices;
mod open;
mod providers;
mod read;

pub use agent::{Agent, Chat, Handlers, StartError, Started};
pub use declared::{Declarations, Shown, declarations, providers_of};
pub use dry::WouldRun;
pub use http::HttpSetupError;
pub use notices::{NoticeAddress, NoticeTest, TEST_ATTEMPTS_MAX, notice_addresses, test_notices};
pub use open::{
    OpenError, Opening, check_online, open, open_store_to_read, open_store_to_write, spec_of,
};
pub use providers::provider_names;
pub use read::{ReadAgent, read_agent, read_text};

pub use manos_chat as chat;
pub use manos_config as config;
pub use manos_engine as engine;
pub use manos_model as model;
pub use manos_ports as ports;
pub use manos_runtime as runtime;
#[cfg(feature = "server")]
pub use manos_server as server;
pub use manos_store as store;
pub use manos_text as text;
pub use manos_tools::{NativeContext, NativeError, NativeTool};
pub use manos_wire_tool::mask::MASK;
pub use manos_wire_tool::signing;
