//! Editor features for gram documents: completion, hover, navigation, renaming, symbols.
//!
//! Everything here is a function of texts and byte offsets, and independent of the protocol. Every function
//! accepts texts with errors, because a text that is being edited has errors: declarations are read from the
//! tree that the parser recovers ([`agent_spec::check::outline`]).

pub(crate) mod analysis;
pub(crate) mod completion;
mod cursor_context;
pub(crate) mod hover;
mod markdown;
pub(crate) mod occurrences;
pub(crate) mod rename;
pub(crate) mod resolve;
pub(crate) mod symbols;
mod type_words;
mod vocabulary;

#[cfg(test)]
mod tests;
