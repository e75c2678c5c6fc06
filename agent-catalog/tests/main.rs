//! The catalogue: its documents, the names of models, documents on top, and mistakes.

mod builtin;
mod dates;
mod documents;
mod layers;
mod names;
