//! Making the calls of a turn at the same time, and receiving their progress reports.

use super::Driver;
use super::hooks::{HookedCall, around_tool};
use super::spans;
use crate::context::ToolContext;
use crate::error::Error;
use crate::event::Event;
use crate::library::BoundTool;
use crate::media::KeptMedia;
use crate::redact::Redactor;
use crate::run::{MAX_CALLS_AT_ONCE, PendingCall, Run};
use crate::tool::{ToolError, invoke_within};
use serde_json::Value;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The maximum number of reports that wait. Further ones are dropped, because a slow observer must not hold
/// up a tool.
const MAX_REPORTS: usize = 256;

/// The maximum number of reports that are shown before the calls are polled again. Without it, a tool that
/// reports without pause would not be stopped in time.
const REPORTS_AT_ONCE: usize = 32;

type CallFuture<'a> = Pin<Box<dyn Future<Output = HookedCall> + Send + 'a>>;

/// The calls that run, by their ids. There are at most [`MAX_CALLS_AT_ONCE`], few enough to poll each of
/// them at every wake.
type Running<'a> = Vec<(&'a str, CallFuture<'a>)>;

impl Driver<'_, '_> {
    /// Makes calls at the same time, on this task, so that dropping the run drops them.
    pub(super) async fn call_tools(
        &mut self,
        run: &mut Run,
        calls: Vec<PendingCall>,
    ) -> Result<(), Error> {
        run.begin_calls();
        let mut reports = Reports::default();
        let kept = KeptMedia::default();
        let mut waiting = calls.iter();
        let mut running = Running::new();
        loop {
            // No further call is begun once the run is to be stopped. The caller ends the run.
            if self.stop.reason().is_some() {
                return Ok(());
            }
            while running.len() < MAX_CALLS_AT_ONCE
                && let Some(call) = waiting.next()
            {
                self.observers
                    .notify_with(|| Event::ToolStarted { call: call.clone() });
                let Some(tool) = self.tools.get(&call.tool) else {
                    // A saved run was resumed with other tools.
                    let error = ToolError::Execution(format!("the tool `{}` is gone", call.tool));
                    run.tool_finished(&call.id, Err(error))?;
                    continue;
                };
                let timeout = self.timeout(run, tool);
                let context = self.context(run.id(), call, reports.reporter());
                let context = context.with_kept_media(kept.clone());
                let attempt = run.attempt(&call.tool);
                let redactor = self.config.trace_redactor.as_ref();
                let hooks = &*self.config.hooks;
                run.begin_call(&call.id);
                let future: CallFuture<'_> = if hooks.is_empty() {
                    Box::pin(async move {
                        HookedCall::plain(
                            traced(tool, call, context, timeout, attempt, redactor).await,
                        )
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
            let finished = self.next_finished(&mut running, &mut reports).await;
            let mut end = None;
            for (id, call) in finished {
                if let Some(arguments) = call.arguments {
                    run.change_arguments(id, arguments);
                }
                run.take_result(id, call.result, &kept)?;
                end = end.or(call.end);
            }
            run.advance();
            self.observers.report_invocations(run);
            if let Some(end) = end {
                run.stop(end.into_error(&self.config.redactor));
            }
            // Lets timers and other tasks of this thread run, however busy the calls are.
            tokio::task::coop::consume_budget().await;
        }
    }

    /// Waits until a call finishes or reports progress. Shows the reports, then returns the calls that
    /// finished, so that the reports of a call come before its result.
    async fn next_finished<'a>(
        &mut self,
        running: &mut Running<'a>,
        reports: &mut Reports,
    ) -> Vec<(&'a str, HookedCall)> {
        let (first, finished) = poll_fn(|context| {
            // The calls are polled first, because a queue that is never empty must not hold up their timeouts.
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
            MAX_REPORTS
        };
        // Counted beforehand, because a call on another thread may go on to report.
        let mut left = reports.len().min(most);
        let mut next = first;
        while let Some(event) = next {
            self.observers.notify(event);
            next = if left > 0 { reports.take() } else { None };
            left = left.saturating_sub(1);
        }
        finished
    }

    /// The timeout of a call: the shortest of those of tool, spec and agent, or the runtime's if none of
    /// them sets one.
    fn timeout(&self, run: &Run, tool: &BoundTool) -> Duration {
        let timeouts = [
            tool.tool().descriptor().settings().timeout,
            tool.spec().timeout(),
            run.agent().settings().tool_timeout,
        ];
        let shortest = timeouts.into_iter().flatten().min();
        shortest.unwrap_or(self.config.tool_timeout)
    }

    fn context(&self, run_id: &str, call: &PendingCall, reporter: Reporter) -> ToolContext {
        let (call_id, tool) = (call.id.clone(), call.tool.clone());
        ToolContext::new(run_id.to_owned(), call_id.clone(), tool.clone())
            .with_cancellation(self.cancellation.clone())
            .with_extensions(self.context.extensions.clone())
            .with_permissions(self.context.permissions.clone())
            .with_progress(move |text| {
                reporter.send(Event::ToolProgress {
                    call_id: call_id.clone(),
                    tool: tool.clone(),
                    text: text.to_owned(),
                });
            })
    }
}

/// Makes a call within its span.
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
    let work = invoke_within(tool.guarded(), spec, &call.arguments, &context, timeout);
    let result = operation.around(work).await;
    spans::record_call(&mut operation, &result, redactor);
    result
}

/// Polls each call, and removes those that finished.
fn poll_calls<'a>(
    running: &mut Running<'a>,
    context: &mut Context<'_>,
) -> Vec<(&'a str, HookedCall)> {
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

/// The reports that wait to be shown. The channels of tokio would do, but with them tokio takes half as long
/// again to build.
#[derive(Default)]
struct Reports(Arc<Mutex<ReportQueue>>);

/// Sends the reports of calls, from any thread.
struct Reporter(Weak<Mutex<ReportQueue>>);

#[derive(Default)]
struct ReportQueue {
    events: VecDeque<Event>,
    /// The task that waits for the next report.
    waker: Option<Waker>,
}

impl Reports {
    /// Creates a sender. Reports that are sent after `self` is dropped are lost.
    fn reporter(&self) -> Reporter {
        Reporter(Arc::downgrade(&self.0))
    }

    /// The number of reports that wait.
    fn len(&self) -> usize {
        lock(&self.0).events.len()
    }

    /// Removes the oldest report.
    fn take(&mut self) -> Option<Event> {
        lock(&self.0).events.pop_front()
    }

    /// Removes the oldest report. Wakes the task at the next report if there is none.
    fn poll_take(&mut self, context: &Context<'_>) -> Poll<Event> {
        let mut queue = lock(&self.0);
        match queue.events.pop_front() {
            Some(event) => Poll::Ready(event),
            None => {
                let before = queue.waker.replace(context.waker().clone());
                // Unlocked first, because dropping a waker can drop a task, which may use this queue.
                drop(queue);
                drop(before);
                Poll::Pending
            }
        }
    }
}

impl Reporter {
    /// Sends a report, unless too many wait or the receiver is gone.
    fn send(&self, event: Event) {
        let Some(queue) = self.0.upgrade() else {
            return;
        };
        let mut queue = lock(&queue);
        if queue.events.len() >= MAX_REPORTS {
            return;
        }
        queue.events.push_back(event);
        let waker = queue.waker.take();
        // Unlocked first, because the woken task may take the report at once.
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Locks a queue. After a panic it would still be valid: no change of it is left half done.
fn lock(queue: &Mutex<ReportQueue>) -> MutexGuard<'_, ReportQueue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn progress(text: &str) -> Event {
        Event::ToolProgress {
            call_id: "c".to_owned(),
            tool: "t".to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn yields_the_oldest_report_first_and_wakes_a_waiting_task_once() {
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(wakes.clone());
        let mut reports = Reports::default();
        let reporter = reports.reporter();
        assert!(reports.poll_take(&Context::from_waker(&waker)).is_pending());
        reporter.send(progress("one"));
        reporter.send(progress("two"));
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        let first = reports.poll_take(&Context::from_waker(&waker));
        assert!(matches!(first, Poll::Ready(Event::ToolProgress { text, .. }) if text == "one"));
        assert!(matches!(reports.take(), Some(Event::ToolProgress { text, .. }) if text == "two"));
        assert!(reports.take().is_none());
    }

    #[test]
    fn drops_reports_beyond_the_bound_and_after_the_receiver() {
        let reports = Reports::default();
        let reporter = reports.reporter();
        for _ in 0..MAX_REPORTS + 1 {
            reporter.send(progress("again"));
        }
        assert_eq!(reports.len(), MAX_REPORTS);
        drop(reports);
        reporter.send(progress("late"));
        assert_eq!(reporter.0.strong_count(), 0);
    }
}
