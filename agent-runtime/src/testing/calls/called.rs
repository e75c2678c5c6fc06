//! More about the calls of one tool.

use super::log::{self, Call, times};
use serde_json::Value;

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
            log::shown(&self.calls)
        );
        self
    }
}
