//! Mending a conversation that no model could be sent.

use super::{Message, Role, ToolCall};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;

/// What a call is answered with whose result is nowhere.
const NO_RESULT: &str = "there is no result: the call was interrupted";

/// One thing that [`Conversation::repair`] did. `at` counts messages from zero, as they stood
/// before; people are told it counted from one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// A result that no call waits for was taken out.
    RemovedResult {
        /// The result.
        at: usize,
        /// The id that it names.
        call_id: String,
    },
    /// A result that stood too late was moved to its call.
    MovedResult {
        /// Where it stood.
        at: usize,
        /// The call.
        call_id: String,
    },
    /// A call without a result got one that says so.
    AddedResult {
        /// The message that makes the call.
        at: usize,
        /// The call.
        call_id: String,
    },
    /// A call whose id was empty or another call's got an id of its own, and so did its result.
    RenamedCall {
        /// The message that makes the call.
        at: usize,
        /// The id that it had.
        from: String,
        /// The id that it has.
        to: String,
    },
    /// A result that named another tool than its call got the name of that.
    RenamedResult {
        /// The result.
        at: usize,
        /// The name that it had.
        from: String,
        /// The tool of its call.
        to: String,
    },
    /// Calls were taken out of a message that is not the model's.
    RemovedCalls {
        /// The message.
        at: usize,
        /// How many calls it made.
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
            | Self::RemovedCalls { at, .. } => *at,
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
                "the call `{from}` of message {number} is called `{to}`, since ids are used only once"
            ),
            Self::RenamedResult { from, to, .. } => write!(
                out,
                "message {number}, a result of `{from}`, is one of `{to}`, the tool of its call"
            ),
            Self::RemovedCalls { count, .. } => write!(
                out,
                "message {number} lost its calls ({count}), since only the model makes calls"
            ),
        }
    }
}

/// Returns the messages with calls of which none has a taken id.
pub(super) fn with_own_ids(
    messages: Vec<Message>,
    is_taken: impl Fn(&str) -> bool,
) -> Vec<Message> {
    let own: HashSet<String> = call_ids(&messages).map(str::to_owned).collect();
    if !own.iter().any(|id| is_taken(id)) {
        return messages;
    }
    let mut given: HashMap<String, String> = HashMap::new();
    for id in own.iter().filter(|id| is_taken(id)) {
        // Two ids never get the same one: what is added to them has no second `-`.
        let new = another_id(id, &mut { FIRST }, |id| is_taken(id) || own.contains(id));
        given.insert(id.clone(), new);
    }
    let renamed = messages.into_iter().map(|message| {
        let calls = message.tool_calls().iter().map(|call| {
            let new = given.get(call.id());
            new.map_or_else(|| call.clone(), |new| call.clone().with_id(new.clone()))
        });
        let calls: Vec<ToolCall> = calls.collect();
        let new = message.call_id().and_then(|id| given.get(id));
        let message = match new {
            Some(new) => message.with_call_id(new.clone()),
            None => message,
        };
        if calls.is_empty() {
            message
        } else {
            message.with_tool_calls(calls)
        }
    });
    renamed.collect()
}

fn call_ids(messages: &[Message]) -> impl Iterator<Item = &str> {
    let calls = messages.iter().flat_map(Message::tool_calls);
    calls.map(ToolCall::id)
}

/// The number that a call gets whose id is used before.
const FIRST: u64 = 2;

/// An id that reminds of another one, with the next number that makes it free.
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

/// Messages, in order.
type Places = VecDeque<usize>;

/// A conversation that is being repaired.
pub(super) struct Repairer {
    messages: Vec<Message>,
    /// For each id, the messages that call it, and the results that are not placed yet.
    callers: HashMap<String, Places>,
    results: HashMap<String, Places>,
    placed: Vec<bool>,
    /// The ids of calls in what is mended.
    used: HashSet<String>,
    /// Where the search for an id that is free goes on.
    numbers: HashMap<String, u64>,
    mended: Vec<Message>,
    repairs: Vec<Repair>,
}

impl Repairer {
    pub(super) fn new(messages: Vec<Message>) -> Self {
        let (mut callers, mut results) = (HashMap::new(), HashMap::new());
        let note = |places: &mut HashMap<String, Places>, id: &str, at: usize| {
            places.entry(id.to_owned()).or_default().push_back(at);
        };
        for (at, message) in messages.iter().enumerate() {
            match message.role() {
                Role::Function => note(&mut results, message.call_id().unwrap_or_default(), at),
                Role::Assistant => {
                    for call in message.tool_calls() {
                        note(&mut callers, call.id(), at);
                    }
                }
                Role::User => {}
            }
        }
        Self {
            placed: vec![false; messages.len()],
            messages,
            callers,
            results,
            used: HashSet::new(),
            numbers: HashMap::new(),
            mended: Vec::new(),
            repairs: Vec::new(),
        }
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
                    self.mended.push(message);
                }
            }
        }
        (self.mended, self.repairs)
    }

    fn without_calls(&mut self, at: usize, message: Message) -> Message {
        let count = message.tool_calls().len();
        if count == 0 {
            return message;
        }
        self.repairs.push(Repair::RemovedCalls { at, count });
        message.with_tool_calls([])
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

    /// What the model said, with a result for each call.
    fn answer(&mut self, at: usize, message: Message) {
        let calls = message.tool_calls().to_vec();
        if calls.is_empty() {
            self.mended.push(message);
            return;
        }
        let behind = self.messages[at + 1..].iter();
        let near = behind.take_while(|message| message.role() == Role::Function);
        let near = at + 1 + near.count();
        let mut named = Vec::new();
        let mut results = Vec::new();
        for call in calls {
            let result = self.take_result(at, call.id());
            let call = self.with_own_id(at, call);
            results.push((result, call.clone()));
            named.push(call);
        }
        self.mended.push(message.with_tool_calls(named));
        // Results that stand where they should keep their order; the others come behind them.
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
                    let result = self.of_tool(from, result, call.tool());
                    result.with_call_id(call.id().to_owned())
                }
                None => {
                    let call_id = call.id().to_owned();
                    self.repairs.push(Repair::AddedResult { at, call_id });
                    Message::function(call.tool(), call.id(), NO_RESULT).into_error()
                }
            };
            self.mended.push(message);
        }
    }

    /// The first result of a call that stands behind it, and before the next call of that id.
    fn take_result(&mut self, at: usize, id: &str) -> Option<usize> {
        let callers = self.callers.get_mut(id)?;
        while callers.front().is_some_and(|caller| *caller <= at) {
            callers.pop_front();
        }
        let end = callers.front().copied().unwrap_or(usize::MAX);
        let results = self.results.get_mut(id)?;
        // Those before the call are nobody's, and no later call wants them.
        while results.front().is_some_and(|result| *result < at) {
            results.pop_front();
        }
        let result = results.pop_front_if(|result| *result < end)?;
        self.placed[result] = true;
        Some(result)
    }

    fn with_own_id(&mut self, at: usize, call: ToolCall) -> ToolCall {
        let is_own = !call.id().is_empty() && self.used.insert(call.id().to_owned());
        if is_own {
            return call;
        }
        let from = call.id().to_owned();
        let number = self.numbers.entry(from.clone()).or_insert(FIRST);
        let to = another_id(&from, number, |id| {
            self.used.contains(id) || self.callers.contains_key(id)
        });
        self.used.insert(to.clone());
        let call = call.with_id(to.clone());
        self.repairs.push(Repair::RenamedCall { at, from, to });
        call
    }
}
