//! What editors ask about documents of gram: what stands here, where is it defined, what may stand
//! here.
//!
//! Everything here is a function of texts and byte offsets, and knows of no protocol. All of it takes
//! texts with errors, since a text that somebody is typing has some: what is declared is read from the
//! tree that the parser recovers ([`agent_spec::check::outline`]), and what may stand at the cursor is
//! found by parsing the text with a letter more ([`completion`]).
//!
//! # What is renamed, and what is not
//! See [`rename`]. What instructions and descriptions say of a tool is text, and is left alone.

pub(crate) mod analysis;
pub(crate) mod completion;
mod cursor_context;
pub(crate) mod hover;
pub(crate) mod keys;
mod markdown;
pub(crate) mod occurrences;
pub(crate) mod providers;
pub(crate) mod rename;
pub(crate) mod resolve;
pub(crate) mod symbols;
pub(crate) mod type_words;

#[cfg(test)]
mod tests;
