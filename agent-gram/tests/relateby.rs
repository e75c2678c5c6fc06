//! Conversions to and from the patterns of `relateby-pattern`.

mod refused;
mod round_trip;
