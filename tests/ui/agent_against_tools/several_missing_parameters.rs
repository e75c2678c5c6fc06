use agent_runtime::{agent, tool};

/// Adds
#[tool]
fn add(x: i64, y: i64, note: Option<String>, z: f64) -> f64 {
    let _ = note;
    (x + y) as f64 + z
}

fn main() {
    let _ = agent! {
        tools: [add],
        [adder:Agent { instruction: "Add.", model: "OpenAI/gpt-6-luna" } |
            [add:Tool { description: "Adds" } | (y::Int)==>(::Double)]
        ]
    };
}
