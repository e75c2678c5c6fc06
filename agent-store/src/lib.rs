//! Conversation stores and journals on databases, for `gramwork-runtime`.
//!
//! A store implements [`ConversationStore`](agent_core::conversation::ConversationStore), and a journal
//! [`Journal`](agent_core::journal::Journal). `SqliteStore` and `SqliteJournal` keep conversations and the records of runs
//! in a file, for programs on one machine. `PostgresStore` and `PostgresJournal` keep them in a database, which programs on
//! several machines share.
//!
//! # Features
//!
//! | feature | default | what it brings |
//! | --- | --- | --- |
//! | `sqlite` | yes | `SqliteStore`, `SqliteJournal`; builds SQLite, which needs a C compiler |
//! | `postgres` | no | `PostgresStore`, `PostgresJournal`, over tokio-postgres, with TLS by rustls |
//!
//! A program links one copy of SQLite, so every crate that brings SQLite must agree on its version. This
//! crate accepts rusqlite 0.39 to 0.42. With sqlx 0.9 and its feature `sqlite`, Cargo selects 0.39.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod mail;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod payload;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod queue;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod superfluous;

#[cfg(feature = "postgres")]
pub use postgres::{PostgresJournal, PostgresStore};
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteJournal, SqliteStore};
