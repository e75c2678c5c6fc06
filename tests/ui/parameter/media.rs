use agent_runtime::media::Image;
use agent_runtime::tool;

/// Compares photos
#[tool]
fn compare(count: u32, photo: Image, others: Vec<Image>) -> bool {
    let _ = (photo, others);
    count == 0
}

fn main() {}
