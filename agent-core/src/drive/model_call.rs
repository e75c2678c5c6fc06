//! Sending a request to a model, streamed or not.

use super::driven_run::Shown;
use super::hooks::{HookEnd, after_model, before_model};
use super::scope::RunReporter;
use super::{RuntimeConfig, spans};
use crate::event::Event;
use crate::model::request::RequestPermissions;
use crate::model::request_digests::RequestDigests;
use crate::model::{ChatModel, ModelReply, ModelRequest, ProviderUse, ReplyPart, ReplySink};
use crate::run::meant_calls::{is_several, split_calls};
use crate::run::plan_calls::CallIds;
use crate::trace::Operation;
use agent_catalog::vendor;
use agent_tool::Error;
use agent_tool::media::Sha256;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A request, and the values that sending it needs.
pub(super) struct ModelCall<'a> {
    pub(super) config: &'a RuntimeConfig,
    /// The provider of the first agent's own model.
    pub(super) provider: Arc<dyn ChatModel>,
    pub(super) provider_name: Arc<str>,
    pub(super) request: Box<ModelRequest>,
    /// The ids of the calls of the conversation; `None` if the answer is not streamed.
    pub(super) call_ids: Option<CallIds>,
    /// Whether the answer is a summary, and no part of the run's answer.
    pub(super) summarises: bool,
    pub(super) is_typed: bool,
    pub(super) streaming: bool,
    /// Whether the digest of the request is wanted, for a journal.
    pub(super) is_recorded: bool,
    /// The digest of the request as the hooks left it.
    pub(super) digest: Option<Sha256>,
    /// Gets the text of the answer, if the run is the first one.
    pub(super) shown: Option<Shown>,
    pub(super) reporter: RunReporter,
}

/// The outcome of a request.
pub(super) enum Answer {
    /// A hook ended the run before the request.
    Stopped(HookEnd),
    Failed(Error),
    /// The reply, and the end of the run if a hook ends it.
    Replied(Box<ModelReply>, Option<HookEnd>),
}

impl ModelCall<'_> {
    /// Sends the request.
    pub(super) async fn send(&mut self) -> Answer {
        let config = self.config;
        let shared = Arc::clone(&self.reporter.shared);
        let context = &shared.context;
        self.request.permissions = RequestPermissions(context.permissions.clone());
        self.request.conversation_id = match shared.is_first() {
            true => context.conversation_id().map(str::to_owned),
            // The requests of a called agent have another beginning, so that they share no cache with those
            // of the first agent.
            false => context
                .conversation_id()
                .map(|id| format!("{id}/{}", shared.place.path)),
        };
        if let Err(end) = before_model(&config.hooks, context, &mut self.request).await {
            return Answer::Stopped(end);
        }
        if self.is_recorded {
            let mut digests = shared
                .digests
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let digests = digests.get_or_insert_with(|| RequestDigests::recorded(&config.redactor));
            self.digest = Some(digests.of(&self.request));
        }
        let model = match self.model() {
            Ok(model) => model,
            Err(error) => return Answer::Failed(error),
        };
        // Limits and observers count requests, and a request that cannot be sent does not count.
        let checked = model.check(&self.request);
        let mut permit = None;
        if checked.is_ok() {
            // The wait is outside the time limit of the request, and outside the span that measures the
            // request.
            permit = match config.enter(&self.request).await {
                Ok(permit) => permit,
                Err(error) => return Answer::Failed(error),
            };
            if self.reporter.reporter.is_observed() {
                let model = self.request.model.clone();
                self.reporter.event(match self.summarises {
                    true => Event::CompactionStarted { model },
                    false => Event::ModelCalled { model },
                });
            }
        }
        // A summary is no part of the answer, so that nobody waits for its parts.
        let streaming = self.streaming && !self.summarises;
        let redactor = config.trace_redactor.as_ref();
        let mut operation = spans::chat(
            &self.request,
            model.trace_name(),
            streaming,
            context.conversation_id(),
            redactor,
        );
        if !self.summarises {
            spans::record_output_type(&operation, self.is_typed);
        }
        let answer = if let Err(error) = checked {
            Err(error)
        } else if streaming {
            // Boxed, because a request that is not streamed needs far less room.
            let call_ids = self.call_ids.take();
            let work = Box::pin(self.stream(&*model, &operation, call_ids));
            operation.around(work).await
        } else {
            let work = chat(&*model, &self.request, config.model_timeout);
            operation.around(work).await
        };
        if let Some(permit) = permit {
            permit.finish(&answer);
        }
        match answer {
            Ok(mut reply) => {
                spans::record_reply(&mut operation, &reply, redactor);
                drop(operation);
                let after = after_model(&config.hooks, context, &self.request, &mut reply).await;
                Answer::Replied(Box::new(reply), after.err())
            }
            Err(error) => {
                operation.failed(error.kind().word());
                Answer::Failed(error)
            }
        }
    }

    /// The provider of the request. The configured address, key and headers belong to the provider of the first
    /// agent. A fallback model, a hook or an agent that is called may name another.
    fn model(&self) -> Result<Arc<dyn ChatModel>, Error> {
        let name = self.request.model.provider();
        if *name == *self.provider_name {
            return Ok(Arc::clone(&self.provider));
        }
        let used_as = match vendor(name) == vendor(&self.provider_name) {
            true => ProviderUse::Own,
            false => ProviderUse::Fallback,
        };
        self.config.providers.resolve(name, used_as)
    }

    /// Streams an answer and reports each part. The calls of the reply have the ids with which they were
    /// reported. The time limit applies to each wait for a part, because a long answer, or a slow reader of
    /// the stream, may take longer as a whole.
    async fn stream(
        &self,
        model: &dyn ChatModel,
        operation: &Operation<'_>,
        mut call_ids: Option<CallIds>,
    ) -> Result<ModelReply, Error> {
        let (request, limit) = (&self.request, self.config.model_timeout);
        let is_active = AtomicBool::new(false);
        let has_room = || {
            // Asking for room counts as activity of the model, even when there is none: then the reader
            // of the stream is slow, and not the model.
            is_active.store(true, Ordering::Relaxed);
            self.reporter.reporter.has_room()
        };
        let mut has_begun = false;
        let tools = request.tools.iter().chain(&*request.deferred);
        let is_tool = |name: &str| tools.clone().any(|tool| tool.name() == name);
        // The index of a call that consists of several calls. The events of calls have the indexes that the
        // calls have in the turn, so that the events of this call and of later calls wait until it is split.
        let mut first_held = None;
        let mut reported_ids: Vec<String> = Vec::new();
        let is_observed = self.reporter.reporter.is_observed();
        let mut report = |part: ReplyPart| {
            if let (Some(shown), ReplyPart::Text(text)) = (&self.shown, &part) {
                shown.lock().push_str(text);
            }
            if !has_begun {
                has_begun = true;
                operation.first_part();
            }
            let index = match &part {
                ReplyPart::Call { index, tool, .. } => {
                    if first_held.is_none() && is_several(tool, is_tool) {
                        first_held = Some(*index);
                    }
                    Some(*index)
                }
                ReplyPart::Arguments { index, .. } => Some(*index),
                _ => None,
            };
            let is_held = index.zip(first_held).is_some_and(|(at, first)| at >= first);
            if is_held || !is_observed {
                return;
            }
            if let (ReplyPart::Call { id, .. }, Some(ids)) = (&part, &mut call_ids) {
                reported_ids.push(ids.next(id));
            }
            let id = index.and_then(|index| reported_ids.get(index));
            let id = id.map_or("", String::as_str);
            self.reporter.event(Event::of_part(part, id));
        };
        let mut sink = ReplySink::with_room(&mut report, &has_room);
        let answer = with_idle_timeout(limit, &is_active, model.stream(request, &mut sink)).await;
        let mut answer = answer.unwrap_or_else(|| {
            let model = &request.model;
            let text = format!("`{model}` said nothing for {limit:?}");
            Err(Error::llm(text).into_timeout())
        });
        let has_sent = sink.has_sent();
        if let (Ok(reply), Some(ids)) = (&mut answer, &mut call_ids)
            && is_observed
        {
            let calls = split_calls(std::mem::take(&mut reply.tool_calls), is_tool);
            let calls = calls.into_iter().enumerate().map(|(index, call)| {
                if let Some(id) = reported_ids.get(index) {
                    return call.with_id(id.clone());
                }
                let id = ids.next(call.id());
                for part in [
                    ReplyPart::call(index, call.tool()),
                    ReplyPart::arguments(index, call.args_text()),
                ] {
                    self.reporter.event(Event::of_part(part, &id));
                }
                call.with_id(id)
            });
            reply.tool_calls = calls.collect();
        }
        if has_sent {
            // The beginning was already reported, so no fallback model may begin the answer again.
            answer.map_err(Error::into_final)
        } else {
            answer
        }
    }
}

async fn chat(
    model: &dyn ChatModel,
    request: &ModelRequest,
    limit: Duration,
) -> Result<ModelReply, Error> {
    tokio::time::timeout(limit, model.chat(request))
        .await
        .unwrap_or_else(|_| {
            let model = &request.model;
            let text = format!("`{model}` did not answer within {limit:?}");
            Err(Error::llm(text).into_timeout())
        })
}

/// Awaits `work`, unless it is idle for longer than the limit. `work` sets `is_active` to begin the limit
/// anew.
async fn with_idle_timeout<T>(
    limit: Duration,
    is_active: &AtomicBool,
    work: impl Future<Output = T>,
) -> Option<T> {
    // `None` for a limit too long for the clock, which is no limit.
    let deadline = || Instant::now().checked_add(limit);
    let mut work = pin!(work);
    let Some(first) = deadline() else {
        return Some(work.await);
    };
    let mut timer = pin!(sleep_until(first));
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        if is_active.swap(false, Ordering::Relaxed)
            && let Some(next) = deadline()
        {
            timer.as_mut().reset(next);
        }
        timer.as_mut().poll(context).map(|()| None)
    })
    .await
}
