use agent_runtime::agent;

struct NotATool;

fn main() {
    let _ = agent! {
        tools: [NotATool],
        [greeter:Agent { instruction: "Greet.", model: "OpenAI/gpt-6-luna" }]
    };
}
