//! CSS selectors, as models write them.

mod wrong;

use crate::web::excerpt::excerpt;
use agent_runtime::ToolError;
use scraper::{ElementRef, Selector};
use wrong::what_is_wrong;

/// How long a selector may be, in bytes. Each element of a page is held against it.
const LONGEST: usize = 500;

/// How many brackets a selector may have, such as those of `:not(…)`: the parser goes into each.
const MOST_BRACKETS: usize = 16;

/// A CSS selector.
pub(crate) struct Selection {
    text: String,
    selector: Selector,
}

impl Selection {
    /// Reads a selector.
    ///
    /// # Errors
    /// Validation, saying what is wrong with it and what one looks like.
    pub(crate) fn parse(text: &str) -> Result<Self, ToolError> {
        let wrong = |reason: String| {
            Err(ToolError::Validation(format!(
                "`{}` is no CSS selector that can be used: {reason}; one is `main`, `#content`, \
                 `.article p` or `table tr:first-child`",
                excerpt(text, LONGEST)
            )))
        };
        if text.len() > LONGEST {
            return wrong(format!("it is longer than {LONGEST} bytes"));
        }
        if text.bytes().filter(|byte| *byte == b'(').count() > MOST_BRACKETS {
            return wrong(format!("it has more than {MOST_BRACKETS} brackets"));
        }
        match Selector::parse(text) {
            Ok(selector) => Ok(Self {
                text: text.to_owned(),
                selector,
            }),
            Err(error) => wrong(what_is_wrong(text, &error)),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn selects(&self, element: &ElementRef<'_>) -> bool {
        self.selector.matches(element)
    }
}
