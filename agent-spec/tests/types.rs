//! The inner parts of `agent-types`, with types that are read from text.

mod fingerprint;
mod literal;
mod order;
mod own_schema;
