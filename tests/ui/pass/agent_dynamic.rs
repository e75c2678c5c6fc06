// Tools that are known only at run time: the agent has their specs, and no function is compared.
use agent_runtime::{Agent, agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

/// A function of this name is no mark
#[tool]
fn dynamic() -> String {
    String::new()
}

static GUIDE: Agent = agent! {
    tools: [get_time, dynamic readFile, dynamic get-weather-2, dynamic r#match, dynamic calculator,],
    [guide:Agent {instruction: "Help.", model: "OpenAI/m"} |
        readFile,
        getTime,
        [get-weather-2:Tool {description: "Says how the weather is"} | (city::Text {default: "Vienna"})==>(::String)],
        [match:Tool {description: "Compares two texts"} | (a::Text)==>(b::Text)==>(::Bool)],
        calculator
    ]
};

const FUNCTION: Agent = agent! {
    tools: [dynamic],
    [a:Agent {instruction: "Help.", model: "OpenAI/m"} | dynamic]
};

pub(crate) fn main() {
    let tools: Vec<&str> = GUIDE.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(tools, ["getTime", "get-weather-2", "match"]);
    let all: Vec<&str> = GUIDE.all_tools().map(|tool| tool.name()).collect();
    assert_eq!(all, ["readFile", "getTime", "get-weather-2", "match", "calculator"]);
    assert!(GUIDE.references().eq(["readFile", "calculator"]));
    assert_eq!(FUNCTION.tools()[0].description(), "A function of this name is no mark");
}
