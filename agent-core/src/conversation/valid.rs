//! Validation of conversations by the rules of providers.

use super::{Message, Role, ToolCall};
use std::collections::HashMap;
use std::fmt;

const NOT_THE_MODEL: &str = "calls tools, which only the model may";
const ONLY_THE_MODELS: &str = "which only messages of the model have";

/// The rule by which a provider would reject a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    at: usize,
    problem: String,
}

impl Invalid {
    fn new(at: usize, problem: String) -> Self {
        Self { at, problem }
    }

    /// The index of the message that breaks the rule in [`messages`](crate::Conversation::messages). `Display`
    /// counts messages from one.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "message {} of the conversation {}",
            self.at + 1,
            self.problem
        )
    }
}

impl std::error::Error for Invalid {}

/// Checks that every call has exactly one result, directly after the message that makes the call, that every
/// result has a call and the name of its tool, that no message uses an id twice, and that only messages of the
/// model have thoughts. Several messages may use one id, because some servers number the calls of each answer anew.
pub(crate) fn check_messages(messages: &[Message]) -> Result<(), Invalid> {
    let mut open = Open::default();
    let mut caller = 0;
    for (at, message) in messages.iter().enumerate() {
        if message.role() != Role::Assistant
            && let Some(part) = message.parts().iter().find(|part| part.is_models())
        {
            let problem = format!(
                "has a part of the type `{}`, {ONLY_THE_MODELS}",
                part.kind()
            );
            return Err(Invalid::new(at, problem));
        }
        if message.role() == Role::Function {
            let (Some(id), Some(name)) = (message.call_id(), message.name()) else {
                return Err(Invalid::new(
                    at,
                    "is a result without name and call id".into(),
                ));
            };
            let Some(call) = open.waiting.remove(id) else {
                let problem = format!("is a result of `{id}`, which no call waits for");
                return Err(Invalid::new(at, problem));
            };
            let tool = open.calls[call].tool();
            if name != tool {
                let problem = format!(
                    "has the name `{name}` and is the result of the call `{id}`, which is one of `{tool}`"
                );
                return Err(Invalid::new(at, problem));
            }
            if !message.tool_calls().is_empty() {
                return Err(Invalid::new(at, NOT_THE_MODEL.into()));
            }
            continue;
        }
        open.check_answered(caller)?;
        for call in message.tool_calls() {
            if message.role() != Role::Assistant {
                return Err(Invalid::new(at, NOT_THE_MODEL.into()));
            }
            let place = open.calls.len();
            if call.id().is_empty() || open.waiting.insert(call.id(), place).is_some() {
                let problem = format!("uses the call id `{}` again", call.id());
                return Err(Invalid::new(at, problem));
            }
            open.calls.push(call);
        }
        caller = at;
    }
    open.check_answered(caller)
}

/// The calls of a message.
#[derive(Default)]
struct Open<'a> {
    calls: Vec<&'a ToolCall>,
    /// The places of the calls without a result, by their ids, because a message may make thousands of calls.
    waiting: HashMap<&'a str, usize>,
}

impl Open<'_> {
    /// Checks that every call has its result, and removes the calls.
    fn check_answered(&mut self, caller: usize) -> Result<(), Invalid> {
        let calls = std::mem::take(&mut self.calls);
        match calls
            .iter()
            .find(|call| self.waiting.contains_key(call.id()))
        {
            None => Ok(()),
            Some(call) => {
                let problem = format!("makes the call `{}`, which has no result", call.id());
                Err(Invalid::new(caller, problem))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Part, Thinking};

    fn calls(ids: &[&str]) -> Message {
        Message::assistant("").with_tool_calls(ids.iter().map(|id| ToolCall::new(*id, "t", "{}")))
    }

    fn check(messages: &[Message], expected: Option<usize>) {
        assert_eq!(check_messages(messages).err().map(|e| e.at()), expected);
    }

    #[test]
    fn every_call_has_one_result() {
        let (user, a, b) = (
            Message::user("hi"),
            Message::function("t", "a", "1"),
            Message::function("t", "b", "2"),
        );
        check(&[], None);
        check(
            &[user.clone(), calls(&["a", "b"]), b.clone(), a.clone()],
            None,
        );
        check(&[user.clone(), calls(&["a", "b"]), a.clone()], Some(1));
        check(
            &[user.clone(), calls(&["a"]), user.clone(), a.clone()],
            Some(1),
        );
        check(
            &[user.clone(), calls(&["a"]), a.clone(), a.clone()],
            Some(3),
        );
        check(&[user.clone(), a.clone()], Some(1));
        check(&[calls(&["a", "a"])], Some(0));
        check(&[calls(&[""])], Some(0));
        // Each answer has its own result, so the ids of two answers may be equal.
        let again = [user.clone(), calls(&["a"]), a.clone(), calls(&["a"]), a];
        check(&again, None);
        check(&again[..4], Some(3));
        let other = Message::function("u", "a", "1");
        check(&[user.clone(), calls(&["a"]), other], Some(2));
        check(
            &[user.with_tool_calls([ToolCall::new("x", "t", "{}")])],
            Some(0),
        );
    }

    #[test]
    fn only_the_model_has_thoughts() {
        let thought = || Part::from(Thinking::new("Acme", "Hm."));
        check(&[Message::assistant_parts([thought()])], None);
        check(&[Message::user_parts([thought()])], Some(0));
    }
}
