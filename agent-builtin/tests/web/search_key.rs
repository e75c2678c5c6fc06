//! The key of `webSearch`, which an engine may repeat in its responses.

use crate::web::calls::{call, granting, only};
use crate::web::server::{Server, answer};
use agent_builtin::{SearchConfig, SearchEngine, WebSearch};
use agent_runtime::ToolError;
use serde_json::{Value, json};

const KEY: &str = "Secret+Key/of=the Host9";

/// The spellings of the key that an engine may send.
fn spellings() -> [String; 5] {
    [
        KEY.to_owned(),
        KEY.to_ascii_lowercase(),
        "Secret%2BKey%2Fof%3Dthe+Host9".to_owned(),
        "secret%2bkey%2fof%3dthe%20host9".to_owned(),
        "Secret%252BKey%252Fof%253Dthe%2520Host9".to_owned(),
    ]
}

async fn search(reply: Vec<u8>) -> Result<Value, ToolError> {
    let server = Server::always(reply);
    let config = SearchConfig::new(SearchEngine::Brave, KEY);
    let config = config.base_url(&server.url("")).expect("a URL");
    call(
        &only(WebSearch::new(config)),
        &json!({"query": "bees"}),
        &granting(&[server.grant()]),
    )
    .await
}

/// Whether a text contains a part of the key that is too long to be a coincidence.
fn tells(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["secret", "key/", "key%", "host9"]
        .iter()
        .any(|part| text.contains(part))
}

#[tokio::test]
async fn results_do_not_contain_the_key() {
    for key in spellings() {
        let body = json!({"web": {"results": [{
            "title": format!("Bees for {key}"),
            "description": format!("{key} asked for bees"),
            "url": format!("https://example.org/?key={key}&q=bees"),
        }]}});
        let found = search(answer(200, "", body.to_string())).await;
        assert_eq!(
            found,
            Ok(json!({"results": [{
                "title": "Bees for [key]",
                "snippet": "[key] asked for bees",
                "url": "https://example.org/?key=[key]&q=bees",
            }]})),
            "{key}"
        );
    }
}

#[tokio::test]
async fn short_keys_are_not_redacted_in_results() {
    let body = json!({"results": [{"title": "A test", "content": "", "url": "https://a.org/"}]});
    let server = Server::always(answer(200, "", body.to_string()));
    let config = SearchConfig::new(SearchEngine::SearxNg, "test");
    let tool = only(WebSearch::new(
        config.base_url(&server.url("")).expect("a URL"),
    ));
    let found = call(&tool, &json!({"query": "q"}), &granting(&[server.grant()])).await;
    assert_eq!(found.expect("results")["results"][0]["title"], "A test");
}

#[tokio::test]
async fn errors_contain_neither_the_key_nor_parts_of_it() {
    for key in spellings() {
        for padding in [0, 60, 70, 190, 280, 290] {
            let padding = "x".repeat(padding);
            let host = key.replace(['+', '/', '=', ' ', '%'], "-");
            for reply in [
                answer(
                    200,
                    &format!("content-encoding: {padding}{key}\r\n"),
                    "text",
                ),
                answer(
                    302,
                    &format!("location: http://{host}/{padding}{key}\r\n"),
                    "",
                ),
                answer(302, &format!("location: /{padding}{key}?{key}\r\n"), ""),
                answer(
                    401,
                    "",
                    json!({"error": format!("{padding}{key}")}).to_string(),
                ),
            ] {
                let error = search(reply).await.expect_err("no results").to_string();
                assert!(!tells(&error), "{key}: {error}");
            }
        }
    }
}
