//! The configuration of `webSearch`.

use crate::web::api::check_base_url;
use agent_tool::redact::Redactor;
use agent_tool::{Environment, Error};
use reqwest::header::HeaderValue;
use std::fmt;

/// The default maximum number of results, which is in the tool's signature.
pub(super) const DEFAULT_RESULTS: u32 = 5;

const SERPAPI_KEY: &str = "SERPAPI_KEY";
const GOOGLE_API_KEY: &str = "GOOGLE_API_KEY";
const GOOGLE_CSE_ID: &str = "GOOGLE_CSE_ID";
const BING_SEARCH_KEY: &str = "BING_SEARCH_KEY";
const BRAVE_API_KEY: &str = "BRAVE_API_KEY";
const SEARXNG_URL: &str = "SEARXNG_URL";

const BING_HAS_ENDED: &str = "Microsoft ended the search API of Bing on 11 August 2025";

/// A search engine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchEngine {
    /// SerpAPI, which searches with Google (<https://serpapi.com>).
    SerpApi,
    /// Google's Programmable Search Engine. Google takes no new customers for this API, and the others have until 1 January
    /// 2027 to leave it (<https://developers.google.com/custom-search/v1/overview>).
    GoogleCustomSearch {
        /// The id of the search engine, also called `cx`.
        engine_id: String,
    },
    /// A service with the API of Bing, which needs a base URL: Microsoft ended its own service on 11 August 2025
    /// (<https://learn.microsoft.com/lifecycle/announcements/bing-search-api-retirement>).
    BingSearch,
    /// Brave (<https://brave.com/search/api>).
    Brave,
    /// A SearxNG server, which needs a base URL and no key. Its settings must enable the format `json`.
    SearxNg,
}

/// The configuration of `webSearch`: the engine, its key, and the maximum number of results.
///
/// The key is sent only to the engine. It is not part of messages, traces and `Debug`.
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
    /// Returns a configuration with at most 5 results.
    pub fn new(engine: SearchEngine, key: impl Into<String>) -> Self {
        Self {
            engine,
            key: key.into(),
            max_results: DEFAULT_RESULTS,
            base_url: None,
        }
    }

    /// Returns the configuration for a SearxNG server.
    ///
    /// # Errors
    /// Configuration when the URL is invalid.
    pub fn searxng(url: &str) -> Result<Self, Error> {
        Self::new(SearchEngine::SearxNg, "").base_url(url)
    }

    /// Reads the configuration from the first of these variables that is set: `SERPAPI_KEY`;
    /// `GOOGLE_API_KEY` with `GOOGLE_CSE_ID`; `BRAVE_API_KEY`; `SEARXNG_URL`.
    ///
    /// # Errors
    /// Configuration, naming the variables, when none is set or when a value is invalid.
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
        if let Some(key) = key(BRAVE_API_KEY)? {
            return with(SearchEngine::Brave, key);
        }
        if let Some(url) = environment.read(SEARXNG_URL)? {
            return Self::searxng(&url)
                .map_err(|error| Error::configuration(format!("{SEARXNG_URL}: {error}")));
        }
        let missing = match (google_key, engine_id) {
            (Some(_), None) => format!("; `{GOOGLE_CSE_ID}` is missing beside `{GOOGLE_API_KEY}`"),
            (None, Some(_)) => format!("; `{GOOGLE_API_KEY}` is missing beside `{GOOGLE_CSE_ID}`"),
            _ if environment.get(BING_SEARCH_KEY).is_some() => {
                format!("; `{BING_SEARCH_KEY}` is not used: {BING_HAS_ENDED}")
            }
            _ => String::new(),
        };
        Err(Error::configuration(format!(
            "no search engine is configured: set `{SERPAPI_KEY}`, `{GOOGLE_API_KEY}` and \
             `{GOOGLE_CSE_ID}`, `{BRAVE_API_KEY}`, or `{SEARXNG_URL}`{missing}"
        )))
    }

    /// Sets the maximum and default number of results, at least 1. It is the default in the tool's signature.
    /// Engines return at most 10 to 100 at once, and `webSearch` sends one request.
    pub fn max_results(mut self, max_results: u32) -> Self {
        self.max_results = max_results;
        self
    }

    /// Sets the URL of the engine, for a gateway or a server for tests. The key is sent there.
    ///
    /// # Errors
    /// Configuration when the URL is invalid.
    pub fn base_url(mut self, base_url: &str) -> Result<Self, Error> {
        check_base_url("the search engine", base_url)?;
        self.base_url = Some(base_url.trim_end_matches('/').to_owned());
        Ok(self)
    }

    /// Returns the engine.
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

    /// Checks that no value is missing or invalid.
    ///
    /// # Errors
    /// Configuration, with the value that is missing or invalid.
    pub(super) fn check(&self) -> Result<(), Error> {
        let wrong = |text: &str| Err(Error::configuration(text));
        if self.max_results == 0 {
            return wrong("the maximum number of results is 0; it must be 1 or more");
        }
        match &self.engine {
            SearchEngine::SearxNg if self.base_url.is_none() => wrong("SearxNG needs a base URL"),
            SearchEngine::SearxNg => Ok(()),
            SearchEngine::BingSearch if self.base_url.is_none() => {
                Err(Error::configuration(format!(
                    "{BING_HAS_ENDED}; use another engine, or set the base URL of a service with the same API"
                )))
            }
            SearchEngine::GoogleCustomSearch { engine_id } if engine_id.trim().is_empty() => {
                wrong("the id of the search engine at Google is empty")
            }
            _ if self.key.trim().is_empty() => wrong("the key of the search engine is empty"),
            _ if HeaderValue::from_str(&self.key).is_err() => {
                wrong("the key of the search engine has characters that are invalid in a header")
            }
            _ => Ok(()),
        }
    }
}

/// Omits the key.
impl fmt::Debug for SearchConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SearchConfig")
            .field("engine", &self.engine)
            .field("max_results", &self.max_results)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
