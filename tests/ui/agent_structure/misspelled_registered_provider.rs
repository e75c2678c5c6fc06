use agent_runtime::agent;

fn main() {
    let _ = agent! {
        providers: ["Acme"],
        [greeter:Agent { instruction: "Greet.", model: "Acne/large" }]
    };
    let _ = agent! {
        providers: ["Acme"],
        [greeter:Agent { instruction: "Greet.", model: "Initech/large" }]
    };
}
