//! Running an agent on many inputs at the same time.

use super::Runtime;
use super::run_builder::{NewRun, RunBuilder};
use super::stream::RunFuture;
use crate::executable::Executable;
use agent_core::__private::EventQueue;
use agent_core::event::Event;
use agent_core::response::AgentResponse;
use agent_core::run::Input;
use agent_spec::Agent;
use agent_tool::library::ToolLibrary;
use agent_tool::{Cancellation, Error};
use futures_core::Stream;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

/// The number of runs at a time when neither the batch nor the provider has a limit.
const RUNS_AT_ONCE: usize = 8;

/// The result of a run of a batch: the index of its input, from 0, and its response or error.
pub type BatchResult = (usize, Result<AgentResponse, Error>);

/// The number of runs of a batch that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchProgress {
    /// The number of inputs.
    pub total: usize,
    /// The number of runs that ended with a response.
    pub succeeded: usize,
    /// The number of runs that ended with an error.
    pub failed: usize,
}

/// A batch that is being set up: see [`Runtime::batch`].
///
/// Awaiting it gives the results in the order of the inputs. [`stream`](Self::stream) gives each result as soon
/// as its run ends.
#[must_use = "a batch does nothing until it is awaited or streamed"]
pub struct BatchBuilder<'a> {
    runtime: Runtime,
    agent: Result<Agent, Error>,
    inputs: Vec<Input>,
    library: ToolLibrary,
    variables: BTreeMap<String, String>,
    cancellation: Cancellation,
    concurrency: Option<usize>,
    each_run: Option<EachRun<'a>>,
    observer: Option<Observer<'a>>,
    progress: Option<&'a mut (dyn FnMut(BatchProgress) + Send)>,
}

/// A function that changes the run of an input.
type EachRun<'a> = Box<dyn FnMut(usize, RunBuilder<'static>) -> RunBuilder<'static> + Send + 'a>;

/// A function that observes the events of all runs.
type Observer<'a> = &'a mut (dyn FnMut(usize, &Event) + Send);

/// The future of a batch, boxed.
type BatchFuture<'a> = Pin<Box<dyn Future<Output = Vec<Result<AgentResponse, Error>>> + Send + 'a>>;

impl Runtime {
    /// Sets up a batch: one independent run of an agent for each input, several at the same time. An error of a
    /// run does not end the batch; it is the result of that input.
    ///
    /// The runs share the runtime's [limits](super::RuntimeBuilder::provider_limits) with all other runs.
    ///
    /// ```
    /// # use agent_runtime::{agent, Error, Runtime};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [helper:Agent {instruction: "Help.", model: "Offline/any"}] };
    /// let runtime = Runtime::offline();
    /// let results = runtime.batch(&agent, ["Hello", "Good morning"]).await;
    /// assert_eq!(results.len(), 2);
    ///
    /// let mut batch = runtime.batch(&agent, ["Hello", "Good morning"]).concurrency(2).stream();
    /// while let Some((index, result)) = batch.next().await {
    ///     println!("{index}: {}", result?.content);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn batch<'a, I: Into<Input>>(
        &self,
        agent: impl Executable,
        inputs: impl IntoIterator<Item = I>,
    ) -> BatchBuilder<'a> {
        BatchBuilder {
            runtime: self.clone(),
            agent: agent.to_agent().map(std::borrow::Cow::into_owned),
            inputs: inputs.into_iter().map(Into::into).collect(),
            library: ToolLibrary::new(),
            variables: BTreeMap::new(),
            cancellation: Cancellation::new(),
            concurrency: None,
            each_run: None,
            observer: None,
            progress: None,
        }
    }
}

impl<'a> BatchBuilder<'a> {
    /// Sets the library that implements the agent's tools.
    pub fn tools(mut self, library: &ToolLibrary) -> Self {
        self.library = library.clone();
        self
    }

    /// Sets the value of `{{name}}` in the instruction for all inputs, in place of the runtime's value.
    /// [`each_run`](Self::each_run) can set values for one input.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Sets the maximum number of runs at a time. The default is twice the provider's limit of
    /// [concurrent requests](agent_core::model::ProviderLimits::concurrent_requests), so that other runs can send
    /// requests while the tools of some work; without such a limit it is 8.
    ///
    /// With 0, each result is a configuration error.
    pub fn concurrency(mut self, most: usize) -> Self {
        self.concurrency = Some(most);
        self
    }

    /// Ends the batch when this signal is given: the runs that have begun end, and no other begins. Their results
    /// are errors for which [`is_cancelled`](Error::is_cancelled) is true. Results before the signal stay.
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// Calls a function with the index of each input and its run, which it can set up further: with variables of
    /// that input, limits, grants. It is called when the run begins.
    ///
    /// ```
    /// # use agent_runtime::{agent, Error, Runtime};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [guide:Agent {instruction: "Guide through {{city}}.", model: "Offline/any"}] };
    /// let cities = ["Ulm", "Vienna"];
    /// let batch = Runtime::offline().batch(&agent, ["Where do I eat?"; 2]);
    /// let results = batch.each_run(|index, run| run.variable("city", cities[index])).await;
    /// assert!(results.iter().all(Result::is_ok));
    /// # Ok(())
    /// # }
    /// ```
    pub fn each_run(
        mut self,
        set_up: impl FnMut(usize, RunBuilder<'static>) -> RunBuilder<'static> + Send + 'a,
    ) -> Self {
        self.each_run = Some(Box::new(set_up));
        self
    }

    /// Calls `observer` with each event of each run and the index of its input. It should return at once.
    pub fn observer(mut self, observer: &'a mut (dyn FnMut(usize, &Event) + Send)) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Calls `progress` whenever a run has ended. It should return at once.
    pub fn progress(mut self, progress: &'a mut (dyn FnMut(BatchProgress) + Send)) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Returns the results in the order in which the runs end.
    ///
    /// The runs only continue while the stream is read. Dropping the stream drops all runs.
    #[must_use]
    pub fn stream(self) -> BatchStream<'a> {
        let providers = &self.runtime.config.providers;
        let agent = self.agent.as_ref().ok();
        let limit =
            agent.and_then(|agent| providers.gate(agent.model().provider())?.most_at_once());
        let default = limit.map_or(RUNS_AT_ONCE, |limit| limit.saturating_mul(2));
        BatchStream {
            concurrency: self.concurrency.unwrap_or(default),
            counts: BatchProgress {
                total: self.inputs.len(),
                ..BatchProgress::default()
            },
            runtime: self.runtime,
            agent: self.agent,
            waiting: self.inputs.into_iter().enumerate(),
            library: self.library,
            variables: self.variables,
            cancellation: self.cancellation,
            each_run: self.each_run,
            observer: self.observer.map(|observer| Arc::new(Mutex::new(observer))),
            progress: self.progress,
            running: FuturesUnordered::new(),
        }
    }
}

impl<'a> IntoFuture for BatchBuilder<'a> {
    type Output = Vec<Result<AgentResponse, Error>>;
    type IntoFuture = BatchFuture<'a>;

    /// Executes the batch. The results are in the order of the inputs.
    ///
    /// Dropping the future drops all runs; use [`stream`](BatchBuilder::stream) to keep the results until then.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async {
            let mut results: Vec<_> = self.inputs.iter().map(|_| None).collect();
            let mut stream = self.stream();
            while let Some((index, result)) = stream.next().await {
                results[index] = Some(result);
            }
            results.into_iter().flatten().collect()
        })
    }
}

impl fmt::Debug for BatchBuilder<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BatchBuilder")
            .field("agent", &self.agent.as_ref().map(Agent::name))
            .field("inputs", &self.inputs.len())
            .field("concurrency", &self.concurrency)
            .finish_non_exhaustive()
    }
}

/// The maximum number of runs that begin in one poll. Tokio lets a task do 128 operations in one poll, and
/// wakes the later ones in the opposite order, so that of many runs the last would be sent first.
const BEGUN_AT_ONCE: usize = 64;

/// The results of a batch, from [`BatchBuilder::stream`]. It is a [`Stream`](futures_core::Stream), and can also
/// be read with [`next`](Self::next) alone.
pub struct BatchStream<'a> {
    runtime: Runtime,
    agent: Result<Agent, Error>,
    /// The inputs whose runs have not begun.
    waiting: std::iter::Enumerate<std::vec::IntoIter<Input>>,
    library: ToolLibrary,
    variables: BTreeMap<String, String>,
    cancellation: Cancellation,
    concurrency: usize,
    each_run: Option<EachRun<'a>>,
    /// Shared by the runs.
    observer: Option<Arc<Mutex<Observer<'a>>>>,
    progress: Option<&'a mut (dyn FnMut(BatchProgress) + Send)>,
    counts: BatchProgress,
    running: FuturesUnordered<Pin<Box<dyn Future<Output = BatchResult> + Send + 'a>>>,
}

impl<'a> BatchStream<'a> {
    /// Waits until a run ends, and returns its result; `None` after the last one.
    ///
    /// Cancel safety: dropping the future loses no result.
    pub async fn next(&mut self) -> Option<BatchResult> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<BatchResult>> {
        if self.concurrency == 0 {
            return Poll::Ready(self.refuse_next());
        }
        let room = self.concurrency.saturating_sub(self.running.len());
        for _ in 0..room.min(BEGUN_AT_ONCE) {
            if let Some((index, input)) = self.waiting.next() {
                self.begin(index, input);
            }
        }
        let polled = self.running.poll_next_unpin(context);
        if polled.is_pending() && room > BEGUN_AT_ONCE && self.waiting.len() > 0 {
            context.waker().wake_by_ref();
        }
        if let Poll::Ready(Some((_, result))) = &polled {
            self.count(result);
        }
        polled
    }

    /// Returns the next result of a batch in which no run may begin.
    fn refuse_next(&mut self) -> Option<BatchResult> {
        let (index, _) = self.waiting.next()?;
        let result = Err(Error::configuration(
            "`concurrency` is 0, with which no run begins; the least is 1",
        ));
        self.count(&result);
        Some((index, result))
    }

    fn begin(&mut self, index: usize, input: Input) {
        let agent = match &self.agent {
            Ok(agent) => agent,
            Err(error) => {
                let error = error.again();
                return self
                    .running
                    .push(Box::pin(async move { (index, Err(error)) }));
            }
        };
        let mut run = RunBuilder::of(&self.runtime, NewRun::new(agent, input))
            .tools(&self.library)
            .cancellation(self.cancellation.clone());
        for (name, value) in &self.variables {
            run = run.variable(name, value);
        }
        if let Some(set_up) = &mut self.each_run {
            run = set_up(index, run);
        }
        let Some(observer) = &self.observer else {
            let run = run.into_future();
            let run = async move { (index, run.await) };
            return self.running.push(Box::pin(run));
        };
        let (observer, queue) = (Arc::clone(observer), EventQueue::default());
        let run = run.with_queue(queue.clone()).into_future();
        self.running.push(Box::pin(async move {
            let mut observe = |event: &Event| {
                let mut observer = observer.lock().unwrap_or_else(PoisonError::into_inner);
                observer(index, event);
            };
            (index, observed(run, &queue, &mut observe).await)
        }));
    }

    fn count(&mut self, result: &Result<AgentResponse, Error>) {
        match result {
            Ok(_) => self.counts.succeeded += 1,
            Err(_) => self.counts.failed += 1,
        }
        if let Some(progress) = &mut self.progress {
            progress(self.counts);
        }
    }
}

/// Awaits a run, and reports its events as they come.
async fn observed(
    mut run: RunFuture<'static, AgentResponse>,
    queue: &EventQueue,
    observe: &mut (dyn FnMut(&Event) + Send),
) -> Result<AgentResponse, Error> {
    poll_fn(|context| {
        loop {
            let polled = run.as_mut().poll(context);
            let mut has_events = false;
            while let Some(event) = queue.pop() {
                has_events = true;
                observe(&event);
            }
            // A run that waits for room in the queue is only woken by this.
            if polled.is_ready() || !has_events && queue.poll_waiting(context).is_pending() {
                return polled;
            }
        }
    })
    .await
}

impl Stream for BatchStream<'_> {
    type Item = BatchResult;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.waiting.len() + self.running.len();
        (left, Some(left))
    }
}

impl fmt::Debug for BatchStream<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BatchStream")
            .field("waiting", &self.waiting.len())
            .field("running", &self.running.len())
            .field("progress", &self.counts)
            .finish_non_exhaustive()
    }
}
