//! What is asked of each search engine, and where its answer has what.

use super::config::{SearchConfig, SearchEngine};
use super::searcher::SearchResult;
use crate::web::api::text;
use crate::web::page::text_of_fragment;
use agent_runtime::ToolError;
use reqwest::Url;
use serde_json::Value;

/// How an engine is asked.
pub(super) struct Engine {
    /// For messages.
    pub(super) name: &'static str,
    base_url: &'static str,
    path: &'static str,
    /// The parameters that say what to look for, and how many to give.
    query: &'static str,
    count: Option<&'static str>,
    /// Further parameters.
    fixed: &'static [(&'static str, &'static str)],
    key: KeyPlace,
    /// How many results it gives at once.
    most: u32,
    /// Where the results are, and in each the title, the text and the URL.
    results: &'static str,
    fields: [&'static str; 3],
    /// Whether titles and texts are pieces of HTML.
    is_html: bool,
}

enum KeyPlace {
    None,
    Header(&'static str),
    Parameter(&'static str),
}

/// <https://serpapi.com/search-api>
static SERP_API: Engine = Engine {
    name: "SerpAPI",
    base_url: "https://serpapi.com",
    path: "/search.json",
    query: "q",
    count: Some("num"),
    fixed: &[("engine", "google")],
    key: KeyPlace::Parameter("api_key"),
    most: 100,
    results: "/organic_results",
    fields: ["/title", "/snippet", "/link"],
    is_html: false,
};

/// <https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list>
static GOOGLE: Engine = Engine {
    name: "Google Custom Search",
    base_url: "https://www.googleapis.com",
    path: "/customsearch/v1",
    query: "q",
    count: Some("num"),
    fixed: &[],
    key: KeyPlace::Parameter("key"),
    most: 10,
    results: "/items",
    fields: ["/title", "/snippet", "/link"],
    is_html: false,
};

/// <https://learn.microsoft.com/bing/search-apis/bing-web-search/reference/endpoints>
static BING: Engine = Engine {
    name: "Bing",
    base_url: "https://api.bing.microsoft.com",
    path: "/v7.0/search",
    query: "q",
    count: Some("count"),
    fixed: &[("responseFilter", "Webpages")],
    key: KeyPlace::Header("ocp-apim-subscription-key"),
    most: 50,
    results: "/webPages/value",
    fields: ["/name", "/snippet", "/url"],
    is_html: false,
};

/// <https://api-dashboard.search.brave.com/app/documentation/web-search/get-started>
static BRAVE: Engine = Engine {
    name: "Brave",
    base_url: "https://api.search.brave.com",
    path: "/res/v1/web/search",
    query: "q",
    count: Some("count"),
    fixed: &[("result_filter", "web"), ("text_decorations", "false")],
    key: KeyPlace::Header("x-subscription-token"),
    most: 20,
    results: "/web/results",
    fields: ["/title", "/description", "/url"],
    is_html: true,
};

/// <https://docs.searxng.org/dev/search_api.html>
static SEARXNG: Engine = Engine {
    name: "SearxNG",
    base_url: "",
    path: "/search",
    query: "q",
    count: None,
    fixed: &[("format", "json")],
    key: KeyPlace::None,
    most: 100,
    results: "/results",
    fields: ["/title", "/content", "/url"],
    is_html: false,
};

/// A request: where, and with which headers.
pub(super) type Request = (Url, Vec<(&'static str, String)>);

impl Engine {
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
            parameters.append_pair(name, &count.min(self.most).to_string());
        }
        parameters.extend_pairs(self.fixed);
        if let SearchEngine::GoogleCustomSearch { engine_id } = &config.engine {
            parameters.append_pair("cx", engine_id);
        }
        match self.key {
            KeyPlace::None => {}
            KeyPlace::Parameter(name) => {
                parameters.append_pair(name, &config.key);
            }
            KeyPlace::Header(name) => headers.push((name, config.key.clone())),
        }
        drop(parameters);
        Ok((url, headers))
    }

    /// The results of an answer; `None` when it has no place for any.
    pub(super) fn results(&self, answer: &Value, count: u32) -> Option<Vec<SearchResult>> {
        let results = answer.pointer(self.results)?.as_array()?.iter();
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
                Some(SearchResult {
                    title: Some(read(result, title)),
                    snippet: Some(read(result, snippet)),
                    // One that leads nowhere is none.
                    url: Some(text(result, url)?.to_owned()),
                })
            })
            .take(usize::try_from(count).unwrap_or(usize::MAX));
        Some(results.collect())
    }
}

/// What an engine says is wrong, in the words of any of them.
pub(super) fn complaint(answer: &Value) -> Option<&str> {
    // SerpAPI; Google and Bing; Bing; Brave; gateways.
    [
        "/error",
        "/error/message",
        "/errors/0/message",
        "/error/detail",
        "/message",
    ]
    .into_iter()
    .find_map(|pointer| text(answer, pointer))
}

/// How SerpAPI says that it found nothing, where others leave out the results.
pub(super) const NOTHING_FOUND: &str = "hasn't returned any results";
