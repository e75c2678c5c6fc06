//! A server's tool as a tool of a run.

use super::connection::{Connection, MAX_SIGN_INS};
use super::content::value_of;
use super::contract::{GONE, check_accepts, check_unchanged, signature_of};
use super::list::{ListedTool, ToolList};
use super::server::{McpServer, TIMEOUT};
use super::session::RequestError;
use super::text::cut;
use super::unreadable::MAX_TOOLS;
use crate::name::{tool_names, unique_name};
use agent_runtime::serde_json::{Map, Value};
use agent_runtime::tool::{Contract, ToolDescriptor, ToolFuture, ToolSettings};
use agent_runtime::{Tool, ToolContext, ToolError, ToolLibrary};
use agent_spec::mcp::{McpLock, McpTool as LockedTool};
use agent_spec::{Signature, ToolSpec};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The maximum number of bytes of a description.
const DESCRIPTION: usize = 16 << 10;

/// The time in which the schemas of all tools of a server must be read. Schemas are small; only those that unfold into
/// millions of parts by their references take longer.
const READING_TIME: Duration = Duration::from_secs(5);

/// The maximum number of bytes of the signatures of a server's tools and of their descriptions together, as gram writes
/// them. A schema that has few bytes may unfold into many by its references.
const READ_BYTES: usize = 16 << 20;

/// The reason for which a tool cannot be used whose name does not say which one it is.
const REPEATED: &str = "the server lists two tools of this name";

/// The reason for which a tool cannot be used that nobody has looked at.
const NOT_IN_DOCUMENT: &str =
    "the document of the server does not have it; `agent mcp update` writes it down";

/// The advice about a tool that changed.
const LOOK_AND_UPDATE: &str =
    "`agent mcp check` compares the two, and `agent mcp update` writes the document anew";

/// A tool as its server describes it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerTool {
    /// The name for documents, hosts and models, see [`tool_names`](crate::tool_names).
    pub name: String,
    /// The server's own name of the tool.
    pub remote: String,
    /// The title for people.
    pub title: Option<String>,
    /// The description for the model.
    pub description: Option<String>,
    /// The JSON Schema of the arguments, whose properties have the server's order.
    pub input_schema: String,
    /// The JSON Schema of structured results.
    pub output_schema: Option<String>,
    /// The server's hints about the tool.
    pub annotations: Annotations,
}

/// The hints of a server about a tool, which need not be true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Annotations {
    /// Whether the tool changes nothing.
    pub read_only: Option<bool>,
    /// Whether the tool may destroy something.
    pub destructive: Option<bool>,
    /// Whether doing the same twice does no more than doing it once.
    pub idempotent: Option<bool>,
    /// Whether the tool reaches things outside of the server, such as the web.
    pub open_world: Option<bool>,
}

impl Annotations {
    fn of(tool: &ListedTool) -> Self {
        let given = tool.annotations.as_ref();
        Self {
            read_only: given.and_then(|given| given.read_only_hint),
            destructive: given.and_then(|given| given.destructive_hint),
            idempotent: given.and_then(|given| given.idempotent_hint),
            open_world: given.and_then(|given| given.open_world_hint),
        }
    }

    /// Returns the settings of a tool whose annotations are believed. By the protocol, a tool that is not read-only may
    /// destroy something unless its server says otherwise; one without any annotation has not been described.
    fn settings(self) -> ToolSettings {
        let mut settings = ToolSettings::DEFAULT;
        settings.read_only = self.read_only == Some(true);
        settings.idempotent = self.idempotent == Some(true);
        settings.destructive = self.destructive == Some(true)
            || self.read_only == Some(false) && self.destructive.is_none();
        settings
    }
}

/// A tool that was left out of a library, because it cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedTool {
    /// The name that the tool would have.
    pub name: String,
    /// The server's own name of the tool.
    pub remote: String,
    /// The reason.
    pub reason: String,
}

/// The tools of a list that was read.
pub(crate) struct ReadTools {
    pub(crate) tools: Vec<ServerTool>,
    pub(crate) library: ToolLibrary,
    pub(crate) refused: Vec<RefusedTool>,
}

/// Makes tools of a list. It takes long for large schemas.
pub(crate) fn read_tools(connection: &Arc<Connection>, list: &Arc<ToolList>) -> ReadTools {
    let server = &connection.server;
    let mut read = ReadTools {
        tools: Vec::with_capacity(list.tools.len()),
        library: ToolLibrary::new(),
        refused: Vec::new(),
    };
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    let mut signatures = Signatures {
        until: Instant::now() + READING_TIME,
        left: READ_BYTES,
    };
    let remote: Vec<&str> = list.tools.iter().map(|tool| tool.name.as_str()).collect();
    for (listed, name) in list.tools.iter().zip(names_of(server, &remote)) {
        let described = ServerTool {
            name: name.clone(),
            remote: listed.name.clone(),
            title: listed.title.as_deref().map(|text| cut(text, DESCRIPTION)),
            description: listed
                .description
                .as_deref()
                .map(|text| cut(text, DESCRIPTION)),
            input_schema: listed.input.clone(),
            output_schema: listed.output.clone(),
            annotations: Annotations::of(listed),
        };
        // Nobody has said which of two tools a document means. Otherwise the first one is read.
        let is_first = list
            .get(&listed.name)
            .is_some_and(|first| Arc::ptr_eq(first, listed));
        let signature = match is_first && !(server.is_locked && list.repeats(&listed.name)) {
            true => signatures.read(listed, described.description.as_deref()),
            false => Err(REPEATED.to_owned()),
        };
        read.tools.push(described);
        let lock = server.lock.as_ref().filter(|_| server.is_locked);
        let tool = signature.and_then(|signature| match lock {
            None => Ok(McpTool::new(
                connection,
                list,
                listed,
                name.clone(),
                signature,
            )),
            Some(lock) => {
                let locked = locked_tool(lock, &listed.name);
                let locked = locked.ok_or(NOT_IN_DOCUMENT)?;
                McpTool::locked(connection, list, listed, locked.spec(), &signature)
            }
        });
        match tool {
            Ok(tool) => tools.push(Arc::new(tool)),
            Err(reason) => read.refuse(name, listed.name.clone(), reason),
        }
    }
    let many = format!(
        "the server lists too many tools; only the first ones are read, {MAX_TOOLS} at most"
    );
    let header = "an `x-mcp-header` in its schema is not valid; it must be on a text, an integer or a boolean, and be a \
                  name of a header that no other parameter has";
    for (unread, reason) in [(&list.beyond, &*many), (&list.removed, header)] {
        let unread: Vec<&str> = unread.iter().map(String::as_str).collect();
        for (name, remote) in names_of(server, &unread).into_iter().zip(&unread) {
            read.refuse(name, (*remote).to_owned(), reason.to_owned());
        }
    }
    let names: Vec<&str> = list
        .unreadable
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    for (name, tool) in names_of(server, &names).into_iter().zip(&list.unreadable) {
        // The parser may quote what the server wrote.
        let reason = server.redactor.log_text(&tool.reason);
        read.refuse(name, tool.name.clone(), reason);
    }
    let lock = server.lock.iter().filter(|_| server.is_locked);
    for tool in lock.flat_map(|lock| lock.tools()) {
        let mut known = read.tools.iter().map(|tool| &tool.remote);
        let mut refused = read.refused.iter().map(|refused| &refused.remote);
        if !known.any(|remote| remote == tool.remote())
            && !refused.any(|remote| remote == tool.remote())
        {
            let name = tool.spec().name().to_owned();
            read.refuse(name, tool.remote().to_owned(), GONE.to_owned());
        }
    }
    for tool in tools {
        let descriptor = tool.descriptor();
        let name = descriptor.name().to_owned();
        if let Err(error) = read.library.add(tool) {
            read.refuse(name.clone(), name, error.to_string());
        }
    }
    for refused in &read.refused {
        let reason = format!(
            "the tool `{}` of the server `{}` cannot be used: {}",
            cut(&refused.remote, 100),
            server.name,
            refused.reason
        );
        read.library.leave_out(&refused.name, reason);
    }
    read
}

impl ReadTools {
    fn refuse(&mut self, name: String, remote: String, reason: String) {
        self.refused.push(RefusedTool {
            name,
            remote,
            reason,
        });
    }
}

/// Returns the names of tools for documents, hosts and models: those of the server's document, where it has the tool. No other
/// tool gets such a name, so that a server cannot put another tool in the place of one that somebody knows.
fn names_of(server: &McpServer, remote: &[&str]) -> Vec<String> {
    let mut names = tool_names(&server.name, remote);
    if let Some(lock) = &server.lock {
        for (name, remote) in names.iter_mut().zip(remote) {
            if let Some(known) = locked_tool(lock, remote) {
                *name = known.spec().name().to_owned();
            } else if lock.tools().iter().any(|tool| tool.spec().name() == name) {
                *name = unique_name(&server.name, remote);
            }
        }
    }
    names
}

/// Returns the tool of a document by its name at the server.
fn locked_tool<'l>(lock: &'l McpLock, remote: &str) -> Option<&'l LockedTool> {
    lock.tools().iter().find(|tool| tool.remote() == remote)
}

/// Reads the signatures of a server's tools, within bounds for all of them together.
struct Signatures {
    until: Instant,
    /// The number of bytes that are left.
    left: usize,
}

impl Signatures {
    fn read(
        &mut self,
        listed: &ListedTool,
        description: Option<&str>,
    ) -> Result<Signature, String> {
        if listed.name.is_empty() {
            return Err("its name is empty".to_owned());
        }
        if Instant::now() > self.until {
            return Err("the schemas of the server's tools take too long to read".to_owned());
        }
        let signature = signature_of(listed)?;
        let bytes = signature.to_string().len() + description.map_or(0, str::len);
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let most = READ_BYTES >> 20;
            format!("with the tools before it, its signature has more than {most} MiB")
        })?;
        Ok(signature)
    }
}

/// Returns the settings of a tool whose annotations are believed if the host trusts its server.
fn settings_of(server: &McpServer, listed: &ListedTool) -> ToolSettings {
    match server.trusts_annotations {
        true => Annotations::of(listed).settings(),
        false => ToolSettings::DEFAULT,
    }
}

/// A tool of a server.
pub(crate) struct McpTool {
    connection: Arc<Connection>,
    descriptor: ToolDescriptor,
    /// The tool as it was when the library was made.
    bound: Arc<ListedTool>,
    /// The signature that agents are bound to.
    signature: Signature,
    /// The newest list with which the tool was compared, and the result.
    compared: Mutex<(Arc<ToolList>, Result<(), String>)>,
}

impl McpTool {
    /// Makes a tool with the description that the server gives it.
    fn new(
        connection: &Arc<Connection>,
        list: &Arc<ToolList>,
        listed: &Arc<ListedTool>,
        name: String,
        signature: Signature,
    ) -> Self {
        let server = &connection.server;
        let texts = [&listed.description, &listed.title];
        let mut texts = texts.into_iter().flatten().map(|text| text.trim());
        let description = match texts.find(|text| !text.is_empty()) {
            Some(text) => cut(text, DESCRIPTION),
            None => format!(
                "The tool `{}` of the server `{}`",
                cut(&listed.name, 100),
                server.name
            ),
        };
        let settings = settings_of(server, listed);
        let descriptor = ToolDescriptor::new(
            name.into(),
            description.into(),
            Contract::Signature(signature.clone()),
            settings.with_timeout(server.timeout.unwrap_or(TIMEOUT)),
        );
        // A server may describe its tools anew at any time, and the model reads the agent's spec.
        let descriptor = descriptor.with_changing_description();
        Self::of(connection, list, listed, descriptor, signature)
    }

    /// Makes a tool that does what a document says. `now` is the signature that the server gives it.
    ///
    /// # Errors
    /// The changes, if the server no longer accepts the calls of the document.
    fn locked(
        connection: &Arc<Connection>,
        list: &Arc<ToolList>,
        listed: &Arc<ListedTool>,
        spec: &ToolSpec,
        now: &Signature,
    ) -> Result<Self, String> {
        let server = &connection.server;
        check_accepts(&listed.name, spec.signature(), now).map_err(|changes| {
            format!("it no longer is as the document says; {LOOK_AND_UPDATE}:\n{changes}")
        })?;
        let timeouts = [server.timeout, spec.timeout()].into_iter().flatten();
        let mut settings =
            settings_of(server, listed).with_timeout(timeouts.min().unwrap_or(TIMEOUT));
        settings.requires_approval = spec.requires_approval();
        let descriptor = ToolDescriptor::new(
            spec.name().to_owned().into(),
            spec.description().to_owned().into(),
            Contract::Signature(spec.signature().clone()),
            settings,
        );
        Ok(Self::of(
            connection,
            list,
            listed,
            descriptor,
            spec.signature().clone(),
        ))
    }

    fn of(
        connection: &Arc<Connection>,
        list: &Arc<ToolList>,
        listed: &Arc<ListedTool>,
        descriptor: ToolDescriptor,
        signature: Signature,
    ) -> Self {
        Self {
            connection: Arc::clone(connection),
            descriptor,
            bound: Arc::clone(listed),
            signature,
            compared: Mutex::new((Arc::clone(list), Ok(()))),
        }
    }

    /// Checks that the server's newest description of the tool still fits the one that was bound.
    ///
    /// # Errors
    /// The changes.
    fn check(&self, list: &Arc<ToolList>) -> Result<(), String> {
        let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&compared.0, list) {
            let name = &self.bound.name;
            let now = list.get(name).map(|tool| &**tool);
            let result = match list.unreadable(name) {
                _ if self.connection.server.is_locked && list.repeats(name) => {
                    Err(REPEATED.to_owned())
                }
                Some(reason) if now.is_none() => {
                    let reason = self.connection.server.redactor.log_text(reason);
                    Err(format!("its new description cannot be used: {reason}"))
                }
                _ => check_unchanged(&self.bound, &self.signature, now),
            };
            *compared = (Arc::clone(list), result);
        }
        compared.1.clone()
    }

    /// Whether a call may be repeated when it is not known whether the server made it.
    fn is_repeatable(&self) -> bool {
        let settings = self.descriptor.settings();
        settings.read_only || settings.idempotent
    }

    /// Calls the tool at its server.
    async fn call_server(
        &self,
        arguments: &str,
        context: &ToolContext,
    ) -> Result<Value, ToolError> {
        let connection = &self.connection;
        let server = &connection.server;
        let remote = &self.bound.name;
        let of_server = || {
            format!(
                "the tool `{}` of the server `{}`",
                cut(remote, 100),
                connection.name
            )
        };
        let arguments: Map<String, Value> = serde_json::from_str(arguments).map_err(|error| {
            ToolError::Validation(format!("the arguments are not a JSON object: {error}"))
        })?;
        let mut may_repeat = self.is_repeatable();
        let mut sign_ins = 0;
        loop {
            let before = server.sign_ins();
            let session = connection.session().await.map_err(ToolError::Execution)?;
            connection
                .refresh(&session)
                .await
                .map_err(ToolError::Execution)?;
            self.check(&connection.list()).map_err(|change| {
                let text = format!("{} changed since it was bound: {change}", of_server());
                ToolError::Execution(text)
            })?;
            match session.call(remote, &arguments, context).await {
                Ok(result) => {
                    connection.succeeded().await;
                    let redactor = &server.redactor;
                    // The model may be somebody else's.
                    return match value_of(result, context) {
                        Ok(value) => Ok(redactor.value(&value)),
                        Err(error) => Err(error.redacted(redactor)),
                    };
                }
                Err(RequestError::Unauthorized(challenge)) => {
                    let mut problem = challenge.words();
                    if sign_ins < MAX_SIGN_INS {
                        sign_ins += 1;
                        match server.sign_in_for(&challenge, before).await {
                            Ok(()) => continue,
                            Err(Some(error)) => problem = error.to_string(),
                            Err(None) => {
                                problem = server.with_advice(problem, &challenge).await;
                            }
                        }
                    }
                    let problem = server.redactor.log_text(&problem);
                    let text = format!("{} cannot be called: {problem}", of_server());
                    return Err(ToolError::Authorization(text));
                }
                Err(RequestError::Ended) if may_repeat => may_repeat = false,
                Err(RequestError::Ended) => {
                    let ended = session.end().await;
                    return Err(ToolError::Execution(format!(
                        "the server `{}` ended during the call of `{}`{ended}; whether the call was made is not known",
                        connection.name,
                        cut(remote, 100),
                    )));
                }
                Err(RequestError::Failed(problem)) => {
                    let problem = server.redactor.log_text(&problem);
                    let text = format!("{} failed: {problem}", of_server());
                    return Err(ToolError::Execution(text));
                }
                Err(RequestError::Tool(error)) => return Err(error),
            }
        }
    }
}

impl Tool for McpTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(self.call_server(arguments, context))
    }

    fn owner(&self) -> Option<&str> {
        Some(&self.connection.server.name)
    }
}
