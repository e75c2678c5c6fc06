//! `wikipedia`: what an encyclopedia says, through the API of MediaWiki.

mod reply;

use super::api::{self, check_base_url};
use super::client::{Get, MAX_REDIRECTS, WebClient};
use crate::web::excerpt::excerpt;
use agent_runtime::Environment;
use agent_runtime::Error;
use agent_runtime::ToolContext;
use agent_runtime::ToolError;
use agent_runtime::{GramType, toolbox};
use reqwest::Url;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

/// Stands in a base URL for the language that is asked for.
const LANGUAGE: &str = "{language}";

const BASE_URL: &str = "https://{language}.wikipedia.org/w";

/// How many pages are looked at to find the one that has the very name.
const CANDIDATES: &str = "5";

/// How many choices a page that only leads on may list.
const MOST_CHOICES: &str = "50";

/// How much is read of a page that has no introduction, in characters.
const LENGTH_WITHOUT_INTRODUCTION: &str = "1200";

/// How long a query may be, in characters: MediaWiki takes no longer one.
const LONGEST_QUERY: usize = 300;

const NAME: &str = concat!("agent-runtime/", env!("CARGO_PKG_VERSION"));

/// A toolbox with the tool `wikipedia`: finds a page and gives its summary and URL.
///
/// The wiki's host must be granted, such as `en.wikipedia.org` or `*.wikipedia.org`; see
/// [`RuntimeBuilder::grants`](agent_runtime::RuntimeBuilder::grants). Wikipedia asks that programs say whom to
/// turn to about them: [`contact`](Self::contact).
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

/// What `wikipedia` gives: the beginning of the page, or of one that only leads on to others their names;
/// and where the page is. No field is ever `None`; the tool's signature has them as optional, as the
/// schema does that it was designed with.
#[derive(Clone, Debug, PartialEq, Eq, GramType)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "what is said of fields would become part of the schema"
)]
pub struct WikipediaSummary {
    pub summary: Option<String>,
    pub url: Option<String>,
}

impl Wikipedia {
    /// Returns the tool, which trusts the certificates that `SSL_CERT_FILE` of `environment` names as well;
    /// [`default`](Self::default) reads the variables of the process.
    #[must_use]
    pub fn from_env(environment: &Environment) -> Self {
        Self {
            client: WebClient::new(environment),
            ..Self::default()
        }
    }

    /// The same tool with what Wikipedia is told of whom to turn to: a page or a mail address.
    ///
    /// # Errors
    /// Configuration when a header cannot hold it.
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

    /// The same tool for another wiki: where its `api.php` lies, without that name. `{language}` in it
    /// stands for the language that a call asks for; without it all calls go to the one wiki.
    ///
    /// # Errors
    /// Configuration when it is no URL of the web.
    pub fn base_url(mut self, base_url: &str) -> Result<Self, Error> {
        check_base_url("the wiki", &base_url.replace(LANGUAGE, "en"))?;
        self.base_url = Some(base_url.trim_end_matches('/').to_owned());
        Ok(self)
    }
}

#[toolbox]
impl Wikipedia {
    /// Searches Wikipedia and returns summary.
    #[tool(read_only, idempotent)]
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
        let query = check_query(query)?;
        let wiki = Wiki {
            tool: self,
            language: check_language(language)?,
            context,
        };
        let found = wiki.find(query).await?;
        let Some(page) = reply::best(&found, query) else {
            return Err(nothing_found(&found, query, language));
        };
        let described = wiki.describe(page, ("exintro", "1")).await?;
        if let Some(summary) = reply::summary(&described)? {
            return Ok(summary);
        }
        // Nothing stands before the first heading.
        let described = wiki
            .describe(page, ("exchars", LENGTH_WITHOUT_INTRODUCTION))
            .await?;
        reply::summary(&described)?.ok_or_else(|| reply::no_summary(&described))
    }
}

/// A wiki for one call.
struct Wiki<'a> {
    tool: &'a Wikipedia,
    language: &'a str,
    context: &'a ToolContext,
}

impl Wiki<'_> {
    /// Asks for the page of a name, and for those whose text has its words: small wikis look through
    /// the texts alone.
    async fn find(&self, query: &str) -> Result<Value, ToolError> {
        // It stands between names.
        let title = if query.contains('|') { "" } else { query };
        self.ask(&[
            ("titles", title),
            ("redirects", "1"),
            ("list", "search"),
            ("srsearch", query),
            ("srlimit", CANDIDATES),
            ("srwhat", "text"),
            ("srprop", ""),
            ("srinfo", "suggestion"),
        ])
        .await
    }

    /// Asks for a page, as much of its text as said.
    async fn describe(&self, page: u64, extent: (&str, &str)) -> Result<Value, ToolError> {
        self.ask(&[
            ("pageids", &page.to_string()),
            ("prop", "extracts|info|pageprops|links"),
            extent,
            ("explaintext", "1"),
            ("inprop", "url"),
            ("ppprop", "disambiguation"),
            ("plnamespace", "0"),
            ("pllimit", MOST_CHOICES),
            ("redirects", "1"),
        ])
        .await
    }

    async fn ask(&self, parameters: &[(&str, &str)]) -> Result<Value, ToolError> {
        let base = self.tool.base_url.as_deref().unwrap_or(BASE_URL);
        let base = base.replace(LANGUAGE, self.language);
        let contact = self.tool.contact.as_deref().unwrap_or("wikipedia");
        let mut url = Url::parse(&format!("{base}/api.php")).map_err(ToolError::execution)?;
        url.query_pairs_mut()
            .extend_pairs([
                ("action", "query"),
                ("format", "json"),
                ("formatversion", "2"),
            ])
            .extend_pairs(parameters);
        let answer = self
            .tool
            .client
            .get(Get {
                url,
                user_agent: format!("{NAME} ({contact})").into(),
                headers: Vec::new(),
                accept: api::ACCEPT,
                most: api::LARGEST,
                redirects: MAX_REDIRECTS,
                check: api::any,
                granted: self.context.permissions().clone(),
            })
            .await?;
        reply::checked(&answer)
    }
}

fn check_query(query: &str) -> Result<&str, ToolError> {
    let query = query.trim();
    if query.is_empty() {
        return Err(ToolError::Validation(
            "`query` is empty; say what to look for".into(),
        ));
    }
    if query.chars().count() > LONGEST_QUERY {
        return Err(ToolError::Validation(format!(
            "`query` has more than {LONGEST_QUERY} characters; a few words find more"
        )));
    }
    Ok(query)
}

/// It becomes part of the name of a host.
fn check_language(language: &str) -> Result<&str, ToolError> {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    if (2..=20).contains(&language.len()) && language.split('-').all(is_part) {
        return Ok(language);
    }
    Err(ToolError::Validation(format!(
        "`{}` is no language of Wikipedia; one is `en`, `de` or `zh-yue`",
        excerpt(language, 40)
    )))
}

fn nothing_found(found: &Value, query: &str, language: &str) -> ToolError {
    let query = excerpt(query, 100);
    ToolError::Execution(match api::text(found, "/query/searchinfo/suggestion") {
        Some(suggestion) => format!(
            "no page in the language `{language}` is about `{query}`; did you mean `{}`?",
            excerpt(suggestion, 100)
        ),
        None => format!(
            "no page in the language `{language}` is about `{query}`; try fewer or other words, or \
             another language"
        ),
    })
}

/// By hand, so that the feature `derive` of serde is not needed.
impl Serialize for WikipediaSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut page = serializer.serialize_struct("WikipediaSummary", 2)?;
        page.serialize_field("summary", &self.summary)?;
        page.serialize_field("url", &self.url)?;
        page.end()
    }
}
