//! Calls that another process continues with the answer of the user: with a key of their states, or with a journal.

use crate::support::{Client, Revision, User, answer, approve, ask, code, connect, params, text};
use agent_mcp::{Approvals, Server};
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{Decision, PendingCall};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::serde_json::json;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Runtime, ToolLibrary, agent, tool, tools};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rmcp::model::{CallToolResponse, ElicitationAction, ErrorCode, InputRequiredResult};
use rmcp::service::ServiceError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const KEY: [u8; 32] = [7; 32];

/// Pays a bill
#[tool(requires_approval)]
fn pay(amount: u32) -> String {
    format!("{amount} euros are paid")
}

/// Pays a bill back
#[tool(requires_approval)]
fn refund(amount: u32) -> String {
    format!("{amount} euros are paid back")
}

fn tools_server() -> Server {
    Server::new(&tools![pay, refund])
}

/// A runtime whose model gives the replies from one on: the first asks for a payment.
fn runtime(from: usize) -> RuntimeBuilder {
    let replies = [
        ModelReply::call("pay", r#"{"amount": 5}"#),
        ModelReply::text("It is paid."),
    ];
    Runtime::builder().model(Scripted::new(replies.into_iter().skip(from)))
}

fn clerk(runtime: RuntimeBuilder, library: &ToolLibrary) -> Server {
    let clerk = agent! {
        tools: [pay],
        [clerk:Agent {description: "Pays bills", instruction: "Pay from the secret account.", model: "Scripted/any"} |
            pay]
    };
    let runtime = runtime.build().expect("a runtime");
    let server = Server::new(&tools![]).agent(&runtime, &clerk, library);
    server.expect("the agent can run")
}

async fn client(server: Server) -> Client {
    let user = User::answering(ElicitationAction::Accept);
    connect(server, Revision::Current, user).await.0
}

fn is_refused(result: Result<String, ServiceError>) {
    assert_eq!(code(result.unwrap_err()), ErrorCode::INVALID_PARAMS);
}

fn bill() -> rmcp::model::CallToolRequestParams {
    params("clerk", json!({"message": "Pay the bill"}))
}

#[tokio::test]
async fn a_server_that_is_started_again_with_its_key_takes_the_state_of_a_call() {
    let first = params("pay", json!({"amount": 5}));
    let required = ask(&client(tools_server().state_key(KEY)).await, &first).await;
    let again = client(tools_server().state_key(KEY)).await;
    let paid = approve(&again, &first, &required).await.unwrap();
    assert_eq!(paid, "5 euros are paid");
    is_refused(approve(&again, &first, &required).await);
}

#[tokio::test]
async fn a_server_that_is_started_again_with_its_key_takes_the_state_of_a_run() {
    let library = tools![pay];
    let server = clerk(runtime(0), &library).state_key(KEY);
    let required = ask(&client(server).await, &bill()).await;
    let again = client(clerk(runtime(1), &library).state_key(KEY)).await;
    let paid = approve(&again, &bill(), &required).await.unwrap();
    assert_eq!(paid, "It is paid.");
    is_refused(approve(&again, &bill(), &required).await);
}

#[tokio::test]
async fn a_server_without_that_key_refuses_the_state() {
    let first = params("pay", json!({"amount": 5}));
    let required = ask(&client(tools_server()).await, &first).await;
    is_refused(approve(&client(tools_server()).await, &first, &required).await);
    let other = client(tools_server().state_key(KEY)).await;
    is_refused(approve(&other, &first, &required).await);
}

#[tokio::test]
async fn a_client_decides_nothing_where_the_host_does() {
    let first = params("pay", json!({"amount": 5}));
    let required = ask(&client(tools_server().state_key(KEY)).await, &first).await;
    let never = async |_: PendingCall| Decision::Deny { reason: None };
    let host = Approvals::Host(Arc::new(never));
    let strict = client(tools_server().state_key(KEY).approvals(host)).await;
    is_refused(approve(&strict, &first, &required).await);
}

#[tokio::test]
async fn a_state_is_of_one_tool_and_its_arguments() {
    let client = client(tools_server()).await;
    let first = params("pay", json!({"amount": 5}));
    let required = ask(&client, &first).await;
    for other in [
        params("refund", json!({"amount": 5})),
        params("pay", json!({"amount": 6})),
    ] {
        is_refused(approve(&client, &other, &required).await);
    }
    let paid = approve(&client, &first, &required).await.unwrap();
    assert_eq!(paid, "5 euros are paid");
}

#[tokio::test]
async fn a_state_that_was_changed_is_refused() {
    let client = client(tools_server()).await;
    let first = params("pay", json!({"amount": 5}));
    let required = ask(&client, &first).await;
    let state = required.request_state.clone().unwrap();
    let with_zero = format!("{state}0");
    for wrong in [
        "",
        "s.",
        "j.",
        "j...",
        "j.run.00000000000000000000000000000000.",
        "j.a.b.99999999999999",
        &state[..20],
        &with_zero,
    ] {
        let mut changed = required.clone();
        changed.request_state = Some(wrong.to_owned());
        is_refused(approve(&client, &first, &changed).await);
    }
    assert!(approve(&client, &first, &required).await.is_ok());
}

#[tokio::test]
async fn a_made_up_state_of_a_journal_approves_nothing() {
    let later = "j.run.00000000000000000000000000000000.99999999999999";
    let never = "j.run.00000000000000000000000000000000.";
    let journal = MemoryJournal::new();
    for (server, first) in [
        (tools_server(), params("pay", json!({"amount": 5}))),
        (clerk(runtime(0), &tools![pay]), bill()),
        (
            clerk(runtime(0).journal(journal.clone()), &tools![pay]),
            bill(),
        ),
    ] {
        let client = client(server).await;
        for state in [later, never] {
            let required = InputRequiredResult::new(None, Some(state.to_owned()));
            is_refused(approve(&client, &first, &required).await);
        }
    }
}

#[tokio::test]
async fn a_client_cannot_read_its_state() {
    let server = clerk(runtime(0), &tools![pay]);
    let required = ask(&client(server).await, &bill()).await;
    let state = required.request_state.unwrap();
    let sealed = state.strip_prefix("s.").expect("it is sealed");
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("secret account"));
}

#[tokio::test]
async fn any_number_of_calls_can_wait() {
    let client = client(tools_server()).await;
    let first = params("pay", json!({"amount": 5}));
    let required = ask(&client, &first).await;
    // More than may wait in memory.
    for _ in 0..1000 {
        ask(&client, &first).await;
    }
    assert!(approve(&client, &first, &required).await.is_ok());
}

#[tokio::test]
async fn a_run_that_is_too_long_for_a_message_waits_in_memory() {
    let server = clerk(runtime(0), &tools![pay]).max_message_bytes(1000);
    let client = client(server).await;
    let required = ask(&client, &bill()).await;
    assert!(required.request_state.as_ref().unwrap().len() < 100);
    let paid = approve(&client, &bill(), &required).await.unwrap();
    assert_eq!(paid, "It is paid.");
    is_refused(approve(&client, &bill(), &required).await);
}

/// A tool that counts the payments that it makes.
fn counting() -> (ToolLibrary, Arc<AtomicU32>) {
    let paid = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&paid);
    let tool = ToolConfig::with_signature("pay", "Pays a bill", "(amount::Integer)==>(::String)");
    let tool = tool.requires_approval(true).build(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { Ok("paid".into()) }
    });
    (tools![tool.unwrap()], paid)
}

#[tokio::test]
async fn another_process_with_the_journal_continues_the_run_once() {
    let journal = MemoryJournal::new();
    let (library, paid) = counting();
    let first = client(clerk(runtime(0).journal(journal.clone()), &library)).await;
    let required = ask(&first, &bill()).await;
    // Its process is gone.
    drop(first);
    let again = client(clerk(runtime(1).journal(journal.clone()), &library)).await;
    let text = approve(&again, &bill(), &required).await.unwrap();
    assert_eq!(
        (text.as_str(), paid.load(Ordering::Relaxed)),
        ("It is paid.", 1)
    );
    is_refused(approve(&again, &bill(), &required).await);
    let third = client(clerk(runtime(1).journal(journal.clone()), &library)).await;
    is_refused(approve(&third, &bill(), &required).await);
    let runs = journal.list(&RunFilter::new()).await.unwrap();
    assert_eq!((runs.len(), runs[0].state), (1, RunState::Done));
    assert_eq!(paid.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn of_two_processes_that_get_the_answer_one_continues_the_run() {
    let journal = MemoryJournal::new();
    let (library, paid) = counting();
    let server = |from| clerk(runtime(from).journal(journal.clone()), &library);
    let required = ask(&client(server(0)).await, &bill()).await;
    let (one, other) = (client(server(1)).await, client(server(1)).await);
    let (bill, required) = (&bill(), &required);
    let answers = tokio::join!(
        approve(&one, bill, required),
        approve(&other, bill, required)
    );
    let continued = [answers.0.is_ok(), answers.1.is_ok()];
    assert_eq!(continued.iter().filter(|ok| **ok).count(), 1, "{answers:?}");
    assert_eq!(paid.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_state_of_the_journal_is_of_one_call() {
    let journal = MemoryJournal::new();
    let server = clerk(runtime(0).journal(journal), &tools![pay]);
    let client = client(server.wait_for_user(Duration::from_secs(60))).await;
    let required = ask(&client, &bill()).await;
    let other = params("clerk", json!({"message": "Pay all bills"}));
    is_refused(approve(&client, &other, &required).await);
    let state = required.request_state.clone().unwrap();
    let (handle, expiry) = state.rsplit_once('.').unwrap();
    let later = format!("{handle}.{}", expiry.parse::<u64>().unwrap() + 1);
    let mut changed = required.clone();
    changed.request_state = Some(later);
    is_refused(approve(&client, &bill(), &changed).await);
    assert!(approve(&client, &bill(), &required).await.is_ok());
}

#[tokio::test]
async fn a_state_ends_when_somebody_else_decides() {
    let journal = MemoryJournal::new();
    let client = client(clerk(runtime(0).journal(journal.clone()), &tools![pay])).await;
    let required = ask(&client, &bill()).await;
    let run = journal.list(&RunFilter::new()).await.unwrap()[0]
        .run
        .clone();
    let builder = runtime(1).journal(journal);
    let calls = required.input_requests.as_ref().unwrap().keys();
    let decisions = calls.map(|key| {
        let id = key.strip_prefix("approve_").unwrap().to_owned();
        (id, Decision::Deny { reason: None })
    });
    let decided = builder
        .build()
        .unwrap()
        .recover_run(&run)
        .tools(&tools![pay])
        .decisions(decisions)
        .await;
    assert!(decided.unwrap().outcome.is_ok());
    is_refused(approve(&client, &bill(), &required).await);
}

/// Calls again with an answer that is missing.
async fn ask_again(client: &Client, required: &InputRequiredResult) -> InputRequiredResult {
    let mut next = answer(&bill(), required, "accept");
    next.input_responses = None;
    ask(client, &next).await
}

#[tokio::test]
async fn a_run_whose_answer_is_missing_asks_again() {
    let journal = MemoryJournal::new();
    for server in [
        clerk(runtime(0), &tools![pay]),
        clerk(runtime(0).journal(journal), &tools![pay]),
    ] {
        let client = client(server).await;
        let required = ask(&client, &bill()).await;
        let again = ask_again(&client, &required).await;
        assert_eq!(again.input_requests, required.input_requests);
        assert_ne!(again.request_state, required.request_state);
        is_refused(approve(&client, &bill(), &required).await);
        let denied = answer(&bill(), &again, "decline");
        let answer = client.call_tool_once(denied).await.unwrap();
        let CallToolResponse::Complete(result) = answer else {
            panic!("the run has ended: {answer:?}");
        };
        assert_eq!(text(&result), "It is paid.");
    }
}

#[tokio::test]
async fn a_run_waits_for_its_user_for_a_time() {
    let journal = MemoryJournal::new();
    for server in [
        clerk(runtime(0), &tools![pay]),
        clerk(runtime(0).journal(journal.clone()), &tools![pay]),
    ] {
        let client = client(server.wait_for_user(Duration::ZERO)).await;
        let required = ask(&client, &bill()).await;
        is_refused(approve(&client, &bill(), &required).await);
    }
    // A person can still decide there.
    assert_eq!(
        journal.list(&RunFilter::new()).await.unwrap()[0].state,
        RunState::Waiting
    );
}
