//! From what a server sent to text that people would read.

mod charset;
mod html;
mod media_type;
mod selector;
mod tags;
#[cfg(test)]
mod tests;
mod text;

pub(super) use media_type::check_type;
pub(super) use selector::Selection;
pub(super) use text::text_of_fragment;

use agent_runtime::ToolError;
use media_type::MediaType;

/// The text that a page shows, as `webScraper` returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageText {
    /// The content of the page's `title`; empty without one.
    pub title: String,
    /// The text of the whole page, or of the selected elements.
    pub text: String,
}

impl PageText {
    /// Extracts the text of a page that was fetched elsewhere. With a CSS `selector`, extracts the text of
    /// the selected elements; text, XML and JSON are returned as they are. It takes time in proportion to
    /// the page's length, so an async caller runs it on a thread for blocking work.
    ///
    /// # Errors
    /// Validation for an invalid selector; Execution when the page is not text, has no selected element, or
    /// exceeds the limits that keep malicious pages from taking too long.
    ///
    /// ```
    /// use agent_builtin::PageText;
    ///
    /// let page = PageText::extract(b"<title>Bees</title><p>They buzz.", Some("text/html"), None)?;
    /// assert_eq!((&*page.title, &*page.text), ("Bees", "They buzz."));
    /// # Ok::<(), agent_runtime::ToolError>(())
    /// ```
    pub fn extract(
        body: &[u8],
        content_type: Option<&str>,
        selector: Option<&str>,
    ) -> Result<Self, ToolError> {
        let selection = selector.map(Selection::parse).transpose()?;
        read_page(body, content_type, selection.as_ref(), &|| false)
    }
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
) -> Result<PageText, ToolError> {
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
        None => Ok(PageText {
            title: String::new(),
            text: text.into_owned(),
        }),
        Some(_) => Err(ToolError::Execution(format!(
            "the page is `{}`, in which selectors select nothing; leave `selector` out",
            media_type.name()
        ))),
    }
}
