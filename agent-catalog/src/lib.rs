//! The facts about language models: their limits, prices, settings and dates.
//!
//! Models change every month, and each model rejects different settings. The facts are in gram documents, one
//! for each vendor, which are part of this crate ([`Catalog::builtin`]). A program adds its own documents on
//! top ([`Catalog::with`]), so that a fine-tune, a deployment or next month's model is a few lines of gram:
//!
//! ```
//! use agent_catalog::{Catalog, Document};
//!
//! let document = Document::read(
//!     r#"[OpenAI:Catalog | [gpt-6.3-luna:Model {like: "gpt-6-luna", released: "2026-12-01", contextWindow: 2000000}]]"#,
//! );
//! assert!(document.mistakes().is_empty());
//! let catalog = Catalog::builtin().with(&document).expect("no mistakes");
//! let found = catalog.model("OpenAI", "gpt-6.3-luna").expect("a row");
//! assert_eq!(found.row.context_window, Some(2_000_000));
//! assert_eq!(found.row.max_output_tokens, Some(128_000));
//! ```
//!
//! A property that a row lacks is unknown. A missing property never means "no".
//!
//! This crate depends on the notation and not on agents: [`Mistake`]s have spans, and the checker of agents
//! turns them into diagnostics.

mod catalog;
mod date;
mod document;
mod effort;
mod name;
mod property;
mod row;

pub use catalog::{Catalog, Found, ModelEntry};
pub use date::{Date, DateError};
pub use document::{Document, Mistake, MistakeKind};
pub use effort::ReasoningEffort;
pub use name::vendor;
pub use row::{
    Api, CHAT_MEMBERS, ChatTools, ForcedCalls, LongContextPrice, MaxTokens, MediaInput, ModelRow,
    Price, ProviderRow, StructuredOutput, Temperature, Thinking, ThinkingType, WireFormat,
};
