//! Patterns to and from those of `relateby-pattern`.

mod refused;
mod round_trip;
