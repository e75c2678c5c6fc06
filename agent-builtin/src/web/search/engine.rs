//! The APIs of the search engines, as data.

use super::config::{SearchConfig, SearchEngine};
use crate::web::api::text;
use crate::web::page::text_of_fragment;
use agent_tool::{GramType, ToolError};
use reqwest::Url;
use serde::Serialize;
use serde_json::Value;

/// A result of `webSearch`: the title of a page, a snippet about the query, and the URL. No field is ever
/// `None`; the fields are optional in the schema of the design documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, GramType)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "doc comments of fields would become part of the schema"
)]
pub struct SearchResult {
    pub title: Option<String>,
    pub snippet: Option<String>,
    pub url: Option<String>,
}

/// The API of an engine.
pub(super) struct EngineApi {
    /// The name in messages.
    pub(super) name: &'static str,
    base_url: &'static str,
    path: &'static str,
    /// The name of the parameter for the query.
    query: &'static str,
    /// The name of the parameter for the number of results.
    count: Option<&'static str>,
    /// Parameters with fixed values.
    fixed: &'static [(&'static str, &'static str)],
    key: KeyLocation,
    /// The maximum number of results of one request.
    max_results: u32,
    /// The JSON pointer to the results.
    results: &'static str,
    /// The JSON pointers in a result to the title, the snippet and the URL.
    fields: [&'static str; 3],
    /// Whether titles and snippets are HTML.
    is_html: bool,
}

enum KeyLocation {
    None,
    Header(&'static str),
    Parameter(&'static str),
}

/// <https://serpapi.com/search-api>
static SERP_API: EngineApi = EngineApi {
    name: "SerpAPI",
    base_url: "https://serpapi.com",
    path: "/search.json",
    query: "q",
    count: Some("num"),
    fixed: &[("engine", "google")],
    key: KeyLocation::Parameter("api_key"),
    max_results: 100,
    results: "/organic_results",
    fields: ["/title", "/snippet", "/link"],
    is_html: false,
};

/// <https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list>
static GOOGLE: EngineApi = EngineApi {
    name: "Google Custom Search",
    base_url: "https://www.googleapis.com",
    path: "/customsearch/v1",
    query: "q",
    count: Some("num"),
    fixed: &[],
    key: KeyLocation::Parameter("key"),
    max_results: 10,
    results: "/items",
    fields: ["/title", "/snippet", "/link"],
    is_html: false,
};

/// <https://learn.microsoft.com/bing/search-apis/bing-web-search/reference/endpoints>
static BING: EngineApi = EngineApi {
    name: "Bing",
    base_url: "",
    path: "/v7.0/search",
    query: "q",
    count: Some("count"),
    fixed: &[("responseFilter", "Webpages")],
    key: KeyLocation::Header("ocp-apim-subscription-key"),
    max_results: 50,
    results: "/webPages/value",
    fields: ["/name", "/snippet", "/url"],
    is_html: false,
};

/// <https://api-dashboard.search.brave.com/app/documentation/web-search/get-started>
static BRAVE: EngineApi = EngineApi {
    name: "Brave",
    base_url: "https://api.search.brave.com",
    path: "/res/v1/web/search",
    query: "q",
    count: Some("count"),
    fixed: &[("result_filter", "web"), ("text_decorations", "false")],
    key: KeyLocation::Header("x-subscription-token"),
    max_results: 20,
    results: "/web/results",
    fields: ["/title", "/description", "/url"],
    is_html: true,
};

/// <https://docs.searxng.org/dev/search_api.html>
static SEARXNG: EngineApi = EngineApi {
    name: "SearxNG",
    base_url: "",
    path: "/search",
    query: "q",
    count: None,
    fixed: &[("format", "json")],
    key: KeyLocation::None,
    max_results: 100,
    results: "/results",
    fields: ["/title", "/content", "/url"],
    is_html: false,
};

/// The URL and the headers of a request.
pub(super) type Request = (Url, Vec<(&'static str, String)>);

impl EngineApi {
    pub(super) fn of(engine: &SearchEngine) -> &'static Self {
        match engine {
            SearchEngine::SerpApi => &SERP_API,
            SearchEngine::GoogleCustomSearch { .. } => &GOOGLE,
            SearchEngine::BingSearch => &BING,
            SearchEngine::Brave => &BRAVE,
            SearchEngine::SearxNg => &SEARXNG,
        }
    }

    pub(super) fn request(
        &self,
        config: &SearchConfig,
        query: &str,
        count: u32,
    ) -> Result<Request, ToolError> {
        let base = config.base_url.as_deref().unwrap_or(self.base_url);
        let url = Url::parse(&format!("{base}{}", self.path));
        let mut url = url.map_err(ToolError::execution)?;
        let mut headers = Vec::new();
        let mut parameters = url.query_pairs_mut();
        parameters.append_pair(self.query, query);
        if let Some(name) = self.count {
            parameters.append_pair(name, &count.min(self.max_results).to_string());
        }
        parameters.extend_pairs(self.fixed);
        if let SearchEngine::GoogleCustomSearch { engine_id } = &config.engine {
            parameters.append_pair("cx", engine_id);
        }
        match self.key {
            KeyLocation::None => {}
            KeyLocation::Parameter(name) => {
                parameters.append_pair(name, &config.key);
            }
            KeyLocation::Header(name) => headers.push((name, config.key.clone())),
        }
        drop(parameters);
        Ok((url, headers))
    }

    /// Reads the results of a response. Returns `None` without an array of results.
    pub(super) fn results(&self, response: &Value, count: u32) -> Option<Vec<SearchResult>> {
        let results = response.pointer(self.results)?.as_array()?.iter();
        let read = |result: &Value, pointer| {
            let text = text(result, pointer).unwrap_or_default();
            if self.is_html {
                text_of_fragment(text)
            } else {
                text.to_owned()
            }
        };
        let [title, snippet, url] = self.fields;
        let results = results
            .filter_map(|result| {
                // A result without a URL is left out.
                let url = text(result, url)?.to_owned();
                Some(SearchResult {
                    title: Some(read(result, title)),
                    snippet: Some(read(result, snippet)),
                    url: Some(url),
                })
            })
            .take(usize::try_from(count).unwrap_or(usize::MAX));
        Some(results.collect())
    }
}

/// Returns the error message of a response, from the first place where an engine has one.
pub(super) fn error_message(response: &Value) -> Option<&str> {
    // SerpAPI; Google and Bing; Bing; Brave; gateways.
    [
        "/error",
        "/error/message",
        "/errors/0/message",
        "/error/detail",
        "/message",
    ]
    .into_iter()
    .find_map(|pointer| text(response, pointer))
}

/// The error message of SerpAPI when nothing is found. Other engines return no results instead.
pub(super) const NOTHING_FOUND: &str = "hasn't returned any results";
