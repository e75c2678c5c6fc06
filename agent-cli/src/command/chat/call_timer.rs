//! Measures how long calls of tools take.

use agent_runtime::hook::{HookFuture, RunContext, ToolVerdict};
use agent_runtime::run::PendingCall;
use agent_runtime::{Hook, ToolError};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A timer for calls, as a hook. Events cannot be timed instead, because the events of concurrent calls
/// arrive in the order of the model's requests. Clones share their times.
#[derive(Clone, Default)]
pub(super) struct CallTimer(Arc<Mutex<HashMap<String, CallTime>>>);

#[derive(Clone, Copy)]
enum CallTime {
    /// The call began at this time.
    Running(Instant),
    /// The call took this long.
    Finished(Duration),
}

impl CallTimer {
    /// Returns the duration of a call, and removes it.
    pub(super) fn take(&self, call_id: &str) -> Option<Duration> {
        match self.calls().remove(call_id)? {
            // The call was cancelled, so `after_tool` did not run.
            CallTime::Running(started) => Some(started.elapsed()),
            CallTime::Finished(time) => Some(time),
        }
    }

    /// Removes all durations.
    pub(super) fn clear(&self) {
        self.calls().clear();
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, CallTime>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hook for CallTimer {
    fn before_tool<'a>(
        &'a self,
        _run: &'a RunContext,
        call: &'a PendingCall,
        _: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        let started = CallTime::Running(Instant::now());
        self.calls().insert(call.id.clone(), started);
        Box::pin(async { Ok(ToolVerdict::Call) })
    }

    fn after_tool<'a>(
        &'a self,
        _run: &'a RunContext,
        call: &'a PendingCall,
        _: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        if let Some(taken) = self.calls().get_mut(&call.id)
            && let CallTime::Running(started) = *taken
        {
            *taken = CallTime::Finished(started.elapsed());
        }
        Box::pin(async { Ok(()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::conversation::ToolCall;
    use agent_runtime::model::{ModelReply, Scripted};
    use agent_runtime::{Conversation, Runtime, agent, tool, tools};

    /// Takes 100 ms
    #[tool]
    fn slow() -> bool {
        std::thread::sleep(Duration::from_millis(100));
        true
    }

    /// Returns at once
    #[tool(inline)]
    fn fast() -> bool {
        true
    }

    #[test]
    fn times_concurrent_calls_separately() {
        let agent = agent! {
            tools: [slow, fast],
            [timed:Agent {instruction: "Call both.", model: "Scripted/any"} | slow, fast]
        };
        let calls = ["slow", "fast"].map(|name| ToolCall::new(name, name, "{}"));
        let timer = CallTimer::default();
        let runtime = Runtime::builder()
            .model(Scripted::new([
                ModelReply::calls(calls),
                ModelReply::text("Done."),
            ]))
            .hook(timer.clone())
            .build()
            .expect("a runtime");
        let (mut conversation, library) = (Conversation::new(), tools![slow, fast]);
        let tokio = crate::async_runtime::async_runtime().expect("a runtime");
        let ran = runtime.execute(&agent, "Go", &mut conversation, &library);
        tokio.block_on(ran).expect("an answer");
        let slow = timer.take("slow").expect("a time");
        let fast = timer.take("fast").expect("a time");
        assert!(slow >= Duration::from_millis(100), "{slow:?}");
        assert!(fast < slow, "{fast:?} {slow:?}");
        assert_eq!(timer.take("fast"), None);
    }
}
