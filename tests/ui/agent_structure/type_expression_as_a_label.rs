use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: "Greet.", model: "OpenAI/m" } |
            [greet:Tool { description: "Greets people" } |
                (personName::Maybe Text)==>(ids::[Int])
            ]
        ]
    };
}
