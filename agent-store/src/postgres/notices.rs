//! Notices of changed runs, by `NOTIFY` and `LISTEN`.

use super::failure::Failure;
use super::pool::Pool;
use super::session::ATTEMPT_TIMEOUT;
use agent_core::conversation::StoreError;
use agent_core::journal::{RunWatch, RunWatches};
use futures_util::future::{pending, select};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_postgres::AsyncMessage;

/// The pause before the connection is opened again. As long as opening fails, readers are notified after each
/// pause.
const PAUSE: Duration = Duration::from_secs(1);

/// The watches of a journal, and the connection that notifies them of changes.
pub(super) struct Notices {
    /// The channel, which has the name of the schema, so that each schema has its own. PostgreSQL cuts long names off; then
    /// two schemas may share a channel, and readers read once more than they must.
    channel: String,
    watches: Arc<RunWatches>,
    /// The task that has the connection, after the first run was watched. Dropping it closes the connection.
    listening: Mutex<JoinSet<()>>,
}

impl Notices {
    pub(super) async fn new(pool: &Pool) -> Result<Self, StoreError> {
        // The schema of the table, because roles with other search paths may share it.
        let sql = "SELECT ('agent_run_' || nspname)::name::text FROM pg_class
                   JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = 'agent_run'::regclass";
        let channel = pool.repeat(|mut session| async move {
            let row = session.row(sql, &[]).await?;
            let row = row.ok_or(Failure::Overtaken)?;
            Ok((row.try_get(0)?, session))
        });
        Ok(Self {
            channel: channel.await?,
            watches: Arc::default(),
            listening: Mutex::default(),
        })
    }

    pub(super) fn channel(&self) -> &str {
        &self.channel
    }

    /// Watches a run, and opens the connection in a runtime unless it is open.
    pub(super) fn watch(&self, run: &str, pool: &Arc<Pool>, tokio: &Handle) -> RunWatch {
        let watch = self.watches.watch(run);
        let listening = self.listening.lock();
        let mut listening = listening.unwrap_or_else(PoisonError::into_inner);
        // A task ends with its runtime.
        while listening.try_join_next().is_some() {}
        if listening.is_empty() {
            let (pool, watches) = (Arc::clone(pool), Arc::clone(&self.watches));
            let channel = self.channel.clone();
            let listen = async move {
                loop {
                    let _ = listen(&pool, &channel, &watches).await;
                    watches.notify_all();
                    sleep(PAUSE).await;
                }
            };
            listening.spawn_on(listen, tokio);
        }
        watch
    }
}

/// Opens a connection, and notifies watches of changes until the connection is lost.
async fn listen(pool: &Pool, channel: &str, watches: &RunWatches) -> Result<(), Failure> {
    let address = pool.address();
    let silent = |_| Failure::Silent(ATTEMPT_TIMEOUT);
    let connecting = address.config.connect(address.tls.clone());
    let connected = timeout(ATTEMPT_TIMEOUT, connecting).await;
    let (client, mut connection) = connected.map_err(silent)??;
    let listen = async {
        let sql = format!("LISTEN \"{}\"", channel.replace('"', "\"\""));
        let listening = timeout(ATTEMPT_TIMEOUT, client.batch_execute(&sql)).await;
        listening.map_err(silent)??;
        // Changes before this were missed.
        watches.notify_all();
        // The connection ends when its client is dropped.
        pending::<Result<(), Failure>>().await
    };
    let receive = async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(notice) = message? {
                watches.tell(notice.payload());
            }
        }
        Ok(())
    };
    select(pin!(listen), pin!(receive)).await.factor_first().0
}
