//! Calls that a person must approve, and questions of tools.

use crate::support::{REVISIONS, Revision, User, call, code, connect, params, text};
use agent_mcp::{Answer, Approvals, ClientUser, Server};
use agent_runtime::run::{Decision, PendingCall};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{ToolContext, ToolError, tool, tools};
use rmcp::model::{
    CallToolResponse, ElicitationAction, ErrorCode, InputRequest, InputRequiredResult,
};
use std::sync::Arc;
use std::time::Duration;

/// Pays a bill
#[tool(requires_approval)]
fn pay(amount: u32) -> String {
    format!("{amount} euros are paid")
}

fn server() -> Server {
    Server::new(&tools![pay])
}

#[tokio::test]
async fn the_user_of_the_client_approves_or_denies() {
    let denied = "not allowed: the call was denied";
    let closed = "not allowed: the call was denied: the user did not answer";
    for revision in REVISIONS {
        for (action, expected) in [
            (ElicitationAction::Accept, "5 euros are paid"),
            (ElicitationAction::Decline, denied),
            (ElicitationAction::Cancel, closed),
        ] {
            let (client, user) = connect(server(), revision, User::answering(action)).await;
            let result = call(&client, "pay", json!({"amount": 5})).await.unwrap();
            assert_eq!(text(&result), expected);
            let question = r#"Allow the call of `pay` with {"amount":5}?"#;
            assert_eq!(user.asked(), [question]);
        }
    }
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_that_cannot_be_made() {
    for revision in REVISIONS {
        let user = User::answering(ElicitationAction::Accept);
        let (client, user) = connect(server(), revision, user).await;
        let result = call(&client, "pay", json!({"amount": "a lot"}))
            .await
            .unwrap();
        assert!(text(&result).contains("`$.amount`"), "{}", text(&result));
        assert_eq!(user.asked(), [""; 0]);
    }
}

#[tokio::test]
async fn a_question_says_how_much_it_does_not_show() {
    let send = ToolConfig::with_signature("send", "Sends", "(text::Text)==>(::String)")
        .requires_approval(true)
        .build(async |_| Ok("sent".into()));
    let server = Server::new(&tools![send.unwrap()]);
    let user = User::answering(ElicitationAction::Accept);
    let (client, user) = connect(server, Revision::Current, user).await;
    let text = "\u{1b}[2J".to_owned() + &"x".repeat(10_000);
    call(&client, "send", json!({"text": text})).await.unwrap();
    let question = &user.asked()[0];
    let end = "…? These are the first 8000 of 10020 characters.";
    assert!(question.ends_with(end), "{}", &question[8000..]);
    assert!(!question.contains('\u{1b}'));
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_refused() {
    let (client, _) = connect(server(), Revision::Current, User::default()).await;
    let error = call(&client, "pay", json!({"amount": 5}))
        .await
        .unwrap_err();
    assert_eq!(code(error), ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY);
    let (client, _) = connect(server(), Revision::Earlier, User::default()).await;
    let result = call(&client, "pay", json!({"amount": 5})).await.unwrap();
    assert_eq!(result.is_error, Some(true));
    let expected = "not allowed: the call was denied: it needs the approval of a person, and the client cannot ask its \
                    user; a client that can declares the capability `elicitation`";
    assert_eq!(text(&result), expected);
}

/// Calls a tool, which must require input.
async fn asked(client: &crate::support::Client, arguments: Value) -> InputRequiredResult {
    let answer = client
        .call_tool_once(params("pay", arguments))
        .await
        .unwrap();
    let CallToolResponse::InputRequired(required) = answer else {
        panic!("input is required: {answer:?}");
    };
    required
}

#[tokio::test]
async fn a_handle_is_random_and_used_once_for_the_same_call() {
    let user = User::answering(ElicitationAction::Accept);
    let (client, _) = connect(server(), Revision::Current, user).await;
    let required = asked(&client, json!({"amount": 5})).await;
    let handle = required.request_state.clone().unwrap();
    assert_ne!(
        asked(&client, json!({"amount": 5}))
            .await
            .request_state
            .unwrap(),
        handle
    );
    let requests = required.input_requests.unwrap();
    let (key, request) = requests.first_key_value().unwrap();
    assert!(matches!(request, InputRequest::Elicitation(_)));
    let retry = |amount: u32, handle: &str| {
        let mut retry = params("pay", json!({"amount": amount}));
        retry.request_state = Some(handle.to_owned());
        retry.input_responses = Some([(key.clone(), json!({"action": "accept"}))].into());
        client.call_tool_once(retry)
    };
    // Another amount was not approved.
    assert_eq!(
        code(retry(500, &handle).await.unwrap_err()),
        ErrorCode::INVALID_PARAMS
    );
    let guessed = format!("{handle}0");
    assert_eq!(
        code(retry(5, &guessed).await.unwrap_err()),
        ErrorCode::INVALID_PARAMS
    );
    let CallToolResponse::Complete(result) = retry(5, &handle).await.unwrap() else {
        panic!("the call is approved");
    };
    assert_eq!(text(&result), "5 euros are paid");
    assert_eq!(
        code(retry(5, &handle).await.unwrap_err()),
        ErrorCode::INVALID_PARAMS
    );
}

#[tokio::test]
async fn an_approval_that_nobody_was_asked_for_counts_nothing() {
    let user = User::answering(ElicitationAction::Accept);
    let (client, _) = connect(server(), Revision::Current, user).await;
    let required = asked(&client, json!({"amount": 5})).await;
    let requests = required.input_requests.unwrap();
    let (key, _) = requests.first_key_value().unwrap();
    let mut unasked = params("pay", json!({"amount": 5}));
    unasked.input_responses = Some([(key.clone(), json!({"action": "accept"}))].into());
    let answer = client.call_tool_once(unasked).await.unwrap();
    assert!(
        matches!(answer, CallToolResponse::InputRequired(_)),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_missing_or_wrong_answer_is_asked_for_again() {
    let user = User::answering(ElicitationAction::Accept);
    let (client, _) = connect(server(), Revision::Current, user).await;
    let mut required = asked(&client, json!({"amount": 5})).await;
    for wrong in [
        json!({"other": {"action": "accept"}}),
        json!({}),
        json!(null),
    ] {
        let mut retry = params("pay", json!({"amount": 5}));
        retry.request_state = required.request_state.take();
        retry.input_responses = agent_runtime::serde_json::from_value(wrong).unwrap_or_default();
        let answer = client.call_tool_once(retry).await.unwrap();
        let CallToolResponse::InputRequired(again) = answer else {
            panic!("the question is asked again: {answer:?}");
        };
        assert_eq!(again.input_requests, required.input_requests);
        required = again;
    }
}

#[tokio::test]
async fn a_call_waits_for_its_user_for_a_time() {
    let server = server().wait_for_user(Duration::ZERO);
    let user = User::answering(ElicitationAction::Accept);
    let (client, _) = connect(server, Revision::Current, user).await;
    let error = call(&client, "pay", json!({"amount": 5}))
        .await
        .unwrap_err();
    assert_eq!(code(error), ErrorCode::INVALID_PARAMS);
}

#[tokio::test]
async fn an_approver_of_the_host_decides_in_place_of_the_user() {
    let approver = async |call: PendingCall| match call.args()["amount"].as_u64() {
        Some(5) => Decision::Approve,
        Some(6) => Decision::Edit {
            args: json!({"amount": 1}),
        },
        Some(7) if call.refused_edit.is_some() => Decision::Deny {
            reason: Some("too much".to_owned()),
        },
        _ => Decision::Edit { args: json!({}) },
    };
    for revision in REVISIONS {
        let server = server().approvals(Approvals::Host(Arc::new(approver)));
        let (client, _) = connect(server, revision, User::default()).await;
        for (amount, expected) in [
            (5, "5 euros are paid"),
            (6, "1 euros are paid"),
            (7, "not allowed: the call was denied: too much"),
        ] {
            let result = call(&client, "pay", json!({"amount": amount}))
                .await
                .unwrap();
            assert_eq!(text(&result), expected);
        }
    }
}

fn asking() -> Server {
    let book = ToolConfig::with_signature("book", "Books a table", "()==>(::String)")
        .build_with_context(|_: Value, context: ToolContext| async move {
            let user = ClientUser::of(&context).expect("the call was made over MCP").clone();
            let name = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
            match user.ask("name", "On which name?", name).await? {
                Answer::Accepted(values) => Ok(values["name"].clone()),
                answer => Err(ToolError::execution(format!("no name: {answer:?}"))),
            }
        });
    Server::new(&tools![book.unwrap()])
}

#[tokio::test]
async fn a_tool_asks_the_user() {
    for revision in REVISIONS {
        let user = User {
            answer: Some((ElicitationAction::Accept, json!({"name": "Ada"}))),
            ..User::default()
        };
        let (client, user) = connect(asking(), revision, user).await;
        let result = call(&client, "book", json!({})).await.unwrap();
        assert_eq!(text(&result), "Ada");
        assert_eq!(user.asked(), ["On which name?"]);
        let (client, _) = connect(
            asking(),
            revision,
            User::answering(ElicitationAction::Decline),
        )
        .await;
        let result = call(&client, "book", json!({})).await.unwrap();
        assert_eq!(text(&result), "no name: Declined");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_no_answer_of_an_earlier_client() {
    let user = User {
        answer: Some((ElicitationAction::Accept, json!({"name": 5}))),
        ..User::default()
    };
    let (client, _) = connect(asking(), Revision::Earlier, user).await;
    let result = call(&client, "book", json!({})).await.unwrap();
    assert_eq!(text(&result), "no name: Cancelled");
}
