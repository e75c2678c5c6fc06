//! `agent replay`: repeats a run of a journal, with its own agent or with another one.

mod comparison;
mod live;

use crate::async_runtime::async_runtime;
use crate::command::runs::{ResumeArgs, found, open, unknown};
use crate::document::{ToolFiles, tools_of};
use crate::outcome::{CommandError, Outcome};
use crate::output_format::Format;
use crate::provider::check_reachable;
use crate::session::{
    Servers, Variable, all_prices, approve_all, redactor, refuse_duplicates, select_agent,
};
use crate::style::Style;
use agent_catalog::Catalog;
use agent_mcp::McpServer;
use agent_runtime::journal::{Journal as _, RunInfo, StoredRun};

use agent_runtime::testing::Replay;
use agent_runtime::{Agent, Environment, ToolLibrary};
use agent_spec::ToolSpec;
use agent_spec::mcp::McpLock;
use agent_studio::replay::add_stand_ins;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Repeat a run of a journal, and show what differs

The journal has all that came from outside of a run: the input, the answers of the models and the results of the calls.
`replay` builds each request of the run again from them, and with --with each request that the agent of a document would
make in its place: also those of the agents that it calls, and those for summaries. The first request that differs is
shown as a diff. No model is asked and no tool is called, so that it needs neither keys nor a network: a snapshot test of
prompts. Changes that reach no model, such as layout, comments, limits, grants and approval, are none.

Without --with the requests are compared with the digests of those that were sent. A request that a hook changed is
compared in the form that it had before, and named.

With --live the models are asked anew, on the same input. A call that equals a recorded one, in tool and arguments, gets
the recorded result; equal calls get theirs in order. Any other call is not made, and the model reads that. With --tools
the built-in tools make it, with the access that the --allow options give them. The options that tell how models are
reached are for --live. Both runs are printed in one list of steps: = marks a step of both, - one of the recorded run
and + one of the new run.

With --format json there is one document on standard output:
  {\"run\",\"requests\",\"same\",\"sentOtherwise\":[number],
   \"difference\":{\"request\",\"agent\",\"part\",\"name\"?,\"recorded\",\"new\",\"ended\"?}|null}
\"part\" is model, settings, instruction, tool, toolOrder, message or request; \"name\" is that of the tool, or the number of
the message. \"recorded\" and \"new\" are the texts of the part, null where it does not exist. With --live:
  {\"run\",\"steps\":[{\"side\",\"agent\",\"text\"} or {\"side\",\"agent\",\"tool\",\"arguments\",\"result\"|\"error\"}],
   \"content\"|\"error\"}
\"side\" is both, recorded or new.

Exit codes: 0 if all requests are the same, or with --live if the new run has an answer; 1 if a request differs, the
document has errors, or the new run failed; 2 for wrong usage, or a journal that cannot be read.";

const AFTER_HELP: &str = "\
Examples:
  agent replay 4f1c --journal runs.db
  agent replay 4f1c --with agents/clerk.gram --journal runs.db
  agent replay 4f1c --with agents/team.gram --agent clerk --var city=Ulm --journal runs.db
  agent replay 4f1c --with agents/clerk.gram --live --journal runs.db
  agent replay 4f1c --with agents/clerk.gram --live --tools --allow-net api.example.org --journal runs.db

The beginning of an id stands for the run if no other run has it.";

/// Repeat a run of a journal with another agent, and show what differs
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The run
    run: String,
    /// The file with the journal; otherwise the usual one. `agent run --journal FILE` or `--store FILE` created it. The usual one has
    /// the runs of chats and stored conversations
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// The document with the new agent; `-` is standard input
    #[arg(long, value_name = "DOCUMENT")]
    with: Option<PathBuf>,
    /// The agent, when the document has several; by default the one with the name of the recorded agent
    #[arg(long, value_name = "NAME", requires = "with")]
    agent: Option<String>,
    /// Fill `{{NAME}}` in the instruction; may be given several times. Variables of the recorded run have their
    /// values
    #[arg(long = "var", value_name = "NAME=VALUE", requires = "with")]
    variables: Vec<Variable>,
    /// Ask the models anew
    #[arg(long)]
    live: bool,
    /// With --live, make calls that the recorded run does not have, with the built-in tools
    #[arg(long, requires = "live")]
    tools: bool,
    /// Make calls that require approval without asking
    #[arg(long, requires = "tools")]
    yes: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    options: ResumeArgs,
}

/// Repeats a run.
pub(crate) fn replay(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let tokio = async_runtime()?;
    let outcome = tokio.block_on(act(&args, environment, style));
    // Does not wait for the threads of tools that timed out.
    tokio.shutdown_background();
    outcome
}

async fn act(
    args: &Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    refuse_duplicates(&args.variables)?;
    let journal = open(args.journal.clone(), environment, false).await?;
    let info = found(&journal, &args.run).await?;
    let stored = journal.read(&info.run).await?;
    let stored = stored.ok_or_else(|| unknown(&info.run, &[]))?;
    let mut library = agent_builtin::library_with(environment);
    let options = &args.options;
    let redactor = redactor(environment);
    // The servers are connected before the stand-ins are added, because stand-ins are only for the tools that
    // the library lacks.
    let makes_calls = args.live && args.tools;
    let files: &[PathBuf] = if makes_calls { &options.servers } else { &[] };
    let check = |locks: &[McpLock]| options.connection.sent_variables.check(locks, true);
    let set_up = |server: McpServer| server.redactor(&redactor);
    let servers = Servers::connect(files, None, environment, check, set_up, &mut library);
    let servers = servers.await?;
    let outcome = replayed(args, environment, style, (info, stored), library).await;
    servers.close().await;
    outcome
}

async fn replayed(
    args: &Args,
    environment: &Environment,
    style: &Style,
    (info, stored): (RunInfo, StoredRun),
    mut library: ToolLibrary,
) -> Result<Outcome, CommandError> {
    let mut replay = Replay::new(stored);
    let mut provider = None;
    if args.with.is_some() {
        let Some((agent, specs)) = args.new_agent(&info, style)? else {
            return Ok(Outcome::Failed);
        };
        add_stand_ins(&mut library, &specs)?;
        provider = Some(agent.model().provider().to_owned());
        replay = replay.with_agent(agent);
    }
    for variable in &args.variables {
        replay = replay.variable(&variable.name, &variable.value);
    }
    replay = replay.tools(&library);
    if !args.live {
        let redactor = redactor(environment);
        let comparison = replay.compare()?;
        let new = args.with.as_ref().map(|path| path.display().to_string());
        return comparison::print(&comparison, &info, new.as_deref(), &redactor, args.format);
    }
    if args.tools {
        replay = replay.making_new_calls();
    }
    let options = &args.options;
    let mut runtime =
        options
            .connection
            .runtime(environment, &options.providers, provider.as_deref());
    if args.yes {
        runtime = runtime.approver(approve_all);
    }
    let runtime = runtime.prices(all_prices(&options.prices)?).build()?;
    let live = replay.live(&runtime).await?;
    live::print(&live, &info, &runtime.redactor(), args.format)
}

impl Args {
    /// Reads the new agent, and the specs of the tools of its document. If the document has errors, prints them and
    /// returns `None`.
    fn new_agent(
        &self,
        info: &RunInfo,
        style: &Style,
    ) -> Result<Option<(Agent, Vec<ToolSpec>)>, CommandError> {
        let Some(file) = &self.with else {
            return Ok(None);
        };
        let options = &self.options;
        let known = ToolFiles::new(&options.providers, &options.servers);
        let Some((source, checked)) = known.read_document(file, style)? else {
            return Ok(None);
        };
        let mut agents = checked.agents.iter();
        let has_recorded = agents.any(|node| node.agent.name() == info.agent);
        let recorded = has_recorded.then_some(info.agent.as_str());
        let name = self.agent.as_deref().or(recorded);
        let Some(agent) = select_agent(&source, &checked, name)? else {
            return Ok(None);
        };
        if self.live && !options.connection.is_offline() {
            let base_url = options.connection.base_url.as_deref();
            check_reachable(&options.providers, &agent, base_url, Catalog::builtin())?;
        }
        let specs = tools_of(&checked).into_iter().cloned().collect();
        Ok(Some((agent, specs)))
    }
}
