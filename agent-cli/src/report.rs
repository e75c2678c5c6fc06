//! Diagnostics as the command shows them: to people with excerpts of the text, to programs as JSON.

mod human;
mod json;

pub(crate) use human::{Printer, print_unlisted};
pub(crate) use json::{DiagnosticList, DiagnosticsDocument};
