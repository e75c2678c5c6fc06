//! A text, and what was read of it.

use agent_gram::Parse;
use agent_spec::check::{Checked, Outline, outline};
use std::sync::Arc;

/// A text, and what was read of it: everything that answers about it have in common.
///
/// It owns what it says, so that it can be kept while the text that it is about is edited.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    text: Arc<str>,
    checked: Checked,
    outline: Outline,
}

impl Analysis {
    /// Reads a text. It is parsed once, and `check` is given the tree.
    pub(crate) fn new(
        text: impl Into<Arc<str>>,
        check: impl FnOnce(&Parse<'_>) -> Checked,
    ) -> Self {
        let text = text.into();
        let parsed = agent_gram::parse(&text);
        let checked = check(&parsed);
        let outline = outline(&parsed.document);
        drop(parsed);
        Self {
            text,
            checked,
            outline,
        }
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
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
