//! Tools that come with the crate. The `agent` command offers them to every agent file.

#[cfg(feature = "builtin-calculator")]
mod calculation;
mod clock;
#[cfg(feature = "builtin-files")]
mod files;
mod hello;
#[cfg(feature = "builtin-web")]
mod web;

#[cfg(feature = "builtin-calculator")]
pub use calculation::{Calculation, CalculationError, calculator};
pub use clock::current_time;
#[cfg(feature = "builtin-files")]
pub use files::{
    Entry, EntryType, FileContent, FileLimits, Listing, MAX_ENTRIES, MAX_FILE_SIZE, Written,
    list_directory, read_file, write_file,
};
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

/// All built-in tools of the features that are on. Those that need variables, such as keys, read them
/// from the process's environment when they are bound and when they are called.
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
        crate::tools![say_hello, say_goodbye, current_time],
        #[cfg(feature = "builtin-calculator")]
        crate::tools![calculator],
        #[cfg(feature = "builtin-files")]
        crate::tools![read_file, write_file, list_directory],
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
