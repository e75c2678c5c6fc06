//! How long calls of tools take.

use agent_runtime::hook::{HookFuture, RunContext, ToolVerdict};
use agent_runtime::run::PendingCall;
use agent_runtime::{Hook, ToolError};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A watch for calls. Events would not do: of calls that are made at the same time they tell in the
/// order in which the model asked for them. Clones share what was taken.
#[derive(Clone, Default)]
pub(super) struct Timing(Arc<Mutex<HashMap<String, Taken>>>);

#[derive(Clone, Copy)]
enum Taken {
    Since(Instant),
    Took(Duration),
}

impl Timing {
    /// How long a call took, asked once.
    pub(super) fn take(&self, call_id: &str) -> Option<Duration> {
        match self.calls().remove(call_id)? {
            // It was stopped.
            Taken::Since(begun) => Some(begun.elapsed()),
            Taken::Took(time) => Some(time),
        }
    }

    /// Forgets what nobody asked for.
    pub(super) fn clear(&self) {
        self.calls().clear();
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, Taken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hook for Timing {
    fn before_tool<'a>(
        &'a self,
        _run: &'a RunContext,
        call: &'a PendingCall,
        _: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        let begun = Taken::Since(Instant::now());
        self.calls().insert(call.id.clone(), begun);
        Box::pin(async { Ok(ToolVerdict::Call) })
    }

    fn after_tool<'a>(
        &'a self,
        _run: &'a RunContext,
        call: &'a PendingCall,
        _: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        if let Some(taken) = self.calls().get_mut(&call.id)
            && let Taken::Since(begun) = *taken
        {
            *taken = Taken::Took(begun.elapsed());
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

    /// Takes its time
    #[tool]
    fn slow() -> bool {
        std::thread::sleep(Duration::from_millis(100));
        true
    }

    /// Takes none
    #[tool(inline)]
    fn fast() -> bool {
        true
    }

    #[test]
    fn calls_made_at_the_same_time_have_times_of_their_own() {
        let agent = agent! {
            tools: [slow, fast],
            [timed:Agent {instruction: "Call both.", model: "Scripted/any"} | slow, fast]
        };
        let calls = ["slow", "fast"].map(|name| ToolCall::new(name, name, "{}"));
        let timing = Timing::default();
        let runtime = Runtime::builder()
            .model(Scripted::new([
                ModelReply::calls(calls),
                ModelReply::text("Done."),
            ]))
            .hook(timing.clone())
            .build()
            .expect("a runtime");
        let (mut conversation, library) = (Conversation::new(), tools![slow, fast]);
        let tokio = crate::session::driver().expect("a driver");
        let ran = runtime.execute(&agent, "Go", &mut conversation, &library);
        tokio.block_on(ran).expect("an answer");
        let slow = timing.take("slow").expect("a time");
        let fast = timing.take("fast").expect("a time");
        assert!(slow >= Duration::from_millis(100), "{slow:?}");
        assert!(fast < slow, "{fast:?} {slow:?}");
        assert_eq!(timing.take("fast"), None);
    }
}
