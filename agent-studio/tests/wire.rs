//! The log of requests to the servers of models.

use super::{TOKEN, get, library};
use agent_runtime::journal::MemoryJournal;
use agent_runtime::trace::WIRE;
use agent_runtime::{Runtime, ToolContext};
use agent_studio::{Studio, WireLog};
use axum::Router;
use serde_json::json;
use std::path::Path;
use tracing::{info_span, trace};
use tracing_subscriber::layer::SubscriberExt;

const RUN: &str = "4f1c0a";

fn router(log: &WireLog) -> Router {
    let runtime = Runtime::builder()
        .offline()
        .journal(MemoryJournal::default())
        .build();
    let context = ToolContext::detached();
    let studio = Studio::new(runtime.expect("a runtime"), library(), context, TOKEN);
    studio.wire(log.clone()).router()
}

/// Reports a run as the runtime does: a request that is sent twice, and within a call, the streamed answer of another agent.
fn report(folder: &Path) -> WireLog {
    let log = WireLog::new(folder);
    let subscriber = tracing_subscriber::registry().with(log.layer());
    tracing::subscriber::with_default(subscriber, || {
        let target = "agent_runtime";
        let run = info_span!(target: "agent_runtime", "invoke_agent", agent_runtime.run.id = RUN)
            .entered();
        {
            let _chat = info_span!(target: "agent_runtime", "chat").entered();
            trace!(target: WIRE, url = "http://127.0.0.1/v1", body = %"{\"n\":1}", "request");
            trace!(target: WIRE, status = 503_u16, body = %"busy", "response");
            trace!(target: WIRE, status = 200_u16, body = %"{\"ok\":true}", "response");
        }
        let _call =
            info_span!(target: "agent_runtime", "execute_tool", gen_ai.tool.call.id = "call_1")
                .entered();
        let _nested =
            info_span!(target: "agent_runtime", "invoke_agent", agent_runtime.run.id = "other")
                .entered();
        {
            let _chat = info_span!(target: "agent_runtime", "chat").entered();
            trace!(target: WIRE, url = "http://127.0.0.1/v1", body = %"{\"n\":2}", "request");
            trace!(target: WIRE, body = %"{\"a\":1}", "response piece");
            trace!(target: WIRE, body = %"[DONE]", "response piece");
        }
        {
            let _chat = info_span!(target: "agent_runtime", "chat").entered();
            trace!(target: WIRE, url = "http://127.0.0.1/v1", body = %"{\"n\":3}", "request");
        }
        drop(run);
        trace!(target: WIRE, url = "http://127.0.0.1/v1", body = %"of no run", "request");
        trace!(target: "agent_runtime", target, "of no request");
    });
    log
}

#[tokio::test]
async fn each_attempt_is_an_exchange_at_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let router = router(&report(folder.path()));
    let listed = get(&router, &format!("/studio/runs/{RUN}/exchanges"))
        .await
        .json();
    let listed = listed["exchanges"].as_array().expect("a list");
    let shown: Vec<_> = listed
        .iter()
        .map(|one| {
            json!([
                one["number"],
                one["place"],
                one["status"],
                one["receivedBytes"]
            ])
        })
        .collect();
    let expected = [
        json!([1, "", 503, 4]),
        json!([2, "", 200, 11]),
        json!([3, "call_1", 200, 13]),
        json!([4, "call_1", null, 0]),
    ];
    assert_eq!(shown, expected);
    for (number, request, response) in [
        (1, r#"{"n":1}"#, "busy"),
        (2, r#"{"n":1}"#, r#"{"ok":true}"#),
        (3, r#"{"n":2}"#, "{\"a\":1}\n\n[DONE]\n\n"),
        (4, r#"{"n":3}"#, ""),
    ] {
        let one = get(&router, &format!("/studio/runs/{RUN}/exchanges/{number}"))
            .await
            .json();
        assert_eq!(
            (&one["request"], &one["response"]),
            (&json!(request), &json!(response))
        );
        assert_eq!(one["url"], "http://127.0.0.1/v1");
    }
    let missing = get(&router, &format!("/studio/runs/{RUN}/exchanges/5")).await;
    assert_eq!(missing.status.as_u16(), 404);
}

#[tokio::test]
async fn a_run_of_another_program_has_no_exchanges_and_no_path_leads_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("inner");
    let router = router(&report(&inner));
    std::fs::write(folder.path().join("1.json"), "{}").expect("a file");
    for run in ["unknown", "..", "..%2F..", "%2Fetc"] {
        let listed = get(&router, &format!("/studio/runs/{run}/exchanges"))
            .await
            .json();
        assert_eq!(listed, json!({"exchanges": [], "problem": null}), "{run}");
        let one = get(&router, &format!("/studio/runs/{run}/exchanges/1")).await;
        assert_eq!(one.status.as_u16(), 404, "{run}");
    }
}

#[test]
fn the_log_goes_on_after_a_restart_and_forgets_runs_that_are_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    report(folder.path());
    let log = report(folder.path());
    let kept = |run: &str| {
        folder
            .path()
            .join(run)
            .read_dir()
            .map_or(0, Iterator::count)
    };
    assert_eq!(kept(RUN), 8);
    log.retain(|run| run == RUN).expect("a readable folder");
    assert_eq!(kept(RUN), 8);
    log.retain(|_| false).expect("a readable folder");
    assert_eq!(kept(RUN), 0);
    let missing = WireLog::new(folder.path().join("missing"));
    missing.retain(|_| false).expect("nothing to delete");
}
