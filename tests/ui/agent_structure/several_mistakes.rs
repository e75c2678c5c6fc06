use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: "", model: "gpt-6-luna", temperature: "hot" } |
            [sayHello:Tool { description: "Greets" } | (personName::Txt)==>(::Strng)],
            [sayGoodbye:Tool | (personName::Text)==>(::String)]
        ]
    };
}
