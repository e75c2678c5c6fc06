//! A server's tool as a tool of a run.

use super::argument_map::ArgumentMap;
use super::connection::{Connection, MAX_SIGN_INS};
use super::content::value_of;
use super::contract::{check_accepts, check_unchanged};
use super::server::{McpServer, TIMEOUT};
use super::session::RequestError;
use super::tool_list::{ListedTool, ToolList};
use agent_effects::{Effect, Effects};
use agent_runtime::__private::shortened;
use agent_runtime::serde_json::{Map, Value};
use agent_runtime::tool::{Contract, ToolDescriptor, ToolFuture, ToolSettings};
use agent_runtime::{Tool, ToolContext, ToolError};
use agent_spec::schema::ReadTool;
use agent_spec::{Signature, ToolSpec};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of bytes of a description.
pub(super) const DESCRIPTION: usize = 16 << 10;

/// The reason why a tool cannot be used whose name another tool of the server has, too.
pub(super) const REPEATED: &str = "the server lists two tools of this name";

/// The advice about a tool that changed.
const LOOK_AND_UPDATE: &str =
    "`agent mcp check` compares the two, and `agent mcp update` writes the document anew";

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
    pub(super) fn of(tool: &ListedTool) -> Self {
        let given = tool.annotations.as_ref();
        Self {
            read_only: given.and_then(|given| given.read_only_hint),
            destructive: given.and_then(|given| given.destructive_hint),
            idempotent: given.and_then(|given| given.idempotent_hint),
            open_world: given.and_then(|given| given.open_world_hint),
        }
    }

    /// Returns the effects of a tool. Its server is a stranger, so that its results have words of strangers, and what it is
    /// given is sent to it. A hint can add an effect, and takes none away.
    fn effects(self) -> Effects {
        let mut effects = Effects::NONE
            .with(Effect::Untrusted, true)
            .with(Effect::Sends, true);
        if self.read_only == Some(false) {
            effects = effects.with(Effect::Writes, true);
        }
        if self.destructive == Some(true) {
            effects = effects.with(Effect::Destructive, true);
        }
        effects
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

/// Returns the settings of a tool whose annotations are believed if the host trusts its server.
fn settings_of(server: &McpServer, listed: &ListedTool) -> ToolSettings {
    let annotations = Annotations::of(listed);
    let mut settings = match server.trusts_annotations {
        true => annotations.settings(),
        false => ToolSettings::DEFAULT,
    };
    settings.effects = annotations.effects();
    settings
}

/// The result of comparing a tool with the newest list: the map of its arguments, or the changes.
type Comparison = Result<Arc<ArgumentMap>, String>;

/// A tool of a server.
pub(crate) struct McpTool {
    connection: Arc<Connection>,
    descriptor: ToolDescriptor,
    /// The tool as it was when the library was made.
    bound: Arc<ListedTool>,
    /// The signature that agents are bound to.
    signature: Signature,
    /// The map to the arguments that the server reads, created from `signature` and `bound`.
    map: Arc<ArgumentMap>,
    /// The newest list with which the tool was compared, and the result.
    compared: Mutex<(Arc<ToolList>, Comparison)>,
}

impl McpTool {
    /// Makes a tool with the description that the server gives it.
    pub(super) fn new(
        connection: &Arc<Connection>,
        list: &Arc<ToolList>,
        listed: &Arc<ListedTool>,
        name: String,
        read: ReadTool,
    ) -> Self {
        let server = &connection.server;
        let texts = [&listed.description, &listed.title];
        let mut texts = texts.into_iter().flatten().map(|text| text.trim());
        let description = match texts.find(|text| !text.is_empty()) {
            Some(text) => shortened(text, DESCRIPTION),
            None => format!(
                "The tool `{}` of the server `{}`",
                shortened(&listed.name, 100),
                server.name
            ),
        };
        let settings = settings_of(server, listed);
        let descriptor = ToolDescriptor::new(
            name.into(),
            read.described(&description).into(),
            Contract::Signature(read.signature.clone()),
            settings.with_timeout(server.timeout.unwrap_or(TIMEOUT)),
        );
        // A server may describe its tools anew at any time, and the model reads the agent's spec.
        let descriptor = descriptor.with_changing_description();
        let signature = read.signature.clone();
        Self::of(connection, list, listed, (descriptor, signature), &read)
    }

    /// Creates a tool with the contract of a document. `now` is the contract that the server declares.
    ///
    /// # Errors
    /// The changes, if the server no longer accepts the calls of the document.
    pub(super) fn locked(
        connection: &Arc<Connection>,
        list: &Arc<ToolList>,
        listed: &Arc<ListedTool>,
        spec: &ToolSpec,
        now: &ReadTool,
    ) -> Result<Self, String> {
        let server = &connection.server;
        check_accepts(&listed.name, spec.signature(), &now.signature).map_err(|changes| {
            format!("it no longer is as the document says; {LOOK_AND_UPDATE}:\n{changes}")
        })?;
        let signature = spec.signature().with_known_of(&now.signature);
        let timeouts = [server.timeout, spec.timeout()].into_iter().flatten();
        let mut settings =
            settings_of(server, listed).with_timeout(timeouts.min().unwrap_or(TIMEOUT));
        settings.requires_approval = spec.requires_approval();
        // A person may have changed what the server says. A document without labels says nothing, so that the server counts as a
        // stranger.
        if !spec.effects().is_unknown() {
            settings.effects = spec.effects();
        }
        let descriptor = ToolDescriptor::new(
            spec.name().to_owned().into(),
            spec.description().to_owned().into(),
            Contract::Signature(signature.clone()),
            settings,
        );
        Ok(Self::of(
            connection,
            list,
            listed,
            (descriptor, signature),
            now,
        ))
    }

    fn of(
        connection: &Arc<Connection>,
        list: &Arc<ToolList>,
        listed: &Arc<ListedTool>,
        (descriptor, signature): (ToolDescriptor, Signature),
        read: &ReadTool,
    ) -> Self {
        let map = Arc::new(ArgumentMap::new(&signature, read, &listed.input));
        Self {
            connection: Arc::clone(connection),
            descriptor,
            bound: Arc::clone(listed),
            signature,
            map: Arc::clone(&map),
            compared: Mutex::new((Arc::clone(list), Ok(map))),
        }
    }

    /// Checks that the server's newest description of the tool still fits the description that was bound.
    /// Returns the map to the arguments that the server reads.
    ///
    /// # Errors
    /// The changes.
    fn check(&self, list: &Arc<ToolList>) -> Comparison {
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
                _ => check_unchanged(&self.bound, &self.signature, now).map(|changed| {
                    let map = changed
                        .zip(now)
                        .map(|(read, now)| ArgumentMap::new(&self.signature, &read, &now.input));
                    map.map_or_else(|| Arc::clone(&self.map), Arc::new)
                }),
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
                shortened(remote, 100),
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
            let map = self.check(&connection.list()).map_err(|change| {
                let text = format!("{} changed since it was bound: {change}", of_server());
                ToolError::Execution(text)
            })?;
            let arguments = map.apply(&arguments);
            match session.call(remote, &arguments, context).await {
                Ok(result) => {
                    connection.succeeded().await;
                    let redactor = &server.redactor;
                    // The result is redacted, because the model may belong to somebody else.
                    let output = self.bound.output.is_some();
                    let output = output.then(|| self.signature.returns().ty());
                    return match value_of(result, output, context, redactor) {
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
                        shortened(remote, 100),
                    )));
                }
                Err(RequestError::Failed(problem)) => {
                    let problem = server.redactor.log_text(&problem);
                    let text = format!("{} failed: {problem}", of_server());
                    return Err(ToolError::Execution(text));
                }
                Err(RequestError::Unread(problem)) => {
                    let problem = server.redactor.log_text(&problem);
                    let text = format!(
                        "{} was called, and its result is lost: {problem}",
                        of_server()
                    );
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
