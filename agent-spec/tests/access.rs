//! Agents and tools as patterns: the accessors, the conversions, and putting agents together.

mod compose;
mod conversions;
mod generate;
mod lens;
mod lenses;
mod parse;
