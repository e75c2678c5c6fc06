//! The gate of a provider: requests wait there until the limits allow them.

use super::reported::Left;
#[cfg(feature = "http")]
use super::reported::Report;
use super::window::Window;
use super::{ProviderLimits, estimate_request};
use crate::error::Error;
use crate::model::{ModelReply, ModelRequest};
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// The length of a pause that is too long for the clock: a year.
const MAX_PAUSE: Duration = Duration::from_secs(365 * 86_400);

/// The gate of a provider. Requests pass it in the order in which they arrived.
pub(crate) struct Gate {
    provider: String,
    limits: ProviderLimits,
    /// The longest pause that requests wait for when the provider asks for one.
    patience: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of requests that have passed and not ended.
    running: usize,
    /// The sum of their estimated tokens.
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
}

struct Waiter {
    id: u64,
    waker: Option<Waker>,
}

/// The kinds of requests that wait.
#[derive(Clone, Copy)]
enum Wanted {
    /// The first attempt of a request with this estimate of its tokens.
    Request(u64),
    /// A further attempt of a request, which has its place among those that run, and its tokens.
    #[cfg_attr(
        not(feature = "http"),
        expect(
            dead_code,
            reason = "only requests over HTTP have several attempts here"
        )
    )]
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
    /// Creates a gate. A provider that asks to wait longer than `patience` is not waited for.
    pub(crate) fn new(provider: &str, limits: ProviderLimits, patience: Duration) -> Self {
        let state = State {
            requests: limits.requests.map(Window::new),
            tokens: limits.tokens.map(Window::new),
            ..State::default()
        };
        Self {
            provider: provider.to_owned(),
            limits,
            patience,
            state: Mutex::new(state),
        }
    }

    pub(crate) fn limits(&self) -> &ProviderLimits {
        &self.limits
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

    /// Waits until a further attempt of a request that has passed may be sent. It goes before the requests that
    /// wait, because the time limit of its request has begun.
    #[cfg(feature = "http")]
    pub(crate) async fn retry(&self) -> Result<(), Error> {
        self.wait(Wanted::Retry).await.map(drop)
    }

    /// Stops all requests for a time, because the provider asked for it.
    pub(crate) fn pause(&self, pause: Duration) {
        let now = Instant::now();
        // The maximum is for pauses beyond the range of the clock.
        let until = now.checked_add(pause).unwrap_or(now + MAX_PAUSE);
        self.change(|state| state.paused_until = state.paused_until.max(Some(until)));
        tracing::debug!(provider = self.provider, ?pause, "a provider asked to wait");
    }

    /// Applies the limits that an answer reports.
    #[cfg(feature = "http")]
    pub(crate) fn report(&self, report: &Report) {
        let now = Instant::now();
        self.change(|state| {
            // The report may not count the requests that were sent at about the same time.
            let others = state.running.saturating_sub(1) as u64;
            if let Some(requests) = report.requests {
                state.requests_left = Some(Left::new(now, requests, others));
            }
            if let Some(tokens) = report.tokens {
                let each = state.running_tokens / (others + 1);
                let unreported = each.saturating_mul(others);
                state.tokens_left = Some(Left::new(now, tokens, unreported));
            }
        });
    }

    /// Changes the state, and wakes the first request in the queue, for which something may have changed.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let waker = state.queue.front_mut().and_then(|first| first.waker.take());
        // Unlocked first, because waking can drop a task that waits here, too.
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    async fn wait(&self, wanted: Wanted) -> Result<u64, Error> {
        let place = Place::new(self, wanted);
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
                    tracing::debug!(provider, waiting, "a request waits for a limit");
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
            tracing::debug!(provider, ?waited, "a request waited for a limit");
        }
        Ok(place.id)
    }

    fn asked_too_long(&self, pause: Duration) -> Error {
        let (provider, seconds) = (&self.provider, pause.as_secs_f64().ceil());
        let patience = self.patience.as_secs();
        Error::llm(format!(
            "`{provider}` asked to wait another {seconds} s, longer than the {patience} s that a request may \
             take; the request was not sent"
        ))
        .into_rate_limited()
        .with_retry_after(pause)
    }

    /// Locks the state. After a panic it would still be valid: no change of it is left half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the obstacle in front of the first request in the queue, if there is one.
    fn obstacle(
        &mut self,
        now: Instant,
        wanted: Wanted,
        limits: &ProviderLimits,
        patience: Duration,
    ) -> Option<Obstacle> {
        self.paused_until.take_if(|until| *until <= now);
        let mut room_at = [self.paused_until, None, None, None, None];
        if let Some(window) = &mut self.requests {
            room_at[1] = window.room_at(now, 1);
        }
        if let Some(left) = &self.requests_left {
            room_at[2] = left.room_at(now, 1);
        }
        if let Wanted::Request(tokens) = wanted {
            if let Some(until) = self.paused_until
                && until - now > patience
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
            left.take(1);
        }
        if let Wanted::Request(tokens) = wanted {
            self.running += 1;
            self.running_tokens = self.running_tokens.saturating_add(tokens);
            if let Some(window) = &mut self.tokens {
                window.take(now, id, tokens);
            }
            if let Some(left) = &mut self.tokens_left {
                left.take(tokens);
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
        let waiter = Waiter { id, waker: None };
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
        let (limits, patience) = (&self.gate.limits, self.gate.patience);
        let mut state = self.gate.lock();
        let is_first = state.queue.front().is_some_and(|first| first.id == self.id);
        let obstacle = match is_first {
            true => match state.obstacle(now, self.wanted, limits, patience) {
                None => {
                    state.take(now, self.id, self.wanted);
                    return Ok(());
                }
                obstacle => obstacle,
            },
            false => None,
        };
        let waker = context.waker();
        let before = state.waiter(self.id).and_then(|own| match &own.waker {
            Some(known) if known.will_wake(waker) => None,
            _ => own.waker.replace(waker.clone()),
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
                let usage = reply.counted();
                if usage.is_counted() {
                    self.correct(usage.input_tokens.saturating_add(usage.output_tokens));
                }
            }
            Err(error) => {
                // The provider did not process the request.
                if error.is_rate_limited() || error.is_overloaded() {
                    self.correct(0);
                }
                if error.is_rate_limited()
                    && let Some(wait) = error.retry_after()
                {
                    self.gate.pause(wait);
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
