//! What MediaWiki answers (<https://www.mediawiki.org/wiki/API:Query>, format version 2).

use super::WikipediaSummary;
use crate::web::api::{self, text, what_status_means};
use crate::web::client::Answer;
use crate::web::excerpt::excerpt;
use agent_runtime::ToolError;
use serde_json::Value;

/// How much of what a wiki says of an error is told, in bytes.
const LONGEST: usize = 300;

/// The JSON of an answer that is no error.
///
/// # Errors
/// Execution, with what the wiki says is wrong.
pub(super) fn checked(answer: &Answer) -> Result<Value, ToolError> {
    let failed = |text: String| Err(ToolError::Execution(text));
    let host = answer.url.host_str().unwrap_or_default();
    let json = api::json(answer);
    if let Some(info) = json.as_ref().and_then(|json| text(json, "/error/info")) {
        return failed(format!("`{host}` says: {}", excerpt(info, LONGEST)));
    }
    match (answer.status, json) {
        (200..=299, Some(json)) if json.is_object() => Ok(json),
        (200..=299, _) => failed(format!("`{host}` does not answer as a MediaWiki does")),
        (status, _) => failed(format!(
            "`{host}` answered with status {status}: {}",
            what_status_means(status)
        )),
    }
}

/// The page that was found best: the one of that very name, else the first that a search found.
pub(super) fn best(found: &Value, query: &str) -> Option<u64> {
    let named = found.pointer("/query/pages/0");
    // Pages about pages, such as those of users, are no articles.
    if let Some(page) = named.filter(|page| page["ns"] == 0).and_then(id) {
        return Some(page);
    }
    let pages = found.pointer("/query/search")?.as_array()?;
    // Names of pages are told apart by case, and people do not.
    let is_named = |page: &&Value| {
        text(page, "/title").is_some_and(|title| title.to_lowercase() == query.to_lowercase())
    };
    id(pages.iter().find(is_named).or_else(|| pages.first())?)
}

fn id(page: &Value) -> Option<u64> {
    page.get("pageid")?.as_u64()
}

/// The summary of the one page that was described, if the wiki gives any.
///
/// # Errors
/// Execution when the wiki does not show the page.
pub(super) fn summary(described: &Value) -> Result<Option<WikipediaSummary>, ToolError> {
    let page = described.pointer("/query/pages/0");
    let (Some(page), Some(title)) = (page, page.and_then(|page| text(page, "/title"))) else {
        return Err(ToolError::Execution(
            "the wiki found a page and does not show it; ask once more".into(),
        ));
    };
    let choices = choices(page, title);
    let summary = match text(page, "/extract").map(str::trim) {
        _ if !choices.is_empty() => format!(
            "`{title}` may mean several things; ask for one of them: {}",
            choices.join("; ")
        ),
        None | Some("") => return Ok(None),
        Some(extract) => extract.to_owned(),
    };
    Ok(Some(WikipediaSummary {
        summary: Some(summary),
        url: Some(text(page, "/fullurl").unwrap_or_default().to_owned()),
    }))
}

/// What to say of a page without summary.
pub(super) fn no_summary(described: &Value) -> ToolError {
    let title = text(described, "/query/pages/0/title").unwrap_or_default();
    ToolError::Execution(format!(
        "the wiki gives no summary of `{title}`: the page has no text, or the wiki lacks the extension \
         TextExtracts"
    ))
}

/// What a page leads on to that is no article itself.
fn choices<'a>(page: &'a Value, title: &str) -> Vec<&'a str> {
    // The property is set by an extension, which small wikis do not have.
    let leads_on =
        page.pointer("/pageprops/disambiguation").is_some() || title.ends_with("(disambiguation)");
    let links = page.get("links").and_then(Value::as_array);
    let links = links.filter(|_| leads_on).into_iter().flatten();
    links.filter_map(|link| text(link, "/title")).collect()
}
