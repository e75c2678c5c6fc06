//! Tools that look at the web.

mod apart;
mod api;
mod body;
mod client;
mod page;
mod resolve;
mod scraper;
mod search;
mod shown;
mod wikipedia;

#[doc(hidden)]
pub use page::extract_for_fuzzing;
pub use scraper::{ScrapedPage, WebScraper};
pub use search::{SearchConfig, SearchEngine, SearchResult, SearchResults, WebSearch};
pub use wikipedia::{Wikipedia, WikipediaSummary};

use crate::env::Environment;
use crate::library::ToolLibrary;

/// The tools of this module.
pub(super) fn library(environment: &Environment) -> ToolLibrary {
    crate::tools![
        ..WebSearch::from_env(environment),
        ..Wikipedia::with_environment(environment),
        ..WebScraper::with_environment(environment),
    ]
}
