//! Talking: what is typed, one line after another, until there is nothing more to say.

use super::approve::{LastEdit, Questions};
use super::display::Display;
use super::lines::{Line, Lines};
use super::look::{Input, Look};
use super::slash::{self, Slash, Typed};
use super::turn::Ended;
use super::{PROMPT, save, tools, unreadable};
use crate::conversations::Kept;
use crate::outcome::{Outcome, Trouble};
use crate::output::{error_to_stderr, to_stderr};
use crate::session::{KeepArgs, Spent};
use agent_lsp::report::counted;
use agent_runtime::{Agent, Conversation, Environment, Runtime, ToolLibrary};

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
            Slash::Tools => self.say(&tools::list(&self.agent, &self.library)),
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
