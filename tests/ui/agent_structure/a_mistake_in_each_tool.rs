use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent { instruction: "Greet.", model: "OpenAI/gpt-6-luna" } |
            [first:Tool { description: "" } | ()==>(::String)],
            [second:Tool { description: "d" } | (a::Txt)==>(::String)],
            [third:Tool { description: "d" } | (a::Text)==>(::Strng)]
        ]
    };
}
