//! The tool `webScraper`.

use super::client::{MAX_REDIRECTS, WebClient, WebRequest};
use super::page::{CssSelector, PageText, check_content_type, parse_in_turn};
use agent_tool::__private::shortened;
use agent_tool::{Environment, GramType, ToolContext, ToolError, toolbox};
use reqwest::Url;
use serde::Serialize;

/// The maximum length of a page in bytes, both as sent and as decoded. A hostile server can send without end, or
/// compress gigabytes into kilobytes, which would fill the memory.
const MAX_LENGTH: usize = 4 << 20;

const USER_AGENT: &str = concat!("agent-runtime/", env!("CARGO_PKG_VERSION"), " (webScraper)");

const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,text/*;q=0.8,*/*;q=0.1";

/// A toolbox with the tool `webScraper`, which fetches a page and returns its text, or the text of the
/// elements that a CSS selector selects. Plain text, XML and JSON are returned as they are.
///
/// The host of the page and the hosts of redirects must be granted; see
/// `RuntimeBuilder::grants`. A page has at most 4 MiB, and a call
/// takes at most 10 seconds, or less if the agent says so.
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

/// The result of `webScraper`: the text in lines, the title (empty without one), and the URL after
/// redirects. No field is ever `None`; the fields are optional in the schema of the design documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, GramType)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "doc comments of fields would become part of the schema"
)]
pub struct ScrapedPage {
    pub text: Option<String>,
    pub title: Option<String>,
    pub url: Option<String>,
}

impl WebScraper {
    /// Returns the tool, which also trusts the certificates that `SSL_CERT_FILE` of `environment` names;
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
    #[tool(read_only, idempotent, untrusted, sends)]
    async fn web_scraper(
        &self,
        #[tool(format = "uri")] url: &str,
        #[tool(description = "CSS selector (optional)")] selector: Option<String>,
        context: &ToolContext,
    ) -> Result<ScrapedPage, ToolError> {
        let selector = selector.as_deref().map(CssSelector::parse).transpose()?;
        let request = WebRequest {
            url: parse_url(url)?,
            user_agent: USER_AGENT.into(),
            headers: Vec::new(),
            accept: ACCEPT,
            max_length: MAX_LENGTH,
            max_redirects: MAX_REDIRECTS,
            check_head,
            permissions: context.permissions().clone(),
        };
        let response = self.client.get(request).await?;
        let url = response.url.to_string();
        let cancellation = context.cancellation().clone();
        let page = parse_in_turn(move || {
            PageText::extract_until(
                &response.body,
                response.content_type.as_deref(),
                selector.as_ref(),
                &|| cancellation.is_cancelled(),
            )
        });
        let PageText { title, text } = page
            .await
            .map_err(|_| ToolError::Execution("the page could not be read".into()))??;
        Ok(ScrapedPage {
            text: Some(text),
            title: Some(title),
            url: Some(url),
        })
    }
}

fn parse_url(url: &str) -> Result<Url, ToolError> {
    Url::parse(url).map_err(|error| {
        ToolError::Validation(format!(
            "`{}` is no URL: {error}; one is `https://example.org/page`",
            shortened(url, 200)
        ))
    })
}

fn check_head(status: u16, content_type: Option<&str>) -> Result<(), ToolError> {
    match status {
        200..=299 => check_content_type(content_type),
        _ => Err(ToolError::Execution(format!(
            "the server answered with status {status}{}",
            describe_status(status)
        ))),
    }
}

/// Describes the error that the status of a page means.
fn describe_status(status: u16) -> &'static str {
    match status {
        401 | 403 => ": access is denied",
        404 | 410 => ": there is no such page",
        429 => ": too many requests; wait before the next try",
        500..=599 => ": it has an internal error; try again later",
        _ => ": the server returned no page",
    }
}
