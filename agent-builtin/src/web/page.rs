//! Extracting the text of pages.

mod charset;
mod counted_element;
mod html;
mod media_type;
mod selector;
#[cfg(test)]
mod tests;
mod text;
mod turns;

pub(super) use media_type::check_content_type;
pub(super) use selector::CssSelector;
pub(super) use text::text_of_fragment;
pub(super) use turns::parse_in_turn;

use agent_tool::ToolError;
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
    /// the selected elements; plain text, XML and JSON are returned as they are. The time is proportional to
    /// the length of the page, so an async caller runs this on a thread for blocking work.
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
        let selector = selector.map(CssSelector::parse).transpose()?;
        Self::extract_until(body, content_type, selector.as_ref(), &|| false)
    }

    /// Extracts the text of a page until `is_cancelled`.
    ///
    /// # Errors
    /// The errors of [`extract`](Self::extract), or Timeout when cancelled.
    pub(super) fn extract_until(
        body: &[u8],
        content_type: Option<&str>,
        selector: Option<&CssSelector>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, ToolError> {
        let media_type = match content_type {
            Some(content_type) => MediaType::parse(content_type),
            None => MediaType::guess(body),
        };
        let text = charset::decode(body, &media_type)?;
        if text.contains('\0') {
            return Err(ToolError::Execution(format!(
                "the page is declared as `{}`, and is not text: it contains NUL characters",
                media_type.name()
            )));
        }
        if media_type.is_html() {
            let html = html::parse(&text, is_cancelled)?;
            let text = match selector {
                Some(selector) => text::text_of_selected(&html, selector, is_cancelled)?,
                None => text::text_of_page(&html, is_cancelled)?,
            };
            let title = text::title(&html);
            return Ok(Self { title, text });
        }
        match selector {
            None => Ok(Self {
                title: String::new(),
                text: text.into_owned(),
            }),
            Some(_) => Err(ToolError::Execution(format!(
                "the page is `{}`, which has no elements to select; leave `selector` out",
                media_type.name()
            ))),
        }
    }
}
