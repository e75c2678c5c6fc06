//! One connection to a database, and its statements.

use super::address::Address;
use super::failure::Failure;
use super::tls::Tls;
use futures_util::future::try_join3;
use std::collections::HashMap;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, Statement};

/// The longest time of an attempt of an operation, after which its connection is given up. It is longer than
/// `statement_timeout`, so that the error of a server that answers comes first.
pub(super) const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(40);

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

/// The parameters of a statement.
pub(super) type Parameters<'p> = &'p [&'p (dyn ToSql + Sync)];

/// A parameter of a statement that is not prepared.
pub(super) type TypedParameter<'p> = (&'p (dyn ToSql + Sync), Type);

/// A connection, with its prepared statements.
pub(super) struct Session {
    pub(super) client: Client,
    prepared: HashMap<&'static str, Statement>,
    /// The id of the last operation that was made once. Its row is not needed any more.
    pub(super) written: Option<i64>,
    pub(super) is_idle: bool,
    /// The TLS of the connection over which a statement is cancelled.
    tls: Tls,
}

impl Session {
    pub(super) async fn connect(address: &Address) -> Result<Self, Failure> {
        let (client, connection) = address.config.connect(address.tls.clone()).await?;
        // The connection ends when the client is dropped. Its error is also that of the operation under way.
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

    /// Reads all rows by a statement that is not prepared, so that the server plans it for these parameters.
    pub(super) async fn rows_once(
        &self,
        sql: &str,
        parameters: &[TypedParameter<'_>],
    ) -> Result<Vec<Row>, Failure> {
        Ok(self.client.query_typed(sql, parameters).await?)
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
    pub(super) async fn begin_once(&mut self, id: i64) -> Result<bool, Failure> {
        // No operation lasts two days, after which the rows of connections that are gone are deleted.
        let (forget, old) = match self.written {
            Some(written) => ("DELETE FROM agent_write WHERE id = $1", written),
            None => (
                "DELETE FROM agent_write WHERE made < clock_timestamp() - make_interval(days => $1::bigint::int)",
                2,
            ),
        };
        // An existing row is written again, so that this commit waits until the row is on the replicas. The
        // commit of the earlier attempt may not have waited for them.
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
    /// Cancels the statement of an operation that was dropped or took too long. Otherwise the server would
    /// continue the statement and keep the connection, so that there would be more connections than
    /// `max_connections`.
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
