use agent_runtime::agent;

agent! {
    static GREETER: Agent,
    [greeter:Agent { instruction: "Greet.", model: "OpenAI/gpt-4o-mini" }]
}

fn main() {
    let _ = &GREETER;
}
