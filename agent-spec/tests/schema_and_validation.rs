//! Schemas of types, and validation of values and arguments, held against the crate `jsonschema`.

mod against_jsonschema;
mod arguments;
#[cfg(feature = "read-schema")]
mod complete;
mod fits;
mod formats;
mod making;
#[cfg(feature = "read-schema")]
mod reading;
#[cfg(feature = "read-schema")]
mod reading_errors;
#[cfg(feature = "read-schema")]
mod round_trip;
mod same;
mod schema;
#[cfg(feature = "read-schema")]
mod schemars_types;
mod violations;
