//! What came of a message that is not answered yet.

use crate::session::Unfinished;
use agent_runtime::{AgentResponse, Event, ToolInvocation, Usage};

/// What came of a message that is not answered yet.
#[derive(Default)]
pub(super) struct Came {
    text: Unfinished,
    calls: Vec<ToolInvocation>,
    usage: Usage,
}

impl Came {
    /// Takes what happens in the run.
    pub(super) fn event(&mut self, event: &Event) {
        self.text.event(event);
        match event {
            Event::ToolFinished { invocation, .. } => self.calls.push(invocation.clone()),
            Event::ModelReplied { usage, .. } => self.usage.add(usage),
            _ => {}
        }
    }

    /// What came of the text of the answer.
    pub(super) fn text(&self) -> &Unfinished {
        &self.text
    }

    /// It as a response, whose content may be empty; nothing when neither text nor calls came.
    pub(super) fn response(self) -> Option<AgentResponse> {
        if self.calls.is_empty() && self.text.text().is_none() {
            return None;
        }
        let mut response = AgentResponse::default();
        response.content = self.text.text().unwrap_or_default().to_owned();
        response.tools_used = self.calls;
        response.usage = self.usage;
        Some(response)
    }
}
