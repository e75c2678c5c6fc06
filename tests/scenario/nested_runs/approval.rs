//! Approvals of calls that agents make which were called.

use super::*;
use agent_runtime::approval::{Approver, DecisionFuture};
use agent_runtime::run::{AwaitingApproval, Decision, PendingCall, RunOutcome};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Names the saved run to the other process.
const FILE: &str = "NESTED_RUN_FILE";
const BASE_URL: &str = "NESTED_RUN_BASE_URL";

/// Two calls of one agent in one answer; each wants a refund.
fn two_refunds() -> Script {
    Script::default()
        .agent(
            "support",
            [
                openai::calls(&[
                    ("call_1", "billing", QUESTION),
                    ("call_2", "billing", QUESTION),
                ]),
                openai::text("One refund is on its way."),
            ],
        )
        .agent(
            "billing",
            [
                openai::call("call_1", "refund", EUROS),
                openai::text("I tried."),
            ],
        )
}

/// The results that the agents read, in any order.
fn results(server: &Server) -> Vec<String> {
    let requests = server.requests();
    let bodies = requests
        .iter()
        .filter(|request| asking(request) == "billing");
    let mut results: Vec<String> = bodies
        .filter_map(|request| {
            let body = request.json();
            let last = body["messages"].as_array()?.last()?.clone();
            (last["role"] == "tool")
                .then(|| last["content"].as_str().unwrap_or_default().to_owned())
        })
        .collect();
    results.sort();
    results
}

#[tokio::test]
async fn approvals_in_two_agents_are_saved_and_decided_in_another_process() {
    let server = two_refunds().serve();
    let runtime = runtime(&server);
    let library = library();
    let error = runtime.run(&SUPPORT, "Money back!").tools(&library).await;
    let error = error.expect_err("a person decides");
    let paused = AwaitingApproval::of(&error).expect("a paused run");
    let seen: Vec<_> = paused
        .calls
        .iter()
        .map(|call| (call.id.as_str(), call.path.as_str()))
        .collect();
    let path = "support/billing/refund";
    assert_eq!(seen, [("call_1/call_1", path), ("call_2/call_1", path)]);
    assert_eq!(asked(&server), ["support", "billing", "billing"]);

    let name = format!("nested-run-{}.json", std::process::id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, paused.run.to_json().to_string()).expect("written");
    let program = std::env::current_exe().expect("this program");
    let this = "scenario::nested_runs::approval::the_other_process_decides";
    let done = Command::new(program)
        .args(["--exact", this, "--nocapture"])
        .env(FILE, &file)
        .env(BASE_URL, server.base_url())
        .output()
        .expect("it starts");
    let output = String::from_utf8_lossy(&done.stdout).into_owned();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{output}{errors}");
    let text = std::fs::read_to_string(&file).expect("the response");
    std::fs::remove_file(&file).expect("removed");
    let response: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(response["content"], "One refund is on its way.");
    assert_eq!(response["usage"]["requests"], 6);
    assert_eq!(response["toolsUsed"].as_array().map(Vec::len), Some(2));
    let results = results(&server);
    assert_eq!(results.len(), 2);
    assert_eq!(results[0], "12 euros are paid back");
    assert!(results[1].contains("twelve is too much"), "{results:?}");
}

/// Decides about the saved run; its response is in the file then. Without the file, this process is that of all tests.
#[tokio::test]
async fn the_other_process_decides() {
    let (Some(file), Ok(base_url)) = (std::env::var_os(FILE), std::env::var(BASE_URL)) else {
        return;
    };
    let file = Path::new(&file);
    let json = serde_json::from_str(&std::fs::read_to_string(file).expect("a file"));
    let builder = Runtime::builder().environment(Environment::empty());
    let runtime = builder.base_url(base_url).api_key("sk-scenario").build();
    let (runtime, library) = (runtime.expect("a runtime"), library());
    let mut run = runtime
        .read_run(&json.expect("JSON"), &library)
        .expect("a run");
    run.approve("call_1/call_1", Decision::Approve)
        .expect("it waits");
    // Not decided yet, so that the run still waits.
    let outcome = runtime.resume(&mut run).tools(&library).await;
    let Ok(RunOutcome::AwaitingApproval(calls)) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(calls.len(), 1);
    let reason = Some("twelve is too much".to_owned());
    run.approve(&calls[0].id, Decision::Deny { reason })
        .expect("it waits");
    let outcome = runtime.resume(&mut run).tools(&library).await;
    let Ok(RunOutcome::Done(response)) = outcome else {
        panic!("{outcome:?}")
    };
    std::fs::write(file, response.to_json().to_string()).expect("written");
}

/// Approves the first call that it sees, and remembers all of them.
#[derive(Clone, Default)]
struct FirstOnly(Arc<Mutex<Vec<(String, String)>>>);

impl Approver for FirstOnly {
    fn decide<'a>(&'a self, call: &'a PendingCall) -> DecisionFuture<'a> {
        let mut seen = self.0.lock().expect("no panic");
        seen.push((call.id.clone(), call.path.clone()));
        let decision = match seen.len() {
            1 => Decision::Approve,
            _ => Decision::Deny { reason: None },
        };
        Box::pin(async {
            tokio::task::yield_now().await;
            decision
        })
    }
}

#[tokio::test]
async fn an_approver_at_hand_decides_about_the_calls_of_two_agents() {
    let server = two_refunds().serve();
    let approver = FirstOnly::default();
    let runtime = builder(&server)
        .approver(approver.clone())
        .build()
        .expect("a runtime");
    let (mut conversation, library) = (Conversation::new(), library());
    let run = runtime.run(&SUPPORT, "Money back!").tools(&library);
    let response = run
        .conversation(&mut conversation)
        .await
        .expect("an answer");
    assert_eq!(response.content, "One refund is on its way.");
    let mut seen = approver.0.lock().expect("no panic").clone();
    seen.sort();
    let path = "support/billing/refund".to_owned();
    let id = |id: &str| (id.to_owned(), path.clone());
    assert_eq!(seen, [id("call_1/call_1"), id("call_2/call_1")]);
    assert_eq!(results(&server).len(), 2);
    assert_goes_on(&runtime, &mut conversation).await;
}
