//! The loop of a chat: reads lines, sends messages to the agent, and shows its answers.

use super::approval::{LastEdit, Questions};
use super::interrupt::Interrupt;
use super::line_reader::{Line, Lines};
use super::save;
use super::slash::{self, Slash, Typed};
use super::terminal::{Input, Look};
use super::turn_view::Display;
use crate::outcome::{Outcome, Trouble, in_full};
use crate::output::{error_to_stderr, to_stderr};
use crate::session::{KeepArgs, MARK, Spent, Unfinished};
use crate::stored_conversation::Kept;
use agent_lsp::report::counted;
use agent_lsp::terminal::sanitize;
use agent_runtime::{
    Agent, Cancellation, Conversation, Environment, Error, Runtime, ToolLibrary, ToolSpec,
};
use std::io;
use tokio::time::{MissedTickBehavior, interval_at};

/// The prompt before a message.
pub(super) const PROMPT: &str = "💬 ";

const HINT: &str = "Ctrl-C once more leaves, as Ctrl-D and `/quit` do";

/// A chat that goes on.
pub(super) struct Chat<'a> {
    pub(super) runtime: Runtime,
    pub(super) agent: Agent,
    /// Whether the offline model answers, whatever the agent's model is.
    pub(super) is_offline: bool,
    pub(super) library: ToolLibrary,
    /// The conversation at the start.
    pub(super) first: Conversation,
    pub(super) conversation: Conversation,
    pub(super) kept: Option<Kept>,
    pub(super) keep: KeepArgs,
    pub(super) look: Look,
    pub(super) lines: Lines,
    pub(super) questions: Questions,
    pub(super) last_edit: LastEdit,
    pub(super) display: Display,
    pub(super) spent: Spent,
    pub(super) environment: &'a Environment,
}

impl Chat<'_> {
    /// Talks until there is nothing more to say.
    ///
    /// # Errors
    /// When standard input or standard output fails.
    pub(super) async fn talk(mut self) -> Result<Outcome, Trouble> {
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
            Slash::Tools => self.say(&list_tools(&self.agent, &self.library)),
            Slash::Usage => self.say(&self.spent.text()),
            Slash::Save { path, overwrite } => {
                if let Some(kept) = &self.kept {
                    self.conversation = kept.load().await?;
                }
                let path = save::path_of(&path, self.environment);
                let conversation = self.conversation.redacted(&self.runtime.redactor());
                save::save(&conversation, &path, overwrite).map_err(Trouble::new)?;
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

/// How a turn ended. What went wrong has been told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With an answer.
    Answered,
    /// With an error.
    Failed,
    /// With an error of the configuration, such as a key that is not accepted.
    Misconfigured,
    /// Because somebody stopped it.
    Stopped,
}

/// What came of running the agent.
struct Ran {
    ended: Result<Result<(), Error>, Trouble>,
    /// Whether somebody stopped it.
    was_stopped: bool,
    /// What was shown of an answer that did not come to its end.
    unfinished: Unfinished,
}

impl Chat<'_> {
    /// Says something to the agent, and shows what comes of it.
    ///
    /// # Errors
    /// When standard input or standard output fails.
    pub(super) async fn turn(&mut self, message: &str) -> Result<Ended, Trouble> {
        if let Some(kept) = &self.kept {
            match kept.load().await {
                Ok(conversation) => self.conversation = conversation,
                Err(trouble) => return Ok(told(&trouble)),
            }
        }
        let mut sent = self.keep.sent(&self.conversation);
        let known = sent.len();
        let Ran {
            ended,
            was_stopped,
            unfinished,
        } = self.run(message, &mut sent).await;
        self.display.end();
        unfinished.add_to(&mut sent, known, message);
        let is_begun = unfinished.text().is_some();
        // Also after an error: what tools have done by then should not be forgotten.
        let said = sent.messages().get(known..).unwrap_or_default();
        self.conversation.extend(said.iter().cloned());
        let stored = match &self.kept {
            Some(kept) => kept.add(said).await,
            None => Ok(()),
        };
        let keeps = format!("what was said of the answer stays in the conversation, marked {MARK}");
        let mut ended = match ended? {
            Ok(()) => Ended::Answered,
            Err(error) if was_stopped && error.is_cancelled() => {
                if is_begun {
                    self.display.line(&format!("stopped; {keeps}"));
                } else {
                    self.display.line("stopped");
                }
                Ended::Stopped
            }
            Err(error) => {
                error_to_stderr(&in_full(&error));
                if is_begun {
                    self.display.line(&keeps);
                }
                if error.is_configuration() {
                    self.spent.not_made();
                    Ended::Misconfigured
                } else {
                    Ended::Failed
                }
            }
        };
        if let Err(trouble) = stored {
            ended = told(&trouble);
        }
        self.display.written()?;
        Ok(ended)
    }

    /// Runs the agent, until it has answered or somebody stops it.
    async fn run(&mut self, message: &str, sent: &mut Conversation) -> Ran {
        let cancellation = Cancellation::new();
        let mut run = self
            .runtime
            .run(&self.agent, message)
            .tools(&self.library)
            .conversation(sent)
            .cancellation(cancellation.clone())
            .deny_without_approver();
        if let Some(kept) = &self.kept {
            run = run.conversation_id(kept.name());
        }
        let mut events = run.stream();
        let period = self.display.period();
        let mut ticks = interval_at(tokio::time::Instant::now() + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut interrupt = Interrupt::new().await;
        let mut was_stopped = false;
        let mut unfinished = Unfinished::default();
        let ended = loop {
            // In this order: somebody who wants it to stop is heard however much it says, and a
            // question comes after what led to it.
            tokio::select! {
                biased;
                () = interrupt.given(), if !was_stopped => {
                    was_stopped = true;
                    cancellation.cancel();
                }
                event = events.next() => match event {
                    Some(Ok(event)) => {
                        unfinished.event(&event);
                        self.spent.event(&event);
                        self.display.event(&event);
                    }
                    Some(Err(error)) => break Ok(Err(error)),
                    None => break Ok(Ok(())),
                },
                Some(question) = self.questions.recv() => {
                    self.display.asks(question.call());
                    let asked = question.ask(&mut self.lines, &mut self.display, &mut self.last_edit);
                    match asked.await {
                        Ok(Some(())) => {}
                        Ok(None) => {
                            was_stopped = true;
                            cancellation.cancel();
                        }
                        Err(error) => break Err(unreadable(&error)),
                    }
                }
                _ = ticks.tick() => self.display.tick(),
            }
        };
        Ran {
            ended,
            was_stopped,
            unfinished,
        }
    }
}

fn told(trouble: &Trouble) -> Ended {
    for message in trouble.messages() {
        error_to_stderr(message);
    }
    Ended::Failed
}

/// The tools that an agent may call, a line with the signature and one with the description each.
fn list_tools(agent: &Agent, library: &ToolLibrary) -> String {
    if agent.tools().is_empty() {
        return "the agent has no tools".to_owned();
    }
    let tools = agent.tools().iter().map(|spec| line(spec, library));
    sanitize(&tools.collect::<Vec<_>>().join("\n"))
}

fn line(spec: &ToolSpec, library: &ToolLibrary) -> String {
    let tool = library.lookup(spec.name());
    let asks = tool.is_some_and(|tool| tool.descriptor().settings().requires_approval);
    let asks = if asks || spec.requires_approval() {
        " (asks you first)"
    } else {
        ""
    };
    format!(
        "🛠️ {} {}{asks}\n   {}",
        spec.name(),
        spec.signature(),
        spec.description()
    )
}

/// What is said of standard input when it cannot be read.
fn unreadable(error: &io::Error) -> Trouble {
    Trouble::new(match error.kind() {
        io::ErrorKind::InvalidData => "standard input is not UTF-8 text".to_owned(),
        _ => format!("cannot read standard input: {error}"),
    })
}
