//! Making calls at the same time.

use super::Driver;
use super::hooked::{Made, around_tool};
use super::reports::{REPORTS, Reporter, Reports};
use super::spans;
use crate::context::ToolContext;
use crate::error::{Error, Kind};
use crate::event::Event;
use crate::library::BoundTool;
use crate::redact::Redactor;
use crate::run::{MAX_CALLS_AT_ONCE, PendingCall, Run};
use crate::tool::ToolError;
use crate::tool::invoke_within;
use serde_json::Value;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// How many waiting reports are shown before the calls are looked at again, so that a tool that
/// reports without pause is still stopped in time.
const REPORTS_AT_ONCE: usize = 32;

type CallFuture<'a> = Pin<Box<dyn Future<Output = Made> + Send + 'a>>;

/// Calls that run, with their ids. There are at most [`MAX_CALLS_AT_ONCE`], few enough to look at
/// each at every wake.
type Running<'a> = Vec<(&'a str, CallFuture<'a>)>;

impl Driver<'_, '_> {
    /// Makes calls at the same time, on this task: dropping the run drops them with it.
    pub(super) async fn call_tools(
        &mut self,
        run: &mut Run,
        calls: Vec<PendingCall>,
    ) -> Result<(), Error> {
        run.begin_calls();
        let mut reports = Reports::default();
        let mut waiting = calls.iter();
        let mut running = Running::new();
        loop {
            // The driver ends a run that is to be stopped; here no further call is begun.
            if self.watch.due().is_some() {
                return Ok(());
            }
            while running.len() < MAX_CALLS_AT_ONCE
                && let Some(call) = waiting.next()
            {
                self.audience
                    .tell_of(|| Event::ToolStarted { call: call.clone() });
                let Some(tool) = self.tools.get(&call.tool) else {
                    // The tools were bound anew for a saved run, and this one is gone.
                    let error = ToolError::Execution(format!("the tool `{}` is gone", call.tool));
                    run.tool_finished(&call.id, Err(error))?;
                    continue;
                };
                let timeout = self.timeout(run, tool);
                let context = self.context(run.id(), call, reports.reporter());
                let attempt = run.attempt(&call.tool);
                let redactor = self.shared.trace_redactor.as_ref();
                let hooks = &*self.shared.hooks;
                run.begin_call(&call.id);
                let future: CallFuture<'_> = if hooks.is_empty() {
                    Box::pin(async move {
                        Made::of(traced(tool, call, context, timeout, attempt, redactor).await)
                    })
                } else {
                    Box::pin(around_tool(
                        hooks,
                        self.context,
                        tool,
                        call,
                        move |call| async move {
                            traced(tool, &call, context, timeout, attempt, redactor).await
                        },
                    ))
                };
                running.push((call.id.as_str(), future));
            }
            if running.is_empty() || run.is_over() {
                return Ok(());
            }
            let finished = self.happenings(&mut running, &mut reports).await;
            let mut stop = None;
            for (id, made) in finished {
                if let Some(arguments) = made.arguments {
                    run.change_arguments(id, arguments);
                }
                run.take_result(id, made.result)?;
                stop = stop.or(made.stop);
            }
            run.advance();
            self.audience.tell_invocations(run);
            if let Some(stop) = stop {
                run.stop(Kind::Cancelled, stop.to_string());
            }
            // Timers, and whoever else is on this thread, get their turn however busy the calls
            // are.
            tokio::task::coop::consume_budget().await;
        }
    }

    /// Waits until a call has its result or reports something; shows the reports, and gives the
    /// results, which come after what their calls reported.
    async fn happenings<'a>(
        &mut self,
        running: &mut Running<'a>,
        reports: &mut Reports,
    ) -> Vec<(&'a str, Made)> {
        let (first, finished) = poll_fn(|context| {
            // The calls come first: a queue that is never empty must not hold up their timeouts.
            let finished = poll_calls(running, context);
            match reports.poll_take(context) {
                Poll::Ready(event) => Poll::Ready((Some(event), finished)),
                Poll::Pending if finished.is_empty() => Poll::Pending,
                Poll::Pending => Poll::Ready((None, finished)),
            }
        })
        .await;
        let most = if finished.is_empty() {
            REPORTS_AT_ONCE
        } else {
            REPORTS
        };
        // Counted beforehand: a call on a thread may go on to report.
        let mut left = reports.len().min(most);
        let mut next = first;
        while let Some(event) = next {
            self.audience.tell(event);
            next = if left > 0 { reports.take() } else { None };
            left = left.saturating_sub(1);
        }
        finished
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

    fn context(&self, run_id: &str, call: &PendingCall, reporter: Reporter) -> ToolContext {
        let (call_id, tool) = (call.id.clone(), call.tool.clone());
        ToolContext::new(run_id.to_owned(), call_id.clone(), tool.clone())
            .with_cancellation(self.cancellation.clone())
            .with_extensions(self.context.extensions.clone())
            .with_permissions(self.context.permissions.clone())
            .with_progress(move |text| {
                reporter.leave(Event::ToolProgress {
                    call_id: call_id.clone(),
                    tool: tool.clone(),
                    text: text.to_owned(),
                });
            })
    }
}

async fn traced(
    tool: &BoundTool,
    call: &PendingCall,
    context: ToolContext,
    timeout: Duration,
    attempt: u32,
    redactor: Option<&Redactor>,
) -> Result<Value, ToolError> {
    let mut operation = spans::execute_tool(call, tool.spec().description(), attempt, redactor);
    let spec = Some(tool.spec());
    let work = invoke_within(&**tool.tool(), spec, &call.arguments, &context, timeout);
    let result = operation.around(work).await;
    spans::record_call(&mut operation, &result, redactor);
    result
}

/// Looks at each call, and takes out those that have their results.
fn poll_calls<'a>(running: &mut Running<'a>, context: &mut Context<'_>) -> Vec<(&'a str, Made)> {
    let mut finished = Vec::new();
    running.retain_mut(|(id, future)| match future.as_mut().poll(context) {
        Poll::Pending => true,
        Poll::Ready(result) => {
            finished.push((*id, result));
            false
        }
    });
    finished
}
