use agent_runtime::agent;

agent! {
    static GREETER: Agent,
    [greeter:Agent { instruction: "Greet.", model: "OpenAI/gpt-6-luna" }]
}

fn main() {
    let _ = &GREETER;
}
