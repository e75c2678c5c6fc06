//! The description of a server, from which it is connected.

use super::error::{Challenge, Kind, McpError};
use super::http::Endpoint;
use super::input::{InputAnswer, InputHandler, InputRequest};
#[cfg(feature = "oauth")]
use super::oauth::{Authorizer, MissingAuthorization, SignIn};
use super::process::Command;
use agent_runtime::__private::shortened;
use agent_runtime::redact::Redactor;
use agent_spec::mcp::McpLock;
use agent_spec::names::is_tool_name;
use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The time for a call unless the host or a document sets another one.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The time in which a server must be ready.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The delay before a server that ended is started again.
const RESTART_DELAY: Duration = Duration::from_millis(500);

/// The maximum number of characters in the name of a server, which begins the names of its tools.
const LONGEST_NAME: usize = 40;

/// An MCP server: a command that is started, or an address.
///
/// ```no_run
/// use agent_mcp::McpServer;
/// use agent_runtime::ToolLibrary;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let files = McpServer::stdio("files", "mcp-server-files", ["/srv/docs"])
///     .connect()
///     .await?;
/// let mut library = ToolLibrary::new();
/// library.merge(&files.library())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use]
pub struct McpServer {
    pub(crate) name: String,
    pub(crate) reach: Reach,
    /// The document of the server, whose names its tools keep.
    pub(crate) lock: Option<Arc<McpLock>>,
    /// Whether the tools of the document are the contract.
    pub(crate) is_locked: bool,
    /// The timeout of a call, if the host sets one.
    pub(crate) timeout: Option<Duration>,
    pub(crate) connect_timeout: Duration,
    pub(crate) restart_delay: Duration,
    pub(crate) trusts_annotations: bool,
    pub(crate) input: Option<InputHandler>,
    pub(crate) redactor: Redactor,
    /// The values that the server was given and that nobody else may see.
    secrets: Vec<String>,
    /// A method that does not fit the kind of server.
    mistake: Option<&'static str>,
}

/// The way in which a server is reached.
#[derive(Clone)]
pub(crate) enum Reach {
    Command(Command),
    Http(Endpoint),
}

impl McpServer {
    /// Describes a server that is started as a command. The name is the host's own for the server; the names of the
    /// tools begin with it.
    ///
    /// The server gets the variables that programs need to start (`PATH`, `HOME` and the like), and those of
    /// [`env`](Self::env). It runs with the rights of the host, so starting a server means trusting its
    /// program.
    pub fn stdio<A: AsRef<OsStr>>(
        name: impl Into<String>,
        command: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter();
        Self::new(
            name.into(),
            Reach::Command(Command {
                program: command.as_ref().to_owned(),
                arguments: arguments.map(|text| text.as_ref().to_owned()).collect(),
                variables: Vec::new(),
                folder: None,
            }),
        )
    }

    /// Describes a server that is reached by HTTP, at the address of its endpoint. The name is the host's own for the
    /// server; the names of the tools begin with it.
    ///
    /// Redirects are not followed, so that no other host gets the server's [headers](Self::header).
    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Self {
        let endpoint = Endpoint::new(url.into());
        let query = endpoint.query();
        let mut server = Self::new(name.into(), Reach::Http(endpoint));
        server.secrets.extend(query);
        server
    }

    fn new(name: String, reach: Reach) -> Self {
        Self {
            name,
            reach,
            lock: None,
            is_locked: false,
            timeout: None,
            connect_timeout: CONNECT_TIMEOUT,
            restart_delay: RESTART_DELAY,
            trusts_annotations: false,
            input: None,
            redactor: Redactor::new(),
            secrets: Vec::new(),
            mistake: None,
        }
    }

    /// Gives a command a variable. Its value is redacted in errors and in the trace.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.secrets
            .push(value.as_ref().to_string_lossy().into_owned());
        self.with_command("env", |command| {
            let variable = (name.as_ref().to_owned(), value.as_ref().to_owned());
            command.variables.push(variable);
        })
    }

    /// Sets the folder in which a command runs, in place of that of the host.
    pub fn current_dir(self, folder: impl Into<PathBuf>) -> Self {
        self.with_command("current_dir", |command| {
            command.folder = Some(folder.into())
        })
    }

    fn with_command(mut self, method: &'static str, change: impl FnOnce(&mut Command)) -> Self {
        match &mut self.reach {
            Reach::Command(command) => change(command),
            Reach::Http(_) => self.mistake = Some(method),
        }
        self
    }

    /// Sends a header with each request by HTTP, such as `authorization`. Its value is a secret: it is redacted in errors
    /// and in the trace, and no other host gets it.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let value = value.into();
        // The key in `Bearer …`.
        let key = value.split_whitespace().last().unwrap_or_default();
        self.secrets.extend([key.to_owned(), value.clone()]);
        match &mut self.reach {
            Reach::Http(endpoint) => endpoint.add_header(name.into(), value),
            Reach::Command(_) => self.mistake = Some("header"),
        }
        self
    }

    /// Sets how to sign in when the server asks for it. Only the hosts of the server and of its authorization
    /// server get a token.
    #[cfg(feature = "oauth")]
    pub fn sign_in(mut self, sign_in: SignIn) -> Self {
        match &mut self.reach {
            Reach::Http(endpoint) => endpoint.set_sign_in(sign_in),
            Reach::Command(_) => self.mistake = Some("sign_in"),
        }
        self
    }

    /// Signs in now, in place of when the server asks for it, and keeps the new tokens in the store of the sign-in.
    ///
    /// Dropping the future ends the sign-in. Tokens that were saved before stay in the store.
    ///
    /// # Errors
    /// When the server is described wrongly or has no [`sign_in`](Self::sign_in), and when the sign-in fails.
    #[cfg(feature = "oauth")]
    pub async fn authorize(self) -> Result<(), McpError> {
        let authorizer = self.authorizer()?;
        authorizer.sign_in(None, authorizer.sign_ins()).await
    }

    /// Removes the server's tokens from the store of the sign-in, and returns whether there were any. The authorization
    /// server does not notice.
    ///
    /// # Errors
    /// When the server is described wrongly or has no [`sign_in`](Self::sign_in), and when the store fails.
    #[cfg(feature = "oauth")]
    pub async fn sign_out(self) -> Result<bool, McpError> {
        self.authorizer()?.sign_out().await
    }

    #[cfg(feature = "oauth")]
    fn authorizer(mut self) -> Result<Arc<Authorizer>, McpError> {
        self.prepare()?;
        let authorizer = match &self.reach {
            Reach::Http(endpoint) => endpoint.authorizer().cloned(),
            Reach::Command(_) => None,
        };
        authorizer.ok_or_else(|| {
            let text = format!(
                "`sign_in` does not say how to sign in at the server `{}`",
                self.name
            );
            McpError::new(Kind::Configuration, text)
        })
    }

    /// Sets the timeout of a call, in place of 60 s. It must be above 0. An agent that uses a tool can set a shorter one, and
    /// so can the document of a [locked](Self::locked) server, whose timeout also replaces the 60 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the time in which the server must be ready, in place of 30 s.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the delay before a server that ended is started again, in place of 500 ms. It doubles with each restart, up
    /// to 30 s, until a call succeeds.
    pub fn restart_delay(mut self, delay: Duration) -> Self {
        self.restart_delay = delay;
        self
    }

    /// Sets whether the server's annotations of its tools are believed: that a tool changes nothing, may destroy something,
    /// or may be called twice. By default they are not. A host must trust the server for this, because a call of a tool
    /// that changes nothing is repeated when the server ends during the call, and may be made without an approval.
    pub fn trust_annotations(mut self, trust: bool) -> Self {
        self.trusts_annotations = trust;
        self
    }

    /// Sets the function that answers the server's questions to the person in front of the host. Without one, each
    /// question is declined.
    ///
    /// The time that the answer takes is part of the [timeout](Self::timeout) of the call.
    pub fn on_input<F, R>(mut self, answer: F) -> Self
    where
        F: Fn(InputRequest) -> R + Send + Sync + 'static,
        R: Future<Output = InputAnswer> + Send + 'static,
    {
        self.input = Some(InputHandler::new(answer));
        self
    }

    /// Sets the redactor for the texts of the server, such as the redactor of the runtime. The secrets that
    /// the server is given are added to the redactor.
    pub fn redactor(mut self, redactor: &Redactor) -> Self {
        self.redactor = redactor.clone();
        self
    }

    /// Checks the settings together, and makes the server ready for its first request.
    pub(super) fn prepare(&mut self) -> Result<(), McpError> {
        self.check()?;
        for secret in &self.secrets {
            self.redactor.add(secret);
        }
        #[cfg(feature = "oauth")]
        if let Reach::Http(endpoint) = &mut self.reach {
            let prepared = endpoint.prepare_sign_in(&self.name, &self.redactor);
            prepared.map_err(|error| error.of_server(&self.name))?;
        }
        Ok(())
    }

    /// Returns what a person can do about a request that the server refused. `challenge` is the server's
    /// challenge, if it sent one.
    async fn advice(&self, challenge: Option<&Challenge>) -> Option<String> {
        // Unused without the feature `oauth`, because nobody signs in then.
        let _ = challenge;
        match &self.reach {
            #[cfg(feature = "oauth")]
            Reach::Http(endpoint) if let Some(authorizer) = endpoint.authorizer() => {
                let missing = match challenge {
                    Some(challenge) => authorizer.missing_for(challenge).await,
                    None => MissingAuthorization::Tokens,
                };
                authorizer.advice(&missing)
            }
            Reach::Http(endpoint) => Some(
                match (endpoint.has_authorization(), cfg!(feature = "oauth")) {
                    (true, _) => "give it a valid token in its header `authorization`",
                    (false, true) => {
                        "give it a token in its header `authorization`, or a way to sign in"
                    }
                    (false, false) => "give it a token in its header `authorization`",
                }
                .to_owned(),
            ),
            Reach::Command(_) => None,
        }
    }

    /// Adds advice for a person to an error about a challenge of the server.
    pub(crate) async fn with_advice(&self, problem: String, challenge: &Challenge) -> String {
        match self.advice(Some(challenge)).await {
            Some(advice) => format!("{problem}; {advice}"),
            None => problem,
        }
    }

    /// Adds advice for a person to an error that may be about a sign-in.
    pub(crate) async fn with_possible_advice(&self, problem: String) -> String {
        match self.advice(None).await {
            Some(advice) => format!("{problem}; if it wants a sign-in, {advice}"),
            None => problem,
        }
    }

    /// Returns the number of sign-ins at the server, also of those that failed.
    pub(crate) fn sign_ins(&self) -> u64 {
        match &self.reach {
            #[cfg(feature = "oauth")]
            Reach::Http(endpoint) => endpoint.authorizer().map_or(0, |found| found.sign_ins()),
            _ => 0,
        }
    }

    /// Signs in as the server asked for when it refused a request. `before` is the number of sign-ins before
    /// the request.
    ///
    /// # Errors
    /// When the sign-in fails. The error is `None` if the host described no sign-in.
    pub(crate) async fn sign_in_for(
        &self,
        challenge: &Challenge,
        before: u64,
    ) -> Result<(), Option<McpError>> {
        match &self.reach {
            #[cfg(feature = "oauth")]
            Reach::Http(endpoint) => match endpoint.authorizer() {
                Some(authorizer) if authorizer.can_sign_in() => authorizer
                    .sign_in(Some(challenge), before)
                    .await
                    .map_err(Some),
                _ => Err(None),
            },
            _ => {
                let _ = (challenge, before);
                Err(None)
            }
        }
    }

    /// Checks the settings together, because each method sees only its own.
    fn check(&self) -> Result<(), McpError> {
        let name = &self.name;
        let wrong = |text: String| Err(McpError::new(Kind::Configuration, text));
        if !is_tool_name(name) || name.len() > LONGEST_NAME {
            let name = shortened(name, 100);
            return wrong(format!(
                "`{name}` cannot name a server; a name is a letter or `_`, then letters, digits, `_` or `-`, \
                 {LONGEST_NAME} at most"
            ));
        }
        for (what, time) in [
            ("timeout", self.timeout),
            ("time to connect", Some(self.connect_timeout)),
        ] {
            if time.is_some_and(|time| time.is_zero()) {
                return wrong(format!("the {what} of the server `{name}` must be above 0"));
            }
        }
        match (self.mistake, &self.reach) {
            (None, _) => Ok(()),
            (Some(method), Reach::Command(_)) => wrong(format!(
                "`{method}` is for servers that are reached by HTTP, and `{name}` is a command"
            )),
            (Some(method), Reach::Http(_)) => wrong(format!(
                "`{method}` is for servers that are started as a command, and `{name}` is reached by HTTP"
            )),
        }
    }
}

/// Prints neither arguments nor values, which may hold keys.
impl fmt::Debug for McpServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = out.debug_struct("McpServer");
        shown.field("name", &self.name);
        match &self.reach {
            Reach::Command(command) => shown.field("command", &command.program),
            Reach::Http(endpoint) => shown.field("host", &endpoint.host()),
        };
        shown.finish_non_exhaustive()
    }
}
