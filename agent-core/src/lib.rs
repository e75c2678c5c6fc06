//! Runs of agents: conversations, the loop, its journal, and the requests to models with their replies.
//!
//! A [`Run`](run::Run) is the loop as a state machine without I/O. The driver of this crate does the I/O that the run asks
//! for: it sends requests to a [`ChatModel`](model::ChatModel), makes calls, asks a person, and writes each step to a
//! [`Journal`](journal::Journal). It finds models through a [`ModelSource`](model::ModelSource), so that it
//! depends on no vendor.
//!
//! Programs depend on `agent-runtime`, which has all names of this crate, the runtime and the vendors. Use
//! this crate to write a journal, a store of conversations, an exporter or a model of your own.

// Lets tests use the name `agent_core`, because tests of other crates share their files.
#[cfg(test)]
extern crate self as agent_core;

#[doc(hidden)]
pub mod __private;
pub mod approval;
pub mod conversation;
pub mod cost;
mod drive;
pub mod event;
pub mod hook;
mod id;
pub mod journal;
pub mod model;
pub mod response;
pub mod run;
pub mod trace;
mod usage;

#[doc(inline)]
pub use conversation::{Conversation, Message};
pub use drive::RunHandle;
#[doc(inline)]
pub use event::Event;
#[doc(inline)]
pub use hook::Hook;
#[doc(inline)]
pub use response::AgentResponse;
