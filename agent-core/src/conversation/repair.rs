//! Repairing a conversation so that it can be sent to a model.

use super::{Message, Role, ToolCall};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;

/// The result that a call without result gets.
const NO_RESULT: &str = "there is no result: the call was interrupted";

/// A change that [`Conversation::repair`](super::Conversation::repair) made. `at` is the index of a message before
/// the repair. `Display` counts messages from one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// A result without a call was removed.
    RemovedResult {
        /// The index of the result.
        at: usize,
        /// The call id of the result.
        call_id: String,
    },
    /// A result was moved to its call, because other messages were between them.
    MovedResult {
        /// The index of the result.
        at: usize,
        /// The id of the call.
        call_id: String,
    },
    /// A call without a result got one.
    AddedResult {
        /// The index of the message that makes the call.
        at: usize,
        /// The id of the call.
        call_id: String,
    },
    /// A call whose id was empty or used by another call of its message got a new id, also in its result.
    RenamedCall {
        /// The index of the message that makes the call.
        at: usize,
        /// The old id.
        from: String,
        /// The new id.
        to: String,
    },
    /// A result with another name than the tool of its call got the name of that tool.
    RenamedResult {
        /// The index of the result.
        at: usize,
        /// The old name.
        from: String,
        /// The tool of its call.
        to: String,
    },
    /// Calls were removed from a message that is not the model's.
    RemovedCalls {
        /// The index of the message.
        at: usize,
        /// The number of its calls.
        count: usize,
    },
    /// Thoughts and data of a provider were removed from a message that is not the model's.
    RemovedThoughts {
        /// The index of the message.
        at: usize,
        /// The number of the parts.
        count: usize,
    },
}

impl Repair {
    fn at(&self) -> usize {
        match self {
            Self::RemovedResult { at, .. }
            | Self::MovedResult { at, .. }
            | Self::AddedResult { at, .. }
            | Self::RenamedCall { at, .. }
            | Self::RenamedResult { at, .. }
            | Self::RemovedCalls { at, .. }
            | Self::RemovedThoughts { at, .. } => *at,
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.at() + 1;
        match self {
            Self::RemovedResult { call_id, .. } => write!(
                out,
                "message {number} was taken out: it is a result of `{call_id}`, which no call waits \
                 for"
            ),
            Self::MovedResult { call_id, .. } => {
                write!(out, "message {number} was moved to its call, `{call_id}`")
            }
            Self::AddedResult { call_id, .. } => write!(
                out,
                "the call `{call_id}` of message {number} got a result that says that there is none"
            ),
            Self::RenamedCall { from, to, .. } => write!(
                out,
                "the call `{from}` of message {number} is called `{to}`, since each call of a message has its own id"
            ),
            Self::RenamedResult { from, to, .. } => write!(
                out,
                "message {number}, a result of `{from}`, is one of `{to}`, the tool of its call"
            ),
            Self::RemovedCalls { count, .. } => write!(
                out,
                "message {number} lost its calls ({count}), since only the model makes calls"
            ),
            Self::RemovedThoughts { count, .. } => write!(
                out,
                "message {number} lost parts ({count}) that only messages of the model have"
            ),
        }
    }
}

/// The number that is appended to an id first.
const FIRST: u64 = 2;

/// Derives an id that is not taken by appending the next free number.
fn another_id(id: &str, number: &mut u64, is_taken: impl Fn(&str) -> bool) -> String {
    let id = if id.is_empty() { "call" } else { id };
    loop {
        let candidate = format!("{id}-{number}");
        *number += 1;
        if !is_taken(&candidate) {
            return candidate;
        }
    }
}

/// Indexes of messages, in order.
type Indexes = VecDeque<usize>;

/// A conversation that is being repaired.
pub(super) struct Repairer {
    messages: Vec<Message>,
    ids: HashMap<String, CallId>,
    placed: Vec<bool>,
    repaired: Vec<Message>,
    repairs: Vec<Repair>,
}

/// The uses of the id of a call.
struct CallId {
    /// Whether a message makes a call with the id.
    is_called: bool,
    /// The messages with calls of this id, from the message that is being repaired on.
    callers: Indexes,
    /// The results that have no call yet.
    results: Indexes,
    /// Whether the repair gave the id to a call.
    is_given: bool,
    /// The next number to append.
    number: u64,
}

impl Repairer {
    pub(super) fn new(messages: Vec<Message>) -> Self {
        let mut repairer = Self {
            ids: HashMap::new(),
            placed: vec![false; messages.len()],
            messages: Vec::new(),
            repaired: Vec::new(),
            repairs: Vec::new(),
        };
        for (at, message) in messages.iter().enumerate() {
            match message.role() {
                Role::Function => {
                    let id = message.call_id().unwrap_or_default();
                    repairer.call_id(id).results.push_back(at);
                }
                Role::Assistant => {
                    for call in message.tool_calls() {
                        let id = repairer.call_id(call.id());
                        id.is_called = true;
                        id.callers.push_back(at);
                    }
                }
                Role::User => {}
            }
        }
        repairer.messages = messages;
        repairer
    }

    fn call_id(&mut self, id: &str) -> &mut CallId {
        self.ids.entry(id.to_owned()).or_insert_with(|| CallId {
            is_called: false,
            callers: Indexes::new(),
            results: Indexes::new(),
            is_given: false,
            number: FIRST,
        })
    }

    pub(super) fn repair(mut self) -> (Vec<Message>, Vec<Repair>) {
        for at in 0..self.messages.len() {
            let message = self.messages[at].clone();
            match message.role() {
                Role::Function if self.placed[at] => {}
                Role::Function => {
                    let call_id = message.call_id().unwrap_or_default().to_owned();
                    self.repairs.push(Repair::RemovedResult { at, call_id });
                }
                Role::Assistant => self.answer(at, message),
                Role::User => {
                    let message = self.without_calls(at, message);
                    let message = self.without_thoughts(at, message);
                    self.repaired.push(message);
                }
            }
        }
        (self.repaired, self.repairs)
    }

    fn without_calls(&mut self, at: usize, message: Message) -> Message {
        let count = message.tool_calls().len();
        if count == 0 {
            return message;
        }
        self.repairs.push(Repair::RemovedCalls { at, count });
        message.with_tool_calls([])
    }

    fn without_thoughts(&mut self, at: usize, message: Message) -> Message {
        let kept = message.without_thoughts();
        let count = message.parts().len() - kept.parts().len();
        if count > 0 {
            self.repairs.push(Repair::RemovedThoughts { at, count });
        }
        kept
    }

    fn of_tool(&mut self, at: usize, result: Message, tool: &str) -> Message {
        let name = result.name().unwrap_or_default();
        if name == tool {
            return result;
        }
        let (from, to) = (name.to_owned(), tool.to_owned());
        let result = result.with_name(Some(to.clone()));
        self.repairs.push(Repair::RenamedResult { at, from, to });
        result
    }

    /// Adds a message of the model, with a result for each of its calls.
    fn answer(&mut self, at: usize, message: Message) {
        let calls = message.tool_calls().to_vec();
        if calls.is_empty() {
            self.repaired.push(message);
            return;
        }
        let behind = self.messages[at + 1..].iter();
        let near = behind.take_while(|message| message.role() == Role::Function);
        let near = at + 1 + near.count();
        let mut named = Vec::new();
        let mut results = Vec::new();
        let mut own = HashSet::new();
        for call in calls {
            let result = self.take_result(at, call.id());
            let call = self.with_own_id(at, call, &mut own);
            results.push((result, call.clone()));
            named.push(call);
        }
        self.repaired.push(message.with_tool_calls(named));
        // Results that follow their message keep their order. Moved and added ones come after them.
        results.sort_by_key(|(result, _)| result.unwrap_or(usize::MAX));
        for (result, call) in results {
            let message = match result {
                Some(from) => {
                    if from >= near {
                        let call_id = call.id().to_owned();
                        self.repairs.push(Repair::MovedResult { at: from, call_id });
                    }
                    let result = self.messages[from].clone();
                    let result = self.without_calls(from, result);
                    let result = self.without_thoughts(from, result);
                    let result = self.of_tool(from, result, call.tool());
                    result.with_call_id(call.id().to_owned())
                }
                None => {
                    let call_id = call.id().to_owned();
                    self.repairs.push(Repair::AddedResult { at, call_id });
                    Message::function(call.tool(), call.id(), NO_RESULT).into_error()
                }
            };
            self.repaired.push(message);
        }
    }

    /// Removes and returns the first result after a call and before the next call with this id.
    fn take_result(&mut self, at: usize, id: &str) -> Option<usize> {
        let CallId {
            callers, results, ..
        } = self.ids.get_mut(id)?;
        while callers.front().is_some_and(|caller| *caller <= at) {
            callers.pop_front();
        }
        let end = callers.front().copied().unwrap_or(usize::MAX);
        // Results before the call belong to no call.
        while results.front().is_some_and(|result| *result < at) {
            results.pop_front();
        }
        let result = results.pop_front_if(|result| *result < end)?;
        self.placed[result] = true;
        Some(result)
    }

    /// Gives a call a new id if its id is empty or belongs to an earlier call of its message. `own` has the
    /// ids of the message.
    fn with_own_id(&mut self, at: usize, call: ToolCall, own: &mut HashSet<String>) -> ToolCall {
        if !call.id().is_empty() && own.insert(call.id().to_owned()) {
            return call;
        }
        let from = call.id().to_owned();
        let mut number = self.call_id(&from).number;
        let to = another_id(&from, &mut number, |id| {
            let known = self.ids.get(id);
            known.is_some_and(|known| known.is_given || known.is_called)
        });
        self.call_id(&from).number = number;
        self.call_id(&to).is_given = true;
        let call = call.with_id(to.clone());
        self.repairs.push(Repair::RenamedCall { at, from, to });
        call
    }
}
