//! `wikipedia` against recorded responses of MediaWiki.

use crate::web::calls::{call, granting, only};
use crate::web::server::{Server, answer, redirect};
use agent_builtin::Wikipedia;
use agent_runtime::ToolError;
use serde_json::{Value, json};
use std::io::Write;

const SEARCH: &str = include_str!("replies/wiki_search.json");
const PAGE: &str = include_str!("replies/wiki_page.json");

/// A wiki with one response for searches, one for introductions and one for other queries.
fn wiki(search: &'static str, introduction: &'static str, page: &'static str) -> Server {
    Server::start(move |request, stream| {
        let body = match &request.target {
            target if target.contains("list=search") => search,
            target if target.contains("exintro=1") => introduction,
            _ => page,
        };
        stream.write_all(&answer(200, "content-type: application/json\r\n", body))
    })
}

async fn ask(server: &Server, arguments: Value) -> Result<Value, ToolError> {
    let tool = Wikipedia::default()
        .base_url(&server.url("/{language}/w/"))
        .expect("a URL");
    let tool = tool
        .contact("https://example.org/bot; bot@example.org")
        .expect("a contact");
    call(&only(tool), &arguments, &granting(&[server.grant()])).await
}

fn execution(text: &str) -> Result<Value, ToolError> {
    Err(ToolError::Execution(text.into()))
}

#[tokio::test]
async fn finds_a_page_by_its_exact_title() {
    let server = wiki(SEARCH, PAGE, "");
    assert_eq!(
        ask(&server, json!({"query": " ada lovelace "})).await,
        Ok(json!({
            "summary": "Augusta Ada King, Countess of Lovelace (1815–1852), was an English \
                mathematician.\nShe wrote of the Analytical Engine.",
            "url": "https://en.wikipedia.org/wiki/Ada_Lovelace",
        }))
    );
    let requests = server.requests();
    assert!(
        requests[0]
            .target
            .starts_with("/en/w/api.php?action=query&format=json&")
    );
    assert!(requests[0].target.contains("&srsearch=ada+lovelace&"));
    assert!(requests[1].target.contains("&pageids=974&"));
    for request in requests {
        let agent = request.header("user-agent").expect("a name");
        assert!(agent.starts_with("agent-runtime/"));
        assert!(agent.ends_with(" (https://example.org/bot; bot@example.org)"));
    }
    // Otherwise it is the first search result.
    let server = wiki(SEARCH, PAGE, "");
    ask(&server, json!({"query": "Ada"})).await.expect("a page");
    assert!(server.requests()[1].target.contains("&pageids=1242&"));
}

#[tokio::test]
async fn prefers_an_exact_title_to_search_results() {
    let server = wiki(include_str!("replies/wiki_title.json"), PAGE, "");
    ask(&server, json!({"query": "Countess of Lovelace"}))
        .await
        .expect("a page");
    assert!(
        server.requests()[0]
            .target
            .contains("&titles=Countess+of+Lovelace&redirects=1&")
    );
    assert!(server.requests()[1].target.contains("&pageids=974&"));
    let server = wiki(include_str!("replies/wiki_other_namespace.json"), PAGE, "");
    ask(&server, json!({"query": "User:Ada|b"}))
        .await
        .expect("a page");
    assert!(
        server.requests()[0].target.contains("&titles=&"),
        "`|` stands between names"
    );
    assert!(server.requests()[1].target.contains("&pageids=974&"));
}

#[tokio::test]
async fn selects_the_wiki_by_language() {
    let server = wiki(SEARCH, PAGE, "");
    ask(&server, json!({"query": "Ada", "language": "zh-yue"}))
        .await
        .expect("a page");
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.target.starts_with("/zh-yue/w/api.php"))
    );
    let before = server.connections();
    for language in [
        "",
        "e",
        "EN",
        "en.",
        "e n",
        "en/",
        "en.evil",
        "evil.example/",
        "..",
        "-en",
        "en-",
        "a--b",
        "en@a",
        "en#",
        "en?",
        "en:80",
        "dé",
        "en\0",
        "xn--a1",
        "{language}",
        "a-very-long-language-it-is",
    ] {
        let result = ask(&server, json!({"query": "Ada", "language": language})).await;
        let Err(ToolError::Validation(text)) = &result else {
            panic!("{language}: {result:?}")
        };
        assert!(
            text.contains("is not a language of Wikipedia, such as `en`"),
            "{text}"
        );
    }
    assert_eq!(server.connections(), before);
}

#[tokio::test]
async fn requires_a_grant_for_the_host_of_wikipedia() {
    let tool = only(Wikipedia::default());
    let result = call(
        &tool,
        &json!({"query": "a", "language": "de"}),
        &granting(&["en.wikipedia.org"]),
    )
    .await;
    assert_eq!(
        result,
        Err(ToolError::Authorization(
            "contacting `de.wikipedia.org:443`; granted for the network: `en.wikipedia.org`".into()
        ))
    );
}

#[tokio::test]
async fn lists_the_choices_of_a_disambiguation_page() {
    let server = wiki(
        include_str!("replies/wiki_disambiguation_search.json"),
        include_str!("replies/wiki_disambiguation.json"),
        "",
    );
    assert_eq!(
        ask(&server, json!({"query": "Mercury"})).await,
        Ok(json!({
            "summary": "`Mercury` may mean several things; ask for one of them: Mercury (element); \
                Mercury (mythology); Mercury (planet)",
            "url": "https://en.wikipedia.org/wiki/Mercury",
        }))
    );
}

#[tokio::test]
async fn reads_a_page_without_introduction_from_its_start() {
    let server = wiki(
        SEARCH,
        include_str!("replies/wiki_no_introduction.json"),
        PAGE,
    );
    let read = ask(&server, json!({"query": "Ada"})).await.expect("a page");
    assert!(
        read["summary"]
            .as_str()
            .is_some_and(|text| text.starts_with("Augusta Ada King"))
    );
    assert!(server.requests()[2].target.contains("&exchars=1200&"));
    let without = include_str!("replies/wiki_no_extracts.json");
    assert_eq!(
        ask(&wiki(SEARCH, without, without), json!({"query": "Ada"})).await,
        execution(
            "the wiki gives no summary of `Ada Lovelace`: the page has no text, or the wiki lacks the \
             extension TextExtracts"
        )
    );
}

#[tokio::test]
async fn suggests_other_words_when_nothing_is_found() {
    let server = wiki(include_str!("replies/wiki_nothing.json"), "", "");
    assert_eq!(
        ask(&server, json!({"query": "ada lovelaec"})).await,
        execution(
            "no page in the language `en` is about `ada lovelaec`; did you mean `ada lovelace`?"
        )
    );
    let server = wiki(include_str!("replies/wiki_nothing_at_all.json"), "", "");
    assert_eq!(
        ask(&server, json!({"query": "qqzzxx", "language": "de"})).await,
        execution(
            "no page in the language `de` is about `qqzzxx`; try fewer or other words, or another \
             language"
        )
    );
    for query in ["", "  ", &"q".repeat(301)] {
        let result = ask(&server, json!({"query": query})).await;
        assert!(
            matches!(result, Err(ToolError::Validation(_))),
            "{result:?}"
        );
    }
}

#[tokio::test]
async fn passes_on_the_error_of_a_wiki() {
    let error = include_str!("replies/wiki_error.json");
    assert_eq!(
        ask(&wiki(error, "", ""), json!({"query": "Ada"})).await,
        execution("`127.0.0.1` says: Search is currently too busy. Please try again later.")
    );
    let no_wiki = execution("`127.0.0.1` does not respond like a MediaWiki");
    for body in ["", "<html>", "[]", "null"] {
        assert_eq!(
            ask(&wiki(body, "", ""), json!({"query": "Ada"})).await,
            no_wiki,
            "{body}"
        );
    }
    // Responses of another shape are errors.
    for body in [
        "{}",
        r#"{"query":{"search":[{}]}}"#,
        r#"{"query":{"search":[{"pageid":-1}]}}"#,
    ] {
        let result = ask(&wiki(body, "", ""), json!({"query": "Ada"})).await;
        assert!(
            matches!(result, Err(ToolError::Execution(_))),
            "{body} {result:?}"
        );
    }
    for body in [
        "{}",
        r#"{"query":{"pages":[]}}"#,
        r#"{"query":{"pages":[{"missing":true}]}}"#,
    ] {
        let result = ask(&wiki(SEARCH, body, body), json!({"query": "Ada"})).await;
        assert_eq!(
            result,
            execution("the wiki did not return the page that it found; try again")
        );
    }
    let server = Server::always(answer(429, "retry-after: 5\r\n", "slow down"));
    assert_eq!(
        ask(&server, json!({"query": "Ada"})).await,
        execution(
            "`127.0.0.1` answered with status 429: too many requests; wait before the next try"
        )
    );
    let canary = Server::canary();
    let server = Server::always(redirect(&canary.url("/")));
    let result = ask(&server, json!({"query": "Ada"})).await;
    assert!(
        matches!(result, Err(ToolError::Authorization(_))),
        "{result:?}"
    );
    assert_eq!(canary.connections(), 0);
}

#[test]
fn checks_the_configuration_immediately() {
    for url in [
        "",
        "wiki.example.org",
        "ftp://a/",
        "http://u@a/",
        "http://a/?b",
        "http://a/#b",
    ] {
        let error = Wikipedia::default().base_url(url).map(drop).expect_err(url);
        assert!(error.is_configuration(), "{url}");
    }
    for contact in ["", " ", "a\nb", "a)b", "é", "a\0"] {
        let error = Wikipedia::default()
            .contact(contact)
            .map(drop)
            .expect_err(contact);
        assert!(error.is_configuration(), "{contact}");
    }
}
