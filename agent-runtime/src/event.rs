//! What a caller can watch while a run goes on.

use crate::model::Usage;
use crate::response::ToolInvocation;
use crate::run::PendingCall;
use agent_spec::Model;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A request goes to a model.
    #[non_exhaustive]
    ModelCalled {
        /// Which model.
        model: Model,
    },
    /// The model answered.
    #[non_exhaustive]
    ModelReplied {
        /// The text, which may come with calls.
        content: Option<String>,
        /// How many tools it calls.
        calls: usize,
        /// What the request cost.
        usage: Usage,
    },
    /// A tool is being called.
    #[non_exhaustive]
    ToolStarted {
        /// The call.
        call: PendingCall,
    },
    /// A tool says how far it has come.
    #[non_exhaustive]
    ToolProgress {
        /// The call.
        call_id: String,
        /// The tool.
        tool: String,
        /// What it says.
        text: String,
    },
    /// A call has its result, in the order of the calls; also one that was never made, because it
    /// was bad or denied.
    #[non_exhaustive]
    ToolFinished {
        /// The call and its result.
        invocation: ToolInvocation,
    },
}
