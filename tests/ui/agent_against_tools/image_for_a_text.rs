use agent_runtime::media::Image;
use agent_runtime::{agent, tool};

/// Takes a photo
#[tool]
fn photo() -> Image {
    Image::new(*b"GIF89a")
}

fn main() {
    let _ = agent! {
        tools: [photo],
        [viewer:Agent { instruction: "Look.", model: "OpenAI/gpt-6-luna" } |
            [photo:Tool { description: "Takes a photo" } | ()==>(::String)]
        ]
    };
}
