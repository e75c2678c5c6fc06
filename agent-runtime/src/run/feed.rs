//! What a run is fed: answers, results, decisions.

use super::rules::MAX_CALLS;
use super::state::{Begun, CallState, Outcome, Phase, Weight};
use super::step::Decision;
use super::{Run, texts};
use crate::conversation::Message;
use crate::error::{Error, Kind};
use crate::model::{FinishReason, ModelReply};
use crate::tool::ToolError;
use serde_json::Value;
use std::sync::Arc;

impl Run {
    /// Takes the model's answer to the request of the last [`Step::CallModel`](super::Step).
    ///
    /// # Errors
    /// Validation when the run does not wait for an answer; nothing has changed then.
    pub fn model_replied(&mut self, reply: ModelReply) -> Result<(), Error> {
        if !matches!(self.state.phase, Phase::AskModel) {
            return Err(Error::validation("the run does not wait for an answer"));
        }
        self.count(&reply.counted());
        self.state.unavailable = None;
        let calls = reply.tool_calls.len();
        if let Some(answer) = self.given_answer(&reply) {
            self.finish_with(answer, reply);
        } else if calls == 0 {
            self.take_answer(reply);
        } else if calls > MAX_CALLS {
            let text = texts::too_many_calls(self.request_model(), calls);
            self.fail(Kind::Llm, text);
        } else {
            self.state.asked_again = false;
            self.plan_turn(reply);
        }
        Ok(())
    }

    fn take_answer(&mut self, reply: ModelReply) {
        let has_words = |text: &String| !text.trim().is_empty();
        if self.output.is_some() && reply.content.as_ref().is_some_and(has_words) {
            return self.take_words(reply);
        }
        let content = reply.content.unwrap_or_default();
        if !content.trim().is_empty() {
            self.push_answer(content.clone(), reply.provider_data);
            self.state.phase = Phase::Done {
                content,
                finish_reason: reply.finish_reason,
            };
        } else if self.state.asked_again {
            let text = texts::empty_answer(self.request_model(), &reply.finish_reason);
            self.fail(Kind::Llm, text);
        } else if let Some(text) = self.used_up() {
            self.fail(Kind::Limit, text);
        } else {
            self.state.asked_again = true;
        }
    }

    /// Writes an answer in words into the history.
    pub(super) fn push_answer(&mut self, content: String, provider_data: Option<Value>) {
        let mut message = Message::assistant(content);
        if let Some(data) = provider_data {
            message = message.with_provider_data(data);
        }
        self.state.history.push(message);
    }

    /// Takes the failure of a request. When the provider is unavailable and the agent names a
    /// further model, the run goes on with that. A further model that cannot be used, such as one
    /// without a key, is passed over.
    ///
    /// # Errors
    /// Why the run has ended: this error or, when no further model could be used, the one because
    /// of which they were turned to.
    pub fn model_failed(&mut self, error: Error) -> Result<(), Error> {
        if !matches!(self.state.phase, Phase::AskModel) {
            return Err(Error::validation("the run does not wait for an answer"));
        }
        let unusable = self.state.fallback > 0 && error.is_configuration();
        let error = if error.is_unavailable() || unusable {
            if unusable {
                let model = self.request_model();
                tracing::warn!(%model, %error, "a fallback model cannot be used");
            }
            let first = self.state.unavailable.get_or_insert(Arc::new(error));
            if self.state.fallback < self.agent.settings().fallback.len() {
                self.state.fallback += 1;
                return Ok(());
            }
            first.again()
        } else {
            error
        };
        self.fail(error.kind(), error.to_string());
        Err(error)
    }

    /// Takes the result of a call of the last [`Step::CallTools`](super::Step).
    ///
    /// # Errors
    /// Validation when the run does not wait for a result of this call; nothing has changed then.
    /// So a call never has two results.
    pub fn tool_finished(
        &mut self,
        call_id: &str,
        result: Result<Value, ToolError>,
    ) -> Result<(), Error> {
        self.take_result(call_id, result)?;
        self.take_in();
        Ok(())
    }

    /// Takes the result of a call, as [`tool_finished`](Self::tool_finished) does, and leaves it to
    /// [`take_in`](Self::take_in) to write it into the history: of calls that have ended together, none
    /// is lost when the result of another ends the run.
    pub(crate) fn take_result(
        &mut self,
        call_id: &str,
        result: Result<Value, ToolError>,
    ) -> Result<(), Error> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return Err(not_waiting("a result", call_id));
        };
        let Some(call) = turn.open_call_mut(call_id) else {
            return Err(not_waiting("a result", call_id));
        };
        let CallState::Ready { arguments, .. } = &call.state else {
            return Err(not_waiting("a result", call_id));
        };
        call.state = CallState::Finished(Outcome {
            arguments: Some(arguments.clone()),
            weight: match &result {
                // The tool asks for other arguments, as the checks before it do.
                Err(ToolError::Retry(_)) => Weight::Mistake,
                _ => Weight::Attempt,
            },
            result,
        });
        Ok(())
    }

    /// Writes the results that were taken into the history.
    pub(crate) fn take_in(&mut self) {
        self.advance();
    }

    /// Notes that whoever makes the calls from now on says of each when it is
    /// [begun](Self::call_begins).
    pub(crate) fn begin_calls(&mut self) {
        if let Phase::Tools(turn) = &mut self.state.phase {
            turn.note_not_begun();
        }
    }

    /// Notes that a call is begun.
    pub(crate) fn call_begins(&mut self, call_id: &str) {
        if let Phase::Tools(turn) = &mut self.state.phase
            && let Some(call) = turn.open_call_mut(call_id)
            && let CallState::Ready { begun, .. } = &mut call.state
        {
            *begun = Begun::Yes;
        }
    }

    /// Notes that a call of the last [`Step::CallTools`](super::Step) is made with other arguments
    /// than the model's.
    pub(crate) fn arguments_changed(&mut self, call_id: &str, changed: String) {
        if let Phase::Tools(turn) = &mut self.state.phase
            && let Some(call) = turn.open_call_mut(call_id)
            && let CallState::Ready { arguments, .. } = &mut call.state
        {
            *arguments = changed;
        }
    }

    /// Takes a person's decision on a call of the last [`Step::AwaitApproval`](super::Step).
    ///
    /// # Errors
    /// Validation when the run does not wait for a decision on this call, or when edited arguments
    /// are not right for the tool. Nothing has changed then: the call still waits.
    pub fn approve(&mut self, call_id: &str, decision: Decision) -> Result<(), Error> {
        let Phase::Tools(turn) = &mut self.state.phase else {
            return Err(not_waiting("a decision", call_id));
        };
        let Some(call) = turn.call(call_id) else {
            return Err(not_waiting("a decision", call_id));
        };
        let CallState::AwaitingApproval { arguments } = &call.state else {
            return Err(not_waiting("a decision", call_id));
        };
        let state = match decision {
            Decision::Approve => CallState::Ready {
                arguments: arguments.clone(),
                begun: Begun::default(),
            },
            Decision::Deny { reason } => CallState::Finished(Outcome::refused(
                ToolError::Authorization(texts::denied(reason.as_deref())),
                Weight::Free,
            )),
            Decision::Edit { args } => {
                let tool = call.call.tool();
                let checked = self.rules.check_edit(tool, &args.to_string());
                // The mistake is the person's, who can mend it: the model does not hear of it.
                let arguments = checked
                    .map_err(|error| Error::validation(texts::bad_edit(call_id, tool, &error)))?;
                CallState::Ready {
                    arguments,
                    begun: Begun::default(),
                }
            }
        };
        turn.decided(call_id, state);
        self.advance();
        Ok(())
    }

    /// Ends the run because its caller no longer wants it. Calls without a result are answered as
    /// cancelled, or as not made when they were not begun.
    pub fn cancel(&mut self) {
        self.stop(Kind::Cancelled, texts::CANCELLED.to_owned());
    }

    /// Ends the run, unless it has ended.
    pub(crate) fn stop(&mut self, kind: Kind, message: String) {
        if !self.is_over() {
            self.answer_rest();
            self.fail(kind, message);
        }
    }

    pub(super) fn fail(&mut self, kind: Kind, message: String) {
        self.state.phase = Phase::Failed { kind, message };
    }
}

fn not_waiting(what: &str, call_id: &str) -> Error {
    Error::validation(format!(
        "the run does not wait for {what} of the call `{call_id}`"
    ))
}

/// Whether an answer may be cut off in the middle of its calls.
pub(super) fn is_cut_off(reason: &FinishReason) -> bool {
    *reason == FinishReason::Length
}
