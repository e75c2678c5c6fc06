//! Which search engine is asked, and with which key.

use super::DEFAULT_RESULTS;
use crate::web::api::check_base_url;
use agent_runtime::{Environment, Error, Redactor};
use reqwest::header::HeaderValue;
use std::fmt;

const SERPAPI_KEY: &str = "SERPAPI_KEY";
const GOOGLE_API_KEY: &str = "GOOGLE_API_KEY";
const GOOGLE_CSE_ID: &str = "GOOGLE_CSE_ID";
const BING_SEARCH_KEY: &str = "BING_SEARCH_KEY";
const BRAVE_API_KEY: &str = "BRAVE_API_KEY";
const SEARXNG_URL: &str = "SEARXNG_URL";

/// A search engine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchEngine {
    /// SerpAPI, which asks Google (<https://serpapi.com>).
    SerpApi,
    /// Google's Programmable Search Engine.
    GoogleCustomSearch {
        /// The id of the search engine that was set up there, also called `cx`.
        engine_id: String,
    },
    /// Bing, or what took over its API.
    BingSearch,
    /// Brave (<https://brave.com/search/api>).
    Brave,
    /// A SearxNG of one's own, which needs no key and a base URL, and must have the format `json` switched
    /// on.
    SearxNg,
}

/// How `webSearch` searches: the engine, the key for it, and how many results it gives at most.
///
/// The key goes to the engine alone. No message and no trace has it, and neither has `Debug`.
///
/// ```
/// use agent_builtin::{SearchConfig, SearchEngine, WebSearch};
/// use agent_runtime::tools;
///
/// let config = SearchConfig::new(SearchEngine::Brave, "the key").max_results(3);
/// let library = tools![(WebSearch::new(config))];
/// assert!(library.lookup("webSearch").is_some());
/// ```
#[derive(Clone)]
#[must_use]
pub struct SearchConfig {
    pub(super) engine: SearchEngine,
    pub(super) key: String,
    pub(super) max_results: u32,
    pub(super) base_url: Option<String>,
}

impl SearchConfig {
    /// This engine with this key, and 5 results at most.
    pub fn new(engine: SearchEngine, key: impl Into<String>) -> Self {
        Self {
            engine,
            key: key.into(),
            max_results: DEFAULT_RESULTS,
            base_url: None,
        }
    }

    /// A SearxNG at a URL.
    ///
    /// # Errors
    /// Configuration when it is no URL of the web.
    pub fn searxng(url: &str) -> Result<Self, Error> {
        Self::new(SearchEngine::SearxNg, "").base_url(url)
    }

    /// The engine that the variables speak of, the first of these: `SERPAPI_KEY`; `GOOGLE_API_KEY` with
    /// `GOOGLE_CSE_ID`; `BING_SEARCH_KEY`; `BRAVE_API_KEY`; `SEARXNG_URL`.
    ///
    /// # Errors
    /// Configuration, naming all of them, when none is set; or the one whose value cannot be used.
    pub fn from_env(environment: &Environment) -> Result<Self, Error> {
        let key = |name| environment.read_key(name);
        let with = |engine, key: String| Ok(Self::new(engine, key));
        if let Some(key) = key(SERPAPI_KEY)? {
            return with(SearchEngine::SerpApi, key);
        }
        let engine_id = environment.read(GOOGLE_CSE_ID)?;
        let google_key = key(GOOGLE_API_KEY)?;
        if let (Some(key), Some(engine_id)) = (&google_key, &engine_id) {
            let engine_id = engine_id.clone();
            return with(SearchEngine::GoogleCustomSearch { engine_id }, key.clone());
        }
        if let Some(key) = key(BING_SEARCH_KEY)? {
            return with(SearchEngine::BingSearch, key);
        }
        if let Some(key) = key(BRAVE_API_KEY)? {
            return with(SearchEngine::Brave, key);
        }
        if let Some(url) = environment.read(SEARXNG_URL)? {
            return Self::searxng(&url)
                .map_err(|error| Error::configuration(format!("{SEARXNG_URL}: {error}")));
        }
        let half = match (google_key, engine_id) {
            (Some(_), None) => format!("; `{GOOGLE_CSE_ID}` is missing beside `{GOOGLE_API_KEY}`"),
            (None, Some(_)) => format!("; `{GOOGLE_API_KEY}` is missing beside `{GOOGLE_CSE_ID}`"),
            _ => String::new(),
        };
        Err(Error::configuration(format!(
            "no search engine is configured: set `{SERPAPI_KEY}`, `{GOOGLE_API_KEY}` and \
             `{GOOGLE_CSE_ID}`, `{BING_SEARCH_KEY}`, `{BRAVE_API_KEY}`, or `{SEARXNG_URL}`{half}"
        )))
    }

    /// The same, with this many results at most, and by default: from 1 on; 5 at first. The tool's
    /// signature says so. Engines give 10 to 50 at once, and no more are asked for.
    pub fn max_results(mut self, max_results: u32) -> Self {
        self.max_results = max_results;
        self
    }

    /// The same, with the engine elsewhere than at its vendor: a gateway, a server for tests. The key
    /// goes there.
    ///
    /// # Errors
    /// Configuration when it is no URL of the web.
    pub fn base_url(mut self, base_url: &str) -> Result<Self, Error> {
        check_base_url("the search engine", base_url)?;
        self.base_url = Some(base_url.trim_end_matches('/').to_owned());
        Ok(self)
    }

    /// Which engine it is.
    #[must_use]
    pub fn engine(&self) -> &SearchEngine {
        &self.engine
    }

    /// Returns a redactor of the key.
    pub(super) fn redactor(&self) -> Redactor {
        let redactor = Redactor::new();
        redactor.add(&self.key);
        redactor
    }

    /// What would keep the tool from its work.
    ///
    /// # Errors
    /// Configuration, saying what is missing.
    pub(super) fn check(&self) -> Result<(), Error> {
        let wrong = |text: &str| Err(Error::configuration(text));
        if self.max_results == 0 {
            return wrong(
                "a search engine that gives 0 results at most is of no use; give 1 or more",
            );
        }
        match &self.engine {
            SearchEngine::SearxNg if self.base_url.is_none() => {
                wrong("a SearxNG has no host of its own; say where it is with its base URL")
            }
            SearchEngine::SearxNg => Ok(()),
            SearchEngine::GoogleCustomSearch { engine_id } if engine_id.trim().is_empty() => {
                wrong("the id of the search engine at Google is empty")
            }
            _ if self.key.trim().is_empty() => wrong("the key of the search engine is empty"),
            _ if HeaderValue::from_str(&self.key).is_err() => {
                wrong("the key of the search engine holds characters that no key has")
            }
            _ => Ok(()),
        }
    }
}

/// Without the key.
impl fmt::Debug for SearchConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SearchConfig")
            .field("engine", &self.engine)
            .field("max_results", &self.max_results)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
