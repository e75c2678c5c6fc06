//! `webSearch` with what it is configured with.

use super::DEFAULT_RESULTS;
use super::config::SearchConfig;
use super::searcher::{Searcher, Source};
use crate::web::client::WebClient;
use agent_gram::Value;
use agent_runtime::Environment;
use agent_runtime::IntoTools;
use agent_runtime::StaticTools;
use agent_runtime::ToolContext;
use agent_runtime::Toolbox;
use agent_runtime::{Contract, Tool, ToolDescriptor, ToolError, ToolFuture};
use agent_spec::tool_set::ToolSet;
use agent_spec::{Param, Signature};
use serde_json::json;
use std::fmt;
use std::sync::Arc;

/// The parameter whose default is that of the configuration.
const COUNT: &str = "num_results";

/// The tool `webSearch`: asks a search engine, and gives titles, snippets and URLs.
///
/// The engine's host must be granted; see [`RuntimeBuilder::grants`](agent_runtime::RuntimeBuilder::grants). The
/// key is the host's own configuration, which no grant of a variable is needed for, and which no model
/// sees. Without one an agent with this tool is not bound: a Configuration error that names the variables.
///
/// `agent!` takes it as a set of one tool, `tools: [..WebSearch]`.
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
    inner: Arc<dyn Tool>,
    searcher: Arc<Searcher>,
    default_results: u32,
}

impl WebSearch {
    /// The tool with this configuration, whose `max_results` its signature has as the default of
    /// `num_results`.
    #[must_use]
    pub fn new(config: SearchConfig) -> Self {
        let max_results = config.max_results;
        Self::with(Source::Given(config), &Environment::process(), max_results)
    }

    /// The tool with what these variables say when it is bound and when it is called, as
    /// [`SearchConfig::from_env`] reads them.
    #[must_use]
    pub fn from_env(environment: &Environment) -> Self {
        let source = Source::Environment(environment.clone());
        Self::with(source, environment, DEFAULT_RESULTS)
    }

    fn with(source: Source, environment: &Environment, default_results: u32) -> Self {
        let searcher = Arc::new(Searcher {
            client: WebClient::new(environment),
            source,
        });
        let inner = Searcher::tools(&searcher).remove(0);
        Self {
            descriptor: with_default(inner.descriptor(), default_results),
            inner,
            searcher,
            default_results,
        }
    }
}

impl Tool for WebSearch {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        if self.default_results == DEFAULT_RESULTS {
            return self.inner.call(arguments, context);
        }
        Box::pin(async move {
            let arguments = self.with_count(arguments)?;
            self.inner.call(&arguments, context).await
        })
    }

    fn check_configuration(&self) -> Result<(), String> {
        match self.searcher.source.config() {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl WebSearch {
    /// Arguments with the default of this tool, which a caller may have left to it.
    fn with_count(&self, arguments: &str) -> Result<String, ToolError> {
        let mut arguments: serde_json::Map<_, _> =
            serde_json::from_str(arguments).map_err(|error| {
                ToolError::Validation(format!("the arguments are no object: {error}"))
            })?;
        let count = arguments.entry(COUNT).or_insert(json!(null));
        if count.is_null() {
            *count = self.default_results.into();
        }
        Ok(serde_json::Value::from(arguments).to_string())
    }
}

/// A descriptor whose count of results has this default.
fn with_default(descriptor: &ToolDescriptor, default: u32) -> ToolDescriptor {
    let Some(signature) = descriptor
        .signature()
        .filter(|_| default != DEFAULT_RESULTS)
    else {
        return descriptor.clone();
    };
    let params = signature.params().iter().map(|param| {
        if param.name() == COUNT {
            Param::new(COUNT, param.ty().clone()).with_default(Value::Integer(default.into()))
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

/// The tool as constants, with the default of 5 results.
impl StaticTools for WebSearch {
    const TOOLS: ToolSet = <Searcher as StaticTools>::TOOLS;
}

/// So that `..` before it is no mistake, as `agent!` wants it.
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
