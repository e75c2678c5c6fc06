//! The loop of a chat: reads lines, sends messages to the agent, and prints its answers.

use super::approval::{LastEdit, Questions};
use super::interrupt::Interrupt;
use super::line_reader::{Line, LineReader};
use super::save::{self, resolve_path};
use super::server_question::ServerQuestions;
use super::slash_command::{self, ParsedLine, SlashCommand};
use super::terminal::{Input, Terminal};
use super::turn_view::TurnView;
use crate::attachment;
use crate::display::{media_line, name, shortened};
use crate::named_conversation::NamedConversation;
use crate::outcome::{CommandError, Outcome, with_causes};
use crate::output::{error_to_stderr, to_stderr, warning_to_stderr};
use crate::run_journal::{Ended, RunJournal};
use crate::session::{
    ABOUT_DENIED, Arguments, PartialAnswer, RetentionArgs, UsageReport, denied_tool,
};
use agent_project::report::counted;
use agent_project::source::is_stdin;
use agent_runtime::conversation::{INTERRUPTED, Part};
use agent_runtime::{
    Agent, Cancellation, Conversation, Environment, Error, Message, Runtime, ToolLibrary, ToolSpec,
};
use agent_spec::terminal::line;
use std::io;
use tokio::time::{MissedTickBehavior, interval_at};

/// The prompt before a message.
pub(super) const PROMPT: &str = "💬 ";

const STILL_ATTACHED: &str =
    "the attachments stay for the next message; `/attach --drop` removes them";

const HINT: &str = "To leave, press Ctrl-C again, or Ctrl-D, or type `/quit`";

/// A running chat.
pub(super) struct Repl<'a> {
    pub(super) runtime: Runtime,
    pub(super) agent: Agent,
    /// The arguments of `--arg`.
    pub(super) arguments: Arguments,
    /// Whether the offline model answers, whatever the agent's model is.
    pub(super) is_offline: bool,
    pub(super) library: ToolLibrary,
    /// The conversation that `/reset` goes back to.
    pub(super) initial_conversation: Conversation,
    pub(super) conversation: Conversation,
    /// The stored conversation of `--conversation`.
    pub(super) stored: Option<NamedConversation>,
    /// The journal of the runs.
    pub(super) journal: Option<RunJournal>,
    /// The run whose end could not be recorded in the journal.
    pub(super) unended: Option<UnendedRun>,
    pub(super) retention: RetentionArgs,
    pub(super) terminal: Terminal,
    pub(super) reader: LineReader,
    pub(super) questions: Questions,
    pub(super) server_questions: ServerQuestions,
    pub(super) last_edit: LastEdit,
    pub(super) view: TurnView,
    pub(super) usage: UsageReport,
    /// Whether a call was denied because nobody could be asked.
    pub(super) has_denied_call: bool,
    /// The attachments of the next message.
    pub(super) attached: Vec<Part>,
    pub(super) environment: &'a Environment,
}

/// The outcome of a turn, the worst last. Errors have been printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TurnOutcome {
    /// The user stopped the turn.
    Stopped,
    /// The agent answered.
    Answered,
    /// The turn failed.
    Failed,
    /// The configuration is wrong, for example the key, or the journal cannot be written.
    Misconfigured,
}

/// A run whose end could not be recorded in the journal. Nobody may continue the run, because the chat
/// continues with the messages that the run added.
pub(super) struct UnendedRun {
    run: String,
    /// The messages that the run added to the conversation.
    messages: Vec<Message>,
}

/// The result of running the agent for one message.
struct AgentRun {
    result: Result<Result<(), Error>, CommandError>,
    /// Whether the user stopped the run.
    was_stopped: bool,
    /// The text of an answer that is not complete.
    partial_answer: PartialAnswer,
}

impl Repl<'_> {
    /// Runs the chat until the user leaves or the input ends.
    ///
    /// # Errors
    /// Returns an error if standard input or standard output fails. An error without messages means that a
    /// configuration error has been printed.
    pub(super) async fn run(mut self) -> Result<Outcome, CommandError> {
        self.greet().await?;
        let mut worst = TurnOutcome::Answered;
        let mut was_interrupted = false;
        loop {
            let prompt = if self.terminal.is_interactive() {
                PROMPT
            } else {
                ""
            };
            let line = self.reader.message(prompt).await;
            let line = match line.map_err(|error| input_error(&error))? {
                Line::Text(line) => line,
                Line::End => {
                    self.end_prompt_line();
                    break;
                }
                Line::Interrupted { .. } if !self.terminal.is_interactive() => {
                    worst = TurnOutcome::Failed;
                    break;
                }
                Line::Interrupted { was_empty } => {
                    self.end_prompt_line();
                    if was_empty && was_interrupted {
                        break;
                    }
                    was_interrupted = was_empty;
                    if was_empty {
                        self.print(HINT);
                    }
                    continue;
                }
            };
            was_interrupted = false;
            match slash_command::parse(&line) {
                ParsedLine::Empty => {}
                ParsedLine::Message(message) => {
                    let outcome = self.turn(&message).await?;
                    if outcome == TurnOutcome::Stopped && !self.terminal.is_interactive() {
                        worst = TurnOutcome::Failed;
                        break;
                    }
                    worst = worst.max(outcome);
                }
                ParsedLine::Command(SlashCommand::Quit) => break,
                ParsedLine::Command(command) => {
                    if let Err(error) = self.execute(command).await {
                        error.print();
                        worst = worst.max(TurnOutcome::Failed);
                    }
                }
                ParsedLine::Invalid(message) => {
                    error_to_stderr(&message);
                    worst = worst.max(TurnOutcome::Failed);
                }
            }
            self.view.take_result()?;
        }
        if let Err(error) = self.end_unended().await {
            error.print();
        }
        if self.has_denied_call {
            to_stderr(ABOUT_DENIED);
            worst = worst.max(TurnOutcome::Failed);
        }
        match worst {
            // At a prompt the user has seen the errors and gone on.
            _ if self.terminal.is_interactive() => Ok(Outcome::Fine),
            TurnOutcome::Answered | TurnOutcome::Stopped => Ok(Outcome::Fine),
            TurnOutcome::Failed => Ok(Outcome::Failed),
            TurnOutcome::Misconfigured => Err(CommandError::from_messages(Vec::new())),
        }
    }

    /// Prints the agent, its model, and the number of earlier messages.
    async fn greet(&mut self) -> Result<(), CommandError> {
        if !self.terminal.is_interactive() {
            return Ok(());
        }
        let name = name(self.agent.name());
        let model = if self.is_offline {
            "offline".to_owned()
        } else {
            shortened(&self.agent.model().to_string())
        };
        self.print(&format!("{name} ({model}); `/help` shows the commands"));
        if let Some(stored) = &self.stored {
            self.conversation = stored.load().await?;
        }
        match self.conversation.len() {
            0 => {}
            count => {
                let messages = counted(count, "message");
                self.print(&format!("the conversation has {messages} already"));
            }
        }
        Ok(())
    }

    /// Executes a command.
    ///
    /// # Errors
    /// Returns an error if the command fails. The chat continues.
    async fn execute(&mut self, command: SlashCommand) -> Result<(), CommandError> {
        match command {
            SlashCommand::Help => self.print(&slash_command::help()),
            SlashCommand::Tools => self.print(&list_tools(&self.agent, &self.library)),
            SlashCommand::Usage => self.print(&self.usage.text()),
            SlashCommand::Attach { path } => {
                let path = resolve_path(&path, self.environment);
                if is_stdin(&path) {
                    let text =
                        "standard input has the messages of the chat, so it cannot be attached";
                    return Err(CommandError::new(text));
                }
                let part = attachment::read(&path).map_err(CommandError::new)?;
                self.attached.push(part);
                self.list_attached();
            }
            SlashCommand::Attached => self.list_attached(),
            SlashCommand::Detach => {
                self.attached.clear();
                self.list_attached();
            }
            SlashCommand::Save { path, overwrite } => {
                // While the messages of a run cannot be stored, the chat alone has them.
                let is_stored = self.end_unended().await.is_ok();
                if let Some(stored) = self.stored.as_ref().filter(|_| is_stored) {
                    self.conversation = stored.load().await?;
                }
                let path = resolve_path(&path, self.environment);
                let conversation = self.conversation.redacted(&self.runtime.redactor());
                save::save(&conversation, &path, overwrite).map_err(CommandError::new)?;
                let messages = counted(self.conversation.len(), "message");
                self.print(&format!(
                    "saved {messages} in `{}`",
                    shortened(&path.display().to_string())
                ));
                let has_media = conversation.messages().iter().any(has_bytes);
                if has_media && path.extension().is_none_or(|found| found != "json") {
                    self.print(
                        "the bytes of its images, documents and audio are not in it; a `.json` file has them",
                    );
                }
            }
            SlashCommand::Reset { stored } => self.reset(stored).await?,
            // The caller ends the loop.
            SlashCommand::Quit => {}
        }
        Ok(())
    }

    /// Prints the attachments of the next message.
    fn list_attached(&mut self) {
        let lines: Vec<String> = self.attached.iter().filter_map(media_line).collect();
        if lines.is_empty() {
            self.print("nothing is attached to the next message");
        }
        for line in lines {
            self.print(&line);
        }
    }

    async fn reset(&mut self, delete_stored: bool) -> Result<(), CommandError> {
        // The run is ended first, because its messages would otherwise be added to the conversation again.
        self.end_unended().await?;
        match &self.stored {
            Some(stored) if delete_stored => stored.delete().await?,
            Some(stored) => {
                let name = stored.name();
                return Err(CommandError::new(format!(
                    "the conversation `{name}` is stored; `/reset --stored` deletes it, and another name \
                     for --conversation begins another one"
                )));
            }
            None if delete_stored => {
                return Err(CommandError::new(
                    "nothing is stored without --conversation; use `/reset`",
                ));
            }
            None => {}
        }
        self.conversation = self.initial_conversation.clone();
        self.print("the conversation begins anew");
        Ok(())
    }

    /// Sends a message to the agent, and prints the answer.
    ///
    /// # Errors
    /// Returns an error if standard input or standard output fails.
    async fn turn(&mut self, message: &str) -> Result<TurnOutcome, CommandError> {
        if let Err(error) = self.end_unended().await {
            error.print();
            to_stderr("the message was not sent\n");
            return Ok(TurnOutcome::Misconfigured);
        }
        if let Some(stored) = &self.stored {
            match stored.load().await {
                Ok(conversation) => self.conversation = conversation,
                Err(error) => return Ok(report_failure(&error)),
            }
        }
        let mut sent = self.conversation.clone();
        let known = sent.len();
        let attached = std::mem::take(&mut self.attached);
        let AgentRun {
            result,
            was_stopped,
            partial_answer,
        } = self.run_agent(message, &attached, &mut sent).await;
        self.view.end();
        if sent.len() == known {
            // The message is not in the conversation, so the user sends it again.
            self.attached = attached;
        }
        let has_partial_answer = partial_answer.text().is_some();
        // New messages are kept after an error too, because tools may have changed something.
        let new = sent.messages().get(known..).unwrap_or_default();
        self.conversation.extend(new.iter().cloned());
        let error = result.as_ref().ok().and_then(|ended| ended.as_ref().err());
        let unended = error.and_then(Error::unended_run);
        self.unended = unended.map(|run| UnendedRun {
            run: run.to_owned(),
            messages: new.to_vec(),
        });
        let note = format!("the partial answer stays in the conversation, marked {INTERRUPTED}");
        let outcome = match result? {
            Ok(()) => TurnOutcome::Answered,
            Err(error) if was_stopped && error.is_cancelled() => {
                if has_partial_answer {
                    self.view.line(&format!("stopped; {note}"));
                } else {
                    self.view.line("stopped");
                }
                TurnOutcome::Stopped
            }
            Err(error) => {
                error_to_stderr(&with_causes(&error));
                if has_partial_answer {
                    self.view.line(&note);
                }
                if !self.attached.is_empty() {
                    self.view.line(STILL_ATTACHED);
                }
                self.usage.run_failed(&error);
                if let Some(journal) = &self.journal {
                    let next = "the next message ends it; once the chat has ended, ";
                    journal.print_remedies(&error, next).await;
                }
                if error.is_configuration() || error.is_journal() {
                    TurnOutcome::Misconfigured
                } else {
                    TurnOutcome::Failed
                }
            }
        };
        self.view.take_result()?;
        Ok(outcome)
    }

    /// Ends the run whose end could not be recorded in the journal, and stores its messages.
    ///
    /// # Errors
    /// Returns an error if the journal still cannot be written.
    async fn end_unended(&mut self) -> Result<(), CommandError> {
        let (Some(journal), Some(unended)) = (&self.journal, &self.unended) else {
            return Ok(());
        };
        let run = &unended.run;
        let ended = journal.end(&self.runtime, run, &unended.messages).await?;
        // A stored conversation has the messages of the other program.
        if ended == Ended::Elsewhere && self.stored.is_none() {
            warning_to_stderr(&format!(
                "the run `{run}` was continued by another program, and this chat has only what the run did here; `agent \
                 runs show {run}` shows the rest"
            ));
        }
        self.unended = None;
        Ok(())
    }

    /// Runs the agent until it has answered or the user stops it.
    async fn run_agent(
        &mut self,
        message: &str,
        attached: &[Part],
        sent: &mut Conversation,
    ) -> AgentRun {
        let cancellation = Cancellation::new();
        let input = self.arguments.input(&self.agent, Some(message), attached);
        let input = match input {
            Ok(input) => input,
            Err(error) => {
                return AgentRun {
                    result: Err(CommandError::new(error)),
                    was_stopped: false,
                    partial_answer: PartialAnswer::default(),
                };
            }
        };
        let mut run = self
            .runtime
            .run(&self.agent, input)
            .tools(&self.library)
            .conversation(sent)
            .cancellation(cancellation.clone())
            .deny_without_approver();
        if let Some(stored) = &self.stored {
            run = stored.set_up(run);
        }
        // Questions of an earlier turn, whose calls have ended: dropping them cancels them.
        while self.server_questions.try_recv().is_ok() {}
        let mut events = self.retention.retain(run).stream();
        let period = self.view.period();
        let mut ticks = interval_at(tokio::time::Instant::now() + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut interrupt = Interrupt::new().await;
        let mut was_stopped = false;
        let mut partial_answer = PartialAnswer::default();
        let result = loop {
            // The branches are polled in this order, so that many events cannot delay Ctrl-C, and a question
            // is printed after the events that led to it.
            tokio::select! {
                biased;
                () = interrupt.received(), if !was_stopped => {
                    was_stopped = true;
                    cancellation.cancel();
                }
                event = events.next() => match event {
                    Some(Ok(event)) => {
                        self.has_denied_call |= denied_tool(&event).is_some();
                        partial_answer.event(&event);
                        self.usage.event(&event);
                        self.view.event(&event);
                    }
                    Some(Err(error)) => break Ok(Err(error)),
                    None => break Ok(Ok(())),
                },
                Some(question) = self.questions.recv() => {
                    self.view.question(question.call());
                    let answered = question.ask(&mut self.reader, &mut self.view, &mut self.last_edit);
                    match answered.await {
                        Ok(Some(())) => {}
                        Ok(None) => {
                            was_stopped = true;
                            cancellation.cancel();
                        }
                        Err(error) => break Err(input_error(&error)),
                    }
                }
                Some(question) = self.server_questions.recv() => {
                    match question.ask(&mut self.reader, &mut self.view).await {
                        Ok(Some(())) => {}
                        Ok(None) => {
                            was_stopped = true;
                            cancellation.cancel();
                        }
                        Err(error) => break Err(input_error(&error)),
                    }
                }
                _ = ticks.tick() => self.view.tick(),
            }
        };
        AgentRun {
            result,
            was_stopped,
            partial_answer,
        }
    }

    fn print(&mut self, text: &str) {
        self.view.line(text);
    }

    /// Ends the line of an empty prompt. The line editor ends its own lines.
    fn end_prompt_line(&self) {
        if self.terminal.input == Input::PlainTerminal {
            to_stderr("\n");
        }
    }
}

/// Whether a message has the bytes of an image, a document or audio.
fn has_bytes(message: &Message) -> bool {
    message.media().any(|media| media.bytes().is_some())
}

/// Prints an error that does not end the chat.
fn report_failure(error: &CommandError) -> TurnOutcome {
    error.print();
    TurnOutcome::Failed
}

/// The maximum number of characters of a signature and of a description, because an MCP server can describe a tool with
/// megabytes.
const MAX_LINE: usize = 2000;

/// Lists the tools that an agent may call, each with its signature and its description.
fn list_tools(agent: &Agent, library: &ToolLibrary) -> String {
    if agent.tools().is_empty() {
        return "the agent has no tools".to_owned();
    }
    let tools = agent
        .tools()
        .iter()
        .map(|spec| describe_tool(spec, library));
    tools.collect::<Vec<_>>().join("\n")
}

fn describe_tool(spec: &ToolSpec, library: &ToolLibrary) -> String {
    let tool = library.lookup(spec.name());
    let asks = tool.is_some_and(|tool| tool.descriptor().settings().requires_approval);
    let asks = if asks || spec.requires_approval() {
        " (asks you first)"
    } else {
        ""
    };
    format!(
        "🛠️ {} {}{asks}\n   {}",
        name(spec.name()),
        line(&spec.signature().to_string(), MAX_LINE),
        line(spec.description(), MAX_LINE)
    )
}

/// Creates the error for standard input that cannot be read.
fn input_error(error: &io::Error) -> CommandError {
    CommandError::new(match error.kind() {
        io::ErrorKind::InvalidData => "standard input is not UTF-8 text".to_owned(),
        _ => format!("cannot read standard input: {error}"),
    })
}
