use agent_runtime::{agent, tool};

/// Greets
#[tool]
fn say_hello(#[tool(default = 1)] times: u8) -> String {
    "Hello! ".repeat(times.into())
}

fn main() {
    let _ = agent! {
        tools: [say_hello],
        [greeter:Agent { instruction: "Greet.", model: "OpenAI/gpt-6-luna" } |
            [sayHello:Tool { description: "Greets" } | (times::Int {default: "once"})==>(::String)]
        ]
    };
}
