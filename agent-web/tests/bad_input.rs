//! Requests that are wrong, each with its status and its problem.

use crate::support::{Place, call};
use agent_runtime::model::ModelReply;
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

/// The method, the path, the headers and the body of a request, and the status and a part of the problem of its answer.
type Case<'a> = (
    &'a str,
    &'a str,
    &'a [(&'a str, &'a str)],
    String,
    u16,
    &'a str,
);

#[tokio::test]
async fn wrong_requests_are_refused_with_a_problem() {
    let place = Place::default();
    let service = place.process([]);
    let long = "x".repeat(17 << 20);
    let post = "/agents/support/runs";
    let json_type = [("content-type", "application/json")];
    let cases: Vec<Case<'_>> = vec![
        (
            "POST",
            post,
            &json_type,
            "{".to_owned(),
            400,
            "the body is not what is expected",
        ),
        (
            "POST",
            post,
            &json_type,
            "[]".to_owned(),
            400,
            "must be a JSON object",
        ),
        (
            "POST",
            post,
            &json_type,
            "{}".to_owned(),
            400,
            "no `message`",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"mesage": "x"}"#.to_owned(),
            400,
            "unknown field `mesage`",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"message": 7}"#.to_owned(),
            400,
            "expected a string",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"message": "  "}"#.to_owned(),
            400,
            "is empty",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"message": "x", "arguments": {}}"#.to_owned(),
            400,
            "stand in place of",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"parts": [{"type": "film"}]}"#.to_owned(),
            400,
            "`parts`",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"parts": [{"type": "thinking", "text": "I am sure", "provider": "OpenAI"}]}"#
                .to_owned(),
            400,
            "with its bytes or its URL",
        ),
        (
            "POST",
            post,
            &json_type,
            format!(
                r#"{{"parts": [{{"type": "image", "sha256": "{}"}}]}}"#,
                "0".repeat(64)
            ),
            400,
            "with its bytes or its URL",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"parts": [{"type": "image", "fileId": "file-1", "provider": "OpenAI"}]}"#
                .to_owned(),
            400,
            "with its bytes or its URL",
        ),
        ("GET", post, &[], String::new(), 405, "other methods"),
        (
            "GET",
            "/agents/a/b/c/d",
            &[],
            String::new(),
            404,
            "no such route",
        ),
        (
            "GET",
            "/agents/runs/%ff/events",
            &[],
            String::new(),
            400,
            "not valid",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"message": "x", "conversation": "../x"}"#.to_owned(),
            400,
            "no name for a conversation",
        ),
        (
            "POST",
            post,
            &json_type,
            r#"{"message": "x", "variables": {"name": "y"}}"#.to_owned(),
            400,
            "cannot be set here",
        ),
        (
            "POST",
            post,
            &json_type,
            format!(
                r#"{{"message": "x", "parts": [{}0]}}"#,
                "0,".repeat(300_000)
            ),
            413,
            "more than 300000 values",
        ),
        (
            "POST",
            post,
            &json_type,
            format!(r#"{{"message": "{long}"}}"#),
            413,
            "more than 16777216 bytes",
        ),
        (
            "POST",
            post,
            &[],
            r#"{"message": "x"}"#.to_owned(),
            415,
            "application/json",
        ),
        (
            "POST",
            post,
            &[("content-type", "text/plain")],
            r#"{"message": "x"}"#.to_owned(),
            415,
            "application/json",
        ),
        (
            "POST",
            "/agents/unknown/runs",
            &json_type,
            r#"{"message": "x"}"#.to_owned(),
            404,
            "no agent `unknown`",
        ),
        (
            "POST",
            "/agents/runs/unknown/stop",
            &json_type,
            "{}".to_owned(),
            404,
            "no run `unknown`",
        ),
        (
            "POST",
            "/agents/runs/unknown/decisions",
            &json_type,
            "{}".to_owned(),
            404,
            "no run `unknown`",
        ),
        (
            "GET",
            "/agents/runs/unknown/events",
            &[],
            String::new(),
            404,
            "no run `unknown`",
        ),
        (
            "GET",
            "/agents/conversations/unknown",
            &[],
            String::new(),
            404,
            "no conversation `unknown`",
        ),
        (
            "DELETE",
            "/agents/conversations/unknown",
            &[],
            String::new(),
            404,
            "no conversation `unknown`",
        ),
        (
            "GET",
            "/agents/unknown/schema",
            &[],
            String::new(),
            404,
            "no agent `unknown`",
        ),
    ];
    for (method, path, headers, body, status, detail) in cases {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("x-user", "ada");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = service
            .send(request.body(Body::from(body)).expect("a request"))
            .await;
        answer.check(status, detail);
    }
}

#[tokio::test]
async fn requests_of_other_sites_and_of_nobody_are_refused() {
    let place = Place::default();
    let service = place.process(vec![ModelReply::text("Hello."); 4]);
    for (headers, status) in [
        (&[("sec-fetch-site", "cross-site")][..], 403),
        (&[("sec-fetch-site", "same-site")], 403),
        (
            &[("origin", "https://evil.example"), ("host", "own.example")],
            403,
        ),
        (&[("origin", "null"), ("host", "own.example")], 403),
        (
            &[("origin", "https://own.example"), ("host", "own.example")],
            200,
        ),
        (
            &[
                ("origin", "https://own.example:8443"),
                ("host", "own.example:8443"),
            ],
            200,
        ),
        (
            &[
                ("sec-fetch-site", "same-origin"),
                ("origin", "https://own.example"),
            ],
            200,
        ),
        (&[], 200),
    ] {
        let mut request = Request::post("/agents/support/runs").header("x-user", "ada");
        request = request.header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = service
            .send(
                request
                    .body(Body::from(r#"{"message": "x"}"#))
                    .expect("a request"),
            )
            .await;
        assert_eq!(
            answer.status.as_u16(),
            status,
            "{headers:?}: {}",
            answer.text
        );
    }
    let request = Request::get("/agents/conversations").body(Body::empty());
    service
        .send(request.expect("a request"))
        .await
        .check(401, "sign in");
}

#[tokio::test]
async fn decisions_that_do_not_fit_change_nothing() {
    let place = Place::default();
    let service = place.process([call("1", "refund"), ModelReply::text("Denied.")]);
    let run = service
        .post("ada", "/support/runs", json!({"message": "Refund 7"}))
        .await
        .run();
    let path = format!("/runs/{run}/decisions");
    for (body, status, detail) in [
        (json!({"decisions": {}}), 400, "no decision"),
        (
            json!({"decisions": {"1": {"type": "approve", "args": {"number": 1}}}}),
            400,
            "unknown field `args`",
        ),
        (
            json!({"decisions": {"2": {"type": "approve"}}}),
            409,
            "`2` does not wait",
        ),
        (
            json!({"decisions": {"1": "approve"}}),
            400,
            r#"expected an object such as {"type": "approve"}"#,
        ),
        (
            json!({"decisions": {"1": {"type": "perhaps"}}}),
            400,
            "unknown variant",
        ),
        (
            json!({"decisions": {"1": {"type": "edit", "args": {"number": 8}}}}),
            403,
            "approved or denied",
        ),
        (
            json!({"decisions": {"1": {"type": "done", "result": "paid"}}}),
            403,
            "approved or denied",
        ),
    ] {
        service.post("ada", &path, body).await.check(status, detail);
    }
    let denied = json!({"decisions": {"1": {"type": "deny", "reason": "too much"}}});
    let types = service.post("ada", &path, denied).await.types();
    assert_eq!(types.last().map(String::as_str), Some("finished"));
}

#[tokio::test]
async fn ids_of_events_that_are_none_are_refused_and_others_are_answered() {
    let place = Place::default();
    let service = place.process([ModelReply::text("Hello.")]);
    let run = service
        .post("ada", "/support/runs", json!({"message": "x"}))
        .await
        .run();
    for (id, status) in [
        ("x", 400),
        ("1.2", 400),
        ("0.0.0", 200),
        ("999.9.9", 200),
        ("1.1.77", 200),
    ] {
        let request = Request::get(format!("/agents/runs/{run}/events")).header("x-user", "ada");
        let request = request.header("last-event-id", id).body(Body::empty());
        let answer = service.send(request.expect("a request")).await;
        assert_eq!(answer.status.as_u16(), status, "{id}: {}", answer.text);
    }
}
