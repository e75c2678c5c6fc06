use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: "Greet.", model: "OpenAi/gpt-6-luna" }]
    };
}
