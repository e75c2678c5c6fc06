//! Sending the messages of a run, one after another.

use super::document::{Answered, Format, NestedCall, RunDocument, Waiting};
use crate::command::runs::{ABOUT_WAITING, waiting_line};
use crate::echo::{EchoOff, restore_echo};
use crate::named_conversation::NamedConversation;
use crate::outcome::{CommandError, Outcome, with_causes};
use crate::output::{error_to_stderr, to_stderr};
use crate::run_journal::RunJournal;
use crate::saved_media::MediaFolder;
use crate::session::{ABOUT_DENIED, PartialAnswer, RetentionArgs, UsageReport, denied_tool};
use crate::transcript::Transcript;
use agent_runtime::conversation::{INTERRUPTED, Part, Role};
use agent_runtime::model::Usage;
use agent_runtime::response::ToolInvocation;
use agent_runtime::run::AwaitingApproval;
use agent_runtime::runtime::Input;
use agent_runtime::{
    Agent, AgentResponse, Cancellation, Conversation, Error, Event, Runtime, ToolLibrary,
};
use std::process::exit;
use tokio::signal::ctrl_c;

/// The execution of `agent run`.
pub(super) struct Execution {
    pub(super) runtime: Runtime,
    /// The stored conversation of `--conversation`.
    pub(super) stored: Option<NamedConversation>,
    pub(super) turns: Vec<Turn>,
    /// The attachments of the first message.
    pub(super) attached: Vec<Part>,
    pub(super) media_folder: MediaFolder,
    /// Whether the document has the bytes of media.
    pub(super) with_data: bool,
    pub(super) retention: RetentionArgs,
    pub(super) format: Format,
    /// Whether answers are requested in parts.
    pub(super) is_streaming: bool,
    pub(super) usage: UsageReport,
    pub(super) library: ToolLibrary,
    /// Whether the offline model answers, whatever the agent's model is.
    pub(super) is_offline: bool,
    /// The journal of the runs.
    pub(super) journal: Option<RunJournal>,
    /// Whether a run waits in the journal for a decision.
    pub(super) may_wait: bool,
}

/// A message, or a call with arguments.
pub(super) struct Turn {
    pub(super) input: Input,
    /// The text that represents the turn in the transcript.
    pub(super) shown: String,
}

/// The results so far.
struct Results {
    conversation: Conversation,
    responses: Vec<Answered>,
    /// The turn of the last message, if the message was not answered.
    partial_turn: PartialTurn,
    /// Whether messages were added to the conversation.
    has_new_messages: bool,
    /// The number of messages that the last run added.
    added: usize,
    /// Whether a call was denied because nobody could be asked.
    has_denied_call: bool,
    /// The run that waits for decisions.
    waiting: Option<Waiting>,
    /// The run whose end could not be recorded in the journal.
    unended: Option<String>,
}

impl Results {
    /// Takes the answer of a run that ended with an answer, but whose end could not be recorded in the
    /// journal.
    fn unrecorded_answer(&mut self, error: &Error) -> Option<Answered> {
        error.unended_run()?;
        let last = self.conversation.messages().last()?;
        let is_answer = last.role() == Role::Assistant && last.tool_calls().is_empty();
        if self.added == 0 || !is_answer {
            return None;
        }
        let content = last.content().to_owned();
        let partial_turn = std::mem::take(&mut self.partial_turn);
        let mut response = AgentResponse::default();
        response.content = content;
        response.tools_used = partial_turn.calls;
        response.usage = partial_turn.usage;
        Some(Answered {
            response,
            nested: partial_turn.nested,
        })
    }
}

/// The end of an execution. Errors have been printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Every message was answered.
    Answered,
    /// A limit was reached. The results so far are complete.
    LimitReached,
    /// The user stopped the run.
    Stopped,
    /// A message failed.
    Failed,
}

impl Execution {
    /// Sends the messages, and prints the results.
    ///
    /// # Errors
    /// Returns an error if the configuration is wrong, or if a file or standard output fails. An error
    /// without messages has been printed already.
    pub(super) async fn run(
        mut self,
        agent: &Agent,
        conversation: Conversation,
    ) -> Result<Outcome, CommandError> {
        let format = self.format;
        let redactor = self.runtime.redactor();
        // The formats for programs have one document at the end.
        let mut transcript = Transcript::silent_if(
            format != Format::Human,
            redactor.clone(),
            self.media_folder.clone(),
        );
        let mut results = Results {
            conversation,
            responses: Vec::new(),
            partial_turn: PartialTurn::default(),
            has_new_messages: false,
            added: 0,
            has_denied_call: false,
            waiting: None,
            unended: None,
        };
        // Ctrl-C is caught before the echo is off, because it would end the program and leave the echo off.
        let cancellation = cancelled_by_ctrl_c().await;
        let echo = EchoOff::new();
        let sent = self
            .send_all(agent, &cancellation, &mut results, &mut transcript)
            .await;
        drop(echo);
        let end = *sent.as_ref().unwrap_or(&End::Failed);
        let error = sent.err();
        // The error is printed before the cost, which is the last line.
        if let Some(error) = &error {
            error.print();
        }
        if results.has_denied_call {
            to_stderr(ABOUT_DENIED);
        }
        // A failed run has a cost too, which no document contains.
        if (format == Format::Human || end != End::Answered) && self.usage.is_priced() {
            to_stderr(&format!("{}\n", self.usage.line()));
        }
        transcript.take_result()?;
        let has_denied_call = results.has_denied_call;
        let mut outcome = Outcome::Fine;
        let is_complete = matches!(end, End::Answered | End::LimitReached);
        let has_run = results.waiting.is_some() || results.unended.is_some();
        if is_complete || results.has_new_messages || has_run {
            let document = RunDocument {
                responses: &results.responses,
                unfinished: results.partial_turn.into_response(),
                waiting: results.waiting,
                unended: results.unended,
                conversation: &results.conversation,
                with_data: self.with_data,
            };
            outcome = document.to_stdout(format, &redactor)?;
        }
        match (error, end) {
            (Some(_), _) => Err(CommandError::from_messages(Vec::new())),
            (None, End::Answered) if transcript.has_saved_media() && !has_denied_call => {
                Ok(outcome)
            }
            (None, End::Stopped) => Ok(Outcome::Stopped),
            (None, End::Answered | End::LimitReached | End::Failed) => Ok(Outcome::Failed),
        }
    }

    /// Sends the messages until one fails.
    async fn send_all(
        &mut self,
        agent: &Agent,
        cancellation: &Cancellation,
        results: &mut Results,
        transcript: &mut Transcript,
    ) -> Result<End, CommandError> {
        for turn in std::mem::take(&mut self.turns) {
            if let Some(stored) = &self.stored {
                results.conversation = stored.load().await?;
            }
            let attached = std::mem::take(&mut self.attached);
            transcript.message(&turn.shown, &attached);
            let answer = self
                .send(agent, (turn, &attached), cancellation, results, transcript)
                .await;
            match answer {
                Ok(response) => {
                    transcript.answer(&response);
                    let partial_turn = std::mem::take(&mut results.partial_turn);
                    results.responses.push(Answered {
                        response,
                        nested: partial_turn.nested,
                    });
                }
                Err(error) => {
                    // The answer was paid for, although the journal could not keep it.
                    match results.unrecorded_answer(&error) {
                        Some(answered) => {
                            transcript.answer(&answered.response);
                            results.responses.push(answered);
                        }
                        None => transcript.end_text(),
                    }
                    self.usage.run_failed(&error);
                    if error.is_configuration() {
                        return Err(CommandError::from(error));
                    }
                    if error.is_journal() {
                        error_to_stderr(&with_causes(&error));
                        if let Some(journal) = &self.journal {
                            journal.print_remedies(&error, "").await;
                        }
                        results.unended = error.unended_run().map(str::to_owned);
                        return Err(CommandError::from_messages(Vec::new()));
                    }
                    results.waiting = AwaitingApproval::of(&error).map(|paused| Waiting {
                        run: paused.run.id().to_owned(),
                        calls: paused.calls.clone(),
                    });
                    let end = self.report_failure(&error, cancellation, &results.partial_turn);
                    if self.is_offline && error.is_llm() {
                        to_stderr(ABOUT_OFFLINE);
                    }
                    return Ok(end);
                }
            }
        }
        Ok(End::Answered)
    }

    /// Sends a message, and stores the messages that follow from it.
    async fn send(
        &mut self,
        agent: &Agent,
        (turn, attached): (Turn, &[Part]),
        cancellation: &Cancellation,
        results: &mut Results,
        transcript: &mut Transcript,
    ) -> Result<AgentResponse, Error> {
        let mut sent = results.conversation.clone();
        let known = sent.len();
        let (usage, partial_turn) = (&mut self.usage, &mut results.partial_turn);
        let has_denied_call = &mut results.has_denied_call;
        let mut observer = |event: &Event| {
            *has_denied_call |= denied_tool(event).is_some();
            usage.event(event);
            partial_turn.event(event);
            transcript.event(event);
        };
        let mut run = self
            .runtime
            .run(
                agent,
                attached.iter().cloned().fold(turn.input, Input::part),
            )
            .tools(&self.library)
            .conversation(&mut sent)
            .observer(&mut observer)
            .cancellation(cancellation.clone());
        if !self.may_wait {
            run = run.deny_without_approver();
        }
        if self.is_streaming {
            run = run.streaming();
        }
        if let Some(stored) = &self.stored {
            run = stored.set_up(run);
        }
        let answer = self.retention.retain(run).await;
        // New messages are kept after an error too, because tools may have changed something.
        let new = sent.messages().get(known..).unwrap_or_default();
        results.has_new_messages |= !new.is_empty();
        results.added = new.len();
        results.conversation.extend(new.iter().cloned());
        answer
    }

    /// Prints the error of a message that was not answered.
    fn report_failure(
        &self,
        error: &Error,
        cancellation: &Cancellation,
        partial_turn: &PartialTurn,
    ) -> End {
        let end = if cancellation.is_cancelled() && error.is_cancelled() {
            to_stderr("stopped\n");
            End::Stopped
        } else if let Some(paused) = AwaitingApproval::of(error) {
            let redactor = self.runtime.redactor();
            to_stderr(&format!("the run {} waits\n", paused.run.id()));
            for call in &paused.calls {
                to_stderr(&format!("{}\n", waiting_line(call, &redactor)));
            }
            to_stderr(ABOUT_WAITING);
            End::Failed
        } else {
            error_to_stderr(&with_causes(error));
            if error.is_limit() {
                End::LimitReached
            } else {
                End::Failed
            }
        };
        if self.stored.is_some() && partial_turn.answer.text().is_some() {
            to_stderr(&format!(
                "the partial answer stays in the conversation, marked {INTERRUPTED}\n"
            ));
        }
        end
    }
}

/// The reason for which a run with the offline model gives no typed answer.
const ABOUT_OFFLINE: &str = "  with `--offline`, the offline model answers in place of the agent's own: it calls tools and \
                             repeats their results, and writes no answer of another type than text\n";

/// The turn of a message that is not answered yet.
#[derive(Default)]
struct PartialTurn {
    answer: PartialAnswer,
    calls: Vec<ToolInvocation>,
    /// The calls of the agents that were called.
    nested: Vec<NestedCall>,
    usage: Usage,
}

impl PartialTurn {
    /// Collects the text, calls and usage of an event.
    fn event(&mut self, event: &Event) {
        self.answer.event(event);
        match event {
            Event::ToolFinished { invocation, .. } => self.calls.push(invocation.clone()),
            Event::ModelReplied { usage, .. } => self.usage.add(usage),
            Event::Nested { path, event, .. } => match &**event {
                Event::ToolFinished { invocation, .. } => self.nested.push(NestedCall {
                    path: format!("{path}/{}", invocation.tool),
                    invocation: invocation.clone(),
                }),
                Event::ModelReplied { usage, .. } => self.usage.add(usage),
                _ => {}
            },
            _ => {}
        }
    }

    /// Converts the turn to a response, whose content may be empty. `None` without text and calls.
    fn into_response(self) -> Option<AgentResponse> {
        if self.calls.is_empty() && self.answer.text().is_none() {
            return None;
        }
        let mut response = AgentResponse::default();
        response.content = self.answer.text().unwrap_or_default().to_owned();
        response.tools_used = self.calls;
        response.usage = self.usage;
        Some(response)
    }
}

/// The exit code that shells use for programs that Ctrl-C ends.
const INTERRUPTED_EXIT_CODE: i32 = 130;

/// Returns a cancellation that Ctrl-C triggers, so that the results so far can be stored and printed. A
/// second Ctrl-C ends the program at once, because storing or printing may block.
pub(in crate::command) async fn cancelled_by_ctrl_c() -> Cancellation {
    let cancellation = Cancellation::new();
    let cancelled = cancellation.clone();
    tokio::spawn(async move {
        // If the system cannot report Ctrl-C, it still ends the program.
        if ctrl_c().await.is_ok() {
            cancelled.cancel();
            if ctrl_c().await.is_ok() {
                restore_echo();
                exit(INTERRUPTED_EXIT_CODE);
            }
        }
    });
    // After the yield, the task listens for Ctrl-C.
    tokio::task::yield_now().await;
    cancellation
}
