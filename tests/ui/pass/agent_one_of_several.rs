use agent_runtime::{agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

pub(crate) fn main() {
    let second = agent! {
        agent: "second", tools: [get_time], exact,
        [first:Agent {instruction: "One.", model: "OpenAI/m"} | getTime]
        [second:Agent {instruction: "Two.", model: "OpenAI/m"} | getTime]
        [getTime:Tool {description: "Says what time it is"} | ()==>(::String)]
    };
    assert_eq!((second.instruction(), second.tools().len()), ("Two.", 1));
    // An agent need not be at the top of a document, and other patterns are left alone.
    let inner = agent! { [team | [member:Agent {instruction: "Work.", model: "OpenAI/m"}]] (a)-->(b) };
    assert_eq!(inner.name(), "member");
}
