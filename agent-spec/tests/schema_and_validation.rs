//! Schemas of types, and validation of values and arguments, held against the crate `jsonschema`.

mod against_jsonschema;
mod any_schema;
mod arguments;
mod bounds;
mod complete;
mod fits;
mod foreign_tools;
mod formats;
mod making;
mod reading;
mod reading_errors;
mod round_trip;
mod same;
mod schema;
mod schemars_types;
mod schemas_of_others;
mod shared_parts;
mod violations;
mod whole_numbers;
