//! What was read of a text.

use agent_gram::Parse;
use agent_spec::check::{Checked, Outline, outline};

/// What was read of a text: what all answers about it have in common.
///
/// It owns what it says, so that it can be kept beside a text that is edited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Analysis {
    checked: Checked,
    outline: Outline,
}

impl Analysis {
    /// Reads a text. It is parsed once, and `check` is given the tree.
    pub(crate) fn new(text: &str, check: impl FnOnce(&Parse<'_>) -> Checked) -> Self {
        let parsed = agent_gram::parse(text);
        Self {
            checked: check(&parsed),
            outline: outline(&parsed.document),
        }
    }

    /// What the checker read and found.
    pub(crate) fn checked(&self) -> &Checked {
        &self.checked
    }

    /// What is declared where.
    pub(crate) fn outline(&self) -> &Outline {
        &self.outline
    }
}
