//! The checks of which tools there are.

use super::stop::{Finding, stop};
use super::tool_set::{ListedTool, find_tool, first_double};
use crate::names::nearness;

/// Stops with a message when there is no tool of the name. A tool with mistakes was reported where it
/// stands, and may be the one that is meant, so beside one nothing is said.
#[track_caller]
pub const fn check_known(name: &str, tools: &[ListedTool], place: Option<&'static str>) {
    if find_tool(name, tools).is_none() && !has_broken(tools) {
        stop(&Finding::Unknown {
            name,
            tools,
            nearest: nearest(name, tools),
            place,
        });
    }
}

const fn has_broken(tools: &[ListedTool]) -> bool {
    let mut at = 0;
    while at < tools.len() {
        if tools[at].tool().is_broken() {
            return true;
        }
        at += 1;
    }
    false
}

/// A list of tools as somebody wrote it.
#[derive(Clone, Copy, Debug)]
pub struct WrittenList {
    /// The tools of all elements.
    pub tools: &'static [ListedTool],
    /// The elements as they are written, a line each: one text costs rustc less than many.
    pub elements: &'static str,
    /// What has the tools, such as `library`.
    pub owner: &'static str,
}

/// Stops with a message when a tool of one element of a list has the name of a tool of an element
/// before it. A `const` stops once, so further elements with the name are named in the message.
#[track_caller]
pub const fn check_unique(list: &WrittenList, element: usize) {
    if let Some(second) = first_double(list.tools, element) {
        stop(&Finding::Twice { list, second });
    }
}

/// How much comparing of names is done for a hint, in letters times letters. The steps of a `const`
/// are counted, and some thousand names would be too many.
const MOST: usize = 150_000;

/// The name that is nearest to a misspelled one, as far as it is looked for.
const fn nearest(name: &str, tools: &[ListedTool]) -> Option<&'static str> {
    let mut nearest: Option<(usize, &'static str)> = None;
    let mut at = 0;
    let mut compared = 0;
    while at < tools.len() && compared < MOST {
        let known = tools[at].tool().name();
        compared += name.len() * known.len();
        if let Some(distance) = nearness(name, known) {
            match nearest {
                Some((least, _)) if least <= distance => {}
                _ => nearest = Some((distance, known)),
            }
        }
        at += 1;
    }
    match nearest {
        Some((_, name)) => Some(name),
        None => None,
    }
}
