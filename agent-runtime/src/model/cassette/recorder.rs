//! The exchanges of a file that is being recorded.

use super::exchange::Exchange;
use super::layout;
use crate::error::Kind;
use serde_json::Value;

/// Exchanges in the order in which their requests were made; those that are on their way, or were
/// given up, are missing.
#[derive(Default)]
pub(super) struct Recorder(Vec<Option<Recorded>>);

struct Recorded {
    exchange: Exchange,
    /// As it stands in the file, since the file is written anew for each.
    text: String,
}

impl Recorder {
    /// The place for a request that is made now.
    pub(super) fn begin(&mut self) -> usize {
        self.0.push(None);
        self.0.len() - 1
    }

    pub(super) fn keep(&mut self, place: usize, exchange: Exchange) {
        if !self.is_to_be_kept(&exchange) {
            return;
        }
        let text = layout::exchange(&exchange.to_json());
        self.0[place] = Some(Recorded { exchange, text });
    }

    /// What is wrong with the set-up of this machine, a missing key say, is not what a model
    /// answered, and would be replayed for ever. Except that a fallback model which cannot be used
    /// is passed over, so that the run goes on as it was recorded only if that is known.
    fn is_to_be_kept(&self, exchange: &Exchange) -> bool {
        match &exchange.outcome {
            Err(failed) if failed.kind == Kind::Configuration => {
                let before = self.0.iter().flatten();
                before.map(|recorded| &recorded.exchange).any(|before| {
                    let down = matches!(&before.outcome, Err(failed) if failed.unavailable);
                    down && is_same_but_for_the_model(&before.request, &exchange.request)
                })
            }
            _ => true,
        }
    }

    /// The exchanges as they stand in the file.
    pub(super) fn written(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(|recorded| &*recorded.text)
    }
}

fn is_same_but_for_the_model(one: &Value, other: &Value) -> bool {
    let without_model = |request: &Value| {
        let mut request = request.clone();
        request["model"] = Value::Null;
        request
    };
    without_model(one) == without_model(other)
}
