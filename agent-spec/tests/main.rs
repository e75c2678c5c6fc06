//! The integration tests of this crate. They are one program, because most of what a small one costs is
//! linking.

mod access;
mod audit_documents;
mod checker;
mod foreign_types;
mod json_forms;
mod schema_and_validation;
mod settings;
mod style;
mod types;
