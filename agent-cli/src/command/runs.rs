//! `agent runs`: lists, shows, continues and deletes the runs of a journal.

mod gram;
mod resume;
mod show;
#[cfg(feature = "otel")]
mod trace;

use crate::async_runtime::async_runtime;
use crate::display::name;
use crate::outcome::{CommandError, Outcome};
use crate::output::{errors_to_stderr, json_to_stdout, line_to_stdout, to_stderr};
use crate::output_format::Format;
use crate::provider::Provider;
use crate::rows::INDENT;
#[cfg(feature = "otel")]
use crate::session::otel_settings;
use crate::session::{ConnectionArgs, ModelPrice, keys};
use crate::user_data;
use agent_runtime::conversation::ConversationName;
#[cfg(feature = "otel")]
use agent_runtime::cost::Prices;
use agent_runtime::journal::{Journal, RunFilter, RunInfo, RunState, StoredRun};
use agent_runtime::run::Decision;
use agent_runtime::{Environment, Runtime};
use agent_spec::duration::duration_of;
use agent_spec::json::{Ordered, parse_json};
use agent_spec::names::nearest;
use agent_store::SqliteJournal;
#[cfg(feature = "otel")]
use agent_studio::steps::Steps;
use resume::Resuming;
pub(crate) use resume::{ABOUT_WAITING, waiting_line};
use serde_json::{Value, json};
use show::ShowFormat;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const LONG_ABOUT: &str = "\
List, show, continue and delete the runs of a journal

`agent run --journal FILE`, `agent run --conversation` and `agent chat` keep a run in a journal: each answer of the model, each call of a tool and its result, before
anything depends on it. If the program is killed, `resume` continues the run: answers and results that are in the
journal are not asked for again. A call that was interrupted is made again only if its tool is idempotent or read-only;
any other waits for your decision, because the tool may have acted. A call that requires approval waits, too.

A run is running (or its program is gone), waiting (for a decision), done, failed or cancelled; a damaged run can only be deleted.
`show` prints the steps of a run and the calls that wait. `approve` makes such a call, `done` gives its result without making it, `deny` refuses it, and `edit`
makes it with other arguments; all of them then continue the run.

The journal has no keys, addresses and grants. Give `resume` and the decisions the options of `agent run` that tell how
models are reached and what tools may do.

`agent replay` repeats a run with another agent.

The exit code is 1 if a run failed or waits for a decision.";

const AFTER_HELP: &str = "\
Examples:
  agent run agents/clerk.gram \"Pay the invoice 17\" --journal runs.db
  agent runs list --journal runs.db --state waiting
  agent runs show 4f1c --journal runs.db
  agent runs show 4f1c --format gram --price OpenAI/gpt-6-luna=0.10,0.50 --journal runs.db > run.gram
  agent runs resume --all --journal runs.db
  agent runs approve 4f1c call_1 --journal runs.db
  agent runs deny 4f1c call_1 \"not this month\" --journal runs.db
  agent runs export 4f1c --cassette tests/pays.json --journal runs.db
  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 agent runs export 4f1c --otlp --journal runs.db
  agent runs delete --older-than 30d --journal runs.db

The beginning of an id stands for the run if no other run has it.";

/// List, show, continue and delete the runs of a journal
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// The file with the journal; otherwise the usual one. `agent run --journal FILE` or `--store FILE` created it. The usual one
    /// has the runs of chats and stored conversations
    #[arg(long, global = true, value_name = "FILE")]
    journal: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the runs with their states, agents, ages and costs
    List {
        /// Only these runs
        #[arg(long, value_parser = RunState::ALL.map(RunState::as_str))]
        state: Option<String>,
        /// Only the runs of this owner, such as a user of a web server
        #[arg(long, value_name = "OWNER")]
        owner: Option<String>,
        /// Only the runs of this stored conversation
        #[arg(long, value_name = "NAME")]
        conversation: Option<ConversationName>,
        /// Only the runs of this agent
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
        /// The format of the list
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Show the steps of a run, and the calls that wait for a decision
    Show {
        /// The run
        run: String,
        /// The format; `json` has the records as they are in the journal
        #[arg(long, value_enum, default_value_t)]
        format: ShowFormat,
        /// The price of a model in dollars per million tokens, as for `agent run`, to show the cost of each answer
        #[arg(
            long = "price",
            value_name = "PROVIDER/ID=SENT,WRITTEN[,CACHED[,STORED]]"
        )]
        prices: Vec<ModelPrice>,
    },
    /// Continue a run, or with --all each run whose program is gone
    Resume {
        /// The run
        #[arg(required_unless_present = "all")]
        run: Option<String>,
        /// Continue each run that has not ended, that no program drives and that waits for nobody
        #[arg(long, conflicts_with = "run")]
        all: bool,
        #[command(flatten)]
        options: ResumeArgs,
    },
    /// Make a call that waits, and continue the run
    Approve {
        #[command(flatten)]
        call: CallArgs,
        #[command(flatten)]
        options: ResumeArgs,
    },
    /// Give the result of a call that was interrupted and had been made, and continue the run
    Done {
        #[command(flatten)]
        call: CallArgs,
        /// The result: JSON, or a text; a text that is JSON, such as 17, is written with its quotes, as '"17"'
        result: String,
        #[command(flatten)]
        options: ResumeArgs,
    },
    /// Refuse a call that waits, and continue the run
    Deny {
        #[command(flatten)]
        call: CallArgs,
        /// The reason, which the model reads
        reason: Option<String>,
        #[command(flatten)]
        options: ResumeArgs,
    },
    /// Make a call that waits with other arguments, and continue the run
    Edit {
        #[command(flatten)]
        call: CallArgs,
        /// The arguments: a JSON object
        #[arg(value_name = "JSON")]
        arguments: String,
        #[command(flatten)]
        options: ResumeArgs,
    },
    /// End a run that no program drives, as cancelled; its records stay
    Cancel {
        /// The run
        run: String,
    },
    /// Write a run to a cassette for tests, or send it as a trace to an OpenTelemetry collector
    Export {
        /// The run
        run: String,
        /// Write the requests and their answers to this file, which is replaced if it exists; the cassettes of
        /// `agent_runtime` replay it in tests
        #[arg(long, value_name = "FILE", required_unless_present = "otlp")]
        cassette: Option<PathBuf>,
        /// Send the spans of the run to a collector: that of OTEL_EXPORTER_OTLP_ENDPOINT. Without the variable, that of
        /// http://localhost:4318. The spans have the times of the records, and no texts
        #[arg(long, conflicts_with = "cassette")]
        otlp: bool,
    },
    /// Delete a run, or with --older-than each run that ended before
    Delete {
        /// The run
        #[arg(required_unless_present = "older_than")]
        run: Option<String>,
        /// Delete each run that ended longer ago, such as 30d, 12h or 90m
        #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "run")]
        older_than: Option<Duration>,
    },
}

#[derive(Debug, clap::Args)]
struct CallArgs {
    /// The run
    run: String,
    /// The id of the call, as `show` prints it
    call: String,
}

/// How models and tools are reached, which no journal has.
#[derive(Debug, clap::Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    /// The address of another provider than the built-in ones, with the key in the variable `<NAME>_API_KEY`
    #[arg(long = "provider", value_name = "NAME=URL")]
    pub(crate) providers: Vec<Provider>,
    /// The price of a model in dollars per million tokens, as for `agent run`; a run with --max-cost needs it
    #[arg(
        long = "price",
        value_name = "PROVIDER/ID=SENT,WRITTEN[,CACHED[,STORED]]"
    )]
    pub(crate) prices: Vec<ModelPrice>,
    /// The document of an MCP server whose tools the run calls, as for `agent run`; may be given several times
    #[arg(long = "mcp", value_name = "FILE")]
    pub(crate) servers: Vec<PathBuf>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number: Option<f64> = text[..text.len() - unit.len()].parse().ok();
    let duration = number.and_then(|number| match unit {
        "d" => duration_of(number * 24.0, "h"),
        unit => duration_of(number, unit),
    });
    duration.ok_or_else(|| "write a number above 0 and one of d, h, m and s, as in 30d".to_owned())
}

/// Executes an action of the command line on a journal.
pub(crate) fn runs(args: Args, environment: &Environment) -> Result<Outcome, CommandError> {
    let tokio = async_runtime()?;
    let outcome = tokio.block_on(act(args, environment));
    // Does not wait for the threads of tools that timed out.
    tokio.shutdown_background();
    outcome
}

async fn act(args: Args, environment: &Environment) -> Result<Outcome, CommandError> {
    let writes = args.action.writes();
    let journal = open(args.journal, environment, writes).await?;
    let decide = async |call: CallArgs, decision: Decision, options: ResumeArgs| {
        let run = found(&journal, &call.run).await?;
        let resuming = Resuming::new(&journal, &options, environment).await?;
        resuming.run(&run.run, Some((call.call, decision))).await
    };
    match args.action {
        Action::List {
            state,
            owner,
            conversation,
            agent,
            format,
        } => {
            let mut filter = RunFilter::new();
            let states = RunState::ALL.into_iter();
            filter.states = states
                .filter(|known| state.as_deref() == Some(known.as_str()))
                .collect();
            (filter.owner, filter.conversation) = (owner, conversation);
            let is_filtered = filter != RunFilter::new() || agent.is_some();
            let mut runs = journal.list(&filter).await?;
            runs.retain(|run| agent.as_ref().is_none_or(|name| *name == run.agent));
            print_list(&runs, is_filtered, format)?;
            let damaged = runs.iter().filter(|run| run.state == RunState::Damaged);
            let errors = damaged.map(|run| {
                let run = name(&run.run);
                format!("the entry of the run `{run}` is damaged; `agent runs delete {run}` removes the run")
            });
            let errors: Vec<String> = errors.collect();
            errors_to_stderr(&errors);
            Ok(Outcome::of_errors(!errors.is_empty()))
        }
        Action::Show {
            run,
            format,
            prices,
        } => {
            let run = found(&journal, &run).await?.run;
            match journal.read(&run).await? {
                Some(stored) => show::show(&stored, environment, &prices, format),
                None => Err(unknown(&run, &[])),
            }
        }
        Action::Resume { run, options, .. } => {
            let run = match run {
                Some(run) => Some(found(&journal, &run).await?),
                None => None,
            };
            let resuming = Resuming::new(&journal, &options, environment).await?;
            match run {
                Some(run) => resuming.run(&run.run, None).await,
                None => resuming.all().await,
            }
        }
        Action::Approve { call, options } => decide(call, Decision::Approve, options).await,
        Action::Done {
            call,
            result,
            options,
        } => {
            let result = match serde_json::from_str::<Value>(&result) {
                Ok(_) => json_of("result", &result)?,
                Err(_) => Value::String(result),
            };
            decide(call, Decision::Done { result }, options).await
        }
        Action::Deny {
            call,
            reason,
            options,
        } => decide(call, Decision::Deny { reason }, options).await,
        Action::Edit {
            call,
            arguments,
            options,
        } => {
            let args = json_of("arguments", &arguments)?;
            decide(call, Decision::Edit { args }, options).await
        }
        Action::Cancel { run } => {
            let run = found(&journal, &run).await?;
            let runtime = Runtime::builder().journal(journal).build()?;
            runtime.cancel_run(&run.run).await?;
            Ok(Outcome::Fine)
        }
        Action::Export {
            run,
            cassette: None,
            otlp: _,
        } => {
            let run = found(&journal, &run).await?.run;
            match journal.read(&run).await? {
                Some(stored) => export_trace(&stored, environment).await,
                None => Err(unknown(&run, &[])),
            }
        }
        Action::Export {
            run,
            cassette: Some(cassette),
            otlp: _,
        } => {
            let run = found(&journal, &run).await?;
            check_cassette(&cassette, journal.path())?;
            let mut builder = Runtime::builder().journal(journal);
            for key in keys(environment) {
                builder = builder.secret(key);
            }
            let runtime = builder.build()?;
            let library = agent_builtin::library_with(environment);
            let count = runtime.export_cassette(&run.run, &library, &cassette);
            if count.await? == 0 {
                return Err(CommandError::new(
                    "no model has answered in this run, so there is nothing to replay",
                ));
            }
            Ok(Outcome::Fine)
        }
        Action::Delete {
            run: Some(run),
            older_than: _,
        } => {
            let run = found(&journal, &run).await?.run;
            if journal.acquire(&run).await?.is_none() {
                return Err(CommandError::new(format!(
                    "the run `{run}` is driven by another task or process; stop that first"
                )));
            }
            journal.delete(&run).await?;
            Ok(Outcome::Fine)
        }
        Action::Delete {
            run: None,
            older_than,
        } => {
            let limit = SystemTime::now().checked_sub(older_than.unwrap_or_default());
            let limit = limit.unwrap_or(UNIX_EPOCH);
            let count = journal.delete_ended(limit, u64::MAX).await?;
            to_stderr(&format!(
                "{} deleted\n",
                agent_project::report::counted(count, "run")
            ));
            Ok(Outcome::Fine)
        }
    }
}

/// Sends a run as a trace to the collector of the environment.
#[cfg(feature = "otel")]
async fn export_trace(
    stored: &StoredRun,
    environment: &Environment,
) -> Result<Outcome, CommandError> {
    let redactor = crate::session::redactor(environment);
    let records = show::records(stored, &redactor)?;
    let span = trace::trace(&stored.info, &Steps::new(records, Prices::new())?);
    let otel = agent_otel::Otel::start(otel_settings(environment))?;
    // The export waits for the collector, so it has a thread for blocking work.
    let exported = tokio::task::spawn_blocking(move || otel.export(&span)).await;
    match exported {
        Ok(exported) => exported.map(|()| Outcome::Fine).map_err(CommandError::from),
        Err(stopped) => Err(CommandError::new(format!(
            "the export was stopped: {stopped}"
        ))),
    }
}

#[cfg(not(feature = "otel"))]
async fn export_trace(_: &StoredRun, _: &Environment) -> Result<Outcome, CommandError> {
    Err(CommandError::new(
        "this program was built without the feature `otel`, which sends traces; see the page \"Traces and metrics\" of the book",
    ))
}

/// Parses JSON that the user wrote. A key that an object has twice is an error, because one of the values would be lost.
fn json_of(what: &str, text: &str) -> Result<Value, CommandError> {
    let checked: Result<Ordered, _> = serde_json::from_str(text);
    let parsed = checked.and_then(|_| parse_json(text));
    parsed.map_err(|error| CommandError::new(format!("the {what} cannot be read as JSON: {error}")))
}

impl Action {
    /// Whether the journal is written.
    fn writes(&self) -> bool {
        !matches!(
            self,
            Self::List { .. } | Self::Show { .. } | Self::Export { .. }
        )
    }
}

/// Opens the journal, which must exist. If it is only read, the file need not be writable.
pub(crate) async fn open(
    path: Option<PathBuf>,
    environment: &Environment,
    writes: bool,
) -> Result<SqliteJournal, CommandError> {
    let (path, creators) = match path {
        Some(path) => (path, "`agent run --journal` creates one"),
        None => (
            user_data::conversations_file(environment)?,
            "`agent chat` and `agent run --conversation` create one, and --journal FILE names another",
        ),
    };
    if !path.exists() {
        return Err(CommandError::new(format!(
            "there is no journal `{}`; {creators}",
            path.display()
        )));
    }
    match SqliteJournal::open(&path).await {
        Ok(journal) => Ok(journal),
        Err(error) if writes || error.is_format() => Err(error.into()),
        Err(error) => {
            let opened = SqliteJournal::open_read_only(path).await;
            opened.map_err(|_| error.into())
        }
    }
}

/// Checks that a cassette may be written to a path, where it replaces an existing file.
fn check_cassette(path: &Path, journal: &Path) -> Result<(), CommandError> {
    if path == Path::new("-") {
        return Err(CommandError::new(
            "a cassette is written to a file; name one, such as `tests/pays.json`",
        ));
    }
    if std::fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    let real = |path: &Path| path.canonicalize().ok();
    let problem = if real(path).is_none() {
        "is a link to a file that does not exist"
    } else if real(path) == real(journal) {
        "is the journal"
    } else if !path.is_file() {
        "is no ordinary file"
    } else {
        return Ok(());
    };
    Err(CommandError::new(format!(
        "`{}` {problem}, and the cassette would replace it; name another file",
        path.display()
    )))
}

/// Finds a run by its id, or by the beginning of its id.
pub(crate) async fn found(journal: &SqliteJournal, run: &str) -> Result<RunInfo, CommandError> {
    let runs = journal.list(&RunFilter::new()).await?;
    if let Some(found) = runs.iter().find(|info| info.run == run) {
        return Ok(found.clone());
    }
    let mut beginning = runs.iter().filter(|info| info.run.starts_with(run));
    match (beginning.next(), beginning.next()) {
        (Some(found), None) if !run.is_empty() => Ok(found.clone()),
        (Some(one), Some(other)) if !run.is_empty() => Err(CommandError::new(format!(
            "several runs begin with `{run}`, such as `{}` and `{}`; write more of the id",
            one.run, other.run
        ))),
        _ => Err(unknown(run, &runs)),
    }
}

pub(crate) fn unknown(run: &str, runs: &[RunInfo]) -> CommandError {
    let ids = runs.iter().map(|info| info.run.as_str());
    CommandError::new(match nearest(run, ids) {
        Some(meant) => format!("the journal has no run `{run}`; did you mean `{meant}`?"),
        None => {
            format!("the journal has no run `{run}`; `agent runs list` lists all of them")
        }
    })
}

/// Returns a run as a JSON object. Scripts depend on these members.
fn info_json(run: &RunInfo) -> Value {
    let seconds = |time: SystemTime| {
        time.duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs()
    };
    json!({
        "run": run.run,
        "agent": run.agent,
        "state": run.state.as_str(),
        "started": seconds(run.started),
        "updated": seconds(run.updated),
        "cost": run.cost,
        "conversation": run.conversation.as_ref().map(ConversationName::as_str),
        "owner": run.owner,
    })
}

fn print_list(runs: &[RunInfo], is_filtered: bool, format: Format) -> io::Result<()> {
    if format == Format::Json {
        return json_to_stdout(&runs.iter().map(info_json).collect::<Vec<_>>());
    }
    if runs.is_empty() {
        to_stderr(match is_filtered {
            true => "no run of the journal is like that\n",
            false => "the journal has no runs\n",
        });
    }
    for run in runs {
        line_to_stdout(&line(run))?;
    }
    Ok(())
}

/// Writes a run on one line.
fn line(run: &RunInfo) -> String {
    if run.state == RunState::Damaged {
        return format!("{}  {}", id(&run.run), run.state);
    }
    let age = SystemTime::now().duration_since(run.started);
    let mut line = format!(
        "{}  {:7}  {}  {}",
        id(&run.run),
        run.state.as_str(),
        name(&run.agent),
        age_text(age.unwrap_or_default()),
    );
    if let Some(cost) = run.cost.filter(|cost| *cost > 0.0) {
        line.push_str(&format!("  ${cost:.4}"));
    }
    if let Some(conversation) = &run.conversation {
        line.push_str(&format!("  in {conversation}"));
    }
    if let Some(owner) = &run.owner {
        line.push_str(&format!("  for {}", name(owner)));
    }
    line
}

/// Writes the id of a run. It comes from a file: if it is another text than an id, it is indented, so that it looks like
/// no line of the command.
fn id(run: &str) -> String {
    let is_plain = run
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    match is_plain {
        true => name(run),
        false => format!("{INDENT}{}", name(run)),
    }
}

/// Writes the time since something happened, in its largest unit.
fn age_text(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}
