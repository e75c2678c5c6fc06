//! The gate of a provider: requests wait there until the limits allow them.

use super::reported::Left;
use super::reported::Report;
use super::window::Window;
use super::{ProviderLimits, estimate_request};
use crate::model::{ModelReply, ModelRequest};
use agent_tool::Error;
use agent_tool::trace::TARGET;
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep_until};

/// The time in which the first request must react before the next one passes. A run reacts only while its future
/// or stream is polled, and a reader that stopped reading must not hold up all other runs.
const REACTION: Duration = Duration::from_secs(1);

/// The time for which fewer requests are sent at a time after a refusal and its pause.
const LOWERED_FOR: Duration = Duration::from_secs(60);

/// The longest pause, a year, because a broken server can ask for a pause that is too long for the clock.
const MAX_PAUSE: Duration = Duration::from_secs(365 * 86_400);

/// The gate of a provider. Requests pass it in the order in which they arrived.
pub struct Gate {
    provider: String,
    limits: ProviderLimits,
    /// The longest pause that requests wait for when the provider asks for one.
    longest_wait: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of requests that have passed and not ended.
    running: usize,
    /// The number of running requests that pause before a retry.
    resting: usize,
    /// The lower number of requests at a time after the provider refused one.
    lowered: Option<Lowered>,
    /// The sum of the estimated tokens of the running requests.
    running_tokens: u64,
    requests: Option<Window>,
    tokens: Option<Window>,
    requests_left: Option<Left>,
    tokens_left: Option<Left>,
    /// The end of the pause that the provider asked for.
    paused_until: Option<Instant>,
    /// The requests that wait, in the order in which they pass.
    queue: VecDeque<Waiter>,
    last_id: u64,
    /// Whether a task watches the first request in the queue.
    is_watched: bool,
}

/// The number of requests that may be sent at a time. It is halved by each refusal and grows with each answer, as
/// the window of TCP does.
#[derive(Clone, Copy)]
struct Lowered {
    most: f64,
    /// The end, unless the provider refuses another request. Without an end, a single answer that nobody reads could
    /// hold up all other requests.
    until: Instant,
}

struct Waiter {
    id: u64,
    waker: Option<Waker>,
    /// The time at which the first request was woken, or its timer is due. `None` while too many others run.
    due: Option<Instant>,
}

/// The kinds of requests that wait.
#[derive(Clone, Copy)]
enum Wanted {
    /// The first attempt of a request with this estimate of its tokens.
    Request(u64),
    /// A further attempt of a request. The request and its tokens are already counted among those that run.
    Retry,
}

/// The reason for which the first request in the queue cannot pass.
enum Obstacle {
    /// Too many requests run.
    Running,
    /// There is room from this time on.
    Until(Instant),
    /// The provider asked to wait for this long.
    TooLong(Duration),
}

impl Gate {
    /// Creates a gate. A provider that asks to wait longer than `longest_wait` is not waited for.
    pub fn new(provider: &str, limits: ProviderLimits, longest_wait: Duration) -> Self {
        let state = State {
            requests: limits.requests.map(Window::new),
            tokens: limits.tokens.map(Window::new),
            ..State::default()
        };
        Self {
            provider: provider.to_owned(),
            limits,
            longest_wait,
            state: Mutex::new(state),
        }
    }

    /// The maximum number of requests at a time.
    pub fn most_at_once(&self) -> Option<usize> {
        self.limits.concurrent
    }

    /// Waits until a request may be sent. Dropping the future gives up its place in the queue.
    ///
    /// # Errors
    /// Llm when the provider asked to wait longer than requests may wait.
    pub(crate) async fn enter(self: &Arc<Self>, request: &ModelRequest) -> Result<Permit, Error> {
        let tokens = estimate_request(request);
        let id = self.wait(Wanted::Request(tokens)).await?;
        Ok(Permit {
            gate: Arc::clone(self),
            id,
            tokens,
        })
    }

    /// Waits for a pause, and then until a further attempt of a request that has passed may be sent. The
    /// attempt passes before the requests that wait, because the time limit of its request has begun.
    ///
    /// # Errors
    /// None: a retry waits for any pause of the provider.
    pub async fn retry(self: &Arc<Self>, pause: Duration) -> Result<(), Error> {
        let _rest = Rest::new(self);
        tokio::time::sleep(pause).await;
        self.wait(Wanted::Retry).await.map(drop)
    }

    /// Sends fewer requests at a time, because the provider refused one for its rate limit, and none before a pause
    /// has passed.
    pub fn refused(&self, pause: Option<Duration>) {
        let now = Instant::now();
        // The maximum is for pauses beyond the range of the clock.
        let until = pause.map(|pause| now.checked_add(pause).unwrap_or(now + MAX_PAUSE));
        self.change(|state| {
            // Refusals during a pause are of requests that were sent together with the first refused one.
            if state.paused_until.is_none_or(|until| until <= now) {
                let sent = state.sent() as f64;
                let most = state.lowered.map_or(sent, |lowered| lowered.most.min(sent));
                state.lowered = Some(Lowered {
                    most: (most / 2.0).max(1.0),
                    until: until.unwrap_or(now).max(now) + LOWERED_FOR,
                });
            }
            state.paused_until = state.paused_until.max(until);
        });
        tracing::debug!(
            target: TARGET,
            provider = self.provider,
            ?pause,
            "a provider limits the rate"
        );
    }

    /// Applies the limits that an answer reports.
    pub fn report(&self, report: &Report) {
        let now = Instant::now();
        self.change(|state| {
            // The report may not count the requests that were sent at about the same time.
            let others = state.sent().saturating_sub(1) as u64;
            if let Some(requests) = report.requests {
                state.requests_left = Some(Left::new(now, requests, others));
            }
            if let Some(tokens) = report.tokens {
                let each = state.running_tokens / state.running.max(1) as u64;
                let unreported = each.saturating_mul(others);
                state.tokens_left = Some(Left::new(now, tokens, unreported));
            }
        });
    }

    /// Changes the state, and wakes the first request in the queue, for which something may have changed.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let waker = state.call_first();
        // Unlocked first, because waking can drop a task that waits here, too.
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    async fn wait(self: &Arc<Self>, wanted: Wanted) -> Result<u64, Error> {
        let place = Place::new(self, wanted);
        self.watch();
        let arrived = Instant::now();
        let mut timer: Option<Pin<Box<Sleep>>> = None;
        let mut has_waited = false;
        let passed = poll_fn(|context| {
            loop {
                let obstacle = match place.pass(context) {
                    Ok(()) => return Poll::Ready(Ok(())),
                    Err(Some(Obstacle::TooLong(pause))) => {
                        return Poll::Ready(Err(self.asked_too_long(pause)));
                    }
                    Err(obstacle) => obstacle,
                };
                if !has_waited {
                    has_waited = true;
                    let waiting = self.lock().queue.len();
                    let provider = &self.provider;
                    tracing::debug!(target: TARGET, provider, waiting, "a request waits for a limit");
                }
                let Some(Obstacle::Until(at)) = obstacle else {
                    return Poll::Pending;
                };
                let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(at)));
                if timer.deadline() != at {
                    timer.as_mut().reset(at);
                }
                if timer.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
            }
        });
        pin!(passed).await?;
        if has_waited {
            let (provider, waited) = (&self.provider, arrived.elapsed());
            tracing::debug!(target: TARGET, provider, ?waited, "a request waited for a limit");
        }
        Ok(place.id)
    }

    /// Starts a task that watches the first request in the queue, unless a task does so already, or no other
    /// request waits.
    fn watch(self: &Arc<Self>) {
        let mut state = self.lock();
        if state.is_watched || state.queue.len() < 2 {
            return;
        }
        let Ok(tokio) = Handle::try_current() else {
            return;
        };
        state.is_watched = true;
        drop(state);
        let mut watch = Watch(Arc::downgrade(self));
        tokio.spawn(async move {
            while let Some(next) = watch.0.upgrade().and_then(|gate| gate.pass_over_first()) {
                sleep_until(next).await;
            }
            // `pass_over_first` has noted the end.
            drop(std::mem::take(&mut watch.0));
        });
    }

    /// Moves the first request to the end of the queue if it did not react. Returns the time of the next
    /// check; `None` if no other request waits.
    fn pass_over_first(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut has_moved = false;
        let mut state = self.lock();
        if state.queue.len() < 2 {
            state.is_watched = false;
            return None;
        }
        let due = state.queue.front().and_then(|first| first.due);
        let until = due.map(|due| due + REACTION);
        if until.is_some_and(|until| until <= now)
            && let Some(mut first) = state.queue.pop_front()
        {
            first.due = None;
            state.queue.push_back(first);
            has_moved = true;
        }
        drop(state);
        if has_moved {
            let provider = &self.provider;
            tracing::debug!(
                target: TARGET,
                provider,
                "a request is passed over, because its run is not polled"
            );
            self.change(|_| ());
        }
        Some(until.filter(|until| *until > now).unwrap_or(now + REACTION))
    }

    fn asked_too_long(&self, pause: Duration) -> Error {
        let (provider, seconds) = (&self.provider, pause.as_secs_f64().ceil());
        let longest_wait = self.longest_wait.as_secs();
        Error::llm(format!(
            "`{provider}` asked to wait another {seconds} s, longer than the {longest_wait} s that a request may \
             take; the request was not sent"
        ))
        .into_rate_limited()
        .with_retry_after(pause)
    }

    /// Locks the state. The state is valid even after a panic, because no change is left half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The number of requests that were sent and have not ended.
    fn sent(&self) -> usize {
        self.running.saturating_sub(self.resting)
    }

    /// Returns the waker of the first request in the queue, which must react from now on.
    fn call_first(&mut self) -> Option<Waker> {
        let first = self.queue.front_mut()?;
        let now = Instant::now();
        first.due = Some(first.due.map_or(now, |due| due.min(now)));
        first.waker.take()
    }

    /// Returns the obstacle in front of the first request in the queue, if there is one.
    fn obstacle(
        &mut self,
        now: Instant,
        wanted: Wanted,
        limits: &ProviderLimits,
        longest_wait: Duration,
    ) -> Option<Obstacle> {
        self.paused_until.take_if(|until| *until <= now);
        let mut room_at = [self.paused_until, None, None, None, None, None];
        if let Some(window) = &mut self.requests {
            room_at[1] = window.room_at(now, 1);
        }
        if let Some(left) = &self.requests_left {
            room_at[2] = left.room_at(now, 1);
        }
        self.lowered.take_if(|lowered| lowered.until <= now);
        let sent = self.sent() as f64;
        let lowered = self.lowered.filter(|lowered| sent >= lowered.most);
        room_at[5] = lowered.map(|lowered| lowered.until);
        if let Wanted::Request(tokens) = wanted {
            if let Some(until) = self.paused_until
                && until - now > longest_wait
            {
                return Some(Obstacle::TooLong(until - now));
            }
            if limits.concurrent.is_some_and(|most| self.running >= most) {
                return Some(Obstacle::Running);
            }
            if let Some(window) = &mut self.tokens {
                room_at[3] = window.room_at(now, tokens);
            }
            if let Some(left) = &self.tokens_left {
                room_at[4] = left.room_at(now, tokens);
            }
        }
        room_at.into_iter().flatten().max().map(Obstacle::Until)
    }

    /// Lets a request pass.
    fn take(&mut self, now: Instant, id: u64, wanted: Wanted) {
        if let Some(window) = &mut self.requests {
            window.take(now, id, 1);
        }
        if let Some(left) = &mut self.requests_left {
            left.take(now, 1);
        }
        if let Wanted::Request(tokens) = wanted {
            self.running += 1;
            self.running_tokens = self.running_tokens.saturating_add(tokens);
            if let Some(window) = &mut self.tokens {
                window.take(now, id, tokens);
            }
            if let Some(left) = &mut self.tokens_left {
                left.take(now, tokens);
            }
        }
    }

    /// Returns a request in the queue. Most calls are for the first one, or for one that has just arrived.
    fn waiter(&mut self, id: u64) -> Option<&mut Waiter> {
        let is_first = self.queue.front().is_some_and(|first| first.id == id);
        match is_first {
            true => self.queue.front_mut(),
            false => self.queue.iter_mut().rev().find(|waiter| waiter.id == id),
        }
    }
}

/// A request that pauses before a retry.
struct Rest<'g>(&'g Gate);

impl<'g> Rest<'g> {
    fn new(gate: &'g Gate) -> Self {
        gate.change(|state| state.resting += 1);
        Self(gate)
    }
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.resting -= 1);
    }
}

/// The task that watches the queue of a gate. If it ends early, with the tokio runtime in which it began, the next
/// request that waits starts another one.
struct Watch(Weak<Gate>);

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(gate) = self.0.upgrade() {
            gate.lock().is_watched = false;
        }
    }
}

/// The place of a request in the queue, which is given up when it is dropped.
struct Place<'g> {
    gate: &'g Gate,
    id: u64,
    wanted: Wanted,
}

impl<'g> Place<'g> {
    fn new(gate: &'g Gate, wanted: Wanted) -> Self {
        let mut state = gate.lock();
        state.last_id += 1;
        let id = state.last_id;
        let waiter = Waiter {
            id,
            waker: None,
            due: None,
        };
        match wanted {
            Wanted::Request(_) => state.queue.push_back(waiter),
            Wanted::Retry => state.queue.push_front(waiter),
        }
        Self { gate, id, wanted }
    }

    /// Passes the gate if this is the first request and nothing is in its way. Otherwise the task is woken when
    /// that may have changed; for an obstacle in time, the caller sets a timer.
    fn pass(&self, context: &Context<'_>) -> Result<(), Option<Obstacle>> {
        let now = Instant::now();
        let (limits, longest_wait) = (&self.gate.limits, self.gate.longest_wait);
        let mut state = self.gate.lock();
        let is_first = state.queue.front().is_some_and(|first| first.id == self.id);
        let obstacle = match is_first {
            true => match state.obstacle(now, self.wanted, limits, longest_wait) {
                None => {
                    state.take(now, self.id, self.wanted);
                    return Ok(());
                }
                obstacle => obstacle,
            },
            false => None,
        };
        let waker = context.waker();
        let before = state.waiter(self.id).and_then(|own| {
            own.due = match obstacle {
                Some(Obstacle::Until(at)) => Some(at),
                _ => None,
            };
            match &own.waker {
                Some(known) if known.will_wake(waker) => None,
                _ => own.waker.replace(waker.clone()),
            }
        });
        // Dropped after the lock is released, because dropping a waker can drop a task that waits here, too.
        drop(state);
        drop(before);
        Err(obstacle)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut own = None;
        self.gate.change(|state| {
            let mut queue = state.queue.iter();
            let place = queue.position(|waiter| waiter.id == self.id);
            own = place.and_then(|place| state.queue.remove(place));
        });
    }
}

/// A request that has passed the gate. Dropping it lets the next request pass.
pub(crate) struct Permit {
    gate: Arc<Gate>,
    id: u64,
    /// The estimated tokens.
    tokens: u64,
}

impl Permit {
    /// Ends the request with its outcome: the usage replaces the estimate, and the provider may ask to wait.
    pub(crate) fn finish(self, outcome: &Result<ModelReply, Error>) {
        match outcome {
            Ok(reply) => {
                self.gate.change(|state| {
                    if let Some(lowered) = &mut state.lowered {
                        lowered.most += 1.0 / lowered.most;
                    }
                });
                let usage = reply.counted();
                if usage.is_counted() {
                    self.correct(usage.input_tokens.saturating_add(usage.output_tokens));
                }
            }
            Err(error) => {
                // The provider did not process the request.
                if error.is_rate_limited() || error.is_overloaded() || error.is_validation() {
                    self.correct(0);
                }
                if error.is_rate_limited() {
                    self.gate.refused(error.retry_after());
                }
            }
        }
    }

    fn correct(&self, tokens: u64) {
        self.gate.change(|state| {
            if let Some(window) = &mut state.tokens {
                window.correct(Instant::now(), self.id, self.tokens, tokens);
            }
        });
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.change(|state| {
            state.running -= 1;
            state.running_tokens = state.running_tokens.saturating_sub(self.tokens);
        });
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        out.debug_struct("Gate")
            .field("provider", &self.provider)
            .field("limits", &self.limits)
            .field("running", &state.running)
            .field("waiting", &state.queue.len())
            .finish_non_exhaustive()
    }
}
