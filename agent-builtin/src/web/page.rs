//! From what a server sent to text that people would read.

mod charset;
mod html;
mod media_type;
mod selection;
mod tags;
mod text;

pub(super) use media_type::check_type;
pub(super) use selection::Selection;
pub(super) use text::text_of_fragment;

use crate::tool::ToolError;
use media_type::MediaType;

/// What is read of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// What its `title` says; empty when it has none.
    pub(crate) title: String,
    /// All of it that is shown, or what the selection selects.
    pub(crate) text: String,
}

/// Reads a page, which takes as long as the page is large; `is_cancelled` stops it.
///
/// # Errors
/// Execution for what is no text, has no such element, or is built to take for ever.
pub(crate) fn read_page(
    body: &[u8],
    content_type: Option<&str>,
    selection: Option<&Selection>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Page, ToolError> {
    let media_type = match content_type {
        Some(content_type) => MediaType::parse(content_type),
        None => MediaType::guess(body),
    };
    let text = charset::decode(body, &media_type)?;
    if text.contains('\0') {
        return Err(ToolError::Execution(format!(
            "the page is said to be `{}`, and is no text: it holds NUL characters",
            media_type.name()
        )));
    }
    if media_type.is_html() {
        return text::read(&html::parse(&text, is_cancelled)?, selection, is_cancelled);
    }
    match selection {
        None => Ok(Page {
            title: String::new(),
            text: text.into_owned(),
        }),
        Some(_) => Err(ToolError::Execution(format!(
            "the page is `{}`, in which selectors select nothing; leave `selector` out",
            media_type.name()
        ))),
    }
}

/// Reads a page as `webScraper` does, for a fuzz target. The selection is left out when it is none.
#[doc(hidden)]
#[must_use]
pub fn extract_for_fuzzing(
    body: &[u8],
    content_type: Option<&str>,
    selector: &str,
) -> Option<(String, String)> {
    let selection = Selection::parse(selector).ok();
    let page = read_page(body, content_type, selection.as_ref(), &|| false).ok()?;
    Some((page.title, page.text))
}
