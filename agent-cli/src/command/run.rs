//! `agent run`: sends messages to an agent, and prints its answers.

mod batch;
mod document;
mod execution;

use crate::async_runtime::async_runtime;
use crate::attachment::AttachArgs;
use crate::input::refuse_stdin_twice;
use crate::outcome::{CommandError, Outcome};
use crate::run_journal::RunJournal;
use crate::saved_media::MediaFolder;
use crate::session::{SessionArgs, UsageReport, start_tracing};
use crate::style::Style;
use agent_runtime::Environment;
use batch::{BatchArgs, BatchMedia};
use document::Format;
pub(super) use execution::cancelled_by_ctrl_c;
use execution::{Execution, Turn};
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Run an agent

The messages are sent one after another in one conversation. 💬 marks a message, 🛠️ a call of a tool, 🤖 an answer.
The key of the provider is read from its usual variable, such as OPENAI_API_KEY; --offline needs neither key nor
network.

More: agent help output, attachments, history, batch, journal, limits, access, keys, formats";

const AFTER_HELP: &str = "\
Examples:
  agent run agents/hello.gram \"Hello, I'm Ada\" --offline
  agent run agents/hello.gram \"Hello, I'm Ada\" --model OpenAI/gpt-6-sol --stream
  agent run agents/hello.gram \"Who am I?\" --conversation ada
  agent run agents/translate.gram --arg text=\"Guten Tag\" --arg language=fr
  agent run agents/clerk.gram \"Pay the invoice 17\" --journal runs.db
  agent run agents/guide.gram --batch questions.jsonl --output answers.jsonl";

/// Run an agent
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    file: PathBuf,
    /// The messages to the agent, sent one after another
    #[arg(value_name = "MESSAGE", allow_negative_numbers = true)]
    messages: Vec<String>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    attach: AttachArgs,
    /// Keep each run in this journal; `agent runs resume` continues it if the program is killed. A call that
    /// requires approval waits for `agent runs approve`. Runs that ended 30 days ago are deleted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "conversation"])]
    journal: Option<PathBuf>,
    /// With --format json or --batch, write the bytes of images, documents and audio in base64, and not their
    /// SHA-256
    #[arg(long)]
    media_data: bool,
    /// Request answers in parts, and print each part as it arrives
    #[arg(long)]
    stream: bool,
    /// Print requests to the model, its answers and traces of the run on standard error; the keys of
    /// providers are masked
    #[arg(long)]
    debug: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs an agent.
pub(crate) fn run(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let inputs = args.session.inputs(&args.file);
    refuse_stdin_twice(inputs.chain(&args.batch.file).chain(&args.attach.paths))?;
    if args.media_data && args.format != Format::Json && args.batch.file.is_none() {
        return Err(CommandError::new(
            "--media-data needs --format json or --batch",
        ));
    }
    let attached = args.attach.read()?;
    let Some(mut session) = args.session.prepare(&args.file, environment, style)? else {
        return Ok(Outcome::Failed);
    };
    // Checked before anything is sent, so that a mistake in the last message does not cost a request.
    if args
        .messages
        .iter()
        .any(|message| message.trim().is_empty())
    {
        return Err(CommandError::new(
            "a message is empty; write a text for every MESSAGE",
        ));
    }
    let mut turns = Vec::new();
    if args.batch.file.is_none() {
        let messages = args.messages.iter().map(|message| Some(message.as_str()));
        let alone = args.messages.is_empty().then_some(None);
        for message in messages.chain(alone) {
            let input = session.arguments.input(&session.agent, message, &[]);
            turns.push(Turn {
                input: input.map_err(CommandError::new)?,
                shown: session.arguments.shown(message),
            });
        }
    }
    let mut batch = None;
    if args.batch.file.is_some() {
        batch = args
            .batch
            .prepare(&session, &args.session.variable_names(), &attached)?;
        if batch.is_none() {
            return Ok(Outcome::Failed);
        }
        let is_known = |name: &str| args.session.has_provider(name);
        session.runtime = args.batch.limit(&session.agent, session.runtime, is_known);
    }
    let _exporter = start_tracing(args.debug, environment, style)?;
    let mut library = agent_builtin::library_with(environment);
    let tokio = async_runtime()?;
    let mut runtime = session.runtime;
    let stored = tokio.block_on(args.session.conversation.open(environment))?;
    let journal = match (&args.journal, &stored) {
        (Some(path), _) => Some(tokio.block_on(RunJournal::open(path, false))?),
        (None, Some(stored)) => Some(stored.journal().clone()),
        (None, None) => None,
    };
    if let Some(journal) = &journal {
        runtime = runtime.journal(journal.journal().clone());
    }
    let runtime = runtime.build()?;
    let redactor = runtime.redactor();
    let servers = tokio.block_on(args.session.connect_servers(
        &session.agent,
        environment,
        |server| server.redactor(&redactor),
        &mut library,
    ))?;
    let outcome = tokio.block_on(async {
        if let Some(batch) = batch {
            let agent = &session.agent;
            let prices = runtime.prices_of(agent);
            let media = BatchMedia {
                folder: args.session.save_media.clone(),
                in_lines: args.media_data,
            };
            return batch.run(&runtime, agent, &library, prices, media).await;
        }
        let usage = UsageReport::new(runtime.prices_of(&session.agent));
        let execution = Execution {
            stored,
            runtime,
            turns,
            attached,
            media_folder: MediaFolder::new(args.session.save_media.clone()),
            with_data: args.media_data,
            retention: args.session.retention,
            format: args.format,
            is_streaming: args.stream,
            usage,
            library,
            is_offline: session.is_offline,
            journal,
            may_wait: args.journal.is_some(),
        };
        execution.run(&session.agent, session.conversation).await
    });
    tokio.block_on(servers.close());
    // Does not wait for the threads of tools that timed out.
    tokio.shutdown_background();
    outcome
}
