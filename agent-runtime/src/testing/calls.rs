//! Assertions on the calls of a run.

use crate::conversation::{Conversation, Message, ToolCall};
use crate::response::AgentResponse;
use crate::tool::shortened;
use agent_spec::names::nearest;
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
/// #     [greeter:Agent {instruction: "Greet.", model: "OpenAI/gpt-4o-mini"} | sayHello]
/// # };
/// # let (runtime, mut conversation) = (Runtime::offline(), Conversation::new());
/// # let library = tools![say_hello];
/// let response = runtime.execute(&agent, "Hello, I'm Ada", &mut conversation, &library).await?;
///
/// response.assert_called("sayHello").once().with(json!({"personName": "Ada"}));
/// response.assert_not_called("sayGoodbye");
/// response.assert_no_failed_calls();
/// conversation.assert_calls(["sayHello"]);
/// # Ok(())
/// # }
/// ```
pub trait ToolCalls: private::Log {
    /// Asserts that a tool was called. What follows narrows the calls that are meant, and counts
    /// them.
    ///
    /// # Panics
    /// When it was not.
    #[track_caller]
    fn assert_called(&self, tool: &str) -> CalledTool {
        let calls = self.calls();
        let meant: Vec<usize> = (0..calls.len())
            .filter(|index| calls[*index].tool == tool)
            .collect();
        if meant.is_empty() {
            let called = calls.iter().map(|call| call.tool.as_str());
            let hint = match nearest(tool, called) {
                Some(nearest) => format!("; did you mean `{nearest}`?"),
                None => String::new(),
            };
            panic!("`{tool}` was not called{hint}{}", shown(&calls));
        }
        CalledTool::new(tool, calls, meant)
    }

    /// Asserts that a tool was not called, not even in vain.
    ///
    /// # Panics
    /// When it was.
    #[track_caller]
    fn assert_not_called(&self, tool: &str) {
        let calls = self.calls();
        let count = calls.iter().filter(|call| call.tool == tool).count();
        assert!(
            count == 0,
            "`{tool}` was called {}{}",
            times(count),
            shown(&calls)
        );
    }

    /// Asserts that these tools were called, in this order, and no others; with none, that nothing
    /// was called.
    ///
    /// # Panics
    /// When other calls were made.
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
            shown(&calls)
        );
    }

    /// Asserts that these tools were called in this order; there may be other calls before, between
    /// and after them.
    ///
    /// # Panics
    /// When they were not.
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
                shown(&calls)
            );
        }
    }

    /// Asserts that no call failed. A call in answer to which the tool asked for other arguments
    /// ([`ToolError::Retry`](crate::ToolError::Retry)) did not, as long as the tool may be called again:
    /// for those there is [`assert_no_retries`](Self::assert_no_retries).
    ///
    /// A conversation holds only what the model read, and that does not say which of the two it was:
    /// there, every call without a result counts here and there. Calls of `finalAnswer` that were not
    /// right stand in it, too.
    ///
    /// # Panics
    /// When one failed, was denied, or named no tool.
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
            shown(&calls)
        );
    }

    /// Asserts that no tool asked for other arguments than the model's. In a conversation, every call
    /// without a result may be such a one, and counts.
    ///
    /// # Panics
    /// When one did.
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
            shown(&calls)
        );
    }
}

impl ToolCalls for AgentResponse {}

impl ToolCalls for Conversation {}

mod private {
    /// Where calls stand.
    pub trait Log {
        /// The calls, in the order in which the model asked for them.
        fn calls(&self) -> Vec<super::Call>;
    }
}

/// The calls of one tool, to assert more of them. Each method keeps those that it says, and panics
/// when none is left: `.once().with(…)` is a tool that was called once, with these arguments;
/// `.with(…).once()` one that was called with these arguments once.
#[derive(Clone, Debug)]
pub struct CalledTool {
    what: String,
    calls: Vec<Call>,
    /// Which of the calls are left.
    meant: Vec<usize>,
}

#[expect(
    clippy::return_self_not_must_use,
    reason = "an assertion is a statement, too; what it returns is for those who assert more"
)]
impl CalledTool {
    pub(super) fn new(tool: &str, calls: Vec<Call>, meant: Vec<usize>) -> Self {
        Self {
            what: format!("`{tool}`"),
            calls,
            meant,
        }
    }

    /// It is one call.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// It is so many calls.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn times(self, count: usize) -> Self {
        let found = self.meant.len();
        assert!(
            found == count,
            "{} was called {}, not {}{}",
            self.what,
            times(found),
            times(count),
            shown(&self.calls)
        );
        self
    }

    /// Those with exactly these arguments: what the tool was given, defaults included, or what the
    /// model sent when the call did not get that far.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn with(self, args: Value) -> Self {
        let what = format!(" with {args}");
        self.only(&what, |call| call.args == args)
    }

    /// Those with these arguments among others.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn with_some(self, args: Value) -> Self {
        let what = format!(" with {args} among the arguments");
        self.only(&what, |call| match (&args, &call.args) {
            (Value::Object(wanted), Value::Object(found)) => wanted
                .iter()
                .all(|(name, value)| found.get(name) == Some(value)),
            (wanted, found) => wanted == found,
        })
    }

    /// Those with this result. In a conversation, results are text that the model reads.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn returning(self, result: impl Into<Value>) -> Self {
        let result = result.into();
        let what = format!(" with the result {result}");
        self.only(&what, |call| call.returned(&result))
    }

    /// Those that failed, or made the tool ask for other arguments, with a text in which this one
    /// stands.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn failing(self, text: &str) -> Self {
        let what = format!(" with the failure {text:?}");
        self.only(&what, |call| {
            let error = call.result.as_ref().err();
            error.is_some_and(|error| error.contains(text))
        })
    }

    #[track_caller]
    fn only(mut self, what: &str, is_meant: impl Fn(&Call) -> bool) -> Self {
        let before = self.what.clone();
        self.what.push_str(what);
        self.meant.retain(|index| is_meant(&self.calls[*index]));
        assert!(
            !self.meant.is_empty(),
            "{before} was called, but not{what}{}",
            shown(&self.calls)
        );
        self
    }
}

/// How much of one call is shown, in bytes.
const SHOWN: usize = 400;

/// One call and what came of it.
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) tool: String,
    pub(super) args: Value,
    /// The result, or what the model read in its place.
    pub(super) result: Result<Value, String>,
    /// Whether the result is what the model reads: a text as it is, anything else as JSON.
    pub(super) is_text: bool,
    /// What kind of failure it is, if it is one and that can be told.
    pub(super) failure: Option<Failure>,
}

/// A call that has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The tool asked for other arguments, and may be called again.
    Retry,
    /// Anything else.
    Final,
}

impl Call {
    /// Whether it failed in this way, as far as can be told.
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

impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.tool, self.args)?;
        match &self.result {
            Ok(Value::String(text)) => write!(out, " → {text}"),
            Ok(value) => write!(out, " → {value}"),
            Err(text) => write!(out, " ✗ {text}"),
        }
    }
}

/// The calls, one a line.
pub(super) fn shown(calls: &[Call]) -> String {
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
    fn calls(&self) -> Vec<Call> {
        let calls = self.tools_used.iter().map(|invocation| {
            let failure = |error: &crate::tool::ToolError| {
                let text = invocation.error_text.clone();
                text.unwrap_or_else(|| error.to_string())
            };
            Call {
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
    fn calls(&self) -> Vec<Call> {
        let asked = self.messages().iter().enumerate();
        asked
            .flat_map(|(place, message)| {
                let calls = message.tool_calls().iter();
                calls.map(move |call| said(call, &self.messages()[place + 1..]))
            })
            .collect()
    }
}

fn said(call: &ToolCall, after: &[Message]) -> Call {
    let answers = |message: &&Message| message.call_id() == Some(call.id());
    let result = match after.iter().find(answers) {
        None => Err("it has no result".to_owned()),
        Some(message) if message.is_error() => Err(message.content().to_owned()),
        Some(message) => Ok(Value::from(message.content())),
    };
    Call {
        tool: call.tool().to_owned(),
        args: call.args(),
        result,
        is_text: true,
        failure: None,
    }
}
