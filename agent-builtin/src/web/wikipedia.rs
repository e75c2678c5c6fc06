//! The tool `wikipedia`, through the API of MediaWiki.

use super::api::{self, check_base_url, check_query, describe_status};
use super::client::{WebClient, WebResponse};
use agent_tool::__private::shortened;
use agent_tool::{Environment, Error, GramType, ToolContext, ToolError, toolbox};
use reqwest::Url;
use serde::Serialize;
use serde_json::Value;

/// The placeholder of the language in a base URL.
const LANGUAGE: &str = "{language}";

const BASE_URL: &str = "https://{language}.wikipedia.org/w";

/// The number of search results among which a page with the exact title is looked for.
const RESULTS: &str = "5";

/// The maximum number of links of a disambiguation page.
const CHOICES: &str = "50";

/// The length in characters of the extract of a page without an introduction.
const EXTRACT_LENGTH: &str = "1200";

/// The maximum length of a query in characters, which is that of MediaWiki.
const MAX_QUERY: usize = 300;

const NAME: &str = concat!("agent-runtime/", env!("CARGO_PKG_VERSION"));

/// A toolbox with the tool `wikipedia`, which finds a page and returns its summary and its URL.
///
/// The host of the wiki must be granted, such as `en.wikipedia.org` or `*.wikipedia.org`; see
/// `RuntimeBuilder::grants`. Wikipedia requires that programs name
/// a contact; see [`contact`](Self::contact).
///
/// ```
/// use agent_builtin::Wikipedia;
/// use agent_runtime::tools;
///
/// let wikipedia = Wikipedia::default().contact("https://example.org/bot; bot@example.org")?;
/// let library = tools![..wikipedia];
/// assert!(library.lookup("wikipedia").is_some());
/// # Ok::<(), agent_runtime::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Wikipedia {
    client: WebClient,
    base_url: Option<String>,
    contact: Option<String>,
}

/// The result of `wikipedia`: the introduction of the page, or the choices of a disambiguation page; and the
/// URL of the page. No field is ever `None`; the fields are optional in the schema of the design documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, GramType)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "doc comments of fields would become part of the schema"
)]
pub struct WikipediaSummary {
    pub summary: Option<String>,
    pub url: Option<String>,
}

impl Wikipedia {
    /// Returns the tool, which also trusts the certificates that `SSL_CERT_FILE` of `environment` names;
    /// [`default`](Self::default) reads the variables of the process.
    #[must_use]
    pub fn from_env(environment: &Environment) -> Self {
        Self {
            client: WebClient::new(environment),
            ..Self::default()
        }
    }

    /// Sets the contact for Wikipedia: a page or a mail address.
    ///
    /// # Errors
    /// Configuration when the contact cannot be part of the header `User-Agent`.
    pub fn contact(mut self, contact: &str) -> Result<Self, Error> {
        let is_plain = |c: char| matches!(c, ' '..='~') && !matches!(c, '(' | ')');
        if contact.trim().is_empty() || !contact.chars().all(is_plain) {
            return Err(Error::configuration(
                "the contact for Wikipedia is empty, or has characters that do not belong there; one \
                 is `https://example.org/bot; bot@example.org`",
            ));
        }
        self.contact = Some(contact.trim().to_owned());
        Ok(self)
    }

    /// Sets the wiki: the URL of its `api.php` without that name. `{language}` in it is replaced by the
    /// language of a call; without it the wiki is the same for every language.
    ///
    /// # Errors
    /// Configuration when the URL is invalid.
    pub fn base_url(mut self, base_url: &str) -> Result<Self, Error> {
        check_base_url("the wiki", &base_url.replace(LANGUAGE, "en"))?;
        self.base_url = Some(base_url.trim_end_matches('/').to_owned());
        Ok(self)
    }

    /// Asks the wiki for the page with the title `query`, and searches the text of all pages. Small wikis
    /// support only the search in the text.
    async fn find(
        &self,
        query: &str,
        language: &str,
        context: &ToolContext,
    ) -> Result<Value, ToolError> {
        // `|` separates titles.
        let title = if query.contains('|') { "" } else { query };
        let parameters = [
            ("titles", title),
            ("redirects", "1"),
            ("list", "search"),
            ("srsearch", query),
            ("srlimit", RESULTS),
            ("srwhat", "text"),
            ("srprop", ""),
            ("srinfo", "suggestion"),
        ];
        self.query(&parameters, language, context).await
    }

    /// Asks the wiki for a page and an extract of its text.
    async fn describe(
        &self,
        page: u64,
        extent: (&str, &str),
        language: &str,
        context: &ToolContext,
    ) -> Result<Value, ToolError> {
        let parameters = [
            ("pageids", &*page.to_string()),
            ("prop", "extracts|info|pageprops|links"),
            extent,
            ("explaintext", "1"),
            ("inprop", "url"),
            ("ppprop", "disambiguation"),
            ("plnamespace", "0"),
            ("pllimit", CHOICES),
            ("redirects", "1"),
        ];
        self.query(&parameters, language, context).await
    }

    /// Sends a query (<https://www.mediawiki.org/wiki/API:Query>).
    async fn query(
        &self,
        parameters: &[(&str, &str)],
        language: &str,
        context: &ToolContext,
    ) -> Result<Value, ToolError> {
        let base = self.base_url.as_deref().unwrap_or(BASE_URL);
        let base = base.replace(LANGUAGE, language);
        let mut url = Url::parse(&format!("{base}/api.php")).map_err(ToolError::execution)?;
        url.query_pairs_mut()
            .extend_pairs([
                ("action", "query"),
                ("format", "json"),
                ("formatversion", "2"),
            ])
            .extend_pairs(parameters);
        let contact = self.contact.as_deref().unwrap_or("wikipedia");
        let user_agent = format!("{NAME} ({contact})");
        let request = api::request(url, user_agent, context.permissions());
        read_response(&self.client.get(request).await?)
    }
}

#[toolbox]
impl Wikipedia {
    /// Searches Wikipedia and returns summary.
    #[tool(read_only, idempotent, untrusted, sends)]
    async fn wikipedia(
        &self,
        query: &str,
        #[tool(
            description = "Language of the Wikipedia to ask, such as `de`",
            default = "en"
        )]
        language: &str,
        context: &ToolContext,
    ) -> Result<WikipediaSummary, ToolError> {
        let query = check_query(query, MAX_QUERY)?;
        let language = check_language(language)?;
        let found = self.find(query, language, context).await?;
        let Some(page) = best_page(&found, query) else {
            return Err(nothing_found(&found, query, language));
        };
        let introduction = ("exintro", "1");
        let described = self.describe(page, introduction, language, context).await?;
        if let Some(summary) = read_summary(&described)? {
            return Ok(summary);
        }
        // The page has no text before its first heading.
        let beginning = ("exchars", EXTRACT_LENGTH);
        let described = self.describe(page, beginning, language, context).await?;
        read_summary(&described)?.ok_or_else(|| no_summary(&described))
    }
}

/// Checks a language, which becomes part of a host name.
fn check_language(language: &str) -> Result<&str, ToolError> {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    if (2..=20).contains(&language.len()) && language.split('-').all(is_part) {
        return Ok(language);
    }
    Err(ToolError::Validation(format!(
        "`{}` is not a language of Wikipedia, such as `en`, `de` or `zh-yue`",
        shortened(language, 40)
    )))
}

/// Returns the JSON of a response.
///
/// # Errors
/// Execution with the error message of the wiki, or when the response is not that of a MediaWiki.
fn read_response(response: &WebResponse) -> Result<Value, ToolError> {
    let failed = |text: String| Err(ToolError::Execution(text));
    let host = response.url.host_str().unwrap_or_default();
    let json = api::json(response);
    if let Some(info) = json
        .as_ref()
        .and_then(|json| api::text(json, "/error/info"))
    {
        return failed(format!(
            "`{host}` says: {}",
            shortened(info, api::MAX_ERROR)
        ));
    }
    match (response.status, json) {
        (200..=299, Some(json)) if json.is_object() => Ok(json),
        (200..=299, _) => failed(format!("`{host}` does not respond like a MediaWiki")),
        (status, _) => failed(format!(
            "`{host}` answered with status {status}: {}",
            describe_status(status)
        )),
    }
}

/// Returns the id of the best page: the page with the title `query`, else the first result of the search.
fn best_page(found: &Value, query: &str) -> Option<u64> {
    let titled = found.pointer("/query/pages/0");
    // Namespace 0 is that of articles.
    if let Some(page) = titled.filter(|page| page["ns"] == 0).and_then(page_id) {
        return Some(page);
    }
    let pages = found.pointer("/query/search")?.as_array()?;
    // Titles are case-sensitive, and queries are not.
    let has_title = |page: &&Value| {
        api::text(page, "/title").is_some_and(|title| title.to_lowercase() == query.to_lowercase())
    };
    page_id(pages.iter().find(has_title).or_else(|| pages.first())?)
}

fn page_id(page: &Value) -> Option<u64> {
    page.get("pageid")?.as_u64()
}

fn nothing_found(found: &Value, query: &str, language: &str) -> ToolError {
    let query = shortened(query, 100);
    ToolError::Execution(match api::text(found, "/query/searchinfo/suggestion") {
        Some(suggestion) => format!(
            "no page in the language `{language}` is about `{query}`; did you mean `{}`?",
            shortened(suggestion, 100)
        ),
        None => format!(
            "no page in the language `{language}` is about `{query}`; try fewer or other words, or \
             another language"
        ),
    })
}

/// Returns the summary of the page, if the wiki returned an extract.
///
/// # Errors
/// Execution when the wiki did not return the page.
fn read_summary(described: &Value) -> Result<Option<WikipediaSummary>, ToolError> {
    let page = described.pointer("/query/pages/0");
    let title = page.and_then(|page| api::text(page, "/title"));
    let (Some(page), Some(title)) = (page, title) else {
        return Err(ToolError::Execution(
            "the wiki did not return the page that it found; try again".into(),
        ));
    };
    let choices = choices(page, title);
    let summary = match api::text(page, "/extract").map(str::trim) {
        _ if !choices.is_empty() => format!(
            "`{title}` may mean several things; ask for one of them: {}",
            choices.join("; ")
        ),
        None | Some("") => return Ok(None),
        Some(extract) => extract.to_owned(),
    };
    Ok(Some(WikipediaSummary {
        summary: Some(summary),
        url: Some(api::text(page, "/fullurl").unwrap_or_default().to_owned()),
    }))
}

/// The error for a page without an extract.
fn no_summary(described: &Value) -> ToolError {
    let title = api::text(described, "/query/pages/0/title").unwrap_or_default();
    ToolError::Execution(format!(
        "the wiki gives no summary of `{title}`: the page has no text, or the wiki lacks the extension \
         TextExtracts"
    ))
}

/// Returns the links of a disambiguation page; none for an article.
fn choices<'a>(page: &'a Value, title: &str) -> Vec<&'a str> {
    // The property comes from an extension that small wikis lack.
    let is_disambiguation =
        page.pointer("/pageprops/disambiguation").is_some() || title.ends_with("(disambiguation)");
    let links = page.get("links").and_then(Value::as_array);
    let links = links.filter(|_| is_disambiguation).into_iter().flatten();
    links.filter_map(|link| api::text(link, "/title")).collect()
}
