//! One message, and what comes of it.

use super::interrupt::Interrupt;
use super::talk::Chat;
use crate::outcome::{Trouble, in_full};
use crate::output::error_to_stderr;
use agent_runtime::{Cancellation, Error, ExecuteOptions};
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
        let known = self.conversation.len();
        let (ran, was_stopped) = self.run(message).await;
        self.display.end();
        // Also after an error: what tools have done by then should not be forgotten.
        let said = self.conversation.messages().get(known..);
        let stored = match &self.kept {
            Some(kept) => kept.add(said.unwrap_or_default()).await,
            None => Ok(()),
        };
        let mut ended = match ran? {
            Ok(()) => Ended::Answered,
            Err(error) if was_stopped && error.is_cancelled() => {
                self.display.line("stopped");
                Ended::Stopped
            }
            Err(error) => {
                error_to_stderr(&in_full(&error));
                if error.is_configuration() {
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

    /// Runs the agent, until it has answered or somebody stops it, and says whether somebody did.
    async fn run(&mut self, message: &str) -> (Result<Result<(), Error>, Trouble>, bool) {
        let cancellation = Cancellation::new();
        let mut options = ExecuteOptions::new().cancellation(cancellation.clone());
        if let Some(kept) = &self.kept {
            options = options.conversation_id(kept.name());
        }
        let mut events = self.runtime.stream_with(
            &self.agent,
            message,
            &mut self.conversation,
            &self.library,
            options,
        );
        let period = self.display.period();
        let mut ticks = interval_at(tokio::time::Instant::now() + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut interrupt = Interrupt::new().await;
        let mut was_stopped = false;
        let ran = loop {
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
                        self.spent.event(&event);
                        self.display.event(&event);
                    }
                    Some(Err(error)) => break Ok(Err(error)),
                    None => break Ok(Ok(())),
                },
                Some(question) = self.questions.recv() => {
                    match question.ask(&mut self.lines, &mut self.display).await {
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
        (ran, was_stopped)
    }
}

fn told(trouble: &Trouble) -> Ended {
    for message in trouble.messages() {
        error_to_stderr(message);
    }
    Ended::Failed
}
