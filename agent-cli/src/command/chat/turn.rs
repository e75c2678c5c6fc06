//! One message, and what comes of it.

use super::interrupt::Interrupt;
use super::talk::Chat;
use crate::outcome::{Trouble, in_full};
use crate::output::error_to_stderr;
use crate::session::{MARK, Unfinished};
use agent_runtime::{Cancellation, Conversation, Error};
use tokio::time::{MissedTickBehavior, interval_at};

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
                        Err(error) => break Err(super::unreadable(&error)),
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
