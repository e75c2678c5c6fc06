//! `agent mcp serve`: serves the agents or tools of documents to MCP clients.

use super::served::server;
use crate::async_runtime::async_runtime;
use crate::listen::{address, refuse_without_token, stop_signal, token};
use crate::outcome::{CommandError, Outcome, with_causes};
use crate::output::to_stderr;
use crate::served::ServedArgs;
use crate::session::start_tracing;
use crate::style::Style;
use agent_mcp::{HttpServer, ServeError, Server};
use agent_runtime::Environment;
use std::net::SocketAddr;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Serve agents to MCP clients, each as a tool

The agents are those that no other agent of their document calls, or those that --agent names. Each needs a
description, by which the client's model knows when to call it. A document without agents serves its tools, which
must be built-in ones; see `agent tools`.

Without --http, one client is served on standard input and output, as clients start servers. With --http, clients are
served at the path /mcp. Other machines are only served if a token is asked for.

A call that requires approval asks the user of the client, if the client can. With --journal, an answer of the user
continues its run also after this command was started again.

More: agent help journal, access, limits, keys";

const AFTER_HELP: &str = "\
Examples:
  agent mcp serve agents/hello.gram
  agent mcp serve agents/hello.gram agents/guide.gram --agent guide --model OpenAI/gpt-6-sol
  agent mcp serve agents/reader.gram --mcp mcp/files.gram --journal runs.db
  agent mcp serve agents/hello.gram --http 8080

How a client is told to start it:
  {\"mcpServers\": {\"hello\": {\"command\": \"agent\", \"args\": [\"mcp\", \"serve\", \"hello.gram\"]}}}";

/// Serve agents to MCP clients, each as a tool
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    served: ServedArgs,
    /// Keep each run in this journal
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Serve clients over HTTP at this address; a port of this machine, or an IP address and a port. The port 0 is a free
    /// one
    #[arg(long, value_name = "[IP:]PORT", value_parser = address)]
    http: Option<SocketAddr>,
    /// Ask for the bearer token in this variable of the environment
    #[arg(long, value_name = "NAME", requires = "http")]
    token_env: Option<String>,
    /// Serve requests for this host besides those for this machine; may be given several times
    #[arg(long, value_name = "HOST[:PORT]", requires = "http")]
    allow_host: Vec<String>,
    /// Serve requests of web pages of this origin, such as `https://app.example:443`; may be given several times
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Print requests to models, their answers and traces of runs on standard error; the keys of providers are masked
    #[arg(long)]
    debug: bool,
}

/// Serves clients.
pub(crate) fn serve(
    args: &Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let token = args
        .token_env
        .as_deref()
        .map(|name| token(name, environment));
    let token = token.transpose()?;
    if let Some(address) = args.http {
        refuse_without_token(address, token.is_some())?;
    }
    let _exporter = start_tracing(args.debug, environment, style)?;
    let tokio = async_runtime()?;
    let served = tokio.block_on(async {
        let journal = args.journal.as_deref();
        let server = server(&args.served, journal, environment, style);
        let Some((server, servers)) = server.await? else {
            return Ok(Outcome::Failed);
        };
        let served = match args.http {
            None => server.stdio().await,
            Some(address) => {
                let stop = stop_signal()?;
                let server = over_http(server, address, token, args).stop_when(stop);
                http(server).await
            }
        };
        servers.close().await;
        match served {
            Ok(()) => Ok(Outcome::Fine),
            Err(error @ (ServeError::Tools(_) | ServeError::Configuration(_))) => {
                Err(CommandError::new(error.to_string()))
            }
            Err(error) => Err(CommandError::new(with_causes(&error))),
        }
    });
    // Does not wait for the thread that reads standard input, nor for tools that timed out.
    tokio.shutdown_background();
    served
}

fn over_http(
    server: Server,
    address: SocketAddr,
    token: Option<String>,
    args: &Args,
) -> HttpServer {
    let mut server = server.http(address);
    if let Some(token) = token {
        server = server.bearer_token(token);
    }
    let hosts = args.allow_host.iter();
    server = hosts.fold(server, |server, host| server.allow_host(host));
    let origins = args.allow_origin.iter();
    origins.fold(server, |server, origin| server.allow_origin(origin))
}

/// Serves clients over HTTP until the server is stopped.
async fn http(server: HttpServer) -> Result<(), ServeError> {
    let bound = server.bind().await?;
    to_stderr(&format!("listening at http://{}/mcp\n", bound.local_addr()));
    bound.run().await
}
