//! The MCP servers of documents, with the tokens of the user's sign-ins.

use crate::user_data::tokens_folder;
use agent_mcp::{McpServer, MissingAuthorization, SignIn, TokenFolder};
use agent_project::report::Report;
use agent_project::source::read;
use agent_runtime::Environment;
use agent_spec::Code;
use agent_spec::mcp::{McpLock, McpTransport};
use agent_spec::names::is_tool_name;
use std::path::{Path, PathBuf};

/// Gives the server of a document that is reached by HTTP the token of the user's sign-in. `login` is the command that signs
/// in, for errors.
pub(crate) fn signed_in(
    server: McpServer,
    lock: &McpLock,
    login: &str,
    environment: &Environment,
) -> McpServer {
    let McpTransport::Http { .. } = lock.transport() else {
        return server;
    };
    match tokens_folder(environment) {
        Some(folder) if !has_authorization(lock) => {
            let sign_in = SignIn::stored(TokenFolder::new(folder));
            let login = login.to_owned();
            server.sign_in(sign_in.advice(move |missing| Some(run_login(&login, missing))))
        }
        _ => server,
    }
}

/// Whether a document sets the header `authorization` of its server.
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

/// The maximum number of scopes that an error names, because an MCP server can ask for any number.
const MAX_SCOPES: usize = 20;

/// Returns advice to run the command that signs in, with the options for the missing scopes.
fn run_login(login: &str, missing: &MissingAuthorization) -> String {
    let MissingAuthorization::Scopes(scopes) = missing else {
        return format!("run `{login}`");
    };
    // A person may paste the command into a shell, and the scopes are the server's texts.
    let is_plain = |scope: &String| {
        let mut chars = scope.chars();
        let is_short = scope.len() <= 200 && !scope.starts_with('-');
        is_short && chars.all(|c| c.is_ascii_alphanumeric() || "_-.:/@+".contains(c))
    };
    if scopes.len() > MAX_SCOPES || !scopes.iter().all(is_plain) {
        return format!("run `{login}` with `--scope SCOPE` for each scope that you need");
    }
    let options = scopes.iter().map(|scope| format!(" --scope {scope}"));
    format!("run `{login}{}`", options.collect::<String>())
}

/// Returns the default path of the document of a server.
pub(crate) fn usual_path(name: &str) -> PathBuf {
    PathBuf::from(format!("mcp/{name}.gram"))
}

/// Returns the usual document of the MCP server that has a tool, if it is below the current folder.
pub(crate) fn document_of_tool(tool: &str) -> Option<PathBuf> {
    // The name of a tool begins with that of its server. Other names could lead out of the folder.
    let ends = tool.match_indices('_').filter(|_| is_tool_name(tool));
    let mut paths = ends.map(|(end, _)| usual_path(&tool[..end]));
    paths.find(|path| {
        let source = Some(path)
            .filter(|path| path.is_file())
            .map(|path| read(path));
        let lock = source.and_then(|source| McpLock::parse(&source.ok()?.text).ok());
        lock.is_some_and(|lock| lock.tools().iter().any(|known| known.spec().name() == tool))
    })
}

/// Returns advice to name the document of the MCP server that has a tool.
pub(crate) fn about_document(tool: &str, path: &Path) -> String {
    let path = path.display();
    format!("the MCP server of `{path}` has `{tool}`: give `--mcp {path}`")
}

/// The maximum number of unknown tools in a text whose documents are searched for, because each document is
/// read.
const MAX_SEARCHED: usize = 20;

/// Adds advice about `--mcp` to the findings about unknown tools that may be tools of servers.
pub(crate) fn name_documents(report: &mut Report) {
    let text = &report.source.text;
    let found = report.diagnostics.iter_mut();
    let unknown = found.filter(|found| found.code() == Code::UnknownTool);
    for found in unknown.take(MAX_SEARCHED) {
        let name = found.span().text(text);
        let help = match (document_of_tool(name), found.help()) {
            (Some(path), _) => about_document(name, &path),
            (None, Some(help)) if is_tool_name(name) && name.contains('_') => {
                format!("{help} (a tool of an MCP server is known by its document, `--mcp FILE`)")
            }
            (None, _) => continue,
        };
        *found = found.clone().with_help(help);
    }
}

/// Returns the command that signs in at the server of a document.
pub(crate) fn login_command(name: &str, document: &str) -> String {
    match Path::new(document) == usual_path(name) {
        true => format!("agent mcp login {name}"),
        false => format!("agent mcp login {document}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_that_a_shell_would_read_are_not_in_the_command() {
        let advice = |scopes: &[&str]| {
            let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
            run_login(
                "agent mcp login docs",
                &MissingAuthorization::Scopes(scopes),
            )
        };
        assert_eq!(
            advice(&["read", "https://a.example/pages:write"]),
            "run `agent mcp login docs --scope read --scope https://a.example/pages:write`"
        );
        let plain = "run `agent mcp login docs` with `--scope SCOPE` for each scope that you need";
        for scope in [
            "--url",
            "a;b",
            "$(reboot)",
            "`b`",
            "a'b",
            "\u{1b}[2J",
            &"a".repeat(201),
        ] {
            assert_eq!(advice(&["read", scope]), plain);
        }
        assert_eq!(advice(&["a"; 21]), plain);
    }
}
