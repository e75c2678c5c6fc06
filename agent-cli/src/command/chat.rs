//! `agent chat`: an agent at a prompt.

mod approval;
mod call_timer;
mod interrupt;
mod line_reader;
mod repl;
mod save;
mod slash;
mod spinner;
mod terminal;
mod turn_view;

use crate::outcome::{Outcome, Trouble};
use crate::output::error_to_stderr;
use crate::session::{SessionArgs, Spent, driver, trace, trouble_of};
use crate::stored_conversation::made_place_of_lines;
use crate::style::Style;
use agent_lsp::source::is_stdin;
use agent_runtime::Environment;
use approval::{LastEdit, asker};
use call_timer::Timing;
use line_reader::{EditorOptions, Lines};
use repl::{Chat, PROMPT};
use std::path::PathBuf;
use terminal::{Input, Look};
use turn_view::Display;

const LONG_ABOUT: &str = "\
Talk to an agent at a prompt

Each line is a message; lines that are pasted together are one. Answers are shown as they come, by 🤖,
calls of tools by 🛠️, with the time they took. A call of a tool that requires approval is put to you:
it is made, denied with a reason for the agent, or made with arguments that you edit. A key in use is shown
there as [key], and is put back where [key] still stands. An empty line in place of arguments leads back.

Ctrl-C stops the agent while it answers, and the chat goes on: what was done by then stays in the
conversation, and so does what was shown of an answer, marked `[interrupted]`. At an empty prompt Ctrl-C
leaves when it is typed twice; Ctrl-D leaves at once. A message that fails is reported, and the chat goes
on as well.

/help   what can be typed besides messages
/tools  the agent's tools, with their signatures
/usage  requests and tokens of the chat, and what they cost when --price says
/save   the conversation in a file, .json or .gram; --history reads either
/reset  the conversation anew, as it was at the start, with a --history for example; with --conversation it
        is `/reset --stored`, which deletes what is stored under the name, and begins with nothing
/quit   the end

Lines can be edited, commands completed with Tab, and earlier ones recalled with the arrow keys and searched with Ctrl-R, those of
earlier chats, too. They are kept in agent/chat-lines.txt under XDG_DATA_HOME or, without it,
~/.local/share (on macOS ~/Library/Application Support, on Windows LOCALAPPDATA), which only you can
read, with [key] in place of the keys in use and in the environment; a line that begins with a blank is not
kept, and with --no-input-history none is.

With --conversation what is said is stored under a name, as with `agent run`, which can go on with it.
The keys in use are stored, saved and shown as [key], whoever says them. With
--keep-turns or --keep-tokens the model is sent the last part of a long chat only; what is stored and
saved stays whole. The limits, --max-requests and those after it, hold for each message.

In a pipe every line of standard input is a message or a command, and the answers are printed without a
prompt. Calls that require approval are denied then, since nobody is there to ask, and Ctrl-C ends it.
The exit code tells whether a message failed: 1, or 2 for reasons such as a key that is not accepted.
At a prompt it is 0, unless the chat cannot begin.";

const AFTER_HELP: &str = "\
Examples:
  agent chat agents/hello.gram --offline
  agent chat agents/hello.gram --model Ollama/qwen3:4b
  agent chat agents/hello.gram --conversation ada
  agent chat agents/hello.gram --price OpenAI/gpt-4o-mini=0.15,0.60
  agent chat agents/hello.gram --offline < messages.txt

The environment variables, for keys and addresses above all, are those of `agent run --help`.";

/// Talk to an agent at a prompt
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document
    file: PathBuf,
    #[command(flatten)]
    session: SessionArgs,
    /// Recall no lines of earlier chats, and keep none of this one
    #[arg(long)]
    no_input_history: bool,
    /// Show on standard error what is sent to the model and what it answers, as JSON in which the keys of providers are masked,
    /// and trace the chat
    #[arg(long)]
    debug: bool,
}

/// Talks to an agent.
pub(crate) fn chat(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, Trouble> {
    if args.session.inputs(&args.file).any(|path| is_stdin(path)) {
        return Err(Trouble::new(
            "`-`, standard input, is where `agent chat` reads the messages; name a file",
        ));
    }
    let Some(session) = args.session.prepare(&args.file, environment, style)? else {
        return Ok(Outcome::Failed);
    };
    let _exports = trace(args.debug, environment, style)?;
    let look = Look::new(environment, style);
    let timing = Timing::default();
    let (asker, questions) = asker();
    let mut runtime = session.runtime.hook(timing.clone());
    if look.is_interactive() && !args.session.approves_all() {
        runtime = runtime.approver(asker);
    }
    let runtime = runtime.build().map_err(trouble_of)?;
    let library = agent_builtin::library_with(environment);
    let agent = session.agent.requiring_approval(|spec| {
        let tool = library.lookup(spec.name());
        tool.is_some_and(|tool| tool.descriptor().settings().destructive)
    });
    // Said before the first message is typed: a missing variable, a missing tool.
    if let Err(error) = runtime
        .run(&agent, PROMPT)
        .tools(&library)
        .conversation(&mut session.conversation.clone())
        .start()
    {
        let is_configuration = error.is_configuration();
        let trouble = trouble_of(error);
        if is_configuration {
            return Err(trouble);
        }
        trouble.messages().for_each(error_to_stderr);
        return Ok(Outcome::Failed);
    }
    let keeps_lines = look.input == Input::Editor && !args.no_input_history;
    let lines = EditorOptions {
        history: keeps_lines
            .then(|| made_place_of_lines(environment))
            .flatten(),
        redactor: runtime.redactor(),
    };
    let tokio = driver()?;
    let ended = tokio.block_on(async {
        let redactor = runtime.redactor();
        let chat = Chat {
            runtime,
            agent,
            is_offline: session.is_offline,
            library,
            first: session.conversation.clone(),
            conversation: session.conversation,
            kept: args
                .session
                .kept
                .open(environment, redactor.clone())
                .await?,
            keep: args.session.keep,
            look,
            lines: Lines::new(look, lines),
            questions,
            last_edit: LastEdit::default(),
            display: Display::new(look, timing, redactor),
            spent: Spent::new(session.prices),
            environment,
        };
        chat.talk().await
    });
    // The thread that waits for a line, or for a tool that timed out, is not waited for.
    tokio.shutdown_background();
    ended
}
