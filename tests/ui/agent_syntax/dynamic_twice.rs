use agent_runtime::agent;

fn main() {
    let _ = agent! {
        tools: [dynamic get-weather, dynamic get-weather],
        [guide:Agent { instruction: "Tell the weather.", model: "OpenAI/m" } |
            [get-weather:Tool { description: "Says how the weather is" } | ()==>(::String)]
        ]
    };
}
