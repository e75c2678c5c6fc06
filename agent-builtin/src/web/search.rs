//! The tool `webSearch`.

mod config;
mod engine;

pub use config::{SearchConfig, SearchEngine};
pub use engine::SearchResult;

use super::api::{self, check_query, describe_status};
use super::client::{WebClient, WebRequest, WebResponse};
use agent_gram::Value as GramValue;
use agent_spec::{Param, Signature, ToolSet};
use agent_tool::__private::shortened;
use agent_tool::library::IntoTools;
use agent_tool::redact::Redactor;
use agent_tool::tool::{Contract, StaticTools, ToolDescriptor, ToolFuture, Toolbox};
use agent_tool::{Environment, Error, GramType, Tool, ToolContext, ToolError, toolbox};
use config::DEFAULT_RESULTS;
use engine::{EngineApi, NOTHING_FOUND, error_message};
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

const USER_AGENT: &str = concat!("agent-runtime/", env!("CARGO_PKG_VERSION"), " (webSearch)");

/// The parameter whose default comes from the configuration.
const COUNT: &str = "num_results";

/// The maximum length of a query in characters, which is that of the strictest engine.
const MAX_QUERY: usize = 400;

/// The tool `webSearch`, which asks a search engine and returns titles, snippets and URLs.
///
/// The host of the engine must be granted; see
/// `RuntimeBuilder::grants`. The key is configuration of the host:
/// it needs no grant of a variable, and no model sees it. Without a configuration, binding an agent with
/// this tool fails with a Configuration error that names the variables.
///
/// `agent!` accepts it as a set of one tool, `tools: [..WebSearch]`.
///
/// ```
/// use agent_builtin::WebSearch;
/// use agent_runtime::{Environment, tools};
///
/// let environment = Environment::from_pairs([("SEARXNG_URL", "http://localhost:8888")]);
/// let library = tools![(WebSearch::from_env(&environment))];
/// assert!(library.lookup("webSearch").is_some());
/// ```
pub struct WebSearch {
    descriptor: ToolDescriptor,
    /// The tool of `searcher`.
    tool: Arc<dyn Tool>,
    searcher: Arc<Searcher>,
    default_results: u32,
}

/// The result of `webSearch`: the results in order of relevance; never `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, GramType)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "doc comments of fields would become part of the schema"
)]
pub struct SearchResults {
    pub results: Option<Vec<SearchResult>>,
}

impl WebSearch {
    /// Returns the tool with this configuration. The default of `num_results` in its signature is the
    /// configuration's `max_results`.
    #[must_use]
    pub fn new(config: SearchConfig) -> Self {
        let max_results = config.max_results;
        Self::with_source(Source::Given(config), &Environment::process(), max_results)
    }

    /// Returns the tool with the configuration that [`SearchConfig::from_env`] reads each time when the tool
    /// is bound and when it is called.
    #[must_use]
    pub fn from_env(environment: &Environment) -> Self {
        let source = Source::Environment(environment.clone());
        Self::with_source(source, environment, DEFAULT_RESULTS)
    }

    fn with_source(source: Source, environment: &Environment, default_results: u32) -> Self {
        let searcher = Arc::new(Searcher {
            client: WebClient::new(environment),
            source,
        });
        let tool = Searcher::tools(&searcher).remove(0);
        Self {
            descriptor: with_default(tool.descriptor(), default_results),
            tool,
            searcher,
            default_results,
        }
    }

    /// Adds the default of this tool to arguments without a count.
    fn with_count(&self, arguments: &str) -> Result<String, ToolError> {
        let mut arguments: serde_json::Map<_, _> =
            serde_json::from_str(arguments).map_err(|error| {
                ToolError::Validation(format!("the arguments are no object: {error}"))
            })?;
        let count = arguments.entry(COUNT).or_insert(Value::Null);
        if count.is_null() {
            *count = self.default_results.into();
        }
        Ok(Value::from(arguments).to_string())
    }
}

impl Tool for WebSearch {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        if self.default_results == DEFAULT_RESULTS {
            return self.tool.call(arguments, context);
        }
        Box::pin(async move {
            let arguments = self.with_count(arguments)?;
            self.tool.call(&arguments, context).await
        })
    }

    fn validates_arguments(&self) -> bool {
        self.tool.validates_arguments()
    }

    fn check_configuration(&self) -> Result<(), String> {
        match self.searcher.source.config() {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The tool's constants, with the default of 5 results.
impl StaticTools for WebSearch {
    const TOOLS: ToolSet = <Searcher as StaticTools>::TOOLS;
}

/// Lets `tools!` accept `..` before a `WebSearch`, as `agent!` requires.
impl IntoTools for WebSearch {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self)]
    }
}

impl fmt::Debug for WebSearch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("WebSearch")
            .field("default_results", &self.default_results)
            .finish_non_exhaustive()
    }
}

/// Returns a descriptor with this default of the count of results.
fn with_default(descriptor: &ToolDescriptor, default: u32) -> ToolDescriptor {
    let Some(signature) = descriptor
        .signature()
        .filter(|_| default != DEFAULT_RESULTS)
    else {
        return descriptor.clone();
    };
    let params = signature.params().iter().map(|param| {
        if param.name() == COUNT {
            Param::new(COUNT, param.ty().clone()).with_default(GramValue::Integer(default.into()))
        } else {
            param.clone()
        }
    });
    let signature = Signature::new(params.collect(), signature.returns().clone());
    ToolDescriptor::new(
        descriptor.name().to_owned().into(),
        descriptor.description().to_owned().into(),
        Contract::Signature(signature),
        *descriptor.settings(),
    )
}

/// The toolbox behind [`WebSearch`], which adds the checks of the configuration.
struct Searcher {
    client: WebClient,
    source: Source,
}

/// The source of the configuration.
enum Source {
    Given(SearchConfig),
    Environment(Environment),
}

impl Source {
    /// Reads and checks the configuration.
    ///
    /// # Errors
    /// Configuration when a value is missing or invalid.
    fn config(&self) -> Result<SearchConfig, Error> {
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
    #[tool(read_only, idempotent, untrusted, sends)]
    async fn web_search(
        &self,
        query: &str,
        #[tool(name = "num_results", default = 5)] num_results: i64,
        context: &ToolContext,
    ) -> Result<SearchResults, ToolError> {
        // Read again, because a variable may have changed since the tool was bound.
        let config = self.source.config().map_err(ToolError::execution)?;
        let query = check_query(query, MAX_QUERY)?;
        let count = match u32::try_from(num_results) {
            Ok(0) | Err(_) if num_results < 1 => {
                return Err(ToolError::Validation(format!(
                    "`num_results` is {num_results}; give 1 to {}",
                    config.max_results
                )));
            }
            count => count.unwrap_or(u32::MAX).min(config.max_results),
        };
        let api = EngineApi::of(&config.engine);
        let redactor = config.redactor();
        let redacted = |error: ToolError| error.redacted(&redactor);
        let (url, headers) = api.request(&config, query, count).map_err(redacted)?;
        let request = WebRequest {
            headers,
            // The target of a redirect may contain the key.
            max_redirects: 0,
            ..api::request(url, USER_AGENT.to_owned(), context.permissions())
        };
        let response = self.client.get(request).await.map_err(redacted)?;
        let results = read_results(api, &config, &response, count).map_err(redacted)?;
        let results = results.into_iter().map(|result| result.redacted(&redactor));
        Ok(SearchResults {
            results: Some(results.collect()),
        })
    }
}

fn read_results(
    api: &EngineApi,
    config: &SearchConfig,
    response: &WebResponse,
    count: u32,
) -> Result<Vec<SearchResult>, ToolError> {
    let failed = |text: String| Err(ToolError::Execution(text));
    let name = api.name;
    let json = api::json(response).filter(Value::is_object);
    let message = json.as_ref().and_then(error_message);
    let is_success = (200..=299).contains(&response.status);
    match (json.as_ref(), message) {
        (Some(_), Some(message)) if is_success && message.contains(NOTHING_FOUND) => Ok(Vec::new()),
        (Some(json), None) if is_success => Ok(api.results(json, count).unwrap_or_default()),
        (_, Some(message)) => failed(format!(
            "{name} answered with status {}: {}; it says: {}",
            response.status,
            describe_status(response.status),
            // Redacted before it is cut, because a part of a key is not recognised.
            shortened(&config.redactor().text(message), api::MAX_ERROR)
        )),
        // The default settings of SearxNG refuse JSON.
        (None, None) if response.status == 403 && config.engine == SearchEngine::SearxNg => failed(
            "SearxNG refuses to answer in JSON; its settings must list `json` under `search.formats`"
                .into(),
        ),
        _ if is_success => failed(format!("{name} did not answer in JSON")),
        _ => failed(format!(
            "{name} answered with status {}: {}",
            response.status,
            describe_status(response.status)
        )),
    }
}

impl SearchResult {
    /// Replaces the secrets in the result, in which an engine may repeat the key.
    fn redacted(self, redactor: &Redactor) -> Self {
        let redacted = |text: Option<String>| text.map(|text| redactor.text(&text));
        Self {
            title: redacted(self.title),
            snippet: redacted(self.snippet),
            url: redacted(self.url),
        }
    }
}
