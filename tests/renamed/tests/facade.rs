//! `crate = path`, for a crate that another one re-exports.

use facade::agents::{Agent, Error, Runtime, Tool, ToolContext, agent, agent_fn, tool, tools};
use facade::{ask, constant_tool};

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

// An agent that calls an agent of another crate.
#[agent_fn(
    gram = [desk:Agent {instruction: "Help.", model: "OpenAI/m"} | ask, repeat],
    tools = [ask, repeat],
    crate = facade::agents
)]
async fn desk(runtime: &Runtime, message: &str) -> Result<String, Error>;

#[tokio::test]
async fn agents_are_functions_through_a_facade() {
    assert_eq!(ask::AGENT.description(), Some("Answers a question"));
    assert_eq!(desk::AGENT.tools().len(), 2);
    assert_eq!(tools![ask, repeat].len(), 2);
    let runtime = Runtime::offline();
    drop((ask(&runtime, "x"), desk(&runtime, "x")));
}
