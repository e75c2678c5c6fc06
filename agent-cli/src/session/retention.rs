//! How much of what was said before is sent with a message.

use super::whole_number::any_count;
use agent_runtime::Conversation;
use agent_runtime::conversation::Retention;

/// How much of what was said before is sent with a message.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct KeepArgs {
    /// Of what was said before, send the model only the last N turns with a message. A turn is a message
    /// and all that came of it. What is stored, saved and printed stays whole
    #[arg(long = "keep-turns", value_name = "N", value_parser = any_count)]
    turns: Option<usize>,
    /// Of what was said before, send the model only the last turns that have N tokens together, as far as
    /// that can be estimated; the very last one always. Otherwise as --keep-turns; with both, what both allow
    #[arg(long = "keep-tokens", value_name = "N", value_parser = any_count)]
    tokens: Option<usize>,
}

impl KeepArgs {
    /// What is sent of a conversation.
    pub(crate) fn sent(self, conversation: &Conversation) -> Conversation {
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
