//! Asking a model, in one piece or in parts.

use super::Driver;
use super::hooked::{after_model, before_model};
use super::spans;
use crate::error::{Error, Kind};
use crate::event::Event;
use crate::model::{ChatModel, ModelReply, ModelRequest, ReplyPart, ReplySink};
use crate::run::Run;
use crate::trace::Operation;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

impl Driver<'_, '_> {
    pub(super) async fn call_model(
        &mut self,
        run: &mut Run,
        mut request: ModelRequest,
    ) -> Result<(), Error> {
        if let Err(stop) = before_model(&self.shared.hooks, self.context, &mut request).await {
            run.stop(Kind::Cancelled, stop.to_string());
            return Ok(());
        }
        self.audience.tell_of(|| Event::ModelCalled {
            model: request.model.clone(),
        });
        let own = request.model.provider() == run.agent().model().provider();
        let model = match self.shared.providers.model(request.model.provider(), own) {
            Ok(model) => model,
            Err(error) => return run.model_failed(error),
        };
        let (shared, context) = (self.shared, self.context);
        let conversation = context.conversation_id();
        let redactor = shared.trace_redactor.as_ref();
        let provider = model.trace_name();
        let streaming = self.streaming;
        let mut operation = spans::chat(&request, provider, streaming, conversation, redactor);
        spans::record_output_type(&operation, run);
        let answer = if self.streaming {
            let work = self.stream(&*model, &request, &operation);
            operation.around(work).await
        } else {
            let work = chat(&*model, &request, shared.model_timeout);
            operation.around(work).await
        };
        match answer {
            Ok(mut reply) => {
                spans::record_reply(&mut operation, &reply, redactor);
                drop(operation);
                let after = after_model(&shared.hooks, context, &request, &mut reply).await;
                self.take_reply(run, reply)?;
                if let Err(stop) = after {
                    run.begin_calls();
                    run.stop(Kind::Cancelled, stop.to_string());
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

    /// Tells of each part of the answer. The limit is on each wait for a part, and not on the whole:
    /// a long answer may take long, and so may whoever reads it.
    async fn stream(
        &mut self,
        model: &dyn ChatModel,
        request: &ModelRequest,
        operation: &Operation<'_>,
    ) -> Result<ModelReply, Error> {
        let limit = self.shared.model_timeout;
        let heard = AtomicBool::new(false);
        let room = self.audience.room();
        let has_room = || {
            // Also when there is none: then it is not the model that is waited for.
            heard.store(true, Ordering::Relaxed);
            room()
        };
        let mut begun = false;
        let mut take = |part: ReplyPart| {
            if !begun {
                begun = true;
                operation.first_part();
            }
            self.audience.tell(part.into());
        };
        let mut sink = ReplySink::with_room(&mut take, &has_room);
        let answer = within(limit, &heard, model.stream(request, &mut sink)).await;
        let answer = answer.unwrap_or_else(|| {
            let model = &request.model;
            let text = format!("`{model}` said nothing for {limit:?}");
            Err(Error::llm(text).into_unavailable())
        });
        if sink.has_sent() {
            // Somebody has read the beginning, so no other model may begin anew.
            answer.map_err(Error::into_final)
        } else {
            answer
        }
    }

    fn take_reply(&mut self, run: &mut Run, reply: ModelReply) -> Result<(), Error> {
        if !self.audience.listens() {
            return run.model_replied(reply);
        }
        let content = reply.content.clone();
        let finish_reason = reply.finish_reason.clone();
        let usage = reply.counted();
        let index = run.message_count();
        run.model_replied(reply)?;
        let calls = run.calls_at(index).to_vec();
        self.audience.tell(Event::ModelReplied {
            content,
            calls,
            finish_reason,
            usage,
        });
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
            Err(Error::llm(text).into_unavailable())
        })
}

/// Does work, unless it is silent for longer than the limit; `heard` says that it was not.
async fn within<T>(
    limit: Duration,
    heard: &AtomicBool,
    work: impl Future<Output = T>,
) -> Option<T> {
    // A clock that cannot be set that far means no limit.
    let deadline = || Instant::now().checked_add(limit);
    let mut work = pin!(work);
    let Some(first) = deadline() else {
        return Some(work.await);
    };
    let mut silence = pin!(sleep_until(first));
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        if heard.swap(false, Ordering::Relaxed)
            && let Some(next) = deadline()
        {
            silence.as_mut().reset(next);
        }
        silence.as_mut().poll(context).map(|()| None)
    })
    .await
}
