//! The checks and limits of requests: who may make them, and how many.

use crate::server::handler::CallerName;
use agent_runtime::media::Sha256;
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

type Decision = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// The memory that the messages of all requests that are answered may take, in KiB.
const MEMORY: usize = 256 << 10;

/// The check of bearer tokens. It returns the name of the caller.
pub(super) struct Check(Box<dyn Fn(String) -> Decision + Send + Sync>);

impl Check {
    /// Accepts one token.
    pub(super) fn token(token: &str) -> Self {
        let expected = Sha256::of(token.as_bytes()).to_string();
        Self(Box::new(move |given| {
            // The digests have the same length and reveal nothing about the tokens, so that the time of
            // comparing them reveals neither the length nor the beginning of the token.
            let given = Sha256::of(given.as_bytes()).to_string();
            let pairs = given.bytes().zip(expected.bytes());
            let differing = pairs.fold(0, |differing, (one, other)| differing | (one ^ other));
            let is_equal = black_box(differing) == 0;
            Box::pin(std::future::ready(is_equal.then_some(given)))
        }))
    }

    /// Accepts the tokens that a function accepts. The caller's name is the digest of the token.
    pub(super) fn by<F, R>(check: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = bool> + Send + 'static,
    {
        Self(Box::new(move |token| {
            let name = Sha256::of(token.as_bytes()).to_string();
            let checked = check(token);
            Box::pin(async { checked.await.then_some(name) })
        }))
    }

    /// Accepts the tokens for which a function returns the name of a caller.
    pub(super) fn naming<F, R>(check: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Option<String>> + Send + 'static,
    {
        Self(Box::new(move |token| Box::pin(check(token))))
    }
}

/// The checks and limits of requests.
pub(super) struct Gate {
    check: Option<Check>,
    places: Arc<Semaphore>,
    /// The memory for the messages of requests, in KiB.
    memory: Arc<Semaphore>,
    /// The number of requests a second.
    rate: f64,
    bucket: Mutex<Bucket>,
}

/// The token bucket: the number of requests that may arrive at once. It is refilled over time.
struct Bucket {
    left: f64,
    since: Instant,
}

impl Gate {
    pub(super) fn new(check: Option<Check>, concurrency: usize, rate: u32) -> Self {
        let rate = f64::from(rate);
        Self {
            check,
            places: Arc::new(Semaphore::new(concurrency.min(Semaphore::MAX_PERMITS))),
            memory: Arc::new(Semaphore::new(MEMORY)),
            rate,
            bucket: Mutex::new(Bucket {
                left: 2.0 * rate,
                since: Instant::now(),
            }),
        }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// The seconds until the next request is accepted, if there were too many requests.
    pub(super) fn enter(&self) -> Result<(), u64> {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = bucket.since.elapsed();
        bucket.since += elapsed;
        bucket.left = (bucket.left + elapsed.as_secs_f64() * self.rate).min(2.0 * self.rate);
        if bucket.left < 1.0 {
            // The rate is at least one a second.
            return Err(1);
        }
        bucket.left -= 1.0;
        Ok(())
    }

    /// Returns the name of the caller if tokens are checked, and `Err` for a request without the token that it needs.
    pub(super) async fn admit(&self, headers: &HeaderMap) -> Result<Option<CallerName>, ()> {
        let Some(Check(check)) = &self.check else {
            return Ok(None);
        };
        let token = bearer(headers).ok_or(())?;
        let name = check(token.to_owned()).await.ok_or(())?;
        Ok(Some(CallerName(name)))
    }

    /// Takes memory for a message, if there is enough.
    pub(super) fn reserve(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        // A single message always fits.
        let kibibytes = u32::try_from((bytes >> 10).clamp(1, MEMORY)).ok()?;
        Arc::clone(&self.memory)
            .try_acquire_many_owned(kibibytes)
            .ok()
    }

    /// Takes a place among the requests that are answered at the same time, if there is one.
    pub(super) fn begin(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }
}

/// Returns the bearer token of a request. A request with several headers has none.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
