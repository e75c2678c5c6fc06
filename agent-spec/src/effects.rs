//! The effects of tools, and the values that cannot carry the words of strangers.

mod inert;

pub use inert::{MAX_INERT_ITEMS, MAX_INERT_SCALARS, MAX_INERT_WORD, is_inert};
