//! Explanations as JSON.

use crate::explanation::{Examples, Explanation};
use agent_spec::Code;
use serde::Serialize;

/// One explanation. Scripts depend on these members.
#[derive(Serialize)]
pub(super) struct Entry {
    code: &'static str,
    severity: String,
    meaning: &'static str,
    text: &'static str,
    examples: &'static str,
    wrong: &'static str,
    right: &'static str,
}

impl Entry {
    pub(super) fn new(code: Code) -> Self {
        let explanation = Explanation::of(code);
        Self {
            code: code.as_str(),
            severity: code.severity().to_string(),
            meaning: code.meaning(),
            text: explanation.text,
            examples: match explanation.examples {
                Examples::Documents => "documents",
                Examples::Gram => "gram",
                Examples::ShortGram => "short-gram",
                Examples::Signatures => "signatures",
                Examples::Portable => "portable",
                Examples::Patterns => "patterns",
            },
            wrong: explanation.wrong,
            right: explanation.right,
        }
    }
}
