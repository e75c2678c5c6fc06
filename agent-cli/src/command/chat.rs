//! `agent chat`: an agent at a prompt.

mod approve;
mod display;
mod editor;
mod interrupt;
mod lines;
mod look;
mod save;
mod slash;
mod spent;
mod spinner;
mod timing;
mod tools;
mod turn;

use crate::conversations::{Kept, made_place_of_lines};
use crate::input::is_stdin;
use crate::outcome::{Outcome, Trouble};
use crate::output::{error_to_stderr, to_stderr};
use crate::report::counted;
use crate::session::{SessionArgs, driver, trace, trouble_of};
use crate::style::Style;
use agent_runtime::{Agent, Conversation, Environment, Runtime, ToolLibrary, builtin};
use approve::{Questions, asker};
use display::Display;
use editor::EditorOptions;
use lines::{Line, Lines};
use look::{Input, Look};
use slash::{Slash, Typed};
use spent::Spent;
use std::io;
use std::path::PathBuf;
use timing::Timing;
use turn::Ended;

const PROMPT: &str = "💬 ";
const HINT: &str = "Ctrl-C once more leaves, as Ctrl-D and `/quit` do";

const LONG_ABOUT: &str = "\
Talk to an agent at a prompt

Each line is a message; lines that are pasted together are one. Answers are shown as they come, by 🤖,
calls of tools by 🛠️, with the time they took. A call of a tool that requires approval is put to you:
it is made, denied with a reason for the agent, or made with arguments that you edit.

Ctrl-C stops the agent while it answers, and the chat goes on: what was done by then stays in the
conversation. At an empty prompt Ctrl-C leaves when it is typed twice; Ctrl-D leaves at once. A message
that fails is reported, and the chat goes on as well.

/help   what can be typed besides messages
/tools  the agent's tools, with their signatures
/usage  requests and tokens, and what they cost when --price says
/save   the conversation in a file, .json or .gram; --history reads either
/reset  the conversation anew, as it was at the start
/quit   the end

Lines can be edited, commands completed with Tab, and earlier ones recalled with the arrow keys and searched with Ctrl-R, those of
earlier chats, too. They are kept in agent/chat-lines.txt under XDG_DATA_HOME or, without it,
~/.local/share (on macOS ~/Library/Application Support, on Windows LOCALAPPDATA), which only you can
read; a line that begins with a blank is not, and with --no-input-history none is.

With --conversation what is said is stored under a name, as with `agent run`, which can go on with it.

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
  agent chat agents/hello.gram --offline < messages.txt";

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
    /// Show on standard error what is sent to the model and what it answers, as JSON without keys,
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
    if look.is_interactive() {
        runtime = runtime.approver(asker);
    }
    let runtime = runtime.build().map_err(trouble_of)?;
    let library = builtin::library();
    // Said before the first message is typed: a missing variable, a missing tool.
    if let Err(error) = runtime.start(&session.agent, PROMPT, &session.conversation, &library) {
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
    };
    let tokio = driver()?;
    let ended = tokio.block_on(async {
        let chat = Chat {
            runtime,
            agent: session.agent,
            is_offline: session.is_offline,
            library,
            first: session.conversation.clone(),
            conversation: session.conversation,
            kept: args.session.kept.open(environment).await?,
            look,
            lines: Lines::new(look, lines),
            questions,
            display: Display::new(look, timing),
            spent: Spent::new(session.prices),
            environment,
        };
        chat.talk().await
    });
    // The thread that waits for a line, or for a tool that timed out, is not waited for.
    tokio.shutdown_background();
    ended
}

/// A chat that goes on.
struct Chat<'a> {
    runtime: Runtime,
    agent: Agent,
    /// Whether the offline model answers, whatever the agent's model is.
    is_offline: bool,
    library: ToolLibrary,
    /// The conversation at the start.
    first: Conversation,
    conversation: Conversation,
    kept: Option<Kept>,
    look: Look,
    lines: Lines,
    questions: Questions,
    display: Display,
    spent: Spent,
    environment: &'a Environment,
}

impl Chat<'_> {
    /// Talks until there is nothing more to say.
    async fn talk(mut self) -> Result<Outcome, Trouble> {
        self.greet().await?;
        let mut worst = Ended::Answered;
        let mut was_interrupted = false;
        loop {
            let prompt = if self.look.is_interactive() {
                PROMPT
            } else {
                ""
            };
            let line = self.lines.message(prompt).await;
            let line = match line.map_err(|error| unreadable(&error))? {
                Line::Text(line) => line,
                Line::End => {
                    self.break_line();
                    break;
                }
                Line::Interrupted { .. } if !self.look.is_interactive() => {
                    worst = Ended::Failed;
                    break;
                }
                Line::Interrupted { was_empty } => {
                    if was_empty && was_interrupted {
                        self.break_line();
                        break;
                    }
                    self.break_line();
                    was_interrupted = was_empty;
                    if was_empty {
                        self.say(HINT);
                    }
                    continue;
                }
            };
            was_interrupted = false;
            match slash::read(&line) {
                Typed::Nothing => {}
                Typed::Message(message) => {
                    let ended = self.turn(&message).await?;
                    if ended == Ended::Stopped && !self.look.is_interactive() {
                        worst = Ended::Failed;
                        break;
                    }
                    worst = worse(worst, ended);
                }
                Typed::Slash(Slash::Quit) => break,
                Typed::Slash(slash) => {
                    if let Err(trouble) = self.obey(slash).await {
                        trouble.messages().for_each(error_to_stderr);
                        worst = worse(worst, Ended::Failed);
                    }
                }
                Typed::Mistake(mistake) => {
                    error_to_stderr(&mistake);
                    worst = worse(worst, Ended::Failed);
                }
            }
            self.display.written()?;
        }
        // Somebody at a prompt has seen what went wrong, and went on.
        match worst {
            _ if self.look.is_interactive() => Ok(Outcome::Fine),
            Ended::Answered | Ended::Stopped => Ok(Outcome::Fine),
            Ended::Failed => Ok(Outcome::Failed),
            Ended::Misconfigured => Err(Trouble::of_all(Vec::new())),
        }
    }

    /// Says who is there, and what was said before.
    async fn greet(&mut self) -> Result<(), Trouble> {
        if !self.look.is_interactive() {
            return Ok(());
        }
        let name = self.agent.name();
        let model = if self.is_offline {
            "offline".to_owned()
        } else {
            self.agent.model().to_string()
        };
        self.say(&format!("{name} ({model}); `/help` shows the commands"));
        if let Some(kept) = &self.kept {
            self.conversation = kept.load().await?;
        }
        match self.conversation.len() {
            0 => {}
            said => {
                let said = counted(said, "message");
                self.say(&format!("{said} of this conversation were said before"));
            }
        }
        Ok(())
    }

    /// Does what a command says.
    ///
    /// # Errors
    /// What is told and does not end the chat.
    async fn obey(&mut self, slash: Slash) -> Result<(), Trouble> {
        match slash {
            Slash::Help => self.say(&slash::help()),
            Slash::Tools => self.say(&tools::list(&self.agent, &self.library)),
            Slash::Usage => self.say(&self.spent.text()),
            Slash::Save { path, overwrite } => {
                if let Some(kept) = &self.kept {
                    self.conversation = kept.load().await?;
                }
                let path = save::path_of(&path, self.environment);
                save::save(&self.conversation, &path, overwrite).map_err(Trouble::new)?;
                let said = counted(self.conversation.len(), "message");
                self.say(&format!("saved {said} in `{}`", path.display()));
            }
            Slash::Reset { stored } => self.reset(stored).await?,
            // What reads commands leaves by itself.
            Slash::Quit => {}
        }
        Ok(())
    }

    async fn reset(&mut self, stored: bool) -> Result<(), Trouble> {
        match &self.kept {
            Some(kept) if stored => kept.forget().await?,
            Some(kept) => {
                let name = kept.name();
                return Err(Trouble::new(format!(
                    "the conversation `{name}` is stored; `/reset --stored` forgets it for good, \
                     and another begins with another name for --conversation"
                )));
            }
            None if stored => {
                return Err(Trouble::new(
                    "nothing is stored without --conversation; `/reset` begins anew",
                ));
            }
            None => {}
        }
        self.conversation = self.first.clone();
        self.say("the conversation begins anew");
        Ok(())
    }

    fn say(&mut self, text: &str) {
        self.display.line(text);
    }

    /// Ends the line with the prompt, in which nothing was typed. The editor does it by itself.
    fn break_line(&self) {
        if self.look.input == Input::Terminal {
            to_stderr("\n");
        }
    }
}

fn worse(one: Ended, other: Ended) -> Ended {
    let badness = |ended: &Ended| match ended {
        Ended::Answered | Ended::Stopped => 0,
        Ended::Failed => 1,
        Ended::Misconfigured => 2,
    };
    std::cmp::max_by_key(other, one, badness)
}

fn unreadable(error: &io::Error) -> Trouble {
    Trouble::new(match error.kind() {
        io::ErrorKind::InvalidData => "standard input is not UTF-8 text".to_owned(),
        _ => format!("cannot read standard input: {error}"),
    })
}
