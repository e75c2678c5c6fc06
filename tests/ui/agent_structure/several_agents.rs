use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [first:Agent { instruction: "Greet.", model: "OpenAI/m" }]
        [second:Agent { instruction: "Greet.", model: "OpenAI/n" }]
    };
}
