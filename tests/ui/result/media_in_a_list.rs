use agent_runtime::media::Image;
use agent_runtime::tool;

/// Takes photos
#[tool]
fn photos() -> Vec<Image> {
    Vec::new()
}

fn main() {}
