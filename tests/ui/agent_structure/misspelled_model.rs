use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: "Greet.", modle: "OpenAI/gpt-6-luna" }]
    };
}
