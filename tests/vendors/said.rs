//! The answers that every fake vendor gives, whatever its format.

use serde_json::{Value, json};

/// The tool of the agents.
pub(crate) const HELLO_TOOL: &str = "sayHello";

/// The answer in words.
pub(crate) const HELLO: &str = "Hello, Ada!";

/// A request, as far as the answer depends on it.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    /// The names of the tools.
    pub(crate) tools: Vec<&'a str>,
    pub(crate) choice: Choice<'a>,
    /// Whether the last message has words of the user at its end, and not the results of calls.
    pub(crate) ends_with_words: bool,
    /// Whether the answer must match a schema.
    pub(crate) has_format: bool,
}

/// The choice of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice<'a> {
    Auto,
    None,
    Required,
    Tool(&'a str),
}

impl Choice<'_> {
    pub(crate) fn is_forced(self) -> bool {
        matches!(self, Self::Required | Self::Tool(_))
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Words(String),
    Call { tool: String, arguments: Value },
}

/// The answer of a format, and the arguments of a tool that takes the answer.
fn greeting() -> Value {
    json!({ "greeting": HELLO })
}

impl Asked<'_> {
    /// Returns the answer: a call first, and words once there are results.
    pub(crate) fn answer(&self) -> Said {
        let named = |name: &str| self.tools.iter().find(|tool| tool.starts_with(name));
        let hello = named(HELLO_TOOL).filter(|_| self.ends_with_words);
        let final_answer = named("finalAnswer").filter(|_| !self.has_format);
        let called = match self.choice {
            Choice::Tool(name) => Some(name),
            Choice::None => None,
            Choice::Auto => hello.or(final_answer).copied(),
            Choice::Required => hello.or(final_answer).or(self.tools.first()).copied(),
        };
        match called {
            Some(tool) => Said::Call {
                tool: tool.to_owned(),
                arguments: arguments(tool),
            },
            None if self.has_format => Said::Words(greeting().to_string()),
            None => Said::Words(HELLO.to_owned()),
        }
    }
}

fn arguments(tool: &str) -> Value {
    if tool.starts_with("finalAnswer") {
        return greeting();
    }
    match tool {
        HELLO_TOOL => json!({"personName": "Ada"}),
        _ => json!({}),
    }
}
