use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: 7, model: "OpenAI/m" }]
    };
}
