//! Making calls at the same time.

use super::Driver;
use crate::context::ToolContext;
use crate::error::Error;
use crate::event::Event;
use crate::invoke::invoke_within;
use crate::library::BoundTool;
use crate::run::{PendingCall, Run};
use crate::tool::ToolError;
use crate::trace;
use serde_json::Value;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::mpsc;
use tracing::Instrument;

/// How many progress reports wait to be seen. Further ones are dropped: a tool is not held up by
/// whoever watches it.
const REPORTS: usize = 256;

/// What happens first while calls run.
enum Happening {
    Progress(Event),
    /// The call at this place has its result.
    Finished(usize, Result<Value, ToolError>),
}

type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;

impl Driver<'_, '_> {
    /// Makes calls at the same time, on this task: dropping the run drops them with it.
    pub(super) async fn call_tools(
        &mut self,
        run: &mut Run,
        calls: Vec<PendingCall>,
    ) -> Result<(), Error> {
        let (sender, mut reports) = mpsc::channel(REPORTS);
        let mut running = Vec::with_capacity(calls.len());
        for call in &calls {
            self.report(&Event::ToolStarted { call: call.clone() });
            let Some(tool) = self.tools.get(&call.tool) else {
                // The tools were bound anew for a saved run, and this one is gone.
                let error = ToolError::Execution(format!("the tool `{}` is gone", call.tool));
                run.tool_finished(&call.id, Err(error))?;
                continue;
            };
            let timeout = self.timeout(run, tool);
            let context = self.context(run.id(), call, sender.clone());
            let future: CallFuture<'_> = Box::pin(traced(tool, call, context, timeout));
            running.push((call.id.as_str(), future));
        }
        drop(sender);
        while !running.is_empty() && !run.is_over() {
            match next(&mut running, &mut reports).await {
                Happening::Progress(event) => self.report(&event),
                Happening::Finished(at, result) => {
                    let (id, future) = running.swap_remove(at);
                    drop(future);
                    // What the call reported last, before its result.
                    while let Ok(event) = reports.try_recv() {
                        self.report(&event);
                    }
                    run.tool_finished(id, result)?;
                    self.report_invocations(run);
                }
            }
        }
        Ok(())
    }

    /// How long a call may take: the tightest of what tool, spec and agent say, or the runtime's
    /// own limit when none says anything.
    fn timeout(&self, run: &Run, tool: &BoundTool) -> Duration {
        let said = [
            tool.tool().descriptor().settings().timeout,
            tool.spec().timeout(),
            run.agent().settings().tool_timeout,
        ];
        let tightest = said.into_iter().flatten().min();
        tightest.unwrap_or(self.shared.tool_timeout)
    }

    fn context(
        &self,
        run_id: &str,
        call: &PendingCall,
        reports: mpsc::Sender<Event>,
    ) -> ToolContext {
        let (call_id, tool) = (call.id.clone(), call.tool.clone());
        ToolContext::new(run_id.to_owned(), call_id.clone(), tool.clone())
            .with_cancellation(self.cancellation.clone())
            .with_extensions(self.shared.extensions.clone())
            .with_progress(move |text| {
                let event = Event::ToolProgress {
                    call_id: call_id.clone(),
                    tool: tool.clone(),
                    text: text.to_owned(),
                };
                // Nobody watches, or too slowly: the report is not worth waiting for.
                let _ = reports.try_send(event);
            })
    }
}

async fn traced(
    tool: &BoundTool,
    call: &PendingCall,
    context: ToolContext,
    timeout: Duration,
) -> Result<Value, ToolError> {
    let span = trace::execute_tool(&call.tool, tool.spec().description(), &call.id);
    let spec = Some(tool.spec());
    let result = invoke_within(&**tool.tool(), spec, &call.arguments, &context, timeout)
        .instrument(span.clone())
        .await;
    if let Err(error) = &result {
        trace::record_error(&span, error.word());
    }
    result
}

/// Waits for the next report or result. All calls are polled at each wake: they are few.
async fn next(
    running: &mut [(&str, CallFuture<'_>)],
    reports: &mut mpsc::Receiver<Event>,
) -> Happening {
    poll_fn(|context| {
        if let Poll::Ready(Some(event)) = reports.poll_recv(context) {
            return Poll::Ready(Happening::Progress(event));
        }
        for (at, (_, future)) in running.iter_mut().enumerate() {
            if let Poll::Ready(result) = future.as_mut().poll(context) {
                return Poll::Ready(Happening::Finished(at, result));
            }
        }
        Poll::Pending
    })
    .await
}
