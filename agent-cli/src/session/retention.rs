//! The part of a conversation that is sent with a message.

use super::number::count;
use agent_runtime::Conversation;
use agent_runtime::conversation::Retention;

/// The options `--keep-turns` and `--keep-tokens`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct RetentionArgs {
    /// Send the model at most the last N turns of the conversation with each message. When there are more,
    /// half of N is sent, so that the provider's cache works for many turns. A turn is a message with the
    /// calls and answers that followed. All messages are still stored, saved and printed
    #[arg(long = "keep-turns", value_name = "N", value_parser = count)]
    turns: Option<usize>,
    /// Like --keep-turns, but send the last turns that together have at most N tokens, by an estimate. When
    /// there are more, half of N is sent. The very last turn is always sent. With both options, both hold
    #[arg(long = "keep-tokens", value_name = "N", value_parser = count)]
    tokens: Option<usize>,
}

impl RetentionArgs {
    /// Returns the part of a conversation that is sent.
    pub(crate) fn truncated(self, conversation: &Conversation) -> Conversation {
        let mut sent = conversation.clone();
        let mut policy = Retention::new();
        if let Some(turns) = self.turns {
            policy = policy.last_turns(turns);
        }
        if let Some(tokens) = self.tokens {
            policy = policy.token_budget(tokens);
        }
        if self.turns.is_some() || self.tokens.is_some() {
            sent.truncate(&policy);
        }
        sent
    }
}
