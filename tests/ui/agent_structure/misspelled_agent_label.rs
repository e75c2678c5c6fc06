use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agnet { instruction: "Greet.", model: "OpenAI/m" }]
    };
}
