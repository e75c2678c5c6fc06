//! The connections to a database, and attempts of operations on them.

use super::address::Address;
use super::failure::{Again, Failure};
use super::session::{ATTEMPT_TIMEOUT, Session};
use super::tables;
use agent_core::conversation::StoreError;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// The maximum number of times that an operation is repeated because another transaction came first. Many processes
/// that write to one conversation would otherwise hold a connection without end.
const MOST_OVERTAKEN: u32 = 20;

/// The pauses between attempts while the database cannot be reached.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Connections to a database. A connection whose operation failed or was dropped is closed, so that the server undoes
/// what it began.
pub(super) struct Pool {
    address: Address,
    permits: Semaphore,
    idle: Mutex<Vec<Session>>,
}

impl Pool {
    /// Connects, and brings the tables up to date.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses the connection, or when its tables are of a newer version.
    pub(super) async fn open(url: &str) -> Result<Self, StoreError> {
        let address = Address::parse(url)?;
        let mut attempts = Attempts::new(&address);
        let session = loop {
            let attempt = async {
                let mut session = timed(attempts.time(), Session::connect(&address)).await?;
                let tables = tables::bring_up_to_date(&mut session, &address);
                timed(tables::TIMEOUT, tables).await?;
                Ok::<_, Failure>(session)
            };
            match attempt.await {
                Ok(session) => break session,
                // A server that is starting answers, so it is tried again. A wrong host does not answer, and
                // would be reported late otherwise.
                Err(failure) if failure.is_answer() => attempts.wait(failure).await?,
                Err(failure) => return Err(failure.into_error(&address)),
            }
        };
        let pool = Self {
            permits: Semaphore::new(address.connections),
            idle: Mutex::default(),
            address,
        };
        pool.put_back(session);
        Ok(pool)
    }

    /// The hosts and the name of the database.
    pub(super) fn place(&self) -> &str {
        &self.address.place
    }

    /// The address of the database.
    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Makes an operation that may be made twice. `work` is given a connection, which it returns with its result.
    ///
    /// # Errors
    /// The error of the last attempt.
    pub(super) async fn repeat<T, F>(&self, work: impl Fn(Session) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<(T, Session), Failure>>,
    {
        let mut attempts = Attempts::new(&self.address);
        loop {
            let attempt = async {
                let (session, _permit) = self.session(&attempts).await?;
                let (value, session) = timed(attempts.time(), work(session)).await?;
                self.put_back(session);
                Ok(value)
            };
            match attempt.await {
                Ok(value) => return Ok(value),
                Err(failure) => attempts.wait(failure).await?,
            }
        }
    }

    /// Makes an operation once, in a transaction that adds a row with an id of its own. If the answer to a commit is lost, the
    /// next attempt finds the row, or has waited until the transaction was undone. The id that the server gives a transaction
    /// would not do, because after a crash or on a replica that became the primary another transaction may have it.
    ///
    /// # Errors
    /// The error of the last attempt. The error reports if it is unknown whether the operation was made.
    pub(super) async fn once<T, F>(&self, work: impl Fn(Session) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<(T, Session), Failure>>,
    {
        let mut attempts = Attempts::new(&self.address);
        let id = random().cast_signed();
        // The result of the attempt whose commit may have been made.
        let mut made = None;
        loop {
            let attempt = async {
                let (mut session, _permit) = self.session(&attempts).await?;
                let worked = timed(attempts.time(), async {
                    if session.begin_once(id).await? {
                        made = None;
                        let (value, returned) = work(session).await?;
                        made = Some(value);
                        session = returned;
                    }
                    Ok(session)
                });
                let mut session = worked.await?;
                let committed = timed(attempts.time(), session.commit()).await;
                let is_undone = |failure: &Failure| !failure.is_of_connection();
                if committed.as_ref().is_err_and(is_undone) {
                    made = None;
                }
                committed?;
                session.written = Some(id);
                self.put_back(session);
                made.take().ok_or(Failure::Overtaken)
            };
            let failure = match attempt.await {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            if let Err(error) = attempts.wait(failure).await {
                return Err(match made {
                    None => error,
                    Some(_) => StoreError::unavailable(format!(
                        "nobody knows whether the last write to `{}` was made; look at what is stored before you write it \
                         again",
                        self.address.place
                    ))
                    .with_source(error),
                });
            }
        }
    }

    /// Returns a connection, and the right to use it.
    async fn session(
        &self,
        attempts: &Attempts<'_>,
    ) -> Result<(Session, SemaphorePermit<'_>), Failure> {
        let permit = timeout_at(attempts.end, self.permits.acquire()).await;
        let Ok(Ok(permit)) = permit else {
            let Address {
                connections, place, ..
            } = &self.address;
            return Err(Failure::Store(StoreError::busy(format!(
                "all {connections} connections to `{place}` are in use; try again later, or raise `max_connections` in the \
                 URL"
            ))));
        };
        loop {
            let Some(mut session) = self.idle().pop() else {
                let connected = timed(attempts.time(), Session::connect(&self.address)).await?;
                return Ok((connected, permit));
            };
            if !session.client.is_closed() {
                session.is_idle = false;
                return Ok((session, permit));
            }
        }
    }

    /// Keeps a connection for the next operation.
    fn put_back(&self, mut session: Session) {
        session.is_idle = true;
        self.idle().push(session);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn timed<T>(
    time: Duration,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    timeout(time, work)
        .await
        .unwrap_or(Err(Failure::Silent(time)))
}

/// The attempts of an operation.
struct Attempts<'a> {
    address: &'a Address,
    end: Instant,
    pause: Duration,
    overtaken: u32,
}

impl<'a> Attempts<'a> {
    fn new(address: &'a Address) -> Self {
        Self {
            address,
            end: Instant::now() + address.operation_timeout,
            pause: FIRST_PAUSE,
            overtaken: 0,
        }
    }

    /// The longest time of the next attempt.
    fn time(&self) -> Duration {
        let left = self.end.saturating_duration_since(Instant::now());
        left.clamp(LONGEST_PAUSE, ATTEMPT_TIMEOUT)
    }

    fn is_left(&self) -> bool {
        Instant::now() + self.pause < self.end
    }

    /// Waits until the next attempt.
    ///
    /// # Errors
    /// The error of the failure if no attempt is left, or if none would succeed.
    async fn wait(&mut self, failure: Failure) -> Result<(), StoreError> {
        match failure.again() {
            Again::Later if self.is_left() => {
                sleep(self.pause).await;
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                Ok(())
            }
            Again::Soon if self.overtaken < MOST_OVERTAKEN => {
                self.overtaken += 1;
                // Other operations wait as long, unless they were overtaken less often.
                sleep(Duration::from_millis(u64::from(self.overtaken))).await;
                Ok(())
            }
            _ => Err(failure.into_error(self.address)),
        }
    }
}

/// Returns a number that nobody can guess.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
