//! Connections to a database, and attempts of operations on them.

use super::address::Address;
use super::failure::{Again, Failure};
use super::tables;
use super::tls::Tls;
use agent_core::conversation::StoreError;
use futures_util::future::try_join3;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

/// The longest time of an attempt of an operation, after which its connection is given up. It is longer than
/// `statement_timeout`, so that the error of a server that answers comes first.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(40);

/// The `lock_timeout` of [`SETTINGS`].
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

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
                let mut session = timed(attempts.time(), Session::connect(&address)).await?;
                let tables = tables::bring_up_to_date(&mut session, &address);
                timed(tables::TIMEOUT, tables).await?;
                Ok::<_, Failure>(session)
            };
            match attempt.await {
                Ok(session) => break session,
                // A server that starts answers. A wrong host, which does not, would be reported late otherwise.
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
    /// The error of the last attempt. An error that says so if nobody knows whether the operation was made.
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
    /// The id of the last operation that was made once. Its row is not needed any more.
    written: Option<i64>,
    is_idle: bool,
    /// For the connection over which a statement is cancelled.
    tls: Tls,
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
            written: None,
            is_idle: false,
            tls: address.tls.clone(),
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

    /// Begins a transaction that adds the id of an operation. Returns `false` if the id is there, because an earlier attempt
    /// of the operation was committed. Waits for an attempt whose transaction the server has not ended yet.
    async fn begin_once(&mut self, id: i64) -> Result<bool, Failure> {
        // No operation lasts two days, after which the rows of connections that are gone are deleted.
        let (forget, old) = match self.written {
            Some(written) => ("DELETE FROM agent_write WHERE id = $1", written),
            None => (
                "DELETE FROM agent_write WHERE made < clock_timestamp() - make_interval(days => $1::bigint::int)",
                2,
            ),
        };
        // A row that is there is written again, so that the commit waits until it is on the replicas, which that of the
        // earlier attempt may not have done.
        let add = "INSERT INTO agent_write (id, made) VALUES ($1, clock_timestamp())
                   ON CONFLICT (id) DO UPDATE SET made = excluded.made RETURNING xmax = 0";
        let (forget, add) = (self.prepare(forget).await?, self.prepare(add).await?);
        let ids: [Parameters<'_>; 2] = [&[&old], &[&id]];
        let sent = try_join3(
            self.client.batch_execute("BEGIN"),
            self.client.execute(&forget, ids[0]),
            self.client.query_one(&add, ids[1]),
        );
        match sent.await {
            Ok((.., row)) => Ok(row.try_get(0)?),
            // The server has not noticed yet that the connection of an earlier attempt is gone.
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                Err(Failure::Silent(LOCK_TIMEOUT))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Session {
    /// Cancels the statement of an operation that was dropped or took too long. The server would go on with it, and keep the
    /// connection as long, so that there would be more connections than `max_connections`.
    fn drop(&mut self) {
        if self.is_idle || self.client.is_closed() {
            return;
        }
        if let Ok(tokio) = Handle::try_current() {
            let (cancel, tls) = (self.client.cancel_token(), self.tls.clone());
            // If it fails, `statement_timeout` ends the statement.
            tokio.spawn(timeout(ATTEMPT_TIMEOUT, async move {
                cancel.cancel_query(tls).await
            }));
        }
    }
}

/// Returns a number that nobody can guess.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
