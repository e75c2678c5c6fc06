//! Built-in tools: a calculator, a clock, files and the web.
//!
//! [`library`] returns the tools of the enabled features; the `agent` command offers all of them to every
//! agent. The page `book/src/reference/built-in-tools.md` describes each tool. No tool accesses a file or a host that
//! `RuntimeBuilder::grants` did not grant.
//!
//! | feature | tools |
//! | --- | --- |
//! | | [`say_hello`], [`say_goodbye`], [`current_time`] |
//! | `calculator` | `calculator` |
//! | `files` | `read_file`, `write_file`, `list_directory` |
//! | `web` | `WebScraper`, `Wikipedia`, `WebSearch` |
//!
//! ```
//! use agent_builtin::current_time;
//! use agent_runtime::{Conversation, Runtime, agent};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), agent_runtime::Error> {
//! let agent = agent! {
//!     tools: [current_time],
//!     [clock:Agent {instruction: "Tell the time.", model: "Offline/any"} | currentTime]
//! };
//! let mut conversation = Conversation::new();
//! let response = Runtime::offline()
//!     .execute(&agent, "What time is it?", &mut conversation, &agent_builtin::library())
//!     .await?;
//! assert!(response.content.contains('T'));
//! # Ok(())
//! # }
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "calculator")]
mod calculation;
mod clock;
#[cfg(feature = "files")]
mod files;
mod hello;
#[cfg(feature = "web")]
mod web;

#[cfg(feature = "calculator")]
pub use calculation::{Calculation, CalculationError, calculator};
pub use clock::current_time;
#[cfg(feature = "files")]
pub use files::{
    Entry, EntryType, FileContent, FileLimits, Listing, MAX_ENTRIES, MAX_FILE_SIZE, Written,
    list_directory, read_file, write_file,
};
pub use hello::{say_goodbye, say_hello};
#[cfg(feature = "web")]
pub use web::{
    PageText, ScrapedPage, SearchConfig, SearchEngine, SearchResult, SearchResults, WebScraper,
    WebSearch, Wikipedia, WikipediaSummary,
};

use agent_tool::{Environment, ToolLibrary, tools};

/// Returns the tools of the enabled features. Tools with configuration, such as the key of a search engine,
/// read it from the variables of the process when they are bound and when they are called.
#[must_use]
pub fn library() -> ToolLibrary {
    library_with(&Environment::process())
}

/// Returns the tools of the enabled features, which read their configuration from `environment`.
///
/// # Panics
/// Never: the names of the tools differ.
#[must_use]
pub fn library_with(environment: &Environment) -> ToolLibrary {
    let groups = [
        tools![say_hello, say_goodbye, current_time],
        #[cfg(feature = "calculator")]
        tools![calculator],
        #[cfg(feature = "files")]
        tools![read_file, write_file, list_directory],
        #[cfg(feature = "web")]
        tools![
            ..WebSearch::from_env(environment),
            ..Wikipedia::from_env(environment),
            ..WebScraper::from_env(environment),
        ],
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
