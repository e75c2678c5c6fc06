use agent_runtime::{agent, tool};

/// Finds a city
#[tool]
fn find(city_name: String) -> String {
    city_name
}

fn main() {
    let _ = agent! {
        tools: [find],
        [finder:Agent { instruction: "Find cities.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds a city" } | (::Text {paramName: "city name"})==>(::String)]
        ]
    };
}
