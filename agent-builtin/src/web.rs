//! The tools for the web, which contact only granted hosts.

mod api;
mod client;
mod page;
mod scraper;
mod search;
mod wikipedia;

pub use page::PageText;
pub use scraper::{ScrapedPage, WebScraper};
pub use search::{SearchConfig, SearchEngine, SearchResult, SearchResults, WebSearch};
pub use wikipedia::{Wikipedia, WikipediaSummary};
