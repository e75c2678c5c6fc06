//! `crate = path`, for a crate that another one re-exports.

use facade::agents::{Agent, Tool, ToolContext, agent, tool, tools};
use facade::constant_tool;

/// Repeats a text
#[tool(crate = facade::agents)]
fn repeat(text: String, #[tool(default = 2, maximum = 9)] times: usize) -> String {
    text.repeat(times)
}

constant_tool! {
    /// Says what the answer is
    answer = "42"
}

const AGENT: Agent = agent! {
    tools: [repeat, answer],
    [a:Agent {instruction: "i", model: "OpenAI/m"} | repeat, answer]
};

#[tokio::test]
async fn tools_work_through_a_facade() {
    let here = ToolContext::detached();
    let repeated = repeat {}.call(r#"{"text": "a"}"#, &here).await;
    assert_eq!(repeated, Ok("aa".into()));
    assert_eq!(answer {}.call("{}", &here).await, Ok("42".into()));
    assert_eq!(tools![repeat, answer].len(), AGENT.tools().len());
}
