//! A run as JSON.

use agent_runtime::{AgentResponse, Conversation};
use serde::Serialize;

/// `{"responses": […], "conversation": […]}`. Scripts depend on these members.
#[derive(Serialize)]
pub(super) struct RunDocument<'a> {
    /// The answers, one for each message.
    pub(super) responses: &'a [AgentResponse],
    /// All that was said, the calls of tools and their results included.
    pub(super) conversation: &'a Conversation,
}
