//! `webSearch` against recorded responses of each engine.

use crate::web::calls::{call, call_within, granting, only};
use crate::web::server::{Request, Server, answer, redirect};
use agent_builtin::{SearchConfig, SearchEngine, WebSearch};
use agent_runtime::{Tool, ToolError};
use serde_json::{Value, json};
use std::time::Duration;

const KEY: &str = "k3y+with/odd=signs";

/// An engine with its request and its responses.
struct Engine {
    name: &'static str,
    engine: SearchEngine,
    path: &'static str,
    parameters: &'static [&'static str],
    header: Option<&'static str>,
    found: &'static str,
    nothing: &'static str,
}

fn engines() -> [Engine; 5] {
    [
        Engine {
            name: "SerpAPI",
            engine: SearchEngine::SerpApi,
            path: "/search.json?",
            parameters: &["num=5", "engine=google", "api_key=k3y%2Bwith%2Fodd%3Dsigns"],
            header: None,
            found: include_str!("replies/serpapi.json"),
            nothing: include_str!("replies/serpapi_nothing.json"),
        },
        Engine {
            name: "Google Custom Search",
            engine: SearchEngine::GoogleCustomSearch {
                engine_id: "engine:1".into(),
            },
            path: "/customsearch/v1?",
            parameters: &["num=5", "cx=engine%3A1", "key=k3y%2Bwith%2Fodd%3Dsigns"],
            header: None,
            found: include_str!("replies/google.json"),
            nothing: include_str!("replies/google_nothing.json"),
        },
        Engine {
            name: "Bing",
            engine: SearchEngine::BingSearch,
            path: "/v7.0/search?",
            parameters: &["count=5"],
            header: Some("ocp-apim-subscription-key"),
            found: include_str!("replies/bing.json"),
            nothing: include_str!("replies/bing_nothing.json"),
        },
        Engine {
            name: "Brave",
            engine: SearchEngine::Brave,
            path: "/res/v1/web/search?",
            parameters: &["count=5", "text_decorations=false"],
            header: Some("x-subscription-token"),
            found: include_str!("replies/brave.json"),
            nothing: include_str!("replies/brave_nothing.json"),
        },
        Engine {
            name: "SearxNG",
            engine: SearchEngine::SearxNg,
            path: "/search?",
            parameters: &["format=json"],
            header: None,
            found: include_str!("replies/searxng.json"),
            nothing: include_str!("replies/searxng_nothing.json"),
        },
    ]
}

fn json_answer(status: u16, body: &str) -> Vec<u8> {
    answer(status, "content-type: application/json\r\n", body)
}

fn config(engine: &SearchEngine, server: &Server) -> SearchConfig {
    let config = SearchConfig::new(engine.clone(), KEY);
    config.base_url(&server.url("/")).expect("a URL")
}

async fn search(
    server: &Server,
    config: SearchConfig,
    arguments: Value,
) -> Result<Value, ToolError> {
    call(
        &only(WebSearch::new(config)),
        &arguments,
        &granting(&[server.grant()]),
    )
    .await
}

/// Returns the error of a search, and checks that it does not contain the key.
async fn failure(server: &Server, engine: &SearchEngine) -> String {
    let result = search(server, config(engine, server), json!({"query": "bees"})).await;
    let Err(ToolError::Execution(text)) = result else {
        panic!("{result:?}");
    };
    assert!(!text.contains("k3y"), "{text}");
    text
}

#[tokio::test]
async fn sends_the_request_that_each_engine_expects() {
    for engine in engines() {
        let server = Server::always(json_answer(200, engine.found));
        let arguments = json!({"query": " bees & wasps? "});
        let found = search(&server, config(&engine.engine, &server), arguments).await;
        let found = found.expect(engine.name);
        let is_brave = engine.name == "Brave";
        assert_eq!(
            found["results"][0],
            json!({
                "title": if is_brave { "Bee & wasp" } else { "Bee" },
                "snippet": "Bees are winged insects.",
                "url": "https://en.example.org/Bee",
            }),
            "{}",
            engine.name
        );
        assert_eq!(found["results"][1]["url"], "https://keepers.example.org/");
        let requests = server.requests();
        let [Request { target, .. }] = &*requests else {
            panic!("{requests:?}")
        };
        assert!(target.starts_with(engine.path), "{target}");
        for parameter in engine.parameters.iter().chain(&["q=bees+%26+wasps%3F"]) {
            let query = target.split_once('?').expect("a query").1;
            assert!(
                query.split('&').any(|one| one == *parameter),
                "{target} {parameter}"
            );
        }
        match engine.header {
            Some(name) => assert_eq!(requests[0].header(name), Some(KEY)),
            None => assert!(!requests[0].head.contains(KEY)),
        }
    }
}

#[tokio::test]
async fn returns_no_results_when_nothing_is_found() {
    for engine in engines() {
        let server = Server::always(json_answer(200, engine.nothing));
        let found = search(
            &server,
            config(&engine.engine, &server),
            json!({"query": "q"}),
        )
        .await;
        assert_eq!(found, Ok(json!({"results": []})), "{}", engine.name);
    }
}

#[tokio::test]
async fn returns_an_empty_snippet_for_a_result_without_one() {
    let server = Server::always(json_answer(200, include_str!("replies/serpapi.json")));
    let found = search(
        &server,
        config(&SearchEngine::SerpApi, &server),
        json!({"query": "q"}),
    );
    assert_eq!(found.await.expect("results")["results"][2]["snippet"], "");
}

#[tokio::test]
async fn passes_on_the_error_of_an_engine_without_the_key() {
    let refused = "it refuses the request";
    for (engine, status, body, expected) in [
        (
            0,
            401,
            include_str!("replies/serpapi_error.json"),
            "Invalid API key. Your API key",
        ),
        (
            1,
            429,
            include_str!("replies/google_error.json"),
            "Quota exceeded for quota metric",
        ),
        (
            2,
            401,
            include_str!("replies/bing_error.json"),
            "Access denied due to invalid subscription",
        ),
        (
            2,
            400,
            include_str!("replies/bing_errors.json"),
            "Required parameter is missing.",
        ),
        (
            3,
            422,
            include_str!("replies/brave_error.json"),
            "subscription token is invalid.",
        ),
    ] {
        let engine = &engines()[engine];
        let server = Server::always(json_answer(status, body));
        let text = failure(&server, &engine.engine).await;
        let start = format!("{} answered with status {status}: ", engine.name);
        assert!(
            text.starts_with(&start) && text.contains(expected),
            "{text}"
        );
    }
    for engine in engines() {
        for (status, meaning) in [
            (400, "it does not understand the request"),
            (401, refused),
            (
                403,
                if engine.name == "SearxNG" {
                    "`search.formats`"
                } else {
                    refused
                },
            ),
            (404, "it has no such service"),
            (429, "too many requests"),
            (500, "it has an internal error"),
            (503, "it has an internal error"),
        ] {
            let server = Server::always(answer(status, "content-type: text/html\r\n", "<p>no"));
            let text = failure(&server, &engine.engine).await;
            assert!(text.contains(meaning), "{text}");
        }
        // The key is removed wherever an engine repeats it, also where the text is cut.
        for padding in [0, 280, 290, 299] {
            let padding = "x".repeat(padding);
            let body = json!({"error": format!("{padding}{KEY} is not a key, {KEY}")}).to_string();
            let server = Server::always(json_answer(403, &body));
            failure(&server, &engine.engine).await;
        }
        for body in ["", "{", "[]", "null", "<html>", "\0"] {
            let server = Server::always(json_answer(200, body));
            let text = failure(&server, &engine.engine).await;
            assert_eq!(text, format!("{} did not answer in JSON", engine.name));
        }
    }
}

#[tokio::test]
async fn does_not_follow_redirects_which_would_carry_the_key() {
    for engine in engines() {
        let canary = Server::canary();
        let server = Server::always(redirect(&canary.url("/?key=k3y")));
        let grants = granting(&[server.grant(), canary.grant()]);
        let tool = only(WebSearch::new(config(&engine.engine, &server)));
        let result = call(&tool, &json!({"query": "q"}), &grants).await;
        let Err(ToolError::Execution(text)) = result else {
            panic!("{result:?}")
        };
        assert!(
            text.ends_with("which is not followed") && !text.contains("k3y"),
            "{text}"
        );
        assert_eq!(canary.connections(), 0);
    }
}

#[tokio::test]
async fn requires_a_grant_for_the_engine_and_times_out() {
    for engine in engines() {
        let server = Server::start(|_, stream| {
            // Until the client closes the connection.
            std::io::copy(stream, &mut std::io::sink()).map(drop)
        });
        let tool = only(WebSearch::new(config(&engine.engine, &server)));
        let none = granting::<&str>(&[]);
        let result = call(&tool, &json!({"query": "q"}), &none).await;
        assert!(
            matches!(result, Err(ToolError::Authorization(_))),
            "{result:?}"
        );
        assert_eq!(server.connections(), 0);
        let grants = granting(&[server.grant()]);
        let timeout = Duration::from_millis(150);
        let result = call_within(&tool, &json!({"query": "q"}), &grants, timeout).await;
        assert_eq!(result, Err(ToolError::Timeout));
        // The error for an unreachable engine does not contain the key.
        let gone = config(&engine.engine, &server)
            .base_url("http://127.0.0.1:1")
            .expect("a URL");
        let result = call(
            &only(WebSearch::new(gone)),
            &json!({"query": "q"}),
            &granting(&["127.0.0.1"]),
        )
        .await;
        let text = result.expect_err("no server").to_string();
        assert!(
            text.contains("cannot be reached") && !text.contains("k3y"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn caps_the_count_and_has_a_default() {
    for (most, asked, sent, given) in [
        (5, None, 5, 3),
        (5, Some(2), 2, 2),
        (5, Some(1000), 5, 3),
        (2, None, 2, 2),
        (2, Some(5), 2, 2),
        (200, None, 100, 3),
        (1, Some(1), 1, 1),
    ] {
        let server = Server::always(json_answer(200, include_str!("replies/serpapi.json")));
        let config = config(&SearchEngine::SerpApi, &server).max_results(most);
        let mut arguments = json!({"query": "q"});
        if let Some(asked) = asked {
            arguments["num_results"] = asked.into();
        }
        let found = search(&server, config, arguments).await.expect("results");
        assert_eq!(
            found["results"].as_array().map(Vec::len),
            Some(given),
            "{most} {asked:?}"
        );
        let target = &server.requests()[0].target;
        assert!(target.contains(&format!("&num={sent}&")), "{target}");
    }
    let server = Server::canary();
    let brave = || config(&SearchEngine::Brave, &server);
    for arguments in [
        json!({"query": "q", "num_results": 0}),
        json!({"query": "q", "num_results": -1}),
        json!({"query": "q", "num_results": 1.5}),
        json!({"query": "q", "num_results": "5"}),
        json!({"query": " "}),
        json!({"query": "q".repeat(401)}),
        json!({}),
    ] {
        let result = search(&server, brave(), arguments.clone()).await;
        assert!(
            matches!(result, Err(ToolError::Validation(_))),
            "{arguments} {result:?}"
        );
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn applies_the_configured_default_to_every_call_without_a_count() {
    let server = Server::always(json_answer(200, include_str!("replies/serpapi.json")));
    let tool = WebSearch::new(config(&SearchEngine::SerpApi, &server).max_results(7));
    let context = agent_runtime::ToolContext::detached().with_permissions(
        agent_runtime::Permissions::new(&granting(&[server.grant()])).expect("grants"),
    );
    for arguments in [r#"{"query":"q"}"#, r#"{"query":"q","num_results":null}"#] {
        tool.call(arguments, &context).await.expect("results");
    }
    for request in server.requests() {
        assert!(request.target.contains("&num=7&"), "{}", request.target);
    }
    assert!(tool.call("[]", &context).await.is_err());
}
