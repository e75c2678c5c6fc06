//! Sending a request to a model, streamed or not.

use super::Driver;
use super::hooks::{after_model, before_model};
use super::spans;
use crate::error::Error;
use crate::event::Event;
use crate::model::{ChatModel, ModelReply, ModelRequest, ProviderUse, ReplyPart, ReplySink};
use crate::response::readable;
use crate::run::Run;
use crate::trace::Operation;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

impl Driver<'_, '_> {
    /// Sends the run's request, and gives the run the reply or the error.
    pub(super) async fn call_model(
        &mut self,
        run: &mut Run,
        mut request: ModelRequest,
    ) -> Result<(), Error> {
        let (config, context) = (self.config, self.context);
        #[cfg(feature = "http")]
        {
            request.permissions = crate::model::RequestPermissions(context.permissions.clone());
        }
        request.conversation_id = context.conversation_id().map(str::to_owned);
        if let Err(end) = before_model(&config.hooks, context, &mut request).await {
            run.stop(end.into_error(&config.redactor));
            return Ok(());
        }
        let model = match self.provider(run, &request) {
            Ok(model) => model,
            Err(error) => return run.model_failed(error),
        };
        // A request that cannot be sent is none for limits and observers, which count requests.
        let checked = model.check(&request);
        let mut permit = None;
        let summarises = run.summarises();
        if checked.is_ok() {
            // Outside the time limit of the request, and of the span that measures it.
            permit = match config.enter(&request).await {
                Ok(permit) => permit,
                Err(error) => return run.model_failed(error),
            };
            self.observers.notify_with(|| {
                let model = request.model.clone();
                match summarises {
                    true => Event::CompactionStarted { model },
                    false => Event::ModelCalled { model },
                }
            });
        }
        // A summary is no part of the answer, so that nobody waits for its parts.
        let streaming = self.streaming && !summarises;
        let conversation = context.conversation_id();
        let redactor = config.trace_redactor.as_ref();
        let mut operation = spans::chat(
            &request,
            model.trace_name(),
            streaming,
            conversation,
            redactor,
        );
        if !summarises {
            spans::record_output_type(&operation, run);
        }
        let answer = if let Err(error) = checked {
            Err(error)
        } else if streaming {
            let work = self.stream(&*model, &request, &operation);
            operation.around(work).await
        } else {
            let work = chat(&*model, &request, config.model_timeout);
            operation.around(work).await
        };
        if let Some(permit) = permit {
            permit.finish(&answer);
        }
        match answer {
            Ok(mut reply) => {
                spans::record_reply(&mut operation, &reply, redactor);
                drop(operation);
                let after = after_model(&config.hooks, context, &request, &mut reply).await;
                self.take_reply(run, reply)?;
                if let Err(end) = after {
                    run.begin_calls();
                    run.stop(end.into_error(&config.redactor));
                }
                Ok(())
            }
            Err(error) => {
                operation.failed(error.kind().word());
                drop(operation);
                run.model_failed(error)
            }
        }
    }

    /// The provider of a request. A fallback model or a hook may name another provider than the agent.
    fn provider(&self, run: &Run, request: &ModelRequest) -> Result<Arc<dyn ChatModel>, Error> {
        let name = request.model.provider();
        if name == run.agent().model().provider() {
            return Ok(Arc::clone(&self.provider));
        }
        self.config.providers.resolve(name, ProviderUse::Fallback)
    }

    /// Streams an answer and reports each part. The time limit is that of each wait for a part, because a
    /// long answer, or a slow reader of the stream, may take longer as a whole.
    async fn stream(
        &mut self,
        model: &dyn ChatModel,
        request: &ModelRequest,
        operation: &Operation<'_>,
    ) -> Result<ModelReply, Error> {
        let limit = self.config.model_timeout;
        let is_active = AtomicBool::new(false);
        let has_room = self.observers.has_room();
        let has_room = || {
            // Asking for room counts as activity of the model, even when there is none: then the reader
            // of the stream is slow, and not the model.
            is_active.store(true, Ordering::Relaxed);
            has_room()
        };
        let mut has_begun = false;
        let mut report = |part: ReplyPart| {
            if !has_begun {
                has_begun = true;
                operation.first_part();
            }
            self.observers.notify(part.into());
        };
        let mut sink = ReplySink::with_room(&mut report, &has_room);
        let answer = with_idle_timeout(limit, &is_active, model.stream(request, &mut sink)).await;
        let answer = answer.unwrap_or_else(|| {
            let model = &request.model;
            let text = format!("`{model}` said nothing for {limit:?}");
            Err(Error::llm(text).into_timeout())
        });
        if sink.has_sent() {
            // The beginning was already reported, so no fallback model may begin the answer again.
            answer.map_err(Error::into_final)
        } else {
            answer
        }
    }

    /// Gives the run a reply, and reports the reply with the ids that the run gave its calls.
    fn take_reply(&mut self, run: &mut Run, reply: ModelReply) -> Result<(), Error> {
        if !self.observers.is_any() {
            return run.model_replied(reply);
        }
        if run.summarises() {
            return self.take_summary(run, reply);
        }
        let parts = readable(&reply.parts);
        let finish_reason = reply.finish_reason.clone();
        let usage = reply.counted();
        let index = run.message_count();
        run.model_replied(reply)?;
        let calls = run.calls_at(index).to_vec();
        self.observers.notify(Event::ModelReplied {
            parts,
            calls,
            finish_reason,
            usage,
        });
        Ok(())
    }

    /// Gives the run a reply, and reports the summary in it.
    fn take_summary(&mut self, run: &mut Run, reply: ModelReply) -> Result<(), Error> {
        let mut usage = run.summary_usage();
        usage.add(&reply.counted());
        let index = run.message_count();
        run.model_replied(reply)?;
        let summary = run.message_at(index);
        if let Some(summary) = summary.filter(|message| message.is_summary()) {
            self.observers.notify(Event::Compacted {
                summary: summary.clone(),
                usage,
            });
        }
        Ok(())
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
