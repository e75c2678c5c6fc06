//! The integration tests of this crate. They are one program, because most of what a small one costs is
//! linking.

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
#[cfg(feature = "relateby")]
mod relateby;
mod robustness;
mod round_trip;
