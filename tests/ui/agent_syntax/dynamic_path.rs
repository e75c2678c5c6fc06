use agent_runtime::agent;

fn main() {
    let _ = agent! {
        tools: [dynamic weather::get_weather],
        [guide:Agent { instruction: "Tell the weather.", model: "OpenAI/m" } |
            [getWeather:Tool { description: "Says how the weather is" } | ()==>(::String)]
        ]
    };
}
