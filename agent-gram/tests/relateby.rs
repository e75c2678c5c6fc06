//! Patterns to and from those of `relateby-pattern`.

#[path = "../any/mod.rs"]
mod any;
mod refused;
mod round_trip;
