use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: "Greet.", model: "gpt-6-luna" }]
    };
}
