//! `webSearch`: what a search engine finds.

mod config;
mod engine;
mod searcher;
mod tool;

pub use config::{SearchConfig, SearchEngine};
pub use searcher::{SearchResult, SearchResults};
pub use tool::WebSearch;

/// How many results are given when nobody says, as the tool's signature has it.
const DEFAULT_RESULTS: u32 = 5;
