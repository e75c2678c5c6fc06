//! The service, with the model of the demonstration.

use super::{page, web};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use tower::ServiceExt;

async fn service(journal: &str) -> Router {
    page().nest(
        "/agents",
        web(journal, true).await.expect("the routes").router(),
    )
}

async fn post(
    service: &Router,
    user: &str,
    path: &str,
    body: &str,
) -> (u16, Option<String>, String) {
    let request = Request::post(format!("/agents{path}")).header("cookie", format!("user={user}"));
    let request = request
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()));
    let response = service
        .clone()
        .oneshot(request.expect("a request"))
        .await
        .expect("an answer");
    let run = response
        .headers()
        .get("x-run-id")
        .and_then(|run| run.to_str().ok())
        .map(str::to_owned);
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), usize::MAX)
        .await
        .expect("a body");
    (status, run, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn a_refund_waits_for_a_clerk_over_a_restart() {
    let folder = std::env::temp_dir().join(format!("web-chat-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let journal = folder.join("runs.db").display().to_string();
    let first = service(&journal).await;
    let (_, _, found) = post(
        &first,
        "ada",
        "/support/runs",
        r#"{"message": "Where is order 1042?"}"#,
    )
    .await;
    assert!(
        found.contains("Order 1042 of ada was sent on Monday."),
        "{found}"
    );
    let ask = r#"{"message": "Please refund order 1042", "conversation": "refund"}"#;
    let (_, run, asked) = post(&first, "ada", "/support/runs", ask).await;
    assert!(asked.contains(r#"{"type":"waiting""#), "{asked}");
    drop(first);

    let second = service(&journal).await;
    let (path, run) = (
        format!("/runs/{}/decisions", run.as_deref().expect("an id")),
        run.expect("an id"),
    );
    let call = asked
        .split(r#""waiting","calls":[{"id":""#)
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let approve = format!(
        r#"{{"decisions": {{"{}": {{"type": "approve"}}}}}}"#,
        call.expect("a call")
    );
    assert_eq!(post(&second, "ada", &path, &approve).await.0, 403);
    assert_eq!(post(&second, "cleo", &path, &approve).await.0, 202);
    let request = Request::get(format!("/agents/runs/{run}/events")).header("cookie", "user=ada");
    let response = second
        .clone()
        .oneshot(request.body(Body::empty()).expect("a request"))
        .await
        .expect("an answer");
    let body = to_bytes(response.into_body(), usize::MAX)
        .await
        .expect("a body");
    let text = String::from_utf8_lossy(&body);
    assert!(text.contains("Order 1042 of ada is refunded."), "{text}");
    assert!(text.contains(r#"{"type":"finished""#), "{text}");
    let _ = std::fs::remove_dir_all(folder);
}
