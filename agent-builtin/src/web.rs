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
mod tls;
mod wikipedia;

pub use page::PageText;
pub use scraper::{ScrapedPage, WebScraper};
pub use search::{SearchConfig, SearchEngine, SearchResult, SearchResults, WebSearch};
pub use wikipedia::{Wikipedia, WikipediaSummary};
