//! The list of parameters in a doc comment, as rustdoc's own books write it:
//!
//! ```text
//! # Arguments
//! * `city` - Where to look,
//!   in English
//! * `days`: How far ahead
//! ```

use super::Doc;
use agent_spec::doc_comment::{is_fence, is_heading};
use proc_macro2::Span;

/// What a list says of one parameter.
pub(crate) struct ArgumentDoc {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// The headings of such a list, in small letters.
const HEADINGS: [&str; 4] = ["arguments", "parameters", "args", "params"];

const BULLETS: [&str; 3] = ["* ", "- ", "+ "];

/// What the lists of a doc comment say, in order.
pub(crate) fn arguments_of(doc: &Doc) -> Vec<ArgumentDoc> {
    let mut found: Vec<ArgumentDoc> = Vec::new();
    let mut in_list = false;
    let mut in_code = false;
    // Whether a line may go on with the item before, and how far that item is indented.
    let mut open = None;
    for (raw, span) in doc.lines() {
        let line = raw.trim();
        in_code ^= is_fence(line);
        if !in_code && is_heading(line) {
            in_list = is_list_heading(line);
            open = None;
            continue;
        }
        if !in_list || in_code {
            continue;
        }
        let indent = raw.len() - raw.trim_start().len();
        match (item(line), open) {
            // A list inside an item belongs to its text.
            (Some((name, text)), at) if at.is_none_or(|at| indent <= at) => {
                open = Some(indent);
                found.push(ArgumentDoc {
                    name: name.to_owned(),
                    text: text.to_owned(),
                    span,
                });
            }
            // Another kind of list item ends it.
            (_, Some(at)) if !line.is_empty() && (indent > at || !is_bullet(line)) => {
                if let Some(last) = found.last_mut() {
                    if !last.text.is_empty() {
                        last.text.push(' ');
                    }
                    last.text.push_str(line);
                }
            }
            _ => open = None,
        }
    }
    found
}

fn is_list_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#').trim().trim_end_matches(':');
    HEADINGS.contains(&title.to_ascii_lowercase().as_str())
}

fn is_bullet(line: &str) -> bool {
    BULLETS.iter().any(|bullet| line.starts_with(bullet))
}

/// The name and the text of a list item: ``* `name` - text``, `- name: text` and the like.
fn item(line: &str) -> Option<(&str, &str)> {
    let item = BULLETS
        .iter()
        .find_map(|bullet| line.strip_prefix(bullet))?
        .trim_start();
    let (name, rest) = match item.strip_prefix("**`").map(|rest| (rest, "`**")) {
        Some((rest, end)) => rest.split_once(end)?,
        None => match item.strip_prefix("**") {
            Some(rest) => rest.split_once("**")?,
            None => match item.strip_prefix('`') {
                Some(rest) => rest.split_once('`')?,
                None => {
                    let end = item.find(|c: char| !c.is_alphanumeric() && c != '_');
                    item.split_at(end.unwrap_or(item.len()))
                }
            },
        },
    };
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '#' | '-'));
    let rest = rest.trim_start();
    let text = [":", "-", "\u{2013}", "\u{2014}", "=>"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark));
    is_name.then_some((name, text?.trim()))
}
