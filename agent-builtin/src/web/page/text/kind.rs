//! What elements do to the text around them, by their names.

use scraper::node::Element;

/// What an element does to the text around it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: it stands in a line.
    Inline,
    /// It begins a line, and ends one.
    Block,
    /// It stands in a line, apart from its neighbours.
    Cell,
    /// It begins a line, and its blanks and line ends stay.
    Preserved,
    /// It ends a line.
    Break,
}

impl Kind {
    pub(super) fn of(name: &str) -> Self {
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

/// Whether nothing of an element is shown: it is no text for people, or says that it is hidden.
pub(super) fn is_hidden(element: &Element) -> bool {
    match element.name() {
        "script" | "style" | "template" | "svg" | "canvas" | "audio" | "video" | "iframe"
        | "noframes" | "noembed" | "datalist" | "object" | "rp" => true,
        "dialog" if element.attr("open").is_none() => true,
        _ => element.attr("hidden").is_some() || element.attr("style").is_some_and(is_hiding_style),
    }
}

/// Whether an element says something about the page, wherever it stands in it.
pub(super) fn is_of_head(element: &Element) -> bool {
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
