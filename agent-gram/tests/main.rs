//! The integration tests of this crate, in one program, because linking a program takes longer than
//! compiling a small test.

mod any;
mod documents;
mod errors;
mod formatting;
mod formatting_properties;
mod grammar;
mod lines;
mod lowering;
mod operations;
mod portable;
mod printing;
mod robustness;
mod round_trip;
