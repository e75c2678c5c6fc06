//! The part of a conversation that is sent with a message.

use super::number::count;
use agent_runtime::conversation::{Compaction, Retention};
use agent_runtime::runtime::{RunBuilder, RuntimeBuilder};

/// The options `--keep-turns`, `--keep-tokens` and `--compact-above`.
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
    /// Replace the oldest turns by a summary, which the model writes, when a request would have more than this
    /// number of tokens, by an estimate. Half of it is left, so that the provider's cache works for many turns.
    /// All messages are still stored, saved and printed. Takes precedence over the agent's `compactAbove`
    #[arg(long, value_name = "TOKENS", value_parser = count)]
    compact_above: Option<usize>,
}

impl RetentionArgs {
    /// Sets the compaction of a runtime.
    pub(super) fn compact(self, runtime: RuntimeBuilder) -> RuntimeBuilder {
        match self.compact_above {
            Some(tokens) => runtime.compaction(Compaction::above(tokens)),
            None => runtime,
        }
    }

    /// Sets the part of the conversation that a run sends.
    pub(crate) fn retain(self, run: RunBuilder<'_>) -> RunBuilder<'_> {
        let mut policy = Retention::new();
        if let Some(turns) = self.turns {
            policy = policy.last_turns(turns);
        }
        if let Some(tokens) = self.tokens {
            policy = policy.token_budget(tokens);
        }
        if self.turns.is_some() || self.tokens.is_some() {
            return run.retention(policy);
        }
        run
    }
}
