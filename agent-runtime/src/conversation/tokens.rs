//! How much of a model's context a message takes, roughly.

use super::Message;

/// What stands around a message, and around a call, on its way to a model.
const FRAME: usize = 4;

/// About how many tokens a message is: a token for four characters of ASCII and for each other
/// character, four for each message and each call, and all that is sent with them (names, ids,
/// arguments, and what the provider wants back).
///
/// Every model counts differently. For English this is near what most say, for code and JSON a
/// little low, for most other scripts high. A program that must be exact counts itself, with
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
    let calls = message
        .tool_calls()
        .iter()
        .map(|call| FRAME + of_text(call.id()) + of_text(call.tool()) + of_text(call.args_text()));
    let texts = [message.name(), message.call_id()].into_iter().flatten();
    let kept = message.provider_data().map(ToString::to_string);
    FRAME
        + of_text(message.content())
        + texts.map(of_text).sum::<usize>()
        + calls.sum::<usize>()
        + kept.as_deref().map_or(0, of_text)
}

fn of_text(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ToolCall;

    #[test]
    fn all_that_is_sent_counts() {
        assert_eq!(estimate_tokens(&Message::user("")), 4);
        assert_eq!(estimate_tokens(&Message::user("abcde")), 6);
        assert_eq!(estimate_tokens(&Message::user("日本語")), 7);
        let call = ToolCall::new("abcd", "efgh", "{}");
        let calling = Message::assistant("").with_tool_calls([call]);
        assert_eq!(estimate_tokens(&calling), 4 + 4 + 3);
        let result = Message::function("efgh", "abcd", "1234");
        assert_eq!(estimate_tokens(&result), 4 + 3);
        let kept = Message::assistant("").with_provider_data("123456".into());
        assert_eq!(estimate_tokens(&kept), 4 + 2);
    }
}
