//! Many runs at the same time: the limits of providers, and batches.

mod batch;
mod limits;
mod over_http;

use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest, Usage};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Error, Runtime};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);

/// A model that repeats the user's text after a time, and remembers when it was asked.
#[derive(Clone)]
pub(crate) struct Slow {
    shared: Arc<Mutex<Asked>>,
    answer: Arc<Answer>,
}

/// Returns the time that an answer takes, and the answer.
type Answer = dyn Fn(&str) -> (Duration, Result<ModelReply, Error>) + Send + Sync;

#[derive(Default)]
struct Asked {
    requests: Vec<AskedOnce>,
    running: usize,
    most_running: usize,
}

/// A request of which the model was asked.
#[derive(Clone, Debug)]
struct AskedOnce {
    text: String,
    begin: Instant,
    /// `None` if the request was dropped.
    end: Option<Instant>,
}

impl Slow {
    /// Answers after one second.
    fn new() -> Self {
        Self::taking(|_| SECOND)
    }

    /// Answers after the time for a text.
    fn taking(time: impl Fn(&str) -> Duration + Send + Sync + 'static) -> Self {
        Self::answering(move |text| {
            let reply = ModelReply::text(text).with_usage(Usage::of_request(0, 0));
            (time(text), Ok(reply))
        })
    }

    fn answering(
        answer: impl Fn(&str) -> (Duration, Result<ModelReply, Error>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            shared: Arc::default(),
            answer: Arc::new(answer),
        }
    }

    fn requests(&self) -> Vec<AskedOnce> {
        self.shared.lock().expect("a lock").requests.clone()
    }

    /// The texts of the requests, in order.
    fn texts(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|asked| asked.text)
            .collect()
    }

    /// The seconds after `start` at which the requests came, in order.
    fn seconds(&self, start: Instant) -> Vec<u64> {
        let requests = self.requests().into_iter();
        requests
            .map(|asked| (asked.begin - start).as_secs())
            .collect()
    }

    fn most_running(&self) -> usize {
        self.shared.lock().expect("a lock").most_running
    }
}

/// Counts a request among those that run until it is dropped.
struct Running<'a>(&'a Slow);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.shared.lock().expect("a lock").running -= 1;
    }
}

impl ChatModel for Slow {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let text = request.messages[0].content().to_owned();
            let (time, reply) = (self.answer)(&text);
            let index = {
                let mut shared = self.shared.lock().expect("a lock");
                shared.running += 1;
                shared.most_running = shared.most_running.max(shared.running);
                shared.requests.push(AskedOnce {
                    text,
                    begin: Instant::now(),
                    end: None,
                });
                shared.requests.len() - 1
            };
            let running = Running(self);
            sleep(time).await;
            drop(running);
            self.shared.lock().expect("a lock").requests[index].end = Some(Instant::now());
            reply
        })
    }
}

/// An agent of the provider `Slow`.
fn slow_agent() -> Agent {
    Agent::new("slow", "Slow/any", "Help.").expect("an agent")
}

fn runtime(model: &Slow, set_up: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Runtime {
    let builder = Runtime::builder().provider("Slow", model.clone());
    set_up(builder).build().expect("a runtime")
}

/// The texts `0`, `1` and so on.
fn inputs(count: usize) -> Vec<String> {
    (0..count).map(|n| n.to_string()).collect()
}
