use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instructions: "Greet.", model: "OpenAI/gpt-6-luna" }]
    };
}
