//! The JSON forms of values, patterns, tools and agents.

mod agent;
mod pattern;
mod pattern_errors;
mod round_trip;
mod tool;
mod value;
