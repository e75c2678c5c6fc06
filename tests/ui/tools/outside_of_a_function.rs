use agent_runtime::{agent, gram, tool, tools};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

agent! {
    tools: [get_time],
    [clock:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime]
}

mod inner {
    agent_runtime::agent!([silent:Agent { instruction: "Say nothing.", model: "OpenAI/gpt-6-luna" }]);

    agent_runtime::gram! { (a)-->(b) }

    agent_runtime::tools![super::get_time, super::get_time];
}

gram! { (a)-->(c) }

tools![get_time];

fn main() {
    // The same macros where they belong.
    let _ = agent! {
        tools: [get_time],
        [time:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime]
    };
}
