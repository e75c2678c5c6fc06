use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter another:Agent { instruction: "Greet.", model: "OpenAI/m" }]
    };
}
