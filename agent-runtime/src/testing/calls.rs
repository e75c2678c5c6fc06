//! Assertions on the calls of a run.

mod called;
mod log;
mod said;

pub use called::CalledTool;

use crate::conversation::Conversation;
use crate::response::AgentResponse;
use agent_spec::names::nearest;
use log::{Call, Failure, times};

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
            log::shown(&calls)
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
