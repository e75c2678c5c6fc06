//! Calling agents from the body of a tool.

use super::Runtime;
use crate::context::ToolContext;
use crate::drive::{CallingTool, Host};
use crate::error::Error;
use crate::library::ToolLibrary;
use crate::response::AgentResponse;
use crate::run::stated_output;
use crate::tool::{AgentHost, AgentTool, ToolError, ToolFuture};
use agent_spec::json::parse_json;
use serde_json::Value;
use std::sync::Arc;

impl ToolContext {
    /// Returns the runtime of the run that the call belongs to, for a tool whose body calls an agent.
    ///
    /// A run of it inherits from the call: it is cancelled with the call and ends at its deadline, its tools have no
    /// permission that the run does not have, what it uses counts for the usage and the limits of the run, and the
    /// observers of the run get its events as [nested](crate::Event::Nested) ones. The limits are those that are left
    /// when the tool is called. A call that needs a person's approval is denied unless the runtime has an
    /// [approver](crate::approval::Approver), because a run inside of a function cannot be saved. An agent that another
    /// agent calls as a tool, without a function between them, inherits the same; its run is a part of the caller's
    /// run, so that it can wait for a person and be saved with it.
    ///
    /// ```
    /// use agent_runtime::model::{ModelReply, Scripted};
    /// use agent_runtime::{Agent, Error, Runtime, ToolContext, ToolError, agent, tool, tools};
    ///
    /// static CRITIC: Agent = agent! { [critic:Agent {instruction: "Judge.", model: "Scripted/any"}] };
    ///
    /// /// Judges a text
    /// #[tool]
    /// async fn judge(text: &str, context: &ToolContext) -> Result<String, Error> {
    ///     Ok(context.runtime()?.run(&CRITIC, text).await?.content)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let writer = agent! {
    ///     tools: [judge],
    ///     [writer:Agent {instruction: "Write.", model: "Scripted/any"} | judge]
    /// };
    /// let model = Scripted::new([ModelReply::call("judge", r#"{"text": "A poem"}"#)])
    ///     .then(ModelReply::text("It is good."))
    ///     .agent("critic", [ModelReply::text("Good.")]);
    /// let response = Runtime::with_model(model).run(&writer, "Write a poem").tools(&tools![judge]).await?;
    /// assert_eq!(response.usage.requests, 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Configuration when the context belongs to no run, such as [`ToolContext::detached`].
    pub fn runtime(&self) -> Result<Runtime, Error> {
        let host = self.host::<AgentHost>();
        let host = host.and_then(|host| Arc::clone(&host.data).downcast::<Host>().ok());
        let Some(host) = host else {
            return Err(Error::configuration(
                "this context belongs to no run, so that it has no runtime; call the tool in a run, or give the agent \
                 a `Runtime` of your own",
            ));
        };
        Ok(Runtime {
            config: Arc::clone(&host.config),
            caller: Some(CallingTool {
                call_id: self.call_id().to_owned(),
                tool: self.tool().to_owned(),
                cancellation: self.cancellation().clone(),
                deadline: self.deadline(),
                host,
            }),
        })
    }
}

/// Calls an agent with the runtime of a context, as a tool.
pub(super) fn call_agent<'a>(
    agent: AgentTool,
    arguments: &'a str,
    context: &'a ToolContext,
) -> ToolFuture<'a> {
    Box::pin(async move {
        let failed = |error: Error| match error.is_validation() {
            true => ToolError::Validation(error.to_string()),
            false => ToolError::Execution(error.to_string()),
        };
        let runtime = context.runtime().map_err(failed)?;
        let arguments = parse_json(arguments).unwrap_or_default();
        let library = ToolLibrary::of_agent(&agent);
        let run = runtime.call(agent.agent(), arguments).tools(&library);
        let response = run.await.map_err(failed)?;
        Ok(agent.result(response))
    })
}

impl AgentTool {
    /// Returns the result that the agent's answer is when the agent is called as a tool: the value that the agent's
    /// signature states, or the text.
    ///
    /// ```
    /// use agent_runtime::model::{ModelReply, Scripted};
    /// use agent_runtime::serde_json::json;
    /// use agent_runtime::tool::AgentTool;
    /// use agent_runtime::{Error, Runtime, ToolLibrary, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let counter = agent! {
    ///     [counter:Agent {description: "Counts letters", instruction: "Count.", model: "Scripted/any"} |
    ///         (text::Text)==>(::Integer)]
    /// };
    /// let tool = AgentTool::new(counter, &ToolLibrary::new())?;
    /// let model = Scripted::new([ModelReply::call("finalAnswer", r#"{"answer": 3}"#)]);
    /// let runtime = Runtime::with_model(model);
    /// let response = runtime.call(tool.agent(), json!({"text": "abc"})).await?;
    /// assert_eq!(tool.result(response), 3);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn result(&self, response: AgentResponse) -> Value {
        match stated_output(self.agent()) {
            Some(_) => parse_json(&response.content).unwrap_or_default(),
            None => Value::String(response.content),
        }
    }
}
