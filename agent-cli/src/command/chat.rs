//! `agent chat`: a chat with an agent at a prompt.

mod approval;
mod call_timer;
mod interrupt;
mod line_reader;
mod repl;
mod save;
mod server_question;
mod slash_command;
mod spinner;
mod terminal;
mod turn_view;

use crate::async_runtime::async_runtime;
use crate::outcome::{CommandError, Outcome};
use crate::output::warning_to_stderr;
use crate::run_journal::RunJournal;
use crate::saved_media::MediaFolder;
use crate::session::{SessionArgs, UsageReport, start_tracing};
use crate::style::Style;
use crate::transcript::Transcript;
use crate::user_data::{self, create_chat_lines_folder};
use agent_project::source::is_stdin;
use agent_runtime::Environment;
use approval::LastEdit;
use call_timer::CallTimer;
use line_reader::{EditorOptions, LineReader};
use repl::{PROMPT, Repl};
use std::path::PathBuf;
use terminal::{Input, Terminal};
use turn_view::TurnView;

const LONG_ABOUT: &str = "\
Chat with an agent at a prompt

Each line is a message; several pasted lines are one message. /help lists the commands of the prompt. If a call requires
approval, you are asked. Ctrl-C stops the answer and not the chat; Ctrl-D at an empty prompt leaves. Lines are kept in
agent/chat-lines.txt below XDG_DATA_HOME, unless they begin with a blank. Through a pipe, each line is a message or a
command, and calls that require approval are denied.

More: agent help history, attachments, journal, limits, access, keys";

const AFTER_HELP: &str = "\
Examples:
  agent chat agents/hello.gram --offline
  agent chat agents/hello.gram --model Ollama/qwen3:4b
  agent chat agents/hello.gram --conversation ada
  agent chat agents/hello.gram --offline < messages.txt";

/// Chat with an agent at a prompt
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document
    file: PathBuf,
    #[command(flatten)]
    session: SessionArgs,
    /// Do not recall lines of earlier chats, and do not keep those of this one
    #[arg(long)]
    no_input_history: bool,
    /// Do not keep the runs in the journal, from which `agent runs resume` continues one that was interrupted
    #[arg(long, conflicts_with = "conversation")]
    no_journal: bool,
    /// Print requests to the model, its answers and traces of the chat on standard error; the keys of
    /// providers are masked
    #[arg(long)]
    debug: bool,
}

/// Opens the journal in the usual file. If the journal cannot be opened, prints a warning and returns `None`,
/// because a chat that nobody asked to store needs no journal.
async fn usual_journal(environment: &Environment) -> Option<RunJournal> {
    // Without a folder for the user's data there is no journal.
    let path = user_data::create_conversations_folder(environment).ok()?;
    let opened = RunJournal::open(&path, true).await;
    let warn = |error: CommandError| {
        warning_to_stderr(&format!(
            "runs are not kept in a journal, so that one that is interrupted cannot be continued: {error}"
        ));
    };
    opened.map_err(warn).ok()
}

/// Runs a chat.
pub(crate) fn chat(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    if args.session.inputs(&args.file).any(|path| is_stdin(path)) {
        return Err(CommandError::new(
            "`agent chat` reads messages from standard input, so `-` cannot be a file",
        ));
    }
    let Some(session) = args.session.prepare(&args.file, environment, style)? else {
        return Ok(Outcome::Failed);
    };
    let _exporter = start_tracing(args.debug, environment, style)?;
    let terminal = Terminal::new(environment, style);
    let timer = CallTimer::default();
    let (approver, questions) = approval::channel();
    let mut runtime = session.runtime.hook(timer.clone());
    if terminal.is_interactive() && !args.session.approves_all() {
        runtime = runtime.approver(approver);
    }
    let tokio = async_runtime()?;
    let stored = tokio.block_on(args.session.conversation.open(environment))?;
    let journal = match &stored {
        Some(stored) => Some(stored.journal().clone()),
        None if args.no_journal => None,
        None => tokio.block_on(usual_journal(environment)),
    };
    if let Some(journal) = &journal {
        runtime = runtime.journal(journal.journal().clone());
    }
    let runtime = runtime.build()?;
    let mut library = agent_builtin::library_with(environment);
    let redactor = runtime.redactor();
    let (asked, server_questions) = server_question::channel();
    let servers = tokio.block_on(args.session.connect_servers(
        &session.agent,
        environment,
        |server| {
            let server = server.redactor(&redactor);
            // If standard input is a pipe, nobody can answer, so the questions are declined.
            match terminal.is_interactive() {
                true => {
                    let asked = asked.clone();
                    server.on_input(move |request| asked.clone().ask(request))
                }
                false => server,
            }
        },
        &mut library,
    ))?;
    let agent = session.agent.requiring_approval(|spec| {
        let tool = library.lookup(spec.name());
        tool.is_some_and(|tool| tool.descriptor().settings().destructive)
    });
    // Reports a missing argument, variable or tool before the first message is typed.
    let input = session.arguments.input(&agent, Some(PROMPT), &[]);
    if let Err(error) = runtime
        .run(&agent, input.map_err(CommandError::new)?)
        .tools(&library)
        .conversation(&mut session.conversation.clone())
        .start()
    {
        let is_configuration = error.is_configuration();
        let error = CommandError::from(error);
        if is_configuration {
            return Err(error);
        }
        error.print();
        return Ok(Outcome::Failed);
    }
    let keeps_lines = terminal.input == Input::Editor && !args.no_input_history;
    let editor_options = EditorOptions {
        history: keeps_lines
            .then(|| create_chat_lines_folder(environment))
            .flatten(),
        redactor: runtime.redactor(),
    };
    let outcome = tokio.block_on(async {
        let redactor = runtime.redactor();
        let prices = runtime.prices_of(&agent);
        let repl = Repl {
            runtime,
            agent,
            arguments: session.arguments,
            is_offline: session.is_offline,
            library,
            initial_conversation: session.conversation.clone(),
            conversation: session.conversation,
            stored,
            journal,
            unended: None,
            retention: args.session.retention,
            terminal,
            reader: LineReader::new(terminal, editor_options),
            questions,
            server_questions,
            last_edit: LastEdit::default(),
            view: TurnView::new(
                terminal,
                timer,
                Transcript::new(redactor, MediaFolder::new(args.session.save_media)),
            ),
            usage: UsageReport::new(prices),
            has_denied_call: false,
            attached: Vec::new(),
            environment,
        };
        repl.run().await
    });
    tokio.block_on(servers.close());
    // Does not wait for the thread that reads a line, or for the threads of tools that timed out.
    tokio.shutdown_background();
    outcome
}
