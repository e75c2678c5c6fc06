//! `agent dev`: a page in the browser that talks to the agents of documents.

use crate::async_runtime::async_runtime;
use crate::browser;
use crate::command::fmt::FoundFiles;
use crate::command::serve::hosts::{Hosts, check_host};
use crate::listen::{self, stop_signal};
use crate::old_runs::delete_old;
use crate::outcome::{CommandError, Outcome};
use crate::output::{line_to_stdout, to_stderr, warning_to_stderr};
use crate::served::ServedArgs;
use crate::session::{start_tracing_with, warn_about_missing_tools};
use crate::style::Style;
use crate::user_data::create_conversations_folder;
use agent_project::known_tools::KnownModels;
use agent_project::report::{Report, counted};
use agent_runtime::journal::{Journal, RunFilter};
use agent_runtime::{Agent, Environment, Permissions, ToolContext};
use agent_spec::check::Checked;
use agent_store::SqliteJournal;
use agent_studio::{DocumentAgent, Documents, Studio, WireLog, add_headers};
use axum::middleware::{from_fn, from_fn_with_state};
use std::collections::HashSet;
use std::future::pending;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tracing_subscriber::Layer;

const LONG_ABOUT: &str = "\
Talk to the agents of documents in a browser, and look at their runs, tools and findings

The documents are read again when they change; while one has errors, the last version without errors runs. The address
has a token: whoever has the address can do everything that the page can. Keys of providers never reach the page.

More: agent help journal, access, limits, keys";

const AFTER_HELP: &str = "\
Examples:
  agent dev agents/hello.gram --offline
  agent dev agents/ --allow-read docs
  agent dev agents/clerk.gram --mcp mcp/orders.gram --journal runs.db
  agent dev agents/hello.gram --read-only --no-browser --port 8700";

/// Talk to the agents of documents in a browser, and look at their runs, tools and findings
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    served: ServedArgs,
    /// Keep runs and conversations in this file, instead of the usual one
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Serve the page at this port of this machine, instead of a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Print the address, and open no browser
    #[arg(long)]
    no_browser: bool,
    /// Refuse messages, decisions and calls from the page
    #[arg(long)]
    read_only: bool,
    /// Print requests to models, their answers and traces of runs on standard error; the keys of providers are masked
    #[arg(long)]
    debug: bool,
}

/// The time between two looks at the documents.
const READ_INTERVAL: Duration = Duration::from_millis(500);

/// The end of the name of the folder beside the journal that has the requests to the servers of models.
const WIRE: &str = ".wire";

/// The time that runs have to end when the server ends.
const CLOSING: Duration = Duration::from_secs(10);

/// The number of random bytes of the token.
const TOKEN_BYTES: usize = 32;

/// Serves the page.
pub(crate) fn dev(
    args: &Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let journal = match &args.journal {
        Some(path) => path.clone(),
        None => create_conversations_folder(environment)?,
    };
    let mut wire = journal.clone().into_os_string();
    wire.push(WIRE);
    let wire = WireLog::new(wire);
    let layer = Some(wire.layer().boxed());
    let _exporter = start_tracing_with(layer, args.debug, environment, style)?;
    let tokio = async_runtime()?;
    let served = tokio.block_on(async {
        let models = args.served.known_models(environment)?;
        let documents = read(&args.served, models.as_ref());
        warn_of_errors(&documents);
        let agents: Vec<Agent> = documents
            .agents
            .iter()
            .flatten()
            .map(|own| own.agent.clone())
            .collect();
        let journal = SqliteJournal::open(journal).await?;
        delete_old(&journal).await;
        let runs = journal.list(&RunFilter::new()).await?;
        let runs: HashSet<String> = runs.into_iter().map(|info| info.run).collect();
        if let Err(error) = wire.retain(|run| runs.contains(run)) {
            warning_to_stderr(&format!("old requests cannot be deleted: {error}"));
        }
        let runtime = args
            .served
            .runtime(&agents, environment)?
            .journal(journal)
            .build()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
            .await
            .map_err(|error| {
                CommandError::new(format!("cannot listen at port {}: {error}", args.port))
            })?;
        let mut library = agent_builtin::library_with(environment);
        let servers = args.served.connect(None, environment, &mut library).await?;
        let agents = documents.agents.iter().flatten();
        warn_about_missing_tools(&library, agents.map(|found| &found.agent));
        let grants = args.served.connection.grants();
        let permissions = Permissions::new(&grants)?;
        let context = ToolContext::detached().with_permissions(permissions);
        let token = token()?;
        let studio = Studio::new(runtime, library, context, &token)
            .read_only(args.read_only)
            .offline(args.served.connection.is_offline())
            .grants(grants)
            .wire(wire)
            .check_with(check_with(&args.served, models.clone()));
        studio.update(documents);
        let served = serve(args, models.as_ref(), &studio, listener, &token).await;
        servers.close().await;
        served.map(|()| Outcome::Fine)
    });
    // Does not wait for tools that timed out.
    tokio.shutdown_background();
    served
}

/// Serves the page until Ctrl-C or a signal ends the program.
async fn serve(
    args: &Args,
    models: Option<&KnownModels>,
    studio: &Studio,
    listener: TcpListener,
    token: &str,
) -> Result<(), CommandError> {
    let stop = stop_signal()?;
    let address = listener
        .local_addr()
        .map_err(|error| CommandError::new(error.to_string()))?;
    let hosts = Arc::new(Hosts::new(&[]));
    let app = studio.router().layer(from_fn_with_state(hosts, check_host));
    let app = app.layer(from_fn(add_headers));
    let server = tokio::spawn(listen::serve(listener, app, pending()));
    if !args.read_only {
        studio.recover();
    }
    let page = format!("http://{address}/#token={token}");
    line_to_stdout(&format!("The page is at {page}"))?;
    if !args.no_browser && browser::open(&page).is_err() {
        to_stderr("no browser can be opened; open the address yourself\n");
    }
    tokio::select! {
        () = update(args, models, studio) => {}
        () = stop => {}
    }
    let second_stop = stop_signal()?;
    let have_ended = tokio::select! {
        have_ended = studio.close(CLOSING) => have_ended,
        () = second_stop => false,
    };
    if !have_ended {
        to_stderr(
            "not all runs have ended; they go on when the page is opened again with the same journal\n",
        );
    }
    server.abort();
    Ok(())
}

/// Gives the page the documents whenever they have changed.
async fn update(args: &Args, models: Option<&KnownModels>, studio: &Studio) {
    let mut known = texts(&read(&args.served, models));
    loop {
        tokio::time::sleep(READ_INTERVAL).await;
        let documents = read(&args.served, models);
        let now = texts(&documents);
        if now != known {
            known = now;
            studio.update(documents);
        }
    }
}

/// The part of documents that differs when something has changed.
fn texts(documents: &Documents) -> (Vec<(String, String)>, Option<String>, bool) {
    let texts = documents.reports.iter();
    let texts = texts.map(|report| (report.source.name.clone(), report.source.text.clone()));
    (
        texts.collect(),
        documents.problem.clone(),
        documents.agents.is_some(),
    )
}

/// Reads and checks the documents.
fn read(served: &ServedArgs, models: Option<&KnownModels>) -> Documents {
    let problem = |problem: String| Documents {
        problem: Some(problem),
        ..Documents::default()
    };
    let FoundFiles { files, errors, .. } = FoundFiles::of(served.files());
    if let Some(error) = errors.into_iter().next() {
        return problem(error);
    }
    let (documents, mut reports) = match served.tools().check_documents(&files, models) {
        Ok(checked) => checked,
        Err(error) => return problem(text_of(&error)),
    };
    let selected = served.select(&documents);
    let document_of = |agent: &Agent| {
        let mut documents = documents.iter();
        let has = |checked: &Checked| {
            checked
                .agents
                .iter()
                .any(|node| node.agent.name() == agent.name())
        };
        let found = documents.find(|(_, checked)| has(checked));
        found.map_or_else(String::new, |(source, _)| source.name.clone())
    };
    let selected = selected.map(|agents| {
        let agents = agents.into_iter().map(|agent| {
            let document = document_of(&agent);
            DocumentAgent { agent, document }
        });
        agents.collect::<Vec<_>>()
    });
    reports.extend(
        documents
            .into_iter()
            .map(|(source, checked)| Report::of(source, checked)),
    );
    let mut read = Documents {
        reports,
        ..Documents::default()
    };
    if !read.reports.iter().any(Report::has_errors) {
        match selected {
            Ok(agents) => read.agents = Some(agents),
            Err(error) => read.problem = Some(text_of(&error)),
        }
    }
    read
}

/// Warns of errors in the documents, because the page has no agent then.
fn warn_of_errors(documents: &Documents) {
    let errors: usize = documents.reports.iter().map(Report::error_count).sum();
    if errors > 0 {
        let errors = counted(errors, "error");
        warning_to_stderr(&format!(
            "the documents have {errors}; the page shows them under Findings, and `agent check` prints them"
        ));
    }
    if let Some(problem) = &documents.problem {
        warning_to_stderr(problem);
    }
}

/// Returns the function that checks a text in the place of a document, as the documents are checked.
fn check_with(
    served: &ServedArgs,
    models: Option<KnownModels>,
) -> impl Fn(&str, &str) -> Result<Checked, String> + Send + Sync + use<> {
    let tools = served.tools().clone();
    move |document, text| {
        let models = models.clone().map(|models| KnownModels {
            // A person tries a model in the place of that of `--model`.
            instead: None,
            ..models
        });
        let checked = tools.check_text(Path::new(document), text, models.as_ref());
        checked.map_err(|error| text_of(&error))
    }
}

/// Joins the messages of an error on one line.
fn text_of(error: &CommandError) -> String {
    error.messages().collect::<Vec<_>>().join("; ")
}

/// Returns a random token.
fn token() -> Result<String, CommandError> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| CommandError::new(format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
