//! Calling agents from the body of a tool.

use super::Runtime;
use agent_core::__private::{CallingTool, Host};
use agent_spec::json::parse_json;
use agent_tool::__private::AgentHost;
use agent_tool::library::ToolLibrary;
use agent_tool::tool::{AgentTool, ToolError, ToolFuture};
use agent_tool::{Error, ToolContext};
use std::sync::Arc;

impl Runtime {
    /// Returns the runtime of the run that a call belongs to, for a tool whose body calls an agent.
    ///
    /// A run of the returned runtime inherits from the call. It is cancelled with the call and ends at the
    /// call's deadline. Its tools have no permission that the outer run does not have. Its usage counts for
    /// the usage and the limits of the outer run; its limits are those that are left when the tool is called.
    /// The observers of the outer run get its events as [nested](agent_core::Event::Nested) ones. A call that
    /// needs a person's approval is denied unless the runtime has an
    /// [approver](agent_core::approval::Approver), because a run inside of a function cannot be saved. An
    /// agent that another agent calls as a tool, without a function between them, inherits the same. The run
    /// of that agent is a part of the caller's run, so that it can wait for a person and be saved with it.
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
    ///     Ok(Runtime::of(context)?.run(&CRITIC, text).await?.content)
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
    pub fn of(context: &ToolContext) -> Result<Self, Error> {
        let host = context.host::<AgentHost>();
        let host = host.and_then(|host| Arc::clone(&host.data).downcast::<Host>().ok());
        let Some(host) = host else {
            return Err(Error::configuration(
                "this context belongs to no run, so that it has no runtime; call the tool in a run, or give the agent \
                 a `Runtime` of your own",
            ));
        };
        Ok(Self {
            config: Arc::clone(&host.config),
            caller: Some(CallingTool {
                call_id: context.call_id().to_owned(),
                tool: context.tool().to_owned(),
                cancellation: context.cancellation().clone(),
                deadline: context.deadline(),
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
        let runtime = Runtime::of(context).map_err(failed)?;
        let arguments = parse_json(arguments).unwrap_or_default();
        let library = ToolLibrary::of_agent(&agent);
        let run = runtime.call(agent.agent(), arguments).tools(&library);
        let response = run.await.map_err(failed)?;
        Ok(response.into_result(agent.agent()))
    })
}
