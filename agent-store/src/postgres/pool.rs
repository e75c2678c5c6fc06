//! Connections to a database, and attempts of operations on them.

use super::address::Address;
use super::failure::{Again, Failure};
use super::tables;
use agent_runtime::conversation::StoreError;
use futures_util::future::try_join;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

/// The longest time of an attempt of an operation, after which its connection is given up. It is longer than
/// `statement_timeout`, so that the error of a server that answers comes first.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(40);

/// The settings of each connection. A role or a database may have others, with which commits would not be durable, or
/// a transaction would see less than it must.
const SETTINGS: &str = "
SET statement_timeout = '30s';
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s';
SET default_transaction_isolation = 'read committed';
SET client_min_messages = 'warning';
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
";

/// The maximum number of times that an operation is repeated because another transaction came first.
const MOST_OVERTAKEN: u32 = 20;

/// The pauses between attempts while the database cannot be reached.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The parameters of a statement.
pub(super) type Parameters<'p> = &'p [&'p (dyn ToSql + Sync)];

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
                let mut session = Session::connect(&address).await?;
                tables::bring_up_to_date(&mut session, &address).await?;
                Ok(session)
            };
            match timed(tables::TIMEOUT, attempt).await {
                Ok(session) => break session,
                // A server that starts answers. A wrong host, which does not, would be reported late otherwise.
                Err(failure) if failure.is_answer() => attempts.wait(failure).await?,
                Err(failure) => return Err(failure.into_error(&address)),
            }
        };
        Ok(Self {
            permits: Semaphore::new(address.connections),
            idle: Mutex::new(vec![session]),
            address,
        })
    }

    /// The hosts and the name of the database.
    pub(super) fn place(&self) -> &str {
        &self.address.place
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
                self.idle().push(session);
                Ok(value)
            };
            match attempt.await {
                Ok(value) => return Ok(value),
                Err(failure) => attempts.wait(failure).await?,
            }
        }
    }

    /// Makes an operation once, in a transaction. If the answer to its commit is lost, the database is asked what became
    /// of the transaction.
    ///
    /// # Errors
    /// The error of the last attempt. An error that says so if nobody knows what became of the transaction.
    pub(super) async fn once<T, F>(&self, work: impl Fn(Session) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<(T, Session), Failure>>,
    {
        let mut attempts = Attempts::new(&self.address);
        loop {
            let attempt = async {
                let (mut session, _permit) = self.session(&attempts).await?;
                let made = timed(attempts.time(), async {
                    let number = session.begin_numbered().await?;
                    Ok((number, work(session).await?))
                });
                let (number, (value, session)) = made.await?;
                match timed(attempts.time(), session.commit()).await {
                    Ok(()) => {
                        self.idle().push(session);
                        Ok((value, None))
                    }
                    Err(failure) if failure.is_of_connection() => {
                        Ok((value, Some((number, failure))))
                    }
                    Err(failure) => Err(failure),
                }
            };
            match attempt.await {
                Ok((value, None)) => return Ok(value),
                Ok((value, Some((number, failure)))) => {
                    if self.is_committed(number, &mut attempts).await? {
                        return Ok(value);
                    }
                    attempts.wait(failure).await?;
                }
                Err(failure) => attempts.wait(failure).await?,
            }
        }
    }

    /// Asks the database what became of a transaction.
    async fn is_committed(
        &self,
        number: i64,
        attempts: &mut Attempts<'_>,
    ) -> Result<bool, StoreError> {
        let unknown = |why: &str| {
            StoreError::unavailable(format!(
                "nobody knows whether the last write to `{}` was made: {why}; look at what is stored before you write it \
                 again",
                self.address.place
            ))
        };
        loop {
            let attempt = async {
                let (mut session, _permit) = self.session(attempts).await?;
                let sql = "SELECT txid_status($1)";
                let row = timed(attempts.time(), session.row(sql, &[&number])).await?;
                let status = row
                    .map(|row| row.try_get::<_, Option<String>>(0))
                    .transpose()?;
                self.idle().push(session);
                Ok::<_, Failure>(status.flatten())
            };
            let failure = match attempt.await {
                Ok(Some(status)) if status == "committed" => return Ok(true),
                Ok(Some(status)) if status == "aborted" => return Ok(false),
                // The server has not noticed yet that the connection is gone.
                Ok(Some(_)) if attempts.is_left() => {
                    sleep(FIRST_PAUSE).await;
                    continue;
                }
                Ok(Some(_)) => return Err(unknown("its transaction still goes on")),
                Ok(None) => {
                    return Err(unknown("the server does not know its transaction any more"));
                }
                Err(failure) => failure,
            };
            let waited = attempts.wait(failure).await;
            waited.map_err(|error| unknown("the connection broke").with_source(error))?;
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
            let Some(session) = self.idle().pop() else {
                let connected = timed(attempts.time(), Session::connect(&self.address)).await?;
                return Ok((connected, permit));
            };
            if !session.client.is_closed() {
                return Ok((session, permit));
            }
        }
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
            end: Instant::now() + address.patience,
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
                // Others wait as long, unless they were overtaken less often.
                sleep(Duration::from_millis(u64::from(self.overtaken))).await;
                Ok(())
            }
            _ => Err(failure.into_error(self.address)),
        }
    }
}

/// A connection, with its prepared statements.
pub(super) struct Session {
    client: Client,
    prepared: HashMap<&'static str, Statement>,
}

impl Session {
    async fn connect(address: &Address) -> Result<Self, Failure> {
        let (client, connection) = address.config.connect(address.tls.clone()).await?;
        // It ends when the client is dropped, and its error is that of the operation that goes on.
        tokio::spawn(connection);
        let mut settings = SETTINGS.to_owned();
        if let Some(schema) = &address.schema {
            settings.push_str(&format!("SET search_path = \"{schema}\";"));
        }
        client.batch_execute(&settings).await?;
        Ok(Self {
            client,
            prepared: HashMap::new(),
        })
    }

    /// The client, for statements that are sent at once. They are made in the order in which their futures are polled.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) async fn prepare(&mut self, sql: &'static str) -> Result<Statement, Failure> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.prepared.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Reads all rows.
    pub(super) async fn rows(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let statement = self.prepare(sql).await?;
        Ok(self.client.query(&statement, parameters).await?)
    }

    /// Reads the only row, if there is one.
    pub(super) async fn row(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Option<Row>, Failure> {
        let statement = self.prepare(sql).await?;
        Ok(self.client.query_opt(&statement, parameters).await?)
    }

    /// Runs a statement, and returns the number of rows that it changed.
    pub(super) async fn execute(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<u64, Failure> {
        let statement = self.prepare(sql).await?;
        Ok(self.client.execute(&statement, parameters).await?)
    }

    /// Runs statements without parameters.
    pub(super) async fn run(&self, sql: &str) -> Result<(), Failure> {
        Ok(self.client.batch_execute(sql).await?)
    }

    pub(super) async fn commit(&self) -> Result<(), Failure> {
        self.run("COMMIT").await
    }

    /// Begins a transaction, and returns its number.
    async fn begin_numbered(&mut self) -> Result<i64, Failure> {
        let statement = self.prepare("SELECT txid_current()").await?;
        let begin = self.client.batch_execute("BEGIN");
        let number = self.client.query_one(&statement, &[]);
        let ((), row) = try_join(begin, number).await?;
        Ok(row.try_get(0)?)
    }
}
