//! Reads a server's list of tools as the tools of a library.

use super::connection::Connection;
use super::contract::{GONE, read_contract};
use super::error::ERROR_TEXT;
use super::server::McpServer;
use super::tool::{Annotations, DESCRIPTION, McpTool, REPEATED};
use super::tool_list::{ListedTool, ToolList};
use crate::name::{tool_names, unique_name};
use crate::rmcp_workarounds::tool_page::MAX_TOOLS;
use agent_runtime::__private::shortened;
use agent_runtime::{Tool, ToolLibrary};
use agent_spec::Signature;
use agent_spec::mcp::{McpLock, McpTool as LockedTool};
use agent_spec::schema::{Loss, ReadTool};
use std::sync::Arc;

/// The maximum number of bytes of one tool's signature and description, as gram writes them. References of a schema
/// are not unfolded beyond a few times its size, so that only a schema that is itself long has more.
const READ_BYTES: usize = 1 << 20;

/// The maximum number of bytes of the signatures and descriptions of all tools together, so that no server takes the
/// memory of the host.
const ALL_READ_BYTES: usize = 128 << 20;

/// The maximum number of losses that are listed for all tools of a server.
const MOST_LOSSES: usize = 20;

/// The reason why a tool cannot be used that the server's document does not have.
const NOT_IN_DOCUMENT: &str =
    "the document of the server does not have it; `agent mcp update` writes it down";

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
    pub(crate) warnings: Vec<String>,
    /// The parts of the tools' schemas that are not checked before a call, a line each.
    pub(crate) losses: Vec<String>,
}

/// Creates the tools of a list, which takes long for large schemas.
pub(crate) fn read_tools(connection: &Arc<Connection>, list: &Arc<ToolList>) -> ReadTools {
    let server = &connection.server;
    let mut read = ReadTools {
        tools: Vec::with_capacity(list.tools.len()),
        library: ToolLibrary::new(),
        refused: Vec::new(),
        warnings: list.warning(&server.name).into_iter().collect(),
        losses: Vec::new(),
    };
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    let mut contracts = Contracts {
        left: ALL_READ_BYTES,
    };
    let remote: Vec<&str> = list.tools.iter().map(|tool| tool.name.as_str()).collect();
    for (listed, name) in list.tools.iter().zip(names_of(server, &remote)) {
        let described = ServerTool {
            name: name.clone(),
            remote: listed.name.clone(),
            title: listed
                .title
                .as_deref()
                .map(|text| shortened(text, DESCRIPTION)),
            description: listed
                .description
                .as_deref()
                .map(|text| shortened(text, DESCRIPTION)),
            input_schema: listed.input.clone(),
            output_schema: listed.output.clone(),
            annotations: Annotations::of(listed),
        };
        // Two tools of one name are refused if a document is the contract, because it is unknown which of
        // them the document means. Otherwise the first one is used.
        let is_first = list
            .get(&listed.name)
            .is_some_and(|first| Arc::ptr_eq(first, listed));
        let known = server
            .lock
            .as_deref()
            .and_then(|lock| locked_tool(lock, &listed.name));
        let known_signature = known.map(|tool| tool.spec().signature());
        let contract = match is_first && !(server.is_locked && list.repeats(&listed.name)) {
            true => contracts.read(listed, described.description.as_deref(), known_signature),
            false => Err(REPEATED.to_owned()),
        };
        read.tools.push(described);
        if let Ok(contract) = &contract {
            read.list_losses(server, listed, contract);
        }
        let tool = contract.and_then(|read| match server.is_locked {
            false => Ok(McpTool::new(connection, list, listed, name.clone(), read)),
            true => {
                let locked = known.ok_or(NOT_IN_DOCUMENT)?;
                McpTool::locked(connection, list, listed, locked.spec(), &read)
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
            shortened(&refused.remote, 100),
            server.name,
            refused.reason
        );
        read.library.leave_out(&refused.name, reason);
    }
    read
}

impl ReadTools {
    /// Lists the regular expressions and the parts of a tool's schema that its signature leaves out. The
    /// other losses are in its description, or gram's own rules replace them.
    fn list_losses(&mut self, server: &McpServer, listed: &ListedTool, contract: &ReadTool) {
        let losses = contract.losses.iter();
        let losses = losses.filter(|lost| matches!(lost.loss(), None | Some(Loss::Patterns)));
        for lost in losses.take(MOST_LOSSES.saturating_sub(self.losses.len())) {
            self.losses.push(shortened(
                &format!(
                    "the tool `{}` of the server `{}` is checked less than its schema says: {lost}",
                    shortened(&listed.name, 100),
                    server.name
                ),
                ERROR_TEXT,
            ));
        }
    }

    fn refuse(&mut self, name: String, remote: String, reason: String) {
        self.refused.push(RefusedTool {
            name,
            remote,
            reason,
        });
    }
}

/// Returns the names of tools for documents, hosts and models. A tool in the server's document has the
/// document's name. No other tool gets a name of the document, so that a server cannot replace a known tool
/// with another tool.
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

/// Reads the contracts of a server's tools, within bounds.
struct Contracts {
    /// The number of bytes that are left for all contracts.
    left: usize,
}

impl Contracts {
    fn read(
        &mut self,
        listed: &ListedTool,
        description: Option<&str>,
        known: Option<&Signature>,
    ) -> Result<ReadTool, String> {
        if listed.name.is_empty() {
            return Err("its name is empty".to_owned());
        }
        let read = read_contract(listed, known)?;
        let description = read.described(description.unwrap_or_default());
        let bytes = read.signature.to_string().len() + description.len();
        if bytes > READ_BYTES {
            let most = READ_BYTES >> 20;
            return Err(format!("its signature has more than {most} MiB"));
        }
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let most = ALL_READ_BYTES >> 20;
            format!("with the tools before it, its signature has more than {most} MiB")
        })?;
        Ok(read)
    }
}
