//! Asking a model to summarise a conversation.

use super::Runtime;
use crate::conversation::{Conversation, Retention, Summarised, SummaryOptions, SummaryPlan};
use crate::drive::spans;
use crate::drive::{StopCondition, StopReason, until_stopped};
use crate::error::Error;
use crate::executable::Executable;
use crate::model::{FinishReason, ModelReply, ModelRequest, ProviderUse};
use crate::time_limit::check_timers;
use agent_spec::{Agent, PromptCache, Settings};

impl Runtime {
    /// Replaces the turns that a retention does not keep by a summary, which the agent's model writes. It is a
    /// [`Message::summary`](crate::Message::summary) at the beginning, which every provider accepts. The new
    /// summary includes an earlier one. No request is sent if the retention keeps all turns.
    ///
    /// The model gets all removed messages in one request, so summarise a conversation while they fit into its
    /// context. Fallback models are not used.
    ///
    /// The conversation changes last: it stays unchanged after an error, and when the future is dropped.
    ///
    /// ```
    /// # use agent_runtime::conversation::Retention;
    /// # use agent_runtime::model::ModelReply;
    /// # use agent_runtime::{Conversation, Message, agent};
    /// # use agent_runtime::conversation::SummaryOptions;
    /// # use agent_runtime::model::Scripted;
    /// # use agent_runtime::Runtime;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), agent_runtime::Error> {
    /// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Scripted/any"}] };
    /// let runtime = Runtime::with_model(Scripted::new([ModelReply::text("Ada is in Vienna.")]));
    /// let mut conversation: Conversation = [
    ///     Message::user("I'm Ada, and I am in Vienna"),
    ///     Message::assistant("Good morning, Ada."),
    ///     Message::user("Where am I?"),
    ///     Message::assistant("In Vienna."),
    /// ]
    /// .into_iter()
    /// .collect();
    /// let policy = Retention::new().last_turns(1);
    /// let summarised = runtime.summarise(&agent, &mut conversation, &policy, SummaryOptions::new()).await?;
    /// assert_eq!(summarised.removed.len(), 2);
    /// let summary = &conversation.messages()[0];
    /// assert_eq!(summary.content(), "Summary of the conversation so far:\nAda is in Vienna.");
    /// assert_eq!(conversation.messages()[1].content(), "Where am I?");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Llm when the model fails, writes nothing or is cut off; Validation when the agent is invalid; Configuration
    /// when its provider cannot be used.
    pub async fn summarise<A: Executable + ?Sized>(
        &self,
        agent: &A,
        conversation: &mut Conversation,
        policy: &Retention,
        options: SummaryOptions,
    ) -> Result<Summarised, Error> {
        let plan = SummaryPlan::new(conversation, policy, &options);
        let reply = if plan.is_needed() {
            let agent = agent.to_agent()?;
            let (instruction, messages) = plan.request(&options);
            Some(self.ask(&agent, instruction, messages, &options).await?)
        } else {
            None
        };
        let written = match &reply {
            Some(reply) => Some((summary_text(reply)?, reply.counted())),
            None => None,
        };
        let (summarised, report) = plan.finish(written);
        *conversation = summarised;
        Ok(report)
    }

    async fn ask(
        &self,
        agent: &Agent,
        instruction: String,
        messages: Vec<crate::Message>,
        options: &SummaryOptions,
    ) -> Result<ModelReply, Error> {
        check_timers()?;
        let model = options.model.as_ref().unwrap_or(agent.model());
        let used_as = match model.provider() == agent.model().provider() {
            true => ProviderUse::Own,
            false => ProviderUse::Fallback,
        };
        let mut settings = Settings::NONE;
        // No later request begins like this one, so that a cache would only cost.
        settings.cache = Some(PromptCache::Off);
        if used_as == ProviderUse::Own {
            settings.base_url = agent.settings().base_url.clone();
        }
        let request =
            ModelRequest::new(model.clone(), instruction, messages).with_settings(settings);
        let provider = self.0.providers.resolve(model.provider(), used_as)?;
        let entered = options
            .cancellation
            .run_until_cancelled(self.0.enter(&request));
        let permit = match entered.await {
            Some(entered) => entered?,
            None => return Err(stopped(StopReason::Cancelled, &request)),
        };
        let (name, redactor) = (provider.trace_name(), self.0.trace_redactor.as_ref());
        let mut operation = spans::chat(&request, name, false, None, redactor);
        let stop = StopCondition::new(Some(self.0.model_timeout), options.cancellation.clone());
        let answer = until_stopped(provider.chat(&request), &stop);
        let answer = operation.around(answer).await;
        let answer = answer.unwrap_or_else(|reason| Err(stopped(reason, &request)));
        if let Some(permit) = permit {
            permit.finish(&answer);
        }
        match &answer {
            Ok(reply) => spans::record_reply(&mut operation, reply, redactor),
            Err(error) => operation.failed(error.kind().word()),
        }
        drop(operation);
        answer
    }
}

fn stopped(reason: StopReason, request: &ModelRequest) -> Error {
    match reason {
        StopReason::Cancelled => Error::cancelled("the summary was cancelled"),
        StopReason::TimedOut(limit) => {
            let model = &request.model;
            Error::llm(format!("`{model}` did not answer within {limit:?}")).into_timeout()
        }
    }
}

/// Returns the summary in a reply, if it is complete.
fn summary_text(reply: &ModelReply) -> Result<String, Error> {
    let text = reply.content().trim().to_owned();
    match &reply.finish_reason {
        FinishReason::Stop | FinishReason::Other(_) if !text.is_empty() => Ok(text),
        FinishReason::Length => Err(Error::llm("the summary was cut off")),
        reason => {
            let text = format!("the model wrote no summary; it stopped with `{reason}`");
            let error = Error::llm(text);
            Err(match reason {
                FinishReason::ContentFilter => error.into_refused(),
                _ => error,
            })
        }
    }
}
