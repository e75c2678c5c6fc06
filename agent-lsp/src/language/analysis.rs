//! What was read of a text.

use agent_spec::check::{Checked, Outline, outline};
use std::cell::OnceCell;
use std::fmt;

/// What was read of a text: what all answers about it have in common.
///
/// It owns what it says, so that it can be kept beside a text that is edited. Checking costs several
/// times what reading does, and few answers need it, so it is done for the first that does.
pub(crate) struct Analysis {
    outline: Outline,
    checked: OnceCell<Checked>,
    check: Box<dyn Fn() -> Checked>,
}

impl Analysis {
    /// Reads a text, which `check` can check later.
    pub(crate) fn new(text: &str, check: impl Fn() -> Checked + 'static) -> Self {
        Self {
            outline: outline(&agent_gram::parse(text).document),
            checked: OnceCell::new(),
            check: Box::new(check),
        }
    }

    /// What the checker read and found.
    pub(crate) fn checked(&self) -> &Checked {
        self.checked.get_or_init(&self.check)
    }

    /// What is declared where.
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

/// Nothing was read.
impl Default for Analysis {
    fn default() -> Self {
        Self::new("", Checked::default)
    }
}
