//! Assertions on the calls of a run.

mod log;
mod said;

use crate::conversation::Conversation;
use crate::response::AgentResponse;
use agent_spec::names::nearest;
use log::{Call, times};
use serde_json::Value;

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
            panic!("`{tool}` was not called{hint}{}", log::shown(&calls));
        }
        CalledTool {
            what: format!("`{tool}`"),
            calls,
            meant,
        }
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
            log::shown(&calls)
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
            log::names(&wanted),
            log::shown(&calls)
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
                log::names(&wanted),
                match number {
                    0 => String::new(),
                    number => format!(" after `{}`", wanted[number - 1]),
                },
                log::shown(&calls)
            );
        }
    }

    /// Asserts that every call succeeded.
    ///
    /// # Panics
    /// When one failed, was denied, or named no tool.
    #[track_caller]
    fn assert_no_failed_calls(&self) {
        let calls = self.calls();
        let failed = calls.iter().filter(|call| call.result.is_err()).count();
        assert!(
            failed == 0,
            "{failed} of {} calls failed{}",
            calls.len(),
            log::shown(&calls)
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

impl CalledTool {
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
            log::shown(&self.calls)
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

    /// Those that failed with a text in which this one stands.
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
            log::shown(&self.calls)
        );
        self
    }
}
