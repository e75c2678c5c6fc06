//! Calls that were denied because nobody could be asked.

use super::NOT_BY_YES;
use agent_runtime::approval::NO_APPROVER;
use agent_runtime::{Event, ToolError};

/// The ways to allow calls that were denied.
pub(crate) const ABOUT_DENIED: &str = "a call was denied, because it requires approval and nobody was asked; `--yes` makes such calls without asking, but for those that \
                                       `whenTainted` guards; \
                                       `agent chat` asks on a terminal, and with `agent run --journal FILE` the run waits for `agent runs approve`\n";

/// Returns the tool of a call that was denied because nobody could be asked. The call is from the agent or
/// from an agent that it called.
pub(crate) fn denied_tool(event: &Event) -> Option<&str> {
    match event {
        Event::ToolFinished { invocation, .. } => {
            let is_denied = matches!(&invocation.result, Err(ToolError::Authorization(text)) if text.contains(NO_APPROVER) || text.contains(NOT_BY_YES));
            is_denied.then_some(&invocation.tool)
        }
        Event::Nested { event, .. } => denied_tool(event),
        _ => None,
    }
}
