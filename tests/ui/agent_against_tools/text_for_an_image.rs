use agent_runtime::{agent, tool};

/// Takes a photo
#[tool]
fn photo() -> Result<String, String> {
    Ok("photo.png".to_owned())
}

fn main() {
    let _ = agent! {
        tools: [photo],
        [viewer:Agent { instruction: "Look.", model: "OpenAI/gpt-6-luna" } |
            [photo:Tool { description: "Takes a photo" } | ()==>(::Image)]
        ]
    };
}
