//! Estimates of the tokens of messages.

use super::Message;
use super::part_tokens::{of_part, of_text};
use agent_spec::Model;

/// The estimated tokens of a message or a call besides its texts.
const FRAME: usize = 4;

/// Estimates the number of tokens of a message: one for four ASCII characters and for each other character,
/// and four for each message and each call. Names, ids, arguments, thoughts and the data of providers are counted.
/// Images, documents and audio count by their size, never as text; [`estimate_tokens_for`] counts them by the rule
/// of a provider.
///
/// Every model counts differently. The estimate is close for English, a little low for code and JSON, and high
/// for most other scripts. A program that needs exact numbers sets its own function with
/// [`Retention::count_tokens`](super::Retention::count_tokens).
///
/// ```
/// use agent_runtime::conversation::estimate_tokens;
/// use agent_runtime::Message;
///
/// assert_eq!(estimate_tokens(&Message::user("Where is the nearest library?")), 4 + 8);
/// ```
#[must_use]
pub fn estimate_tokens(message: &Message) -> usize {
    of_message(message, None)
}

/// Estimates the number of tokens of a message as [`estimate_tokens`] does, with images, documents and audio counted
/// by the rule of the model's provider, where it has one.
///
/// ```
/// use agent_runtime::conversation::{Retention, estimate_tokens_for};
/// use agent_runtime::Model;
///
/// let model = Model::parse("Google/gemini-3.8-flash").expect("a model");
/// let policy = Retention::new().token_budget(10_000);
/// let policy = policy.count_tokens(move |message| estimate_tokens_for(&model, message));
/// ```
#[must_use]
pub fn estimate_tokens_for(model: &Model, message: &Message) -> usize {
    of_message(message, Some(model))
}

#[cfg(test)]
thread_local! {
    /// The number of messages whose tokens were estimated on this thread.
    pub(crate) static ESTIMATES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn of_message(message: &Message, model: Option<&Model>) -> usize {
    #[cfg(test)]
    ESTIMATES.set(ESTIMATES.get() + 1);
    let calls = message
        .tool_calls()
        .iter()
        .map(|call| FRAME + of_text(call.id()) + of_text(call.tool()) + of_text(call.args_text()));
    let texts = [message.name(), message.call_id()].into_iter().flatten();
    FRAME
        + message
            .parts()
            .iter()
            .map(|part| of_part(part, model))
            .sum::<usize>()
        + texts.map(of_text).sum::<usize>()
        + calls.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Part, ProviderPart, ToolCall};

    #[test]
    fn estimate_counts_all_texts_of_a_message() {
        assert_eq!(estimate_tokens(&Message::user("")), 4);
        assert_eq!(estimate_tokens(&Message::user("abcde")), 6);
        assert_eq!(estimate_tokens(&Message::user("日本語")), 7);
        let call = ToolCall::new("abcd", "efgh", "{}");
        let calling = Message::assistant("").with_tool_calls([call]);
        assert_eq!(estimate_tokens(&calling), 4 + 4 + 3);
        let result = Message::function("efgh", "abcd", "1234");
        assert_eq!(estimate_tokens(&result), 4 + 3);
        let kept = Part::from(ProviderPart::new("Acme", "123456".into()));
        assert_eq!(estimate_tokens(&Message::assistant_parts([kept])), 4 + 2);
    }
}
