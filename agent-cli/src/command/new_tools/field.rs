//! What stands before a parameter or field.

use super::attribute::Settings;
use super::describe::{comment, doc_lines};
use super::literal::Literal;
use agent_spec::Field;

/// The description of a parameter or field: lines of a comment, if the macros read that as it is,
/// else a setting.
pub(super) fn described(field: &Field, settings: &mut Settings) -> Vec<String> {
    // An empty description is none to the macros, and to a model.
    let Some(text) = field.description().filter(|text| !text.is_empty()) else {
        return Vec::new();
    };
    match doc_lines(text, 4, false) {
        Some(lines) => comment(&lines).collect(),
        None => {
            settings.add("description", Literal::text(text));
            Vec::new()
        }
    }
}
