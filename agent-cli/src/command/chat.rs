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
use crate::output::{to_stderr, warning_to_stderr};
use crate::run_journal::RunJournal;
use crate::saved_media::MediaFolder;
use crate::session::{SessionArgs, UsageReport, about_missing_tools, start_tracing};
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

Each line is a message; several pasted lines are one message. Answers are printed as they arrive: 🤖 marks
an answer, 🛠️ a call of a tool with its duration. If a call requires approval, you are asked: answer `yes`,
`no`, `no` with a reason for the agent, or `edit` to change the arguments. A key in use that the agent passes on
is replaced by [key]; with --no-journal, leave [key] where it is, and the call gets the key. An empty line instead of
arguments goes back to the question.

Ctrl-C stops the agent while it answers. The chat goes on, and its messages so far stay in the
conversation; a partial answer is marked `[interrupted]`. At an empty prompt, press Ctrl-C twice or Ctrl-D
once to leave. The chat also goes on after a message that fails.

/help   show the commands
/tools  show the agent's tools, with their signatures
/attach attach a file to the next message: an image, audio, a PDF file or a text. `/attach` lists the attached
        files, and `/attach --drop` removes them
/usage  show the requests and tokens of the chat, and their cost if the price is known
/save   write the conversation to a file that only you can read, .json or .gram; --history reads both
/reset  start again from the initial conversation, such as that of --history. With --conversation, use
        `/reset --stored`, which also deletes the stored conversation
/quit   leave

You can edit lines, complete commands with Tab, recall earlier lines with the arrow keys and search them
with Ctrl-R, including those of earlier chats. Lines are kept in agent/chat-lines.txt under XDG_DATA_HOME
or, without it, ~/.local/share (on macOS ~/Library/Application Support, on Windows LOCALAPPDATA). Only you
can read the file, and keys are written as [key]. Lines that begin with a blank are not kept; with
--no-input-history, no line is.

What you type while the agent answers is shown at the next prompt.

An MCP server of --mcp may ask you something during a call (🔌): you answer `yes`, and then its questions one after
another, or `no`. Its texts are its own, so tell it nothing that it must not know.

With --conversation the chat is stored under a name, and a later chat or `agent run` can continue it. The
keys in use are stored, saved and shown as [key]. With --compact-above, the model summarises the
beginning of a long chat, and gets the summary (📝) in its place; with --keep-turns or --keep-tokens, it gets
only the last part. All of the chat is still stored and saved. The limits, --max-requests and the options
after it, apply to each message.

Each answer, call and result is kept in a journal, beside the conversations, before anything depends on it. If the
program is killed, `agent runs resume` continues the run, and stores its messages in the conversation. Runs that ended
are kept for 30 days; with --no-journal, none is. If the journal cannot be written, the message fails, and nothing more is
called for it; the next message first ends its run.

With --arg, each message calls an agent with a signature: the message is the value of the one required text without an
--arg.

If standard input is a pipe or file, each line is a message or a command, and there is no prompt. Calls that
require approval are denied, because nobody can be asked, and Ctrl-C ends the chat. The exit code is 1 if a
message failed or a call was denied, or 2 if the configuration is wrong, for example the key, or if the journal cannot be written.
At a prompt the exit code is 0, unless the chat cannot start.";

const AFTER_HELP: &str = "\
Examples:
  agent chat agents/hello.gram --offline
  agent chat agents/hello.gram --model Ollama/qwen3:4b
  agent chat agents/hello.gram --conversation ada
  agent chat agents/hello.gram --max-cost 0.05
  agent chat agents/hello.gram --offline < messages.txt

For the environment variables, such as keys and addresses, see `agent run --help`.";

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
        to_stderr(&about_missing_tools(&library, &agent));
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
