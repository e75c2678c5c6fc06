//! `webScraper`: what a page says.

use super::client::{Get, MAX_REDIRECTS, WebClient};
use super::page::{PageText, Selection, check_type, read_page};
use crate::web::excerpt::excerpt;
use agent_runtime::Environment;
use agent_runtime::ToolContext;
use agent_runtime::ToolError;
use agent_runtime::{GramType, toolbox};
use reqwest::Url;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// The most bytes of a page, as sent and as decoded.
const LARGEST: usize = 4 << 20;

/// What servers are told they are asked by.
const USER_AGENT: &str = concat!("agent-runtime/", env!("CARGO_PKG_VERSION"), " (webScraper)");

const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,text/*;q=0.8,*/*;q=0.1";

/// A toolbox with the tool `webScraper`, which fetches a page and gives the text that it shows, or the
/// text of what a CSS selector selects; text, XML and JSON come as they are.
///
/// The host of the page, and every host it redirects to, must be granted; see
/// [`RuntimeBuilder::grants`](agent_runtime::RuntimeBuilder::grants). A page has 4 MiB at most, and the call 10
/// seconds, unless the agent gives it less.
///
/// ```
/// use agent_builtin::WebScraper;
/// use agent_runtime::tools;
///
/// let library = tools![..WebScraper::default()];
/// assert!(library.lookup("webScraper").is_some());
/// ```
#[derive(Clone, Default)]
pub struct WebScraper {
    client: WebClient,
}

/// What `webScraper` gives: the text, in lines; the title, empty when the page has none; and where the
/// page was found, after redirects. No field is ever `None`; the tool's signature has them as optional,
/// as the schema does that it was designed with.
#[derive(Clone, Debug, PartialEq, Eq, GramType)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "what is said of fields would become part of the schema"
)]
pub struct ScrapedPage {
    pub text: Option<String>,
    pub title: Option<String>,
    pub url: Option<String>,
}

impl WebScraper {
    /// Returns the tool, which trusts the certificates that `SSL_CERT_FILE` of `environment` names as well;
    /// [`default`](Self::default) reads the variables of the process.
    #[must_use]
    pub fn from_env(environment: &Environment) -> Self {
        Self {
            client: WebClient::new(environment),
        }
    }
}

#[toolbox]
impl WebScraper {
    /// Fetches and extracts text from web pages.
    #[tool(read_only, idempotent)]
    async fn web_scraper(
        &self,
        #[tool(format = "uri")] url: &str,
        #[tool(description = "CSS selector (optional)")] selector: Option<String>,
        context: &ToolContext,
    ) -> Result<ScrapedPage, ToolError> {
        let selection = selector.as_deref().map(Selection::parse).transpose()?;
        let answer = self
            .client
            .get(Get {
                url: read_url(url)?,
                user_agent: USER_AGENT.into(),
                headers: Vec::new(),
                accept: ACCEPT,
                most: LARGEST,
                redirects: MAX_REDIRECTS,
                check: check_head,
                granted: context.permissions().clone(),
            })
            .await?;
        let url = answer.url.to_string();
        let cancellation = context.cancellation().clone();
        // Reading takes long enough to hold up whatever else the task does.
        let read = tokio::task::spawn_blocking(move || {
            read_page(
                &answer.body,
                answer.content_type.as_deref(),
                selection.as_ref(),
                &|| cancellation.is_cancelled(),
            )
        });
        let PageText { title, text } = read
            .await
            .map_err(|_| ToolError::Execution("the page could not be read".into()))??;
        Ok(ScrapedPage {
            text: Some(text),
            title: Some(title),
            url: Some(url),
        })
    }
}

fn read_url(url: &str) -> Result<Url, ToolError> {
    Url::parse(url).map_err(|error| {
        ToolError::Validation(format!(
            "`{}` is no URL: {error}; one is `https://example.org/page`",
            excerpt(url, 200)
        ))
    })
}

fn check_head(status: u16, content_type: Option<&str>) -> Result<(), ToolError> {
    match status {
        200..=299 => check_type(content_type),
        _ => Err(ToolError::Execution(format!(
            "the server answered with status {status}{}",
            meaning(status)
        ))),
    }
}

/// What a status means for whoever asked.
fn meaning(status: u16) -> &'static str {
    match status {
        401 | 403 => ": the page is not for everybody",
        404 | 410 => ": there is no such page",
        429 => ": it was asked too often; wait before the next try",
        500..=599 => ": it has a fault of its own; try again later",
        _ => ": it has no page there",
    }
}

/// By hand, so that the feature `derive` of serde is not needed.
impl Serialize for ScrapedPage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut page = serializer.serialize_struct("ScrapedPage", 3)?;
        page.serialize_field("text", &self.text)?;
        page.serialize_field("title", &self.title)?;
        page.serialize_field("url", &self.url)?;
        page.end()
    }
}
