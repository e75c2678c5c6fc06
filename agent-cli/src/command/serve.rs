//! `agent serve`: serves the agents of documents over HTTP.

pub(super) mod hosts;
mod journal;
mod owners;

use crate::async_runtime::async_runtime;
use crate::input::refuse_stdin_twice;
use crate::listen::{self, address, refuse_without_token, stop_signal};
use crate::outcome::{CommandError, Outcome};
use crate::output::{error_to_stderr, to_stderr};
use crate::served::ServedArgs;
use crate::session::{approve_all, dollars, positive, start_tracing};
use crate::style::Style;
use agent_runtime::{Agent, Environment, Error, Runtime, ToolLibrary};
use agent_web::{OwnerLimits, SecondTurn, Web};
use axum::Router;
use axum::middleware::{from_fn_with_state, map_response};
use hosts::{Hosts, check_host};
use journal::JournalPlace;
use owners::{Owners, ask_for_token};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

const LONG_ABOUT: &str = "\
Serve agents over HTTP: streams of events, approvals, and conversations

The agents are those that no other agent of their document calls, or those that --agent names. `POST /NAME/runs` begins
a run and answers with its events. Without --token-env, only this machine is served. The server speaks plain HTTP: put
a proxy with TLS before it. Ctrl-C ends the server; runs have ten seconds to end, and the next start continues the rest.

More: agent help server, journal, access, limits, keys";

const AFTER_HELP: &str = "\
Examples:
  agent serve agents/hello.gram --offline
  agent serve agents/clerk.gram --http 9000 --journal runs.db --per-owner-dollars 1
  ADA=… CLEO=… agent serve agents/clerk.gram --http 0.0.0.0:8080 \\
    --token-env ADA --token-env CLEO --may-decide cleo

Ask it:
  curl -N localhost:8080/hello_world_agent/runs -H 'content-type: application/json' \\
    -d '{\"message\": \"Hello\"}'";

/// Serve agents over HTTP: streams of events, approvals, and conversations
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    served: ServedArgs,
    /// Keep runs and conversations in this file or PostgreSQL database; otherwise in the usual file
    #[arg(long, value_name = "FILE|URL")]
    journal: Option<JournalPlace>,
    /// The address; a port of this machine, or an IP address and a port. The port 0 is a free one
    #[arg(long, value_name = "[IP:]PORT", value_parser = address, default_value = "127.0.0.1:8080")]
    http: SocketAddr,
    /// Ask for the bearer token in this variable; its name in lower case is the owner of the client's runs. May be given
    /// several times
    #[arg(long, value_name = "NAME")]
    token_env: Vec<String>,
    /// Serve requests for this host besides those for this machine; may be given several times. When other machines are
    /// served, the host is checked only with this option
    #[arg(long, value_name = "HOST[:PORT]")]
    allow_host: Vec<String>,
    /// Let this owner decide on the calls of all, and nobody on their own; may be given several times
    #[arg(long, value_name = "OWNER", conflicts_with = "yes")]
    may_decide: Vec<String>,
    /// Let at most N runs of an owner go on at the same time
    #[arg(long, value_name = "N", value_parser = positive)]
    per_owner_runs: Option<u64>,
    /// Begin no run of an owner whose runs have cost this many dollars since 00:00 UTC. A run whose model has no price
    /// does not count; give it one with --price
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    per_owner_dollars: Option<f64>,
    /// Let a message wait this long until the last run of its conversation has ended, instead of refusing it at once
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    wait_for_turn: Option<u64>,
    /// Print requests to models, their answers and traces of runs on standard error; the keys of providers are masked
    #[arg(long)]
    debug: bool,
}

/// The time between two searches for runs whose process died.
const RECOVERY_INTERVAL: Duration = Duration::from_secs(15);

/// The time that runs have to end when the server ends.
const CLOSING: Duration = Duration::from_secs(10);

/// The time that answers have to reach their clients when all runs have ended.
const ANSWERING: Duration = Duration::from_secs(1);

/// Serves clients.
pub(crate) fn serve(
    args: &Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    refuse_without_token(args.http, !args.token_env.is_empty())?;
    refuse_stdin_twice(args.served.inputs())?;
    let owners = Owners::read(&args.token_env, environment)?;
    let deciding = args.may_decide.iter().map(|name| owners.named(name));
    let deciding: Vec<String> = deciding.collect::<Result<_, _>>()?;
    let _exporter = start_tracing(args.debug, environment, style)?;
    let tokio = async_runtime()?;
    let served = tokio.block_on(async {
        let Some(documents) = args.served.documents(style)? else {
            return Ok(Outcome::Failed);
        };
        let agents = args.served.select(&documents)?;
        if agents.is_empty() {
            error_to_stderr(
                "the documents declare no agent to serve; `agent mcp serve` serves tools",
            );
            return Ok(Outcome::Failed);
        }
        let mut runtime = args.served.runtime(&agents, environment)?;
        if args.served.yes {
            runtime = runtime.approver(approve_all);
        }
        let listener = listen(args.http).await?;
        runtime = journal::add(runtime, args.journal.as_ref(), environment).await?;
        let runtime = runtime.build()?;
        // The servers are started last, so that no server is started if there is a mistake.
        let mut library = agent_builtin::library_with(environment);
        let servers = args
            .served
            .connect(Some(&agents), environment, &mut library);
        let servers = servers.await?;
        let served = match web(args, &runtime, &agents, library, (owners, deciding)) {
            Ok(web) => answer(args, web, listener, &agents).await,
            Err(error) => Err(error.into()),
        };
        servers.close().await;
        served.map(|()| Outcome::Fine)
    });
    // Does not wait for tools that timed out.
    tokio.shutdown_background();
    served
}

async fn listen(address: SocketAddr) -> Result<TcpListener, CommandError> {
    TcpListener::bind(address).await.map_err(|error| {
        let advice = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "; another program has the port: end it, or choose another port with --http"
            }
            _ => "",
        };
        CommandError::new(format!("cannot listen at {address}: {error}{advice}"))
    })
}

/// Builds the routes. The last argument has the owners, and the names of the owners who decide on the calls
/// of all owners.
fn web(
    args: &Args,
    runtime: &Runtime,
    agents: &[Agent],
    library: ToolLibrary,
    (owners, deciding): (Owners, Vec<String>),
) -> Result<Web<String>, Error> {
    let mut limits = OwnerLimits::new();
    if let Some(runs) = args.per_owner_runs {
        limits = limits.concurrent(usize::try_from(runs).unwrap_or(usize::MAX));
    }
    if let Some(dollars) = args.per_owner_dollars {
        limits = limits.dollars_per_day(dollars);
    }
    let mut web = agent_web::router(runtime, agents.to_vec(), library)
        .owner(move |request| std::future::ready(owners.find(&request.headers)))
        .per_owner(limits);
    if !deciding.is_empty() {
        web = web.may_decide(move |owner, _, _| deciding.contains(owner));
    }
    if let Some(seconds) = args.wait_for_turn {
        web = web.second_turn(SecondTurn::Wait(Duration::from_secs(seconds)));
    }
    web.build()
}

/// Serves clients until Ctrl-C or a signal ends the program.
async fn answer(
    args: &Args,
    web: Web<String>,
    listener: TcpListener,
    agents: &[Agent],
) -> Result<(), CommandError> {
    let stop = stop_signal()?;
    let mut app: Router = web.router().layer(map_response(ask_for_token));
    // If other machines are served, a token is required, which no web page of a stranger has. So the host is
    // then checked only with `--allow-host`.
    if args.http.ip().is_loopback() || !args.allow_host.is_empty() {
        let hosts = Arc::new(Hosts::new(&args.allow_host));
        app = app.layer(from_fn_with_state(hosts, check_host));
    }
    let is_shared = matches!(args.journal, Some(JournalPlace::Postgres(_)));
    let recovered = web.clone();
    let recovering = tokio::spawn(async move {
        loop {
            recovered.recover();
            if !is_shared {
                return;
            }
            tokio::time::sleep(RECOVERY_INTERVAL).await;
        }
    });
    let names: Vec<&str> = agents.iter().map(Agent::name).collect();
    let address = listener.local_addr().unwrap_or(args.http);
    to_stderr(&format!(
        "serving {} at http://{address}/\n",
        names.join(", ")
    ));
    let (stopping, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(listen::serve(listener, app, async {
        let _ = stopped.await;
    }));
    stop.await;
    recovering.abort();
    let _ = stopping.send(());
    let second_stop = stop_signal()?;
    let have_ended = tokio::select! {
        have_ended = web.close(CLOSING) => have_ended,
        () = second_stop => false,
    };
    match have_ended {
        // A client that reads nothing must not keep the program running.
        true => drop(tokio::time::timeout(ANSWERING, server).await),
        false => to_stderr(
            "not all runs have ended; they go on when the server is started again with the same journal\n",
        ),
    }
    Ok(())
}
