//! Stores of `agent-runtime`'s conversations on databases: [`SqliteStore`], with the feature `sqlite`.

#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
