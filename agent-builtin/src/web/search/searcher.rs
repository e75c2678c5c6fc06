//! Asking the engine.

use super::config::{SearchConfig, SearchEngine};
use super::engine::{Engine, NOTHING_FOUND, complaint};
use crate::web::api::{self, what_status_means};
use crate::web::client::{Answer, Get, WebClient};
use crate::web::excerpt::excerpt;
use agent_runtime::{Environment, Error, GramType, Redactor, ToolContext, ToolError, toolbox};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

const USER_AGENT: &str = concat!("agent-runtime/", env!("CARGO_PKG_VERSION"), " (webSearch)");

/// How much of what an engine says of an error is told, in bytes.
const LONGEST: usize = 300;

/// How long a query may be, in characters; the strictest engine takes 400.
const LONGEST_QUERY: usize = 400;

/// One result of `webSearch`: the title of the page, what it says about the query, and where it is. No
/// field is ever `None`; the tool's signature has them as optional, as the schema does that it was designed
/// with.
#[derive(Clone, Debug, PartialEq, Eq, GramType)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "what is said of fields would become part of the schema"
)]
pub struct SearchResult {
    pub title: Option<String>,
    pub snippet: Option<String>,
    pub url: Option<String>,
}

/// What `webSearch` gives: the results, the best first; never `None`.
#[derive(Clone, Debug, PartialEq, Eq, GramType)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "what is said of fields would become part of the schema"
)]
pub struct SearchResults {
    pub results: Option<Vec<SearchResult>>,
}

/// What searches. It is not registered itself: `WebSearch` looks after what it is configured with.
pub(super) struct Searcher {
    pub(super) client: WebClient,
    pub(super) source: Source,
}

/// Where the configuration is from.
pub(super) enum Source {
    Given(SearchConfig),
    Environment(Environment),
}

impl Source {
    /// The configuration, when it is whole.
    ///
    /// # Errors
    /// Configuration, saying what is missing.
    pub(super) fn config(&self) -> Result<SearchConfig, Error> {
        let config = match self {
            Self::Given(config) => config.clone(),
            Self::Environment(environment) => SearchConfig::from_env(environment)?,
        };
        config.check()?;
        Ok(config)
    }
}

#[toolbox]
impl Searcher {
    /// Performs web search using configured search API.
    #[tool(read_only, idempotent)]
    async fn web_search(
        &self,
        query: &str,
        #[tool(name = "num_results", default = 5)] num_results: i64,
        context: &ToolContext,
    ) -> Result<SearchResults, ToolError> {
        // It was there when the tool was bound, and may be gone since.
        let config = self.source.config().map_err(ToolError::execution)?;
        let query = check_query(query)?;
        let count = match u32::try_from(num_results) {
            Ok(0) | Err(_) if num_results < 1 => {
                return Err(ToolError::Validation(format!(
                    "`num_results` is {num_results}; give 1 to {}",
                    config.max_results
                )));
            }
            count => count.unwrap_or(u32::MAX).min(config.max_results),
        };
        let engine = Engine::of(&config.engine);
        // An engine may repeat the key in whatever it answers.
        let redactor = config.redactor();
        let redacted = |error: ToolError| error.redacted(&redactor);
        let (url, headers) = engine.request(&config, query, count).map_err(redacted)?;
        let answer = self
            .client
            .get(Get {
                url,
                user_agent: USER_AGENT.into(),
                headers,
                accept: api::ACCEPT,
                most: api::LARGEST,
                // What a redirect says may carry the key on.
                redirects: 0,
                check: api::any,
                granted: context.permissions().clone(),
            })
            .await
            .map_err(redacted)?;
        let results = read(engine, &config, &answer, count).map_err(redacted)?;
        Ok(SearchResults {
            results: Some(
                results
                    .into_iter()
                    .map(|result| result.redacted(&redactor))
                    .collect(),
            ),
        })
    }
}

fn check_query(query: &str) -> Result<&str, ToolError> {
    let query = query.trim();
    let wrong = |text: String| Err(ToolError::Validation(text));
    match query.chars().count() {
        0 => wrong("`query` is empty; say what to look for".into()),
        1..=LONGEST_QUERY => Ok(query),
        _ => wrong(format!(
            "`query` has more than {LONGEST_QUERY} characters; a few words find more"
        )),
    }
}

fn read(
    engine: &Engine,
    config: &SearchConfig,
    answer: &Answer,
    count: u32,
) -> Result<Vec<SearchResult>, ToolError> {
    let failed = |text: String| Err(ToolError::Execution(text));
    let name = engine.name;
    let json = api::json(answer).filter(Value::is_object);
    let complaint = json.as_ref().and_then(complaint);
    let is_fine = (200..=299).contains(&answer.status);
    match (json.as_ref(), complaint) {
        (Some(_), Some(complaint)) if is_fine && complaint.contains(NOTHING_FOUND) => Ok(Vec::new()),
        (Some(json), None) if is_fine => Ok(engine.results(json, count).unwrap_or_default()),
        (_, Some(complaint)) => failed(format!(
            "{name} answered with status {}: {}; it says: {}",
            answer.status,
            what_status_means(answer.status),
            // Redacted before it is cut, because a part of a key is not recognised.
            excerpt(&config.redactor().text(complaint), LONGEST)
        )),
        // What its makers ship refuses programs.
        (None, None) if answer.status == 403 && config.engine == SearchEngine::SearxNg => failed(
            "SearxNG refuses to answer in JSON; its settings must list `json` under `search.formats`"
                .into(),
        ),
        _ if is_fine => failed(format!("{name} did not answer in JSON")),
        _ => failed(format!(
            "{name} answered with status {}: {}",
            answer.status,
            what_status_means(answer.status)
        )),
    }
}

impl SearchResult {
    /// Returns the result with its secrets replaced.
    fn redacted(self, redactor: &Redactor) -> Self {
        let redacted = |text: Option<String>| text.map(|text| redactor.text(&text));
        Self {
            title: redacted(self.title),
            snippet: redacted(self.snippet),
            url: redacted(self.url),
        }
    }
}

/// By hand, so that the feature `derive` of serde is not needed.
impl Serialize for SearchResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut result = serializer.serialize_struct("SearchResult", 3)?;
        result.serialize_field("title", &self.title)?;
        result.serialize_field("snippet", &self.snippet)?;
        result.serialize_field("url", &self.url)?;
        result.end()
    }
}

impl Serialize for SearchResults {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut results = serializer.serialize_struct("SearchResults", 1)?;
        results.serialize_field("results", &self.results)?;
        results.end()
    }
}
