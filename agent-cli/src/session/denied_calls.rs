//! Calls that were denied because nobody could be asked.

use agent_runtime::approval::NO_APPROVER;
use agent_runtime::{Event, ToolError};

/// The ways to have calls made that were denied.
pub(crate) const ABOUT_DENIED: &str = "a call was denied, because it requires approval and nobody was asked; `--yes` makes such calls without asking, \
                                       `agent chat` asks on a terminal, and with `agent run --journal FILE` the run waits for `agent runs approve`\n";

/// Whether an event tells of a call, of the agent or of one that it called, that was denied because nobody could be asked.
pub(crate) fn is_denied(event: &Event) -> bool {
    match event {
        Event::ToolFinished { invocation, .. } => {
            matches!(&invocation.result, Err(ToolError::Authorization(text)) if text.contains(NO_APPROVER))
        }
        Event::Nested { event, .. } => is_denied(event),
        _ => false,
    }
}
