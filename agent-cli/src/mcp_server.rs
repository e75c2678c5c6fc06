//! The MCP servers of documents, with the tokens of the user's sign-ins.

use crate::user_data::tokens_folder;
use agent_mcp::{McpError, McpServer, SignIn, TokenFolder};
use agent_runtime::Environment;
use agent_spec::mcp::{McpLock, McpTransport};
use std::path::{Path, PathBuf};

/// Describes the server of a document. One that is reached by HTTP gets the token of the user's sign-in. `login` is the
/// command that signs in, for errors.
///
/// # Errors
/// Returns an error if a variable that the document names is not set.
pub(crate) fn mcp_server(
    lock: &McpLock,
    login: &str,
    environment: &Environment,
) -> Result<McpServer, McpError> {
    let server = McpServer::locked(lock, environment)?;
    let McpTransport::Http { .. } = lock.transport() else {
        return Ok(server);
    };
    match tokens_folder(environment) {
        Some(folder) if !has_authorization(lock) => {
            let sign_in = SignIn::stored(TokenFolder::new(folder));
            Ok(server.sign_in(sign_in.advice(format!("run `{login}`"))))
        }
        _ => Ok(server),
    }
}

/// Whether a document says which token its server gets.
pub(crate) fn has_authorization(lock: &McpLock) -> bool {
    match lock.transport() {
        McpTransport::Http { headers, .. } => {
            let mut names = headers.iter().map(|(name, _)| name);
            names.any(|name| name.eq_ignore_ascii_case("authorization"))
        }
        McpTransport::Command { .. } => false,
        _ => false,
    }
}

/// Returns the path of the document that a server has when nobody says otherwise.
pub(crate) fn usual_path(name: &str) -> PathBuf {
    PathBuf::from(format!("mcp/{name}.gram"))
}

/// Returns the command that signs in at the server of a document.
pub(crate) fn login_command(name: &str, document: &str) -> String {
    match Path::new(document) == usual_path(name) {
        true => format!("agent mcp login {name}"),
        false => format!("agent mcp login {document}"),
    }
}
