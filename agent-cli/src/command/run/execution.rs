//! Sending the messages of a run, one after another.

use super::document::{Format, RunDocument};
use super::transcript::Transcript;
use crate::outcome::{Outcome, Trouble, in_full};
use crate::output::{error_to_stderr, to_stderr};
use crate::session::{KeepArgs, MARK, Spent, Unfinished, trouble_of};
use crate::stored_conversation::Kept;
use agent_runtime::model::Usage;
use agent_runtime::response::ToolInvocation;
use agent_runtime::{
    Agent, AgentResponse, Cancellation, Conversation, Error, Event, Runtime, ToolLibrary,
};
use std::process::exit;
use tokio::signal::ctrl_c;

/// What the messages are said with.
pub(super) struct Talk<'a> {
    pub(super) runtime: Runtime,
    pub(super) kept: Option<Kept>,
    pub(super) messages: &'a [String],
    pub(super) keep: KeepArgs,
    pub(super) format: Format,
    /// Whether answers are asked for in parts.
    pub(super) streams: bool,
    pub(super) spent: Spent,
    pub(super) library: ToolLibrary,
}

/// What saying them came to so far.
struct Said {
    conversation: Conversation,
    responses: Vec<AgentResponse>,
    /// Of the last message, when it was not answered.
    came: Came,
    /// Whether anything was said that was not known before.
    has_new: bool,
}

impl Talk<'_> {
    /// Says the messages, and shows what comes of them.
    ///
    /// # Errors
    /// When the configuration is wrong, or something cannot be read or written. What is wrong has been
    /// told by then, but for standard output.
    pub(super) async fn talk(
        mut self,
        agent: &Agent,
        conversation: Conversation,
    ) -> Result<Outcome, Trouble> {
        let format = self.format;
        let redactor = self.runtime.redactor();
        let mut transcript = Transcript::new(format, redactor.clone());
        let mut said = Said {
            conversation,
            responses: Vec::new(),
            came: Came::default(),
            has_new: false,
        };
        let answered = self.say_all(agent, &mut said, &mut transcript).await;
        let ended = *answered.as_ref().unwrap_or(&Ended::Failed);
        let trouble = answered.err();
        // Before the costs, which are the last line.
        trouble
            .iter()
            .flat_map(Trouble::messages)
            .for_each(error_to_stderr);
        // Also what failed was paid for, and no document says what that was.
        if (format == Format::Human || ended != Ended::Answered) && self.spent.is_priced() {
            to_stderr(&format!("{}\n", self.spent.line()));
        }
        transcript.finish()?;
        let mut outcome = Outcome::Fine;
        let is_whole = matches!(ended, Ended::Answered | Ended::Limited);
        if is_whole || said.has_new {
            let document = RunDocument {
                responses: &said.responses,
                unfinished: said.came.response(),
                conversation: &said.conversation,
            };
            outcome = document.to_stdout(format, &redactor)?;
        }
        match (trouble, ended) {
            (Some(_), _) => Err(Trouble::of_all(Vec::new())),
            (None, Ended::Answered) => Ok(outcome),
            (None, Ended::Stopped) => Ok(Outcome::Stopped),
            (None, Ended::Limited | Ended::Failed) => Ok(Outcome::Failed),
        }
    }

    /// Says the messages, one after another.
    async fn say_all(
        &mut self,
        agent: &Agent,
        said: &mut Said,
        transcript: &mut Transcript,
    ) -> Result<Ended, Trouble> {
        let stop = given_by_ctrl_c();
        for message in self.messages {
            if let Some(kept) = &self.kept {
                said.conversation = kept.load().await?;
            }
            transcript.message(message);
            let (answer, stored) = self.say(agent, message, &stop, said, transcript).await;
            match answer {
                Ok(response) => {
                    transcript.answer(&response);
                    said.responses.push(response);
                    said.came = Came::default();
                }
                Err(error) => {
                    transcript.failed();
                    if error.is_configuration() {
                        self.spent.not_made();
                        return Err(trouble_of(error).and(stored.err()));
                    }
                    let ended = self.tell(&error, &stop, &said.came);
                    stored?;
                    return Ok(ended);
                }
            }
            stored?;
        }
        Ok(Ended::Answered)
    }

    /// Says a message, and stores what comes of it.
    async fn say(
        &mut self,
        agent: &Agent,
        message: &str,
        stop: &Cancellation,
        said: &mut Said,
        transcript: &mut Transcript,
    ) -> (Result<AgentResponse, Error>, Result<(), Trouble>) {
        let mut sent = self.keep.sent(&said.conversation);
        let known = sent.len();
        let (spent, came) = (&mut self.spent, &mut said.came);
        let mut observer = |event: &Event| {
            spent.event(event);
            came.event(event);
            transcript.event(event);
        };
        let mut run = self
            .runtime
            .run(agent, message)
            .tools(&self.library)
            .conversation(&mut sent)
            .observer(&mut observer)
            .cancellation(stop.clone())
            .deny_without_approver();
        if self.streams {
            run = run.streaming();
        }
        if let Some(kept) = &self.kept {
            run = run.conversation_id(kept.name());
        }
        let answer = run.await;
        said.came.text().add_to(&mut sent, known, message);
        // Also after an error: what tools have done by then should not be forgotten.
        let new = sent.messages().get(known..).unwrap_or_default();
        said.has_new |= !new.is_empty();
        said.conversation.extend(new.iter().cloned());
        let stored = match &self.kept {
            Some(kept) => kept.add(new).await,
            None => Ok(()),
        };
        (answer, stored)
    }

    /// Tells why a message was not answered.
    fn tell(&self, error: &Error, stop: &Cancellation, came: &Came) -> Ended {
        let ended = if stop.is_cancelled() && error.is_cancelled() {
            to_stderr("stopped\n");
            Ended::Stopped
        } else {
            error_to_stderr(&in_full(error));
            if error.is_limit() {
                Ended::Limited
            } else {
                Ended::Failed
            }
        };
        if self.kept.is_some() && came.text().text().is_some() {
            to_stderr(&format!(
                "what was said of the answer stays in the conversation, marked {MARK}\n"
            ));
        }
        ended
    }
}

/// How saying the messages ended. What went wrong has been told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// Every message was answered.
    Answered,
    /// A limit was reached: what came by then is what was wanted.
    Limited,
    /// Somebody stopped it.
    Stopped,
    /// With an error.
    Failed,
}

/// What came of a message that is not answered yet.
#[derive(Default)]
pub(super) struct Came {
    text: Unfinished,
    calls: Vec<ToolInvocation>,
    usage: Usage,
}

impl Came {
    /// Takes what happens in the run.
    pub(super) fn event(&mut self, event: &Event) {
        self.text.event(event);
        match event {
            Event::ToolFinished { invocation, .. } => self.calls.push(invocation.clone()),
            Event::ModelReplied { usage, .. } => self.usage.add(usage),
            _ => {}
        }
    }

    /// What came of the text of the answer.
    pub(super) fn text(&self) -> &Unfinished {
        &self.text
    }

    /// It as a response, whose content may be empty; nothing when neither text nor calls came.
    pub(super) fn response(self) -> Option<AgentResponse> {
        if self.calls.is_empty() && self.text.text().is_none() {
            return None;
        }
        let mut response = AgentResponse::default();
        response.content = self.text.text().unwrap_or_default().to_owned();
        response.tools_used = self.calls;
        response.usage = self.usage;
        Some(response)
    }
}

/// The exit code of what Ctrl-C has ended, as shells give it.
const CODE: i32 = 130;

/// A signal that Ctrl-C gives. What came by then can be stored and shown; Ctrl-C once more ends the program
/// at once, since a file or a reader may keep it waiting.
pub(super) fn given_by_ctrl_c() -> Cancellation {
    let stop = Cancellation::new();
    let given = stop.clone();
    tokio::spawn(async move {
        // Where the system cannot tell, it ends the program as it always did.
        if ctrl_c().await.is_ok() {
            given.cancel();
            if ctrl_c().await.is_ok() {
                exit(CODE);
            }
        }
    });
    stop
}
