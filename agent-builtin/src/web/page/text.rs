//! From elements to the text that they show.

mod kind;
mod lines;

use super::{PageText, Selection};
use agent_runtime::ToolError;
use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use html5ever::{expanded_name, local_name, ns};
use kind::{Kind, is_hidden, is_of_head};
use lines::Lines;
use scraper::{ElementRef, Html, Node};

/// Reads all of a page, or what is selected of it.
///
/// # Errors
/// Execution when nothing is selected; Timeout when the call is over.
pub(super) fn read(
    html: &Html,
    selection: Option<&Selection>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<PageText, ToolError> {
    let root = html.tree.root();
    let text = match selection {
        None => shown(root, true, is_cancelled)?,
        Some(selection) => selected(root, selection, is_cancelled)?,
    };
    Ok(PageText {
        title: title(root),
        text,
    })
}

/// The text of a piece of HTML such as a search engine's snippet, on one line.
pub(in super::super) fn text_of_fragment(html: &str) -> String {
    let html = Html::parse_fragment(html);
    let text = shown(html.tree.root(), true, &|| false).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn title(root: NodeRef<'_, Node>) -> String {
    let title = root
        .descendants()
        .filter_map(ElementRef::wrap)
        .find(|element| {
            // Drawings have titles, too.
            element.value().name.expanded() == expanded_name!(html "title")
        });
    let text: String = title.into_iter().flat_map(|title| title.text()).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts of all selected elements that are shown, in the order of the page. What lies in a selected
/// element is not selected once more.
fn selected(
    root: NodeRef<'_, Node>,
    selection: &Selection,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<String, ToolError> {
    let mut texts = Vec::new();
    let mut found = false;
    walk(root, is_cancelled, |element| {
        if !selection.selects(&element) {
            return Ok(Enter::Yes);
        }
        found = true;
        let text = shown(*element, false, is_cancelled)?;
        if !text.is_empty() {
            texts.push(text);
        }
        Ok(Enter::No)
    })?;
    if !found {
        return Err(ToolError::Execution(format!(
            "no element of the page that is shown is selected by `{}`; without a selector all of the \
             page is read",
            selection.text()
        )));
    }
    Ok(texts.join("\n"))
}

enum Enter {
    Yes,
    No,
}

/// Visits the elements that are shown. It is no recursion, so that no depth is too deep.
fn walk<'a>(
    root: NodeRef<'a, Node>,
    is_cancelled: &dyn Fn() -> bool,
    mut visit: impl FnMut(ElementRef<'a>) -> Result<Enter, ToolError>,
) -> Result<(), ToolError> {
    let mut passed_over = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) if passed_over.is_none() => {
                let Some(element) = ElementRef::wrap(node) else {
                    continue;
                };
                if is_cancelled() {
                    return Err(ToolError::Timeout);
                }
                if is_hidden(element.value()) || matches!(visit(element)?, Enter::No) {
                    passed_over = Some(node.id());
                }
            }
            Edge::Close(node) if passed_over == Some(node.id()) => passed_over = None,
            _ => {}
        }
    }
    Ok(())
}

/// What is shown of a node and of all that is in it. In a whole page titles are not text.
fn shown(
    root: NodeRef<'_, Node>,
    is_whole: bool,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<String, ToolError> {
    let mut lines = Lines::default();
    let mut passed_over = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) if passed_over.is_none() => match node.value() {
                Node::Text(text) => lines.write(text),
                Node::Element(element) => {
                    if is_cancelled() {
                        return Err(ToolError::Timeout);
                    }
                    if is_hidden(element) || is_whole && is_of_head(element) {
                        passed_over = Some(node.id());
                    } else {
                        lines.open(Kind::of(element.name()));
                    }
                }
                _ => {}
            },
            Edge::Close(node) => match passed_over {
                Some(id) if id == node.id() => passed_over = None,
                Some(_) => {}
                None => {
                    if let Node::Element(element) = node.value() {
                        lines.close(Kind::of(element.name()));
                    }
                }
            },
            Edge::Open(_) => {}
        }
    }
    Ok(lines.finish())
}
