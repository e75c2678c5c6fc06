//! A connection to a server, which is started again when it has ended.

use super::error::{Kind, McpError};
use super::server::McpServer;
use super::session::Session;
use super::tool_list::ToolList;
use rmcp::model::ServerPeerInfo;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until, timeout};

/// The maximum number of times that a server is started again without a successful call in between, because a broken
/// server would be started forever.
const MAX_RESTARTS: u32 = 5;

/// The maximum number of times that a server may ask for a sign-in in one call, or when it is connected. A broken
/// server would open pages in the browser forever.
pub(crate) const MAX_SIGN_INS: usize = 3;

/// The longest delay before a server is started again.
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// A server that was connected once. It is started again at a call when it has ended.
pub(crate) struct Connection {
    pub(crate) server: McpServer,
    /// The server's name, in the form in which tasks share it.
    pub(crate) name: Arc<str>,
    live: Mutex<Live>,
    /// Held while the list of tools is read again, so that no call is checked against the old list.
    reading: Mutex<()>,
    list: RwLock<Arc<ToolList>>,
    /// Whether the server speaks a revision of the protocol that begins with `initialize`.
    initializes: bool,
}

struct Live {
    session: Option<Arc<Session>>,
    /// The number of restarts since the last successful call.
    restarts: u32,
    /// The time before which the server is not started again.
    earliest: Instant,
    is_closed: bool,
}

impl Connection {
    /// Starts a server and reads its tools.
    pub(crate) async fn open(server: McpServer) -> Result<(Arc<Self>, ServerPeerInfo), McpError> {
        let name: Arc<str> = Arc::from(server.name.as_str());
        let (session, list) = start(&server, &name, false).await?;
        let info = session.info();
        let info = info.ok_or_else(|| {
            let text = format!("the server `{name}` gave no information about itself");
            McpError::new(Kind::Server, text)
        })?;
        warn_about(&list, &name);
        let live = Live {
            session: Some(Arc::new(session)),
            restarts: 0,
            earliest: Instant::now() + server.restart_delay.min(LONGEST_DELAY),
            is_closed: false,
        };
        let connection = Self {
            server,
            name,
            live: Mutex::new(live),
            reading: Mutex::default(),
            list: RwLock::new(Arc::new(list)),
            initializes: info.protocol_version.has_initialize(),
        };
        Ok((Arc::new(connection), (*info).clone()))
    }

    pub(crate) fn list(&self) -> Arc<ToolList> {
        Arc::clone(&self.list.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn set_list(&self, list: ToolList) {
        warn_about(&list, &self.name);
        *self.list.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(list);
    }

    /// Ends the server, and waits until it has ended. Later calls fail.
    pub(crate) async fn close(&self) {
        let mut live = self.live.lock().await;
        live.is_closed = true;
        if let Some(session) = live.session.take() {
            session.close().await;
        }
    }

    /// Returns the running server, and starts it again if it has ended.
    pub(crate) async fn session(&self) -> Result<Arc<Session>, String> {
        let mut live = self.live.lock().await;
        if live.is_closed {
            return Err(format!(
                "the connection to the server `{}` was closed",
                self.name
            ));
        }
        if let Some(session) = &live.session {
            if !session.has_ended() {
                return Ok(Arc::clone(session));
            }
            let ended = session.end().await;
            tracing::info!(target: "agent_mcp", server = &*self.name, "a server has ended{ended}");
            live.session = None;
        }
        if live.restarts == MAX_RESTARTS {
            return Err(format!(
                "the server `{}` was started {MAX_RESTARTS} times without a successful call, and is not started again",
                self.name
            ));
        }
        sleep_until(live.earliest).await;
        live.restarts += 1;
        let doubled = 2_u32.pow(live.restarts);
        let delay = self.server.restart_delay.saturating_mul(doubled);
        live.earliest = Instant::now() + delay.min(LONGEST_DELAY);
        let started = start(&self.server, &self.name, self.initializes).await;
        let (session, list) = started.map_err(|error| error.to_string())?;
        self.set_list(list);
        let session = Arc::new(session);
        live.session = Some(Arc::clone(&session));
        Ok(session)
    }

    /// Records a successful call, after which all restarts are allowed again.
    pub(crate) async fn succeeded(&self) {
        self.live.lock().await.restarts = 0;
    }

    /// Reads the list of tools again if the server reported a change of the list.
    pub(crate) async fn refresh(&self, session: &Session) -> Result<(), String> {
        let _reading = self.reading.lock().await;
        let Some(change) = session.change() else {
            return Ok(());
        };
        let read = timeout(self.server.connect_timeout, session.list()).await;
        let problem = match read {
            Ok(Ok(list)) => {
                session.has_read(change);
                self.set_list(list);
                return Ok(());
            }
            Ok(Err(error)) => self.server.redactor.log_text(&error.words()),
            Err(_) => "it did not answer in time".to_owned(),
        };
        Err(format!(
            "the tools of the server `{}` changed and cannot be read again: {problem}",
            self.name
        ))
    }
}

fn warn_about(list: &ToolList, server: &str) {
    if let Some(warning) = list.warning(server) {
        tracing::warn!(target: "agent_mcp", "{warning}");
    }
}

/// Starts a server, and signs in when the server asks for a sign-in.
async fn start(
    server: &McpServer,
    name: &Arc<str>,
    initializes: bool,
) -> Result<(Session, ToolList), McpError> {
    let mut sign_ins = 0;
    loop {
        let before = server.sign_ins();
        let error = match Session::start(server, name, initializes).await {
            Ok(started) => return Ok(started),
            Err(error) => error,
        };
        let Some(challenge) = error.challenge().filter(|_| sign_ins < MAX_SIGN_INS) else {
            return Err(error);
        };
        sign_ins += 1;
        if let Err(failed) = server.sign_in_for(challenge, before).await {
            return Err(failed.unwrap_or(error));
        }
    }
}
