use agent_runtime::agent;

const ACME: &str = "Acme";

fn main() {
    let _ = agent! {
        providers: "Acme",
        [greeter:Agent { instruction: "Greet.", model: "Acme/large" }]
    };
    let _ = agent! {
        providers: [ACME],
        [greeter:Agent { instruction: "Greet.", model: "Acme/large" }]
    };
    let _ = agent! {
        providers: [],
        [greeter:Agent { instruction: "Greet.", model: "Acme/large" }]
    };
    let _ = agent! {
        providers: ["Acme/large"],
        [greeter:Agent { instruction: "Greet.", model: "Acme/large" }]
    };
    let _ = agent! {
        providers: ["Acme", "Acme"],
        [greeter:Agent { instruction: "Greet.", model: "Acme/large" }]
    };
    let _ = agent! {
        provider: ["Acme"],
        [greeter:Agent { instruction: "Greet.", model: "Acme/large" }]
    };
}
