//! Tools and agents as an MCP server.

#[cfg(feature = "server-http")]
mod answering;
mod call;
mod content;
mod handler;
#[cfg(feature = "server-http")]
mod http;
mod id;
mod offered;
mod paused;
mod requests;
mod seal;
mod transport;
mod user;
mod waiting;

#[cfg(feature = "server-http")]
pub use http::{BoundServer, HttpServer};
pub use user::{Answer, ClientUser};

use agent_runtime::__private::shortened;
use agent_runtime::approval::Approver;
use agent_runtime::library::LibraryError;
use agent_runtime::redact::Redactor;
use agent_runtime::tool::AgentTool;
use agent_runtime::{Agent, Error, Runtime, ToolContext, ToolLibrary};
use agent_spec::json::MAX_ARGUMENT_VALUES;
use handler::Handler;
use offered::{Offered, ServedAgent};
use rmcp::service::ServerInitializeError;
use seal::Seals;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use transport::ClientTransport;

/// The maximum number of bytes of a message, unless the server says otherwise.
const MESSAGE_BYTES: usize = 4 << 20;

/// Returns the memory that a message takes at most when it is parsed, in bytes.
fn memory_of(message: &[u8], values: usize) -> usize {
    // A value takes up to 100 bytes.
    message.len() + values * 100
}

/// The maximum number of values of a message, as `agent_spec::json::value_count` counts them. A message with more would
/// take many times the memory of its text, and arguments with more are refused anyway.
const MESSAGE_VALUES: usize = MAX_ARGUMENT_VALUES;

/// Returns a server of the tools of a library: the short form of [`Server::new`].
pub fn serve(library: &ToolLibrary) -> Server {
    Server::new(library)
}

/// Tools and agents that are served to MCP clients.
///
/// The server speaks the revisions 2026-07-28 and 2025-11-25, and the older ones that `rmcp` knows. Tools are
/// listed in the order of their names, with the JSON Schemas of their signatures. Arguments are validated as
/// in a run, and a tool that fails answers with the text that a model reads in a run. Resources, prompts and
/// completion are not offered.
///
/// ```
/// use agent_mcp::Server;
/// use agent_runtime::{tool, tools};
///
/// /// Greets a person
/// #[tool]
/// fn greet(name: &str) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # async fn serve() -> Result<(), agent_mcp::ServeError> {
/// Server::new(&tools![greet]).name("greeter").version("1.0").stdio().await
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a server does nothing until it is started"]
pub struct Server {
    name: String,
    version: String,
    instructions: Option<String>,
    library: ToolLibrary,
    agents: Vec<ServedAgent>,
    settings: Settings,
    state_key: Option<[u8; 32]>,
    message_bytes: usize,
}

/// The settings that each call needs.
#[derive(Clone)]
struct Settings {
    context: ToolContext,
    approvals: Approvals,
    redactor: Redactor,
    /// The time for which a client may keep the list of tools.
    cache: Duration,
    /// The time for which a call waits for its user.
    time_to_live: Duration,
    /// The time for which a run in a journal waits for its user, if the host has set it.
    time_to_live_in_journal: Option<Duration>,
}

/// The side that approves calls of tools that require approval.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Approvals {
    /// The user of the client. A client of the revision 2026-07-28 gets a result that requires input, and calls again
    /// with the answer. An older client gets an elicitation. The call is denied if the client cannot ask its user.
    #[default]
    Client,
    /// An approver of the host.
    Host(Arc<dyn Approver>),
}

impl fmt::Debug for Approvals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Client => "Client",
            Self::Host(_) => "Host",
        })
    }
}

impl Server {
    /// Creates a server of the tools of a library.
    pub fn new(library: &ToolLibrary) -> Self {
        Self {
            name: "agent-mcp".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            library: library.clone(),
            agents: Vec::new(),
            settings: Settings {
                context: ToolContext::detached(),
                approvals: Approvals::Client,
                redactor: Redactor::new(),
                cache: Duration::from_secs(300),
                time_to_live: Duration::from_secs(600),
                time_to_live_in_journal: None,
            },
            state_key: None,
            message_bytes: MESSAGE_BYTES,
        }
    }

    /// Sets the name of the server, which clients show.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the version of the server.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets a text about the server that clients may give to their models.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Serves an agent as a tool with the agent's name, description and signature. It runs with this runtime, and can
    /// call the tools of `library`.
    ///
    /// Each step of the run is reported as progress. A client that declares the extension for tasks gets a task, whose
    /// state is in the memory of this process. A call that requires approval pauses the run. If the runtime has a journal,
    /// the paused run is there, and any process with the journal continues it with the answer of the client; if the client
    /// never answers, `Runtime::recover_run` does. Otherwise the paused run is encrypted and kept by the client.
    ///
    /// # Errors
    /// Validation when the agent has no description, or when its name cannot be that of a tool. The errors of
    /// [`Runtime::check`] when it cannot run.
    pub fn agent(
        mut self,
        runtime: &Runtime,
        agent: &Agent,
        library: &ToolLibrary,
    ) -> Result<Self, Error> {
        let tool = AgentTool::new(agent.clone(), library)?;
        runtime.check(agent, library)?;
        self.agents.push(ServedAgent {
            tool,
            runtime: runtime.clone(),
            library: library.clone(),
        });
        Ok(self)
    }

    /// Sets the context that the tools of the library get: their permissions and extensions. Without it, they
    /// have no permissions. The tools of an agent get the permissions and extensions of its runtime.
    pub fn context(mut self, context: ToolContext) -> Self {
        self.settings.context = context;
        self
    }

    /// Sets the side that approves calls of tools that require approval.
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.settings.approvals = approvals;
        self
    }

    /// Sets the redactor of the texts of errors, in addition to that of an agent's runtime.
    pub fn redactor(mut self, redactor: &Redactor) -> Self {
        self.settings.redactor = redactor.clone();
        self
    }

    /// Sets the time for which a client may keep the list of tools; five minutes without it.
    pub fn cache_for(mut self, time: Duration) -> Self {
        self.settings.cache = time;
        self
    }

    /// Sets the time for which a call waits for an answer of the client's user. Without it, a run in a journal waits until
    /// somebody decides, and any other call for ten minutes.
    pub fn wait_for_user(mut self, time: Duration) -> Self {
        self.settings.time_to_live = time;
        self.settings.time_to_live_in_journal = Some(time);
        self
    }

    /// Sets the key with which the states of calls that wait for an approval are encrypted. Without it, each
    /// start uses a random key. With it, a server that is started again accepts the states that clients got
    /// before.
    ///
    /// The list of used states is in the memory of the process: a call that was approved just before the end of one
    /// process can be approved by its client in the next one again, until the state expires. Where that must not happen,
    /// serve agents with a [journal](agent_runtime::journal).
    pub fn state_key(mut self, key: [u8; 32]) -> Self {
        self.state_key = Some(key);
        self
    }

    /// Sets the maximum number of bytes of a message; 4 MiB without it. A longer one is refused. Over standard input,
    /// its error has the id of the request if that is before or directly after `params`, and otherwise the id `null`.
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.message_bytes = bytes;
        self
    }

    /// Serves one client on standard input and output, until it closes standard input. Nothing else may write to
    /// standard output. Dropping the future cancels the calls and tasks of the client.
    ///
    /// At most 256 requests are under way at a time. Further ones wait, so that cancellations and answers are read before
    /// them, and are refused if they take more than 16 times
    /// [`max_message_bytes`](Self::max_message_bytes). A message with more than 200,000 JSON values is refused, where a list
    /// counts as 2 and an object as 8.
    ///
    /// # Errors
    /// When two tools have the same name, or when the client does not speak MCP.
    pub async fn stdio(self) -> Result<(), ServeError> {
        let (input, output) = rmcp::transport::stdio_pipes();
        self.stream(input, output).await
    }

    /// Serves one client on a pair of streams, such as those of a socket, until it closes them. Each message is a line.
    /// Dropping the future cancels the calls and tasks of the client.
    ///
    /// # Errors
    /// As those of [`stdio`](Self::stdio).
    pub async fn stream(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), ServeError> {
        let handler = Arc::new(self.handler()?);
        let _ending = EndOnDrop(Arc::clone(&handler));
        let transport = ClientTransport::new(input, output, self.message_bytes);
        let started = rmcp::service::serve_server(handler, transport).await;
        let ended = match started {
            Ok(service) => service.waiting().await.map(drop).map_err(io::Error::other),
            // The client left before its first request.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            // The error may quote a whole message.
            Err(error) => {
                return Err(ServeError::Protocol(shortened(&error.to_string(), 500)));
            }
        };
        ended.map_err(|error| ServeError::Io("the connection failed", error))
    }

    /// Returns a server over Streamable HTTP, at the path `/mcp` of this address. Awaiting it serves clients.
    ///
    /// ```no_run
    /// use agent_mcp::Server;
    /// use agent_runtime::ToolLibrary;
    ///
    /// # async fn serve(library: &ToolLibrary, token: String) -> Result<(), agent_mcp::ServeError> {
    /// Server::new(library).http(([127, 0, 0, 1], 8080)).bearer_token(token).await
    /// # }
    /// ```
    #[cfg(feature = "server-http")]
    pub fn http(self, address: impl Into<std::net::SocketAddr>) -> HttpServer {
        HttpServer::new(self, address.into())
    }

    /// Creates the handler of requests.
    fn handler(&self) -> Result<Handler, ServeError> {
        let mut offered = BTreeMap::new();
        let tools = self.library.iter().map(|tool| {
            let name = tool.descriptor().name();
            match tool.agent() {
                None => Ok(Offered::tool(Arc::clone(tool))),
                Some(_) => Err(ServeError::Tools(format!(
                    "the tool `{name}` of the library is an agent, which needs a runtime; serve it with `Server::agent`"
                ))),
            }
        });
        let agents = self
            .agents
            .iter()
            .cloned()
            .map(|agent| Ok(Offered::agent(agent)));
        for tool in tools.chain(agents) {
            let tool = tool?;
            if let Some(other) = offered.insert(tool.name().to_owned(), Arc::new(tool)) {
                return Err(ServeError::Tools(format!(
                    "two tools are named `{}`; a server's tools need names of their own",
                    other.name()
                )));
            }
        }
        let time_to_live = self.settings.time_to_live;
        let seals =
            Seals::new(self.state_key, time_to_live, self.message_bytes).map_err(|error| {
                let error = io::Error::other(error.to_string());
                ServeError::Io("the system has no random numbers", error)
            })?;
        Ok(Handler::new(self, offered, seals))
    }
}

/// Cancels what a handler began when the server ends, and when its future is dropped.
struct EndOnDrop(Arc<Handler>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Server")
            .field("name", &self.name)
            .field("library", &self.library)
            .field("agents", &self.agents)
            .field("approvals", &self.settings.approvals)
            .finish_non_exhaustive()
    }
}

/// The error of a server.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The tools cannot be served.
    Tools(String),
    /// The address or a setting cannot be used.
    Configuration(String),
    /// The client does not speak MCP.
    Protocol(String),
    /// The operating system reported an error.
    Io(&'static str, io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tools(text) | Self::Configuration(text) => out.write_str(text),
            Self::Protocol(text) => write!(out, "the client does not speak MCP: {text}"),
            Self::Io(what, error) => write!(out, "{what}: {error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

impl From<LibraryError> for ServeError {
    fn from(error: LibraryError) -> Self {
        Self::Tools(error.to_string())
    }
}
