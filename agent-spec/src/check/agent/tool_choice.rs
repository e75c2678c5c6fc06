//! Whether a choice of a tool can be kept.

use super::elements::named;
use crate::agent::{TOOL_CHOICES, ToolChoice};
use crate::check::places::AgentElement;
use crate::check::reader::Reader;
use crate::check::shapes::Shape;
use crate::diagnostic::{Code, Diagnostic};
use crate::names::nearest;

/// Checks that there is a tool to call when one must be called.
pub(super) fn check_tool_choice(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    choice: &ToolChoice,
    elements: &[Option<AgentElement>],
) {
    let is_choice = |key: &str| key == "toolChoice";
    let mut properties = shape.properties.iter();
    let Some(property) = properties.find(|property| is_choice(property.key().text())) else {
        return;
    };
    let tools: Vec<&str> = elements
        .iter()
        .flatten()
        .map(|element| named(element).0)
        .collect();
    let (message, help) = match choice {
        ToolChoice::Required if tools.is_empty() => (
            "`toolChoice` demands a call, and the agent has no tools".to_owned(),
            "add a tool, or remove `toolChoice`".to_owned(),
        ),
        ToolChoice::Tool(name) if !tools.contains(&name.as_str()) => {
            // No call can be demanded of an agent without tools.
            let words = || {
                let words = TOOL_CHOICES.into_iter();
                words.filter(|word| !tools.is_empty() || !ToolChoice::of(word).is_forced())
            };
            let known = || words().chain(tools.iter().copied());
            let help = match nearest(name, known()) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => {
                    let known: Vec<&str> = known().collect();
                    format!("known here: {}", known.join(", "))
                }
            };
            let message = format!(
                "{name:?} is neither \"auto\", \"required\" or \"none\" nor a tool of the agent"
            );
            (message, help)
        }
        _ => return,
    };
    let found = Diagnostic::new(Code::BadToolChoice, property.value().span(), message);
    reader.report(found.with_help(help));
}
