//! A run on the state machine alone, and short ways to feed it.

use crate::support::{agent, calls, config, greeter, hello_tool, library, results, spec};
use agent_runtime::library::{BoundTools, bind_agent_tools};
use agent_runtime::model::ModelReply;
use agent_runtime::run::{PendingCall, Run, Step};
use agent_runtime::{Agent, Conversation, Error, ToolError, ToolLibrary};
use std::collections::BTreeMap;

/// A run, and short ways to feed it.
pub(crate) struct Play {
    pub(crate) run: Run,
}

impl Play {
    pub(crate) fn new(agent: &Agent, library: &ToolLibrary) -> Self {
        let tools = bind(agent, library);
        let conversation = Conversation::new();
        let run = Run::new(agent, &tools, "Hello!", &conversation, &BTreeMap::new());
        Self {
            run: run.expect("a run"),
        }
    }

    pub(crate) fn greeter() -> Self {
        Self::new(&greeter(), &library([hello_tool()]))
    }

    pub(crate) fn reply(&mut self, reply: ModelReply) -> &mut Self {
        let Ok(Step::CallModel(request)) = self.run.next() else {
            panic!("no request is due, but {:?}", self.run.next());
        };
        let sent: Conversation = request.messages.into_iter().collect();
        sent.check().expect("every request can be sent");
        self.run.model_replied(reply).expect("a reply is due");
        self.check();
        self
    }

    pub(crate) fn calls(&mut self, list: &[(&str, &str, &str)]) -> &mut Self {
        self.reply(calls(list))
    }

    pub(crate) fn pending(&self) -> Vec<PendingCall> {
        match self.run.clone().next() {
            Ok(Step::CallTools(calls)) => calls,
            other => panic!("no calls are due, but {other:?}"),
        }
    }

    pub(crate) fn pending_ids(&self) -> Vec<String> {
        self.pending().into_iter().map(|call| call.id).collect()
    }

    pub(crate) fn finish(&mut self, id: &str, result: Result<&str, ToolError>) -> &mut Self {
        let result = result.map(Into::into);
        self.run.tool_finished(id, result).expect("the call waits");
        self.check();
        self
    }

    /// Checks that the history is always valid.
    pub(crate) fn check(&self) {
        self.run.conversation().check().expect("a valid history");
    }

    pub(crate) fn done(&self) -> agent_runtime::AgentResponse {
        match self.run.clone().next() {
            Ok(Step::Done(response)) => response,
            other => panic!("the run is not done, but {other:?}"),
        }
    }

    pub(crate) fn failure(&self) -> Error {
        self.run.clone().next().expect_err("the run has failed")
    }

    pub(crate) fn results(&self) -> Vec<(String, String, bool)> {
        results(&self.run.conversation())
    }

    pub(crate) fn last_result(&self) -> String {
        self.results().pop().expect("a result").1
    }
}

pub(crate) fn bind(agent: &Agent, library: &ToolLibrary) -> BoundTools {
    bind_agent_tools(agent, library).expect("the tools fit")
}

pub(crate) fn boom() -> ToolError {
    ToolError::Execution("boom".into())
}

pub(crate) fn approving() -> Play {
    let tool = config("risky").requires_approval(true);
    let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
    let agent = agent([spec("risky"), crate::support::hello_spec()]);
    Play::new(&agent, &library([tool, hello_tool()]))
}

pub(crate) fn awaiting(play: &Play) -> Vec<String> {
    match play.run.clone().next() {
        Ok(Step::AwaitApproval(calls)) => calls.into_iter().map(|call| call.id).collect(),
        other => panic!("no approval is due, but {other:?}"),
    }
}
