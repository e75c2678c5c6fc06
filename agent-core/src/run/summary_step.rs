//! The step in which a run has the beginning of its conversation summarised.

use super::agent_run::AgentRun;
use super::state::{Phase, Summarising};
use super::texts;
use crate::conversation::{
    Compaction, CompactionPlan, Message, SummaryScope, View, estimate_tokens_for, material,
    written_summary,
};
use crate::model::{FinishReason, ModelReply, ModelRequest, Usage};
use agent_spec::{Agent, Model, PromptCache, Settings};
use agent_tool::__private::ErrorKind;
use agent_tool::Error;
use agent_tool::trace::TARGET;

impl AgentRun {
    /// The view of the history that the model gets.
    pub(super) fn view(&self) -> View<'_> {
        View::new(&self.state.history, self.state.hidden)
    }

    /// Lets a summary be written before the request that is due, if the request is too long.
    pub(super) fn compact(&mut self) {
        let Some(options) = &self.state.compaction else {
            return;
        };
        // The provider continues the answer that it paused, so that no other message may be added in between.
        if !matches!(self.state.phase, Phase::AskModel) || !self.state.paused.is_empty() {
            return;
        }
        if let Err(error) = check_compaction(options, &self.agent, self.overhead) {
            return self.fail_with(error);
        }
        self.plan_compaction(false);
    }

    /// Continues with the request for a summary, or with the request that is due.
    fn plan_compaction(&mut self, continues: bool) {
        let (start, overhead) = (self.state.start, self.overhead);
        self.counts.extend(self.agent.model(), &self.state.history);
        let options = self.state.compaction.as_ref();
        let plan = options.and_then(|options| {
            CompactionPlan::new(
                options,
                &self.view(),
                (self.agent.model(), &self.counts),
                start,
                overhead,
                continues,
            )
        });
        self.state.phase = match plan {
            Some(plan) => Phase::Summarise(Summarising {
                scope: plan.scope,
                is_first_part: plan.is_first_part,
                asked_again: false,
                usage: Usage::default(),
            }),
            None => Phase::AskModel,
        };
    }

    /// The model that the summaries are written by, unless a fallback is in use.
    pub(super) fn summary_model(&self) -> &Model {
        let options = self.state.compaction.as_ref();
        let model = options.and_then(|options| options.model.as_ref());
        model.unwrap_or_else(|| self.agent.model())
    }

    /// The request for a summary.
    pub(super) fn summary_request(&self, summarising: &Summarising) -> ModelRequest {
        let scope = summarising.scope;
        let options = self.state.compaction.clone();
        let options = options.unwrap_or_else(|| Compaction::above(0));
        let material = material(&self.view(), scope);
        let (instruction, messages) = options.request(&material, scope.messages_of_turn > 0);
        let model = self.request_model();
        let mut settings = Settings::NONE;
        // No later request begins like this one, so that a cache would only cost.
        settings.cache = Some(PromptCache::Off);
        if model.has_provider_of(self.agent.model()) {
            settings.base_url = self.agent.settings().base_url.clone();
        }
        let mut request = ModelRequest::new(model.clone(), instruction, messages);
        request.agent = self.agent.name().to_owned();
        request.catalog = self.agent.catalog();
        request.with_settings(settings)
    }

    /// Receives the reply to the request for a summary. If the reply is no summary, the model is asked once
    /// more.
    pub(super) fn take_summary(&mut self, reply: &ModelReply) {
        let Phase::Summarise(summarising) = &mut self.state.phase else {
            return;
        };
        summarising.usage.add(&reply.counted());
        let (scope, is_first_part) = (summarising.scope, summarising.is_first_part);
        let was_asked_again = std::mem::replace(&mut summarising.asked_again, true);
        match self.summary_in(reply, scope) {
            Ok(summary) => {
                tracing::debug!(
                    target: TARGET,
                    messages = scope.messages as u64,
                    messages_of_turn = scope.messages_of_turn as u64,
                    "messages were replaced by a summary"
                );
                self.state.history.push(summary);
                self.plan_further(is_first_part);
            }
            Err(problem) if was_asked_again => {
                let text = texts::no_summary(self.request_model(), &problem);
                let error = Error::llm(text);
                self.fail_with(match reply.finish_reason {
                    FinishReason::ContentFilter => error.into_refused(),
                    _ => error,
                });
            }
            Err(problem) => {
                tracing::warn!(target: TARGET, problem, "a summary is asked for once more");
                self.fail_at_limit();
            }
        }
    }

    /// The summary in a reply, or the problem with it.
    fn summary_in(&mut self, reply: &ModelReply, scope: SummaryScope) -> Result<Message, String> {
        let text = reply.content();
        let text = text.trim();
        match &reply.finish_reason {
            FinishReason::Stop | FinishReason::Other(_) if !text.is_empty() => {}
            FinishReason::Length => return Err(texts::SUMMARY_CUT_OFF.to_owned()),
            reason => return Err(texts::not_a_summary(reason)),
        }
        let summary = written_summary(text, scope);
        self.counts.extend(self.agent.model(), &self.state.history);
        let view = self.view();
        let model = self.agent.model();
        let kept = view.behind(scope).tokens(model, &self.counts);
        let replaced = view.tokens(model, &self.counts).saturating_sub(kept);
        let tokens = estimate_tokens_for(model, &summary);
        if tokens < replaced {
            return Ok(summary);
        }
        Err(texts::summary_too_long(tokens, replaced))
    }

    /// Continues behind a summary, unless a limit of the run is reached.
    fn plan_further(&mut self, is_first_part: bool) {
        self.state.phase = Phase::AskModel;
        self.fail_at_limit();
        if !self.is_over() && is_first_part {
            self.plan_compaction(true);
        }
    }

    /// Ends the run if a limit forbids a further request.
    pub(super) fn fail_at_limit(&mut self) {
        if let Some(text) = self.limit_reached() {
            self.fail(ErrorKind::Limit, text);
        }
    }

    /// Whether the request that is due is one for a summary.
    #[doc(hidden)]
    pub fn summarises(&self) -> bool {
        matches!(self.state.phase, Phase::Summarise(_))
    }

    /// The usage of the replies to the request for a summary that is due.
    pub(crate) fn summary_usage(&self) -> Usage {
        match &self.state.phase {
            Phase::Summarise(summarising) => summarising.usage,
            _ => Usage::default(),
        }
    }

    /// The message at an index of the history.
    pub(crate) fn message_at(&self, index: usize) -> Option<&Message> {
        self.state.history.get(index)
    }
}

/// Checks that a request can be within the limit of a compaction.
pub fn check_compaction(options: &Compaction, agent: &Agent, overhead: usize) -> Result<(), Error> {
    if overhead < options.above {
        return Ok(());
    }
    let (name, above) = (agent.name(), options.above);
    Err(Error::configuration(format!(
        "requests of the agent `{name}` are compacted above {above} tokens, but its instruction and tools alone have \
         about {overhead}; raise the limit (`compactAbove`, `Compaction::above`)"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Conversation, ESTIMATES, estimate_tokens};
    use crate::run::{Run, Step};
    use agent_tool::library::{ToolLibrary, bind_agent_tools};

    #[test]
    fn a_history_that_is_summarised_in_parts_is_counted_once() {
        let agent = Agent::new("a", "Scripted/any", "Answer.").expect("an agent");
        let tools = bind_agent_tools(&agent, &ToolLibrary::new()).expect("no tools");
        let turn = |n| {
            [
                Message::user(format!("Question {n}")),
                Message::assistant("Yes."),
            ]
        };
        let conversation: Conversation = (0..1_000).flat_map(turn).collect();
        let all: usize = conversation.messages().iter().map(estimate_tokens).sum();
        let run = Run::new(
            &agent,
            &tools,
            "And now?",
            &conversation,
            &Default::default(),
        );
        let options = Compaction::above(all / 100).about_tokens(5);
        let mut run = run.expect("a run").with_compaction(options);
        ESTIMATES.set(0);
        let mut parts = 0;
        loop {
            let reply = match run.next().expect("a step") {
                Step::Summarise(_) => "s",
                Step::CallModel(_) => break,
                step => panic!("{step:?}"),
            };
            parts += 1;
            run.model_replied(ModelReply::text(reply)).expect("a reply");
        }
        assert!(parts > 90, "{parts}");
        // Each part also counts the summary before it and its own.
        let most = conversation.messages().len() + 10 * parts;
        assert!(ESTIMATES.get() <= most, "{} > {most}", ESTIMATES.get());
    }
}
