//! How long calls of tools take.

use agent_runtime::{Hook, HookFuture, PendingCall, ToolError, ToolVerdict};
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
    fn before_tool<'a>(&'a self, call: &'a mut PendingCall) -> HookFuture<'a, ToolVerdict> {
        let begun = Taken::Since(Instant::now());
        self.calls().insert(call.id.clone(), begun);
        Box::pin(async { Ok(ToolVerdict::Call) })
    }

    fn after_tool<'a>(
        &'a self,
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
