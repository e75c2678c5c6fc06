//! Pattern to text.
pub mod writer;
