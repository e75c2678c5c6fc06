use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent {
            instruction: "Greet people.",
            model: "OpenAI/gpt-6-luna"
        } |
            [getTime:Tool { description: "Says what time it is" } |
                ()==>(::String)
            ]
        ]
    };
}
