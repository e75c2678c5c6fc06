//! `agent mcp`: documents with the tools of MCP servers, and serving agents and tools to MCP clients.

mod check;
mod import;
mod live;
mod login;
mod logout;
mod redirect;
mod serve;
mod served;
mod update;

use crate::outcome::{CommandError, Outcome};
use crate::style::Style;
use agent_runtime::Environment;
use clap::Subcommand;

const LONG_ABOUT: &str = "\
Import the tools of MCP servers, compare them with what the servers have now, and serve agents to MCP clients

A server is a dependency that changes. `import` writes its tools into a document, which is checked in and
reviewed like other sources:
  [files:Mcp {command: [\"mcp-server-files\", \"/srv/docs\"], version: \"1.2.0\", protocol: \"2026-07-28\"} |
    [files_read:Tool {description: \"Reads a file\", remote: \"read\"} | (path::Text)==>(::Any)]
  ]
Agents name its tools, such as files_read. `agent check --mcp FILE` and `agent! { mcp: [FILE], … }` check them, and
`agent run --mcp FILE` starts the server and calls them. `check` tells whether the server still has the tools of the
document, and `update` writes them anew.

`import`, `check` and `update` start the command of the server, or send requests to its address. A command gets no
variables of the environment but those that programs need to start and those that the document names in `env`.

`login` signs in with a browser at a server that asks for it. The other commands then use the tokens, which only the user
can read.

`serve` is the other direction: MCP clients use your agents and tools.";

/// Import and compare the tools of MCP servers, and serve agents to MCP clients
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: McpCommand,
}

#[derive(Debug, Subcommand)]
enum McpCommand {
    Check(check::Args),
    Import(import::Args),
    Login(login::Args),
    Logout(logout::Args),
    Serve(Box<serve::Args>),
    Update(update::Args),
}

/// Runs a command about MCP servers.
pub(crate) fn mcp(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    match args.command {
        McpCommand::Check(args) => check::check(&args, environment, style),
        McpCommand::Import(args) => import::import(args, environment),
        McpCommand::Login(args) => login::login(args, environment, style),
        McpCommand::Logout(args) => logout::logout(&args, environment, style),
        McpCommand::Serve(args) => serve::serve(&args, environment, style),
        McpCommand::Update(args) => update::update(&args, environment, style),
    }
}
