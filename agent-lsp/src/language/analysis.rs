//! The results of reading a text.

use agent_spec::check::{Checked, Outline, outline};
use std::cell::OnceCell;
use std::fmt;

/// The results of reading a text, which the answers to all requests about the text share.
///
/// An `Analysis` does not borrow the text, so that it can be kept beside a text that is edited. The check
/// takes several times as long as the outline and few requests need it, so the first request that needs the
/// check runs it.
pub(crate) struct Analysis {
    outline: Outline,
    checked: OnceCell<Checked>,
    check: Box<dyn Fn() -> Checked>,
}

impl Analysis {
    /// Reads the outline of a text. `check` checks the same text later.
    pub(crate) fn new(text: &str, check: impl Fn() -> Checked + 'static) -> Self {
        Self {
            outline: outline(&agent_gram::parse(text).document),
            checked: OnceCell::new(),
            check: Box::new(check),
        }
    }

    /// Returns the result of the check.
    pub(crate) fn checked(&self) -> &Checked {
        self.checked.get_or_init(&self.check)
    }

    /// Returns the declarations and their positions, which a text with errors has as well.
    pub(crate) fn outline(&self) -> &Outline {
        &self.outline
    }
}

impl fmt::Debug for Analysis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            outline, checked, ..
        } = self;
        out.debug_struct("Analysis")
            .field("outline", outline)
            .field("checked", checked)
            .finish_non_exhaustive()
    }
}

/// The analysis of an empty text.
impl Default for Analysis {
    fn default() -> Self {
        Self::new("", Checked::default)
    }
}
