//! Tools that come with the crate. The `agent` command offers them to every agent file.

mod hello;
#[cfg(feature = "builtin-web")]
mod web;

pub use hello::{say_goodbye, say_hello};
#[cfg(feature = "builtin-web")]
#[doc(hidden)]
pub use web::extract_for_fuzzing;
#[cfg(feature = "builtin-web")]
pub use web::{
    ScrapedPage, SearchConfig, SearchEngine, SearchResult, SearchResults, WebScraper, WebSearch,
    Wikipedia, WikipediaSummary,
};

use crate::env::Environment;
use crate::library::ToolLibrary;

/// All built-in tools of the features that are on. Those that need variables, such as keys, read them from the process's
/// environment when they are bound and when they are called.
#[must_use]
pub fn library() -> ToolLibrary {
    library_with(&Environment::process())
}

/// All built-in tools of the features that are on, with variables from elsewhere.
///
/// # Panics
/// Never: no two of them have one name.
#[must_use]
pub fn library_with(environment: &Environment) -> ToolLibrary {
    let groups = [
        crate::tools![say_hello, say_goodbye],
        #[cfg(feature = "builtin-web")]
        web::library(environment),
    ];
    let _ = environment;
    let mut library = ToolLibrary::new();
    for group in &groups {
        library
            .merge(group)
            .expect("names of built-in tools differ");
    }
    library
}
