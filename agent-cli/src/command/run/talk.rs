//! Saying the messages of a run, one after another.

use super::document::RunDocument;
use super::format::Format;
use super::transcript::Transcript;
use super::{Args, gram};
use crate::conversations::Kept;
use crate::outcome::{Outcome, Trouble, in_full};
use crate::output::{error_to_stderr, json_to_stdout, to_stderr};
use crate::session::{Spent, trouble_of};
use agent_runtime::{
    Agent, AgentResponse, Conversation, Environment, Event, ExecuteOptions, Runtime, builtin,
};

/// What the messages are said with.
pub(super) struct Talk<'a> {
    pub(super) runtime: Runtime,
    pub(super) kept: Option<Kept>,
    pub(super) args: &'a Args,
    pub(super) spent: Spent,
    pub(super) environment: &'a Environment,
}

impl Talk<'_> {
    /// Says the messages, and shows what comes of them.
    ///
    /// # Errors
    /// When the configuration is wrong, or something cannot be read or written.
    pub(super) async fn talk(
        mut self,
        agent: &Agent,
        mut conversation: Conversation,
    ) -> Result<Outcome, Trouble> {
        let format = self.args.format;
        let mut responses: Vec<AgentResponse> = Vec::new();
        let mask = self.runtime.key_mask();
        let mut transcript = Transcript::new(format, mask.clone());
        let answered = self
            .say_all(agent, &mut conversation, &mut responses, &mut transcript)
            .await;
        // Also what failed was paid for.
        if format == Format::Human && self.spent.is_priced() {
            to_stderr(&format!("{}\n", self.spent.line()));
        }
        let ended = answered?;
        transcript.finish()?;
        let responses: Vec<_> = responses
            .iter()
            .map(|response| mask.response(response))
            .collect();
        let shown = match (format, ended) {
            (Format::Human, _) | (_, Ended::Failed) => Outcome::Fine,
            (Format::Json, _) => {
                json_to_stdout(&RunDocument {
                    responses: &responses,
                    conversation: &mask.conversation(&conversation),
                })?;
                Outcome::Fine
            }
            (Format::Gram, _) => gram::responses_to_stdout(&responses)?,
        };
        Ok(match ended {
            Ended::Answered => shown,
            Ended::Limited | Ended::Failed => Outcome::Failed,
        })
    }

    /// Says the messages, one after another.
    async fn say_all(
        &mut self,
        agent: &Agent,
        conversation: &mut Conversation,
        responses: &mut Vec<AgentResponse>,
        transcript: &mut Transcript,
    ) -> Result<Ended, Trouble> {
        let library = builtin::library_with(self.environment);
        for message in &self.args.messages {
            if let Some(kept) = &self.kept {
                *conversation = kept.load().await?;
            }
            let mut sent = self.args.session.keep.sent(conversation);
            let known = sent.len();
            transcript.message(message);
            let spent = &mut self.spent;
            let mut observer = |event: &Event| {
                spent.event(event);
                transcript.event(event);
            };
            let mut options = ExecuteOptions::new().observer(&mut observer);
            if self.args.stream {
                options = options.streaming();
            }
            if let Some(kept) = &self.kept {
                options = options.conversation_id(kept.name());
            }
            let answer = self
                .runtime
                .execute_with(agent, message, &mut sent, &library, options)
                .await;
            // Also after an error: what tools have done by then should not be forgotten.
            let said = sent.messages().get(known..).unwrap_or_default();
            conversation.extend(said.iter().cloned());
            let stored = match &self.kept {
                Some(kept) => kept.add(said).await,
                None => Ok(()),
            };
            match answer {
                Ok(response) => {
                    transcript.answer(&response);
                    responses.push(response);
                }
                Err(error) => {
                    transcript.failed();
                    if error.is_configuration() {
                        self.spent.not_made();
                        return Err(trouble_of(error).and(stored.err()));
                    }
                    error_to_stderr(&in_full(&error));
                    stored?;
                    return Ok(if error.is_limit() {
                        Ended::Limited
                    } else {
                        Ended::Failed
                    });
                }
            }
            stored?;
        }
        Ok(Ended::Answered)
    }
}

/// How saying the messages ended. What went wrong has been told.
#[derive(Clone, Copy)]
enum Ended {
    /// Every message was answered.
    Answered,
    /// A limit was reached: what came by then is what was wanted.
    Limited,
    /// With an error.
    Failed,
}
