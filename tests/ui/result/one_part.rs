use agent_runtime::media::Part;
use agent_runtime::tool;

/// Takes a photo
#[tool]
fn photo() -> Part {
    "no camera".into()
}

fn main() {}
