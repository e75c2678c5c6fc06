//! Conversation stores and journals on databases, for `agent-runtime`.
//!
//! A store implements [`ConversationStore`](agent_runtime::conversation::ConversationStore), and a journal
//! [`Journal`](agent_runtime::journal::Journal). This crate has one of each: [`SqliteStore`] keeps conversations in a
//! file, and [`SqliteJournal`] the records of runs.
//!
//! # Features
//!
//! | feature | default | what it brings |
//! | --- | --- | --- |
//! | `sqlite` | yes | [`SqliteStore`], [`SqliteJournal`]; SQLite is built with it, which takes a C compiler |
//!
//! A program links one copy of SQLite, so every crate that brings SQLite must agree on its version. This
//! crate accepts rusqlite 0.39 to 0.42. With sqlx 0.9 and its feature `sqlite`, Cargo selects 0.39.

#[cfg(feature = "sqlite")]
mod payload;
#[cfg(feature = "sqlite")]
mod queue;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteJournal, SqliteStore};
