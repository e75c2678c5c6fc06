use agent_runtime::{agent, tool};

/// Adds numbers
#[tool]
fn add(numbers: Vec<f64>) -> f64 {
    numbers.iter().sum()
}

fn main() {
    let _ = agent! {
        tools: [add],
        [greeter:Agent {
            instruction: "Greet people.",
            model: "OpenAI/gpt-6-luna"
        } |
            [add:Tool { description: "Adds numbers" } |
                (numbers::Array {elementType: "Int"})==>(::Double)
            ]
        ]
    };
}
