use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: "Greet.", model: "OpenAI/m" }]
        [greeter:Agent { instruction: "Greet.", model: "OpenAI/n" }]
    };
}
