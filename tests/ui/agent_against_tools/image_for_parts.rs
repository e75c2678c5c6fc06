use agent_runtime::media::{Image, Part};
use agent_runtime::{agent, toolbox};

struct Camera;

#[toolbox]
impl Camera {
    /// Takes a photo
    #[tool]
    async fn photo(&self) -> Result<Image, String> {
        Err("no film".to_owned())
    }

    /// Takes photos
    #[tool]
    fn photos(&self) -> Option<Vec<Part>> {
        None
    }
}

fn main() {
    let _ = agent! {
        tools: Camera,
        [viewer:Agent { instruction: "Look.", model: "OpenAI/gpt-6-luna" } |
            [photo:Tool { description: "Takes a photo" } | ()==>(::Parts)],
            [photos:Tool { description: "Takes photos" } | ()==>(::Parts)]
        ]
    };
}
