//! The text that HTML elements show.

use super::counted_element::Steps;
use super::html;
use super::selector::CssSelector;
use agent_tool::ToolError;
use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use html5ever::{expanded_name, local_name, ns};
use scraper::node::Element;
use scraper::{ElementRef, Html, Node};
use selectors::context::SelectorCaches;

/// Returns the text of a whole page.
///
/// # Errors
/// Timeout when cancelled.
pub(super) fn text_of_page(
    html: &Html,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<String, ToolError> {
    visible_text(html.tree.root(), true, is_cancelled)
}

/// Returns the text of a fragment of HTML, such as a snippet of a search engine, on one line. The text
/// of a fragment that exceeds the limits of pages is empty.
pub(in super::super) fn text_of_fragment(html: &str) -> String {
    let html = html::parse(html, &|| false);
    let text = html.and_then(|html| text_of_page(&html, &|| false));
    let text = text.unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the title of a page; empty without one.
pub(super) fn title(html: &Html) -> String {
    let title = html
        .tree
        .root()
        .descendants()
        .filter_map(ElementRef::wrap)
        .find(|element| {
            // SVG drawings have titles, too.
            element.value().name.expanded() == expanded_name!(html "title")
        });
    let text: String = title.into_iter().flat_map(|title| title.text()).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the texts of all visible selected elements, in the order of the page. Selected elements inside
/// another selected element are part of its text, and not repeated.
///
/// # Errors
/// Execution when no visible element is selected, or when the selection would take too many steps; Timeout when
/// cancelled.
pub(super) fn text_of_selected(
    html: &Html,
    selector: &CssSelector,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<String, ToolError> {
    let mut texts = Vec::new();
    let mut is_found = false;
    let mut skipped = None;
    let steps = Steps::new(is_cancelled);
    let mut caches = SelectorCaches::default();
    // An iterator and no recursion, because the markup of a page determines the depth of its tree.
    for edge in html.tree.root().traverse() {
        match edge {
            Edge::Open(node) if skipped.is_none() => {
                let Some(element) = ElementRef::wrap(node) else {
                    continue;
                };
                if is_cancelled() {
                    return Err(ToolError::Timeout);
                }
                if is_hidden(element.value()) {
                    skipped = Some(node.id());
                    continue;
                }
                let is_match = selector.matches(element, &steps, &mut caches);
                steps.check(selector.text())?;
                if is_match {
                    is_found = true;
                    skipped = Some(node.id());
                    let text = visible_text(node, false, is_cancelled)?;
                    if !text.is_empty() {
                        texts.push(text);
                    }
                }
            }
            Edge::Close(node) if skipped == Some(node.id()) => skipped = None,
            _ => {}
        }
    }
    if !is_found {
        return Err(ToolError::Execution(format!(
            "no visible element of the page matches `{}`; leave `selector` out to read the whole page",
            selector.text()
        )));
    }
    Ok(texts.join("\n"))
}

/// Returns the visible text of a node and its descendants. In a whole page, the head is not visible.
fn visible_text(
    root: NodeRef<'_, Node>,
    is_page: bool,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<String, ToolError> {
    let mut lines = Lines::default();
    let mut skipped = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) if skipped.is_none() => match node.value() {
                Node::Text(text) => lines.write(text),
                Node::Element(element) => {
                    if is_cancelled() {
                        return Err(ToolError::Timeout);
                    }
                    if is_hidden(element) || is_page && is_in_head(element) {
                        skipped = Some(node.id());
                    } else {
                        lines.open(Layout::of(element.name()));
                    }
                }
                _ => {}
            },
            Edge::Close(node) => match skipped {
                Some(id) if id == node.id() => skipped = None,
                Some(_) => {}
                None => {
                    if let Node::Element(element) = node.value() {
                        lines.close(Layout::of(element.name()));
                    }
                }
            },
            Edge::Open(_) => {}
        }
    }
    Ok(lines.text)
}

/// Whether an element and its contents are not visible: it contains no text for people, or an attribute
/// hides it.
fn is_hidden(element: &Element) -> bool {
    match element.name() {
        "script" | "style" | "template" | "svg" | "canvas" | "audio" | "video" | "iframe"
        | "noframes" | "noembed" | "datalist" | "object" | "rp" => true,
        "dialog" if element.attr("open").is_none() => true,
        _ => element.attr("hidden").is_some() || element.attr("style").is_some_and(is_hiding_style),
    }
}

/// Whether an element is metadata of the page.
fn is_in_head(element: &Element) -> bool {
    matches!(element.name(), "head" | "title")
}

fn is_hiding_style(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else {
            return false;
        };
        let value = value.split('!').next().unwrap_or_default().trim();
        let property = property.trim();
        property.eq_ignore_ascii_case("display") && value.eq_ignore_ascii_case("none")
            || property.eq_ignore_ascii_case("visibility")
                && (value.eq_ignore_ascii_case("hidden") || value.eq_ignore_ascii_case("collapse"))
    })
}

/// The layout of an element in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Part of a line.
    Inline,
    /// A line of its own.
    Block,
    /// Part of a line, separated from its neighbours by tabs.
    Cell,
    /// A line of its own, whose blanks and line ends are preserved.
    Preserved,
    /// A line end.
    Break,
}

impl Layout {
    fn of(name: &str) -> Self {
        match name {
            "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center"
            | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset"
            | "figcaption" | "figure" | "footer" | "form" | "h1" | "h2" | "h3" | "h4" | "h5"
            | "h6" | "header" | "hgroup" | "html" | "legend" | "li" | "main" | "menu" | "nav"
            | "ol" | "optgroup" | "option" | "p" | "search" | "section" | "select" | "summary"
            | "table" | "tbody" | "tfoot" | "thead" | "title" | "tr" | "ul" => Self::Block,
            "td" | "th" => Self::Cell,
            "listing" | "plaintext" | "pre" | "textarea" | "xmp" => Self::Preserved,
            "br" | "hr" => Self::Break,
            _ => Self::Inline,
        }
    }
}

/// Text in lines. A separator is written before the next word, so that none is left at the end.
#[derive(Default)]
struct Lines {
    text: String,
    separator: Separator,
    /// The number of open elements whose blanks are preserved.
    preserved: usize,
}

/// The separator before the next word. If several separators meet, the last one in this list wins.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Separator {
    #[default]
    None,
    Blank,
    Tab,
    LineEnd,
    EmptyLine,
}

impl Lines {
    fn open(&mut self, layout: Layout) {
        match layout {
            Layout::Inline => {}
            Layout::Block => self.separate(Separator::LineEnd),
            Layout::Cell => self.separate(Separator::Tab),
            Layout::Preserved => {
                self.separate(Separator::LineEnd);
                self.preserved += 1;
            }
            Layout::Break => {
                self.separate(match self.separator {
                    Separator::LineEnd => Separator::EmptyLine,
                    _ => Separator::LineEnd,
                });
            }
        }
    }

    fn close(&mut self, layout: Layout) {
        match layout {
            Layout::Inline | Layout::Break => {}
            Layout::Block => self.separate(Separator::LineEnd),
            Layout::Cell => self.separate(Separator::Tab),
            Layout::Preserved => {
                self.separate(Separator::LineEnd);
                self.preserved = self.preserved.saturating_sub(1);
            }
        }
    }

    fn separate(&mut self, separator: Separator) {
        self.separator = self.separator.max(separator);
    }

    fn write(&mut self, text: &str) {
        if self.preserved > 0 {
            return self.write_preserved(text);
        }
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first.is_whitespace() {
                self.separate(Separator::Blank);
                rest = rest.trim_start();
                continue;
            }
            let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            self.write_word(word);
            rest = after;
        }
    }

    fn write_preserved(&mut self, text: &str) {
        let is_end = |c| matches!(c, '\n' | '\r');
        let inner = text.trim_start_matches(is_end);
        self.separate_by_line_ends(&text[..text.len() - inner.len()]);
        let words = inner.trim_end_matches(is_end);
        if !words.is_empty() {
            self.write_word(words);
            self.separate_by_line_ends(&inner[words.len()..]);
        }
    }

    /// Separates by the line ends around a preserved text, which may be next to the line end of a block.
    fn separate_by_line_ends(&mut self, ends: &str) {
        match ends.matches('\n').count() {
            0 => {}
            1 => self.separate(Separator::LineEnd),
            _ => self.separate(Separator::EmptyLine),
        }
    }

    fn write_word(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push_str(match self.separator {
                Separator::None => "",
                Separator::Blank => " ",
                Separator::Tab => "\t",
                Separator::LineEnd => "\n",
                Separator::EmptyLine => "\n\n",
            });
        }
        self.separator = Separator::None;
        self.text.push_str(word);
    }
}
