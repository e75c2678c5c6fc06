//! The effects of tools, and the ways on which words of strangers reach them.
//!
//! - [`Effects`] are the labels of a tool: what it reads, returns, sends and changes.
//! - [`is_inert`] decides which types carry no words, so that a text of a stranger cannot pass through them.
//! - [`Taint`] is the state of a conversation. [`WhenTainted`] says what becomes of calls that act then, and
//!   [`TracedValues`] finds values of strangers in arguments.
//! - [`audit`] says of each agent of a document what a message can cause, and whether it leaks.
//! - [`bounds`] counts the most that a message to an agent can cause.
//! - [`flow`] finds the agents of a document in which private data, words of strangers and a way out come together.

pub mod audit;
pub mod bounds;
pub mod flow;
mod inert;
mod labels;
mod taint;
mod traced;

pub use inert::{
    MAX_INERT_ITEMS, MAX_INERT_SCALARS, MAX_INERT_WORD, Vocabulary, is_inert, is_inert_in,
    is_inert_value,
};
pub use labels::{Effect, Effects, PRIVATE};
pub use taint::{Taint, WhenTainted};
pub use traced::TracedValues;
