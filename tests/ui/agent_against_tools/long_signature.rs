use agent_runtime::{agent, tool};

/// Finds rows
#[tool]
fn find(first_name: String, last_name: String, street_and_number: String, postal_code: String, city: String, birth_year: i64, country: String) -> String {
    format!("{first_name}{last_name}{street_and_number}{postal_code}{city}{birth_year}{country}")
}

fn main() {
    let _ = agent! {
        tools: [find],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [find:Tool { description: "Finds rows" } |
                (firstName::Text)==>(lastName::Text)==>(streetAndNumber::Text)==>(postalCode::Text)==>(city::Text)==>(birthYear::Text)==>(country::Text)==>(::String)
            ]
        ]
    };
}
