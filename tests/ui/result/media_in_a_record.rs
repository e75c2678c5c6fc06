use agent_runtime::media::Image;
use serde::Serialize;
use agent_runtime::{GramType, tool};

#[derive(GramType, Serialize)]
struct Shot {
    place: String,
    photo: Image,
}

/// Takes a photo
#[tool]
async fn shot(place: String) -> Result<Shot, String> {
    Ok(Shot { place, photo: Image::new(*b"GIF89a") })
}

fn main() {}
