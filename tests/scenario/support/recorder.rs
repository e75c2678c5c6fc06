//! The offline model, with a record of what it was asked.

use agent_runtime::model::{ChatFuture, ChatModel, ModelRequest, Offline};
use std::sync::{Arc, Mutex};

/// The offline model, with a record of what it was asked. Clones share the record, so a test keeps
/// one and gives the other away.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<ModelRequest>>>);

impl Recorder {
    pub(crate) fn requests(&self) -> Vec<ModelRequest> {
        self.0.lock().expect("no thread panicked").clone()
    }
}

impl ChatModel for Recorder {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let mut requests = self.0.lock().expect("no thread panicked");
        requests.push(request.clone());
        Offline.chat(request)
    }
}
