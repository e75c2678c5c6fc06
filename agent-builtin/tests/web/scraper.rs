//! `webScraper` on ordinary pages.

use crate::web::calls::{call, granting, only};
use crate::web::server::{Server, answer, page, redirect};
use agent_builtin::WebScraper;
use agent_runtime::tool::invoke_tool;
use agent_runtime::{ToolContext, ToolError};
use serde_json::{Value, json};
use std::io::Write;

const ARTICLE: &str = "<!doctype html><title>Bees</title><nav>Home</nav>\
    <main><h1>Bees</h1><p class=lead>They hum.<p>They dance.<script>x()</script></main>";

async fn scrape(server: &Server, arguments: Value) -> Result<Value, ToolError> {
    call(
        &only(WebScraper::default()),
        &arguments,
        &granting(&[server.grant()]),
    )
    .await
}

#[tokio::test]
async fn reads_a_whole_page_or_selected_elements() {
    let server = Server::always(page("text/html; charset=utf-8", ARTICLE));
    let url = server.url("/bees?a=b");
    assert_eq!(
        scrape(&server, json!({"url": url})).await,
        Ok(json!({"text": "Home\nBees\nThey hum.\nThey dance.", "title": "Bees", "url": url}))
    );
    assert_eq!(
        scrape(&server, json!({"url": url, "selector": "main p"})).await,
        Ok(json!({"text": "They hum.\nThey dance.", "title": "Bees", "url": url}))
    );
    assert_eq!(
        scrape(&server, json!({"url": url, "selector": "h2"})).await,
        Err(ToolError::Execution(
            "no visible element of the page matches `h2`; leave `selector` out to read the whole page"
                .into()
        ))
    );
    let request = &server.requests()[0];
    assert_eq!(request.target, "/bees?a=b");
    assert_eq!(request.header("accept-encoding"), Some("gzip"));
    assert!(
        request
            .header("user-agent")
            .is_some_and(|name| name.starts_with("agent-runtime/"))
    );
    assert_eq!(
        (request.header("cookie"), request.header("referer")),
        (None, None)
    );
}

#[tokio::test]
async fn returns_other_text_types_unchanged() {
    for content_type in [
        "text/plain",
        "application/json",
        "text/xml",
        "application/atom+xml",
    ] {
        let server = Server::always(page(content_type, "{\"a\":  <b/>}\n"));
        let url = server.url("/");
        assert_eq!(
            scrape(&server, json!({"url": url})).await,
            Ok(json!({"text": "{\"a\":  <b/>}\n", "title": "", "url": url})),
            "{content_type}"
        );
    }
    let server = Server::always(answer(200, "", "\n <p>guessed</p>"));
    let read = scrape(&server, json!({"url": server.url("/")})).await;
    assert_eq!(read.expect("a page")["text"], "guessed");
}

#[tokio::test]
async fn returns_the_url_after_redirects() {
    let server = Server::start(|request, stream| {
        let hop: u32 = request.target.trim_start_matches('/').parse().unwrap_or(0);
        stream.write_all(&match hop {
            5 => page("text/html", "there"),
            hop => answer(
                [301, 302, 303, 307, 308][hop as usize],
                &format!("location: {}\r\nset-cookie: a=b\r\n", hop + 1),
                "",
            ),
        })
    });
    let read = scrape(&server, json!({"url": server.url("/0")}))
        .await
        .expect("a page");
    assert_eq!(read["text"], "there");
    assert_eq!(read["url"], server.url("/5"));
    assert_eq!(server.connections(), 6);
    for request in server.requests() {
        assert_eq!(
            (request.header("cookie"), request.header("referer")),
            (None, None)
        );
    }
}

#[tokio::test]
async fn contacts_no_host_without_a_grant() {
    let server = Server::canary();
    let arguments = json!({"url": server.url("/")}).to_string();
    let tool = only(WebScraper::default());
    let error = invoke_tool(&*tool, &arguments, &ToolContext::detached()).await;
    assert_eq!(
        error.expect_err("refused").to_string(),
        format!(
            "not allowed: contacting `{}`; granted for the network: nothing",
            server.grant()
        )
    );
    // A redirect does not get around the grant.
    let other = Server::always(redirect(&server.url("/")));
    let error = scrape(&other, json!({"url": other.url("/")})).await;
    assert!(matches!(error, Err(ToolError::Authorization(_))));
    assert_eq!(server.connections(), 0);
}
