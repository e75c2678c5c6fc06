//! Assertions on the calls of a run.

use agent_core::conversation::{Conversation, Message, ToolCall};
use agent_core::response::AgentResponse;
use agent_spec::names::nearest;
use agent_tool::__private::shortened;
use agent_tool::tool::StaticTool;
use private::Log;
use serde_json::Value;
use std::fmt;

/// Assertions on the calls that a run or a conversation made. They panic at the caller's line, with
/// the calls that were made.
///
/// ```
/// use agent_runtime::serde_json::json;
/// use agent_runtime::testing::ToolCalls;
/// # use agent_runtime::{agent, tool, tools, Conversation, Runtime};
/// #
/// # /// Returns a friendly greeting
/// # #[tool]
/// # fn say_hello(person_name: String) -> String {
/// #     format!("Hello, {person_name}!")
/// # }
/// #
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), agent_runtime::Error> {
/// # let agent = agent! {
/// #     tools: [say_hello],
/// #     [greeter:Agent {instruction: "Greet.", model: "OpenAI/gpt-6-luna"} | sayHello]
/// # };
/// # let (runtime, mut conversation) = (Runtime::offline(), Conversation::new());
/// # let library = tools![say_hello];
/// let response = runtime.execute(&agent, "Hello, I'm Ada", &mut conversation, &library).await?;
///
/// response.assert_called::<say_hello>().once().with(json!({"personName": "Ada"}));
/// response.assert_tool_not_called("sayGoodbye");
/// response.assert_no_failed_calls();
/// conversation.assert_calls(["sayHello"]);
/// # Ok(())
/// # }
/// ```
pub trait ToolCalls: private::Log {
    /// Asserts that the tool of a function was called: `assert_called::<say_hello>()`. The methods of the result assert more
    /// about its calls.
    ///
    /// # Panics
    /// When the tool was not called.
    #[track_caller]
    fn assert_called<T: StaticTool>(&self) -> CallAssertions
    where
        Self: Sized,
    {
        self.assert_tool_called(T::DESCRIPTOR.name())
    }

    /// Asserts that the tool of a function was not called. Calls that failed count, too.
    ///
    /// # Panics
    /// When the tool was called.
    #[track_caller]
    fn assert_not_called<T: StaticTool>(&self)
    where
        Self: Sized,
    {
        self.assert_tool_not_called(T::DESCRIPTOR.name());
    }

    /// Asserts that the tool of this name was called, as [`assert_called`](Self::assert_called) does. Use it
    /// for a tool that is no function of yours.
    ///
    /// # Panics
    /// When the tool was not called.
    #[track_caller]
    fn assert_tool_called(&self, tool: &str) -> CallAssertions {
        let calls = self.calls();
        let selected: Vec<usize> = (0..calls.len())
            .filter(|index| calls[*index].tool == tool)
            .collect();
        if selected.is_empty() {
            let names = calls.iter().map(|call| call.tool.as_str());
            let hint = match nearest(tool, names) {
                Some(nearest) => format!("; did you mean `{nearest}`?"),
                None => String::new(),
            };
            panic!("`{tool}` was not called{hint}{}", list_calls(&calls));
        }
        CallAssertions::new(tool, calls, selected)
    }

    /// Asserts that the tool of this name was not called, as [`assert_not_called`](Self::assert_not_called)
    /// does.
    ///
    /// # Panics
    /// When the tool was called.
    #[track_caller]
    fn assert_tool_not_called(&self, tool: &str) {
        let calls = self.calls();
        let count = calls.iter().filter(|call| call.tool == tool).count();
        assert!(
            count == 0,
            "`{tool}` was called {}{}",
            times(count),
            list_calls(&calls)
        );
    }

    /// Asserts that exactly these tools were called, in this order; for an empty list, that no tool was
    /// called.
    ///
    /// # Panics
    /// When the calls differ.
    #[track_caller]
    fn assert_calls<'a>(&self, tools: impl IntoIterator<Item = &'a str>)
    where
        Self: Sized,
    {
        let calls = self.calls();
        let wanted: Vec<&str> = tools.into_iter().collect();
        let made: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
        assert!(
            made == wanted,
            "the calls should be {}{}",
            names(&wanted),
            list_calls(&calls)
        );
    }

    /// Asserts that these tools were called in this order, with any other calls before, between and after
    /// them.
    ///
    /// # Panics
    /// When the tools were not called in this order.
    #[track_caller]
    fn assert_order<'a>(&self, tools: impl IntoIterator<Item = &'a str>)
    where
        Self: Sized,
    {
        let calls = self.calls();
        let wanted: Vec<&str> = tools.into_iter().collect();
        let mut rest = calls.iter();
        for (number, tool) in wanted.iter().enumerate() {
            assert!(
                rest.any(|call| call.tool == *tool),
                "the calls should have the order {}, but there is no `{tool}`{}{}",
                names(&wanted),
                match number {
                    0 => String::new(),
                    number => format!(" after `{}`", wanted[number - 1]),
                },
                list_calls(&calls)
            );
        }
    }

    /// Asserts that no call failed. A call whose tool asked for other arguments
    /// ([`ToolError::Retry`](agent_tool::ToolError::Retry)) does not count while the tool may be called again: see
    /// [`assert_no_retries`](Self::assert_no_retries).
    ///
    /// A conversation does not distinguish the two, because it holds only what the model read. There, every
    /// call without a result counts for both methods, and so do wrong calls of `finalAnswer`.
    ///
    /// # Panics
    /// When a call failed, was denied, or named no tool.
    #[track_caller]
    fn assert_no_failed_calls(&self) {
        let calls = self.calls();
        let failed = calls
            .iter()
            .filter(|call| call.may_be(Failure::Final))
            .count();
        assert!(
            failed == 0,
            "{failed} of {} calls failed{}",
            calls.len(),
            list_calls(&calls)
        );
    }

    /// Asserts that no tool asked for other arguments than the model's. In a conversation, every call without
    /// a result counts.
    ///
    /// # Panics
    /// When a tool asked for other arguments.
    #[track_caller]
    fn assert_no_retries(&self) {
        let calls = self.calls();
        let retries = calls
            .iter()
            .filter(|call| call.may_be(Failure::Retry))
            .count();
        assert!(
            retries == 0,
            "in answer to {retries} of {} calls, a tool asked for other arguments{}",
            calls.len(),
            list_calls(&calls)
        );
    }
}

impl ToolCalls for AgentResponse {}

impl ToolCalls for Conversation {}

mod private {
    /// A record of calls.
    pub trait Log {
        /// Returns the calls, in the model's order.
        fn calls(&self) -> Vec<super::LoggedCall>;
    }
}

/// Assertions on the calls of one tool. Methods that filter calls panic if none is left, and the next method
/// sees the rest: `.once().with(…)` asserts one call, with these arguments; `.with(…).once()` asserts one
/// call with these arguments among any others.
#[derive(Clone, Debug)]
pub struct CallAssertions {
    /// The tool and the filters so far, for messages.
    description: String,
    calls: Vec<LoggedCall>,
    /// The indexes of the calls that are left.
    selected: Vec<usize>,
}

#[expect(
    clippy::return_self_not_must_use,
    reason = "an assertion is a statement, too; what it returns is for those who assert more"
)]
impl CallAssertions {
    pub(super) fn new(tool: &str, calls: Vec<LoggedCall>, selected: Vec<usize>) -> Self {
        Self {
            description: format!("`{tool}`"),
            calls,
            selected,
        }
    }

    /// Asserts that there is one call.
    ///
    /// # Panics
    /// When there is another number of calls.
    #[track_caller]
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// Asserts the number of calls.
    ///
    /// # Panics
    /// When there is another number of calls.
    #[track_caller]
    pub fn times(self, count: usize) -> Self {
        let found = self.selected.len();
        assert!(
            found == count,
            "{} was called {}, not {}{}",
            self.description,
            times(found),
            times(count),
            list_calls(&self.calls)
        );
        self
    }

    /// Selects the calls with exactly these arguments. The arguments are those that the tool got, with
    /// defaults; for a call that did not reach the tool, those that the model sent.
    ///
    /// # Panics
    /// When no call has these arguments.
    #[track_caller]
    pub fn with(self, args: Value) -> Self {
        let filter = format!(" with {args}");
        self.select(&filter, |call| call.args == args)
    }

    /// Selects the calls with these arguments among others.
    ///
    /// # Panics
    /// When no call has these arguments.
    #[track_caller]
    pub fn with_some(self, args: Value) -> Self {
        let filter = format!(" with {args} among the arguments");
        self.select(&filter, |call| match (&args, &call.args) {
            (Value::Object(wanted), Value::Object(found)) => wanted
                .iter()
                .all(|(name, value)| found.get(name) == Some(value)),
            (wanted, found) => wanted == found,
        })
    }

    /// Selects the calls with this result. In a conversation, results are the text that the model reads.
    ///
    /// # Panics
    /// When no call has this result.
    #[track_caller]
    pub fn returning(self, result: impl Into<Value>) -> Self {
        let result = result.into();
        let filter = format!(" with the result {result}");
        self.select(&filter, |call| call.returned(&result))
    }

    /// Selects the calls that failed, or whose tool asked for other arguments, with an error that contains a
    /// text.
    ///
    /// # Panics
    /// When no call has such an error.
    #[track_caller]
    pub fn failing(self, text: &str) -> Self {
        let filter = format!(" with the failure {text:?}");
        self.select(&filter, |call| {
            let error = call.result.as_ref().err();
            error.is_some_and(|error| error.contains(text))
        })
    }

    #[track_caller]
    fn select(mut self, filter: &str, matches: impl Fn(&LoggedCall) -> bool) -> Self {
        let before = self.description.clone();
        self.description.push_str(filter);
        self.selected.retain(|index| matches(&self.calls[*index]));
        assert!(
            !self.selected.is_empty(),
            "{before} was called, but not{filter}{}",
            list_calls(&self.calls)
        );
        self
    }
}

/// The maximum number of bytes of one call in a message.
const SHOWN: usize = 400;

/// A call and its result.
#[derive(Clone, Debug)]
pub struct LoggedCall {
    pub(super) tool: String,
    pub(super) args: Value,
    /// The result, or the error that the model read.
    pub(super) result: Result<Value, String>,
    /// Whether the result is the text that the model reads: a text as it is, any other value as JSON.
    pub(super) is_text: bool,
    /// The kind of failure, if the call failed and the kind is known.
    pub(super) failure: Option<Failure>,
}

/// The kind of a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The tool asked for other arguments, and may be called again.
    Retry,
    /// Any other failure.
    Final,
}

impl LoggedCall {
    /// Whether the call failed in this way, or in an unknown way.
    pub(super) fn may_be(&self, failure: Failure) -> bool {
        self.result.is_err() && self.failure.is_none_or(|known| known == failure)
    }

    pub(super) fn returned(&self, wanted: &Value) -> bool {
        match &self.result {
            Ok(found) if found == wanted => true,
            Ok(Value::String(text)) if self.is_text => {
                serde_json::from_str::<Value>(text).is_ok_and(|found| found == *wanted)
            }
            _ => false,
        }
    }
}

impl fmt::Display for LoggedCall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.tool, self.args)?;
        match &self.result {
            Ok(Value::String(text)) => write!(out, " → {text}"),
            Ok(value) => write!(out, " → {value}"),
            Err(text) => write!(out, " ✗ {text}"),
        }
    }
}

/// Lists calls, one per line.
fn list_calls(calls: &[LoggedCall]) -> String {
    if calls.is_empty() {
        return "\nno tool was called".to_owned();
    }
    let lines = (1..).zip(calls).map(|(number, call)| {
        let line = call.to_string().replace('\n', "\\n");
        format!("\n  {number}. {}", shortened(&line, SHOWN))
    });
    format!("\nthe calls were:{}", lines.collect::<String>())
}

pub(super) fn names(tools: &[&str]) -> String {
    if tools.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    names.join(", ")
}

pub(super) fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

impl Log for AgentResponse {
    fn calls(&self) -> Vec<LoggedCall> {
        let calls = self.tools_used.iter().map(|invocation| {
            let failure = |error: &agent_tool::tool::ToolError| {
                let text = invocation.error_text.clone();
                text.unwrap_or_else(|| error.to_string())
            };
            LoggedCall {
                tool: invocation.tool.clone(),
                args: invocation.args.clone(),
                result: invocation.result.as_ref().cloned().map_err(failure),
                is_text: false,
                failure: Some(match invocation.is_retry() {
                    true => Failure::Retry,
                    false => Failure::Final,
                }),
            }
        });
        calls.collect()
    }
}

impl Log for Conversation {
    fn calls(&self) -> Vec<LoggedCall> {
        let messages = self.messages().iter().enumerate();
        messages
            .flat_map(|(index, message)| {
                let calls = message.tool_calls().iter();
                calls.map(move |call| call_with_result(call, &self.messages()[index + 1..]))
            })
            .collect()
    }
}

fn call_with_result(call: &ToolCall, after: &[Message]) -> LoggedCall {
    let answers = |message: &&Message| message.call_id() == Some(call.id());
    let result = match after.iter().find(answers) {
        None => Err("it has no result".to_owned()),
        Some(message) if message.is_error() => Err(message.content().to_owned()),
        Some(message) => Ok(Value::from(message.content())),
    };
    LoggedCall {
        tool: call.tool().to_owned(),
        args: call.args(),
        result,
        is_text: true,
        failure: None,
    }
}
