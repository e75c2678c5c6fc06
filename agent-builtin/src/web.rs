//! Tools that look at the web.

mod apart;
mod api;
mod client;
mod excerpt;
mod page;
mod scraper;
mod search;
mod shown;
mod wikipedia;

pub use page::PageText;
pub use scraper::{ScrapedPage, WebScraper};
pub use search::{SearchConfig, SearchEngine, SearchResult, SearchResults, WebSearch};
pub use wikipedia::{Wikipedia, WikipediaSummary};
