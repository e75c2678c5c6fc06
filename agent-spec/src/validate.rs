//! Validating JSON against types, and the arguments of a call against a signature.
//!
//! The rules are those of the type's JSON Schema, with a few more for what models do: a whole
//! number may be written `5.0`, `null` counts as absent where a value may be missing, a name that
//! nearly spells a missing one is refused, keys given twice are refused, and an integer must fit
//! the integer of the implementation. Everything wrong is reported at once.

mod arguments;
mod choices;
mod complete;
mod constraints;
mod describe;
mod fields;
mod fits;
mod format;
mod host_form;
mod number;
mod parse;
mod path;
mod same;
mod text_pattern;
mod violation;
mod walk;

pub use arguments::Arguments;
pub(crate) use describe::describe;
pub use fits::fits_value;
pub(crate) use format::may_have_format;
pub(crate) use path::Path;
pub(crate) use same::same_json;
pub use text_pattern::is_valid_pattern;
pub use violation::{Violation, Violations};

use crate::types::Type;
use walk::Walk;

impl Type {
    /// Checks a value against the type.
    ///
    /// # Errors
    /// All the ways in which the value is not of this type.
    pub fn validate(&self, value: &serde_json::Value) -> Result<(), Violations> {
        let mut walk = Walk::default();
        walk.value(self, None, value, Path::Root);
        Violations::from_list(walk.violations)
    }
}
