use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: "Greet.", model: "OpenAI/gpt-6-luna", }]
    };
}
