// Tools that return media, and agents that declare them.
use agent_runtime::media::{Audio, Document, Image, Part};
use agent_runtime::{Agent, agent, tool, toolbox};
use std::sync::Arc;

type Photo = Image;
type Answer<T> = Result<T, String>;

/// Takes a photo
#[tool]
fn photo(of: &str) -> Photo {
    Image::new(of.as_bytes())
}

/// Records a sound
#[tool]
async fn record() -> Answer<Audio> {
    Err("no microphone".to_owned())
}

/// Finds a document
#[tool(inline)]
fn find() -> Option<Document> {
    None
}

/// Reads a page
#[tool]
fn page() -> Result<Vec<Part>, String> {
    Ok(vec!["Hello".into()])
}

/// Shows the last photo
#[tool]
fn last() -> Box<Image> {
    Box::new(Image::new(*b"GIF89a"))
}

struct Camera;

#[toolbox]
impl Camera {
    /// Shows a shot
    #[tool]
    async fn shot(&self) -> Arc<Image> {
        Arc::new(Image::new(*b"GIF89a"))
    }
}

const VIEWER: Agent = agent! {
    tools: [photo, record, find, page, last, ..Camera],
    [viewer:Agent {instruction: "Look.", model: "OpenAI/m"} |
        [photo:Tool {description: "Takes a photo"} | (of::Text)==>(::Image)],
        [record:Tool {description: "Records a sound"} | ()==>(::Audio)],
        [find:Tool {description: "Finds a document"} | ()==>(::Document {optional: true})],
        [page:Tool {description: "Reads a page"} | ()==>(::Parts)],
        [last:Tool {description: "Shows the last photo"} | ()==>(::Image)],
        [shot:Tool {description: "Shows a shot"} | ()==>(::Image)]
    ]
};

pub(crate) fn main() {
    assert_eq!(VIEWER.tools().len(), 6);
    assert_eq!(photo::SIGNATURE, "(of::Text)==>(::Image)");
    assert_eq!(page::SIGNATURE, "()==>(::Parts)");
}
