use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [viewer:Agent { instruction: "Look.", model: "OpenAI/gpt-6-luna" } |
            [show:Tool { description: "Shows a photo" } | (photo::Image)==>(::Null)],
            [list:Tool { description: "Lists photos" } | ()==>(::Array {elementType: "Image"})]
        ]
    };
}
