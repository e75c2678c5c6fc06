//! Agents as tools.

use crate::support::{
    REVISIONS, Revision, User, call, connect, connect_to, params, text, waiting_tool,
};
use agent_mcp::Server;
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, RunState};
use agent_runtime::model::{ChatModel, ModelReply, Scripted};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::spec::check::Options;
use agent_runtime::{Agent, Runtime, agent, tool, tools};
use rmcp::model::{
    CallToolResponse, CancelTaskParams, ElicitationAction, GetTaskParams, TaskPayload, TaskStatus,
    UpdateTaskParams,
};
use std::time::Duration;

/// Pays a bill
#[tool(requires_approval)]
fn pay(amount: u32) -> String {
    format!("{amount} euros are paid")
}

fn clerk() -> Agent {
    agent! {
        tools: [pay],
        [clerk:Agent {description: "Pays bills", instruction: "Pay.", model: "Scripted/any"} | pay]
    }
}

fn counter() -> Agent {
    agent! {
        [counter:Agent {description: "Counts letters", instruction: "Count.", model: "Scripted/any"} |
            (text::Text)==>(::Integer)]
    }
}

fn paying() -> Scripted {
    let pays = [ModelReply::call("pay", r#"{"amount": 5}"#)];
    Scripted::new(pays).then(ModelReply::text("It is paid."))
}

fn serving(agent: &Agent, runtime: &Runtime) -> Server {
    let library = tools![];
    Server::new(&library)
        .agent(runtime, agent, &tools![pay])
        .expect("the agent can run")
}

fn with_model(model: impl ChatModel) -> Runtime {
    Runtime::with_model(model)
}

#[tokio::test]
async fn an_agent_is_listed_with_its_signature() {
    for revision in REVISIONS {
        let server = serving(&counter(), &with_model(Scripted::new([])));
        let (client, _) = connect(server, revision, User::default()).await;
        let listed = client.list_tools(None).await.unwrap().tools;
        let listed = agent_runtime::serde_json::to_value(&listed).unwrap();
        assert_eq!(listed[0]["name"], "counter");
        assert_eq!(listed[0]["description"], "Counts letters");
        assert_eq!(listed[0]["inputSchema"]["required"], json!(["text"]));
        // An agent may do anything, so that nothing is stated.
        assert_eq!(listed[0]["annotations"], Value::Null);
    }
}

#[tokio::test]
async fn an_answer_is_that_of_a_run_in_process() {
    for revision in REVISIONS {
        let model = || {
            let wrong = [ModelReply::call("finalAnswer", r#"{"answer": "three"}"#)];
            Scripted::new(wrong).then(ModelReply::call("finalAnswer", r#"{"answer": 3}"#))
        };
        let arguments = json!({"text": "abc"});
        let runtime = with_model(model());
        let expected = runtime.call(counter(), arguments.clone()).await.unwrap();
        let server = serving(&counter(), &with_model(model()));
        let (client, _) = connect(server, revision, User::default()).await;
        let result = call(&client, "counter", arguments).await.unwrap();
        assert_eq!(text(&result), expected.content);
        let structured = result.structured_content.unwrap();
        match revision {
            Revision::Current => assert_eq!(structured, 3),
            Revision::Earlier => assert_eq!(structured, json!({"result": 3})),
        }
        let result = call(&client, "counter", json!({"text": 3})).await.unwrap();
        let error = runtime
            .call(counter(), json!({"text": 3}))
            .await
            .unwrap_err();
        assert_eq!(result.is_error, Some(true));
        assert_eq!(text(&result), error.to_string());
    }
}

#[tokio::test]
async fn each_step_of_a_run_is_progress() {
    let server = serving(&clerk(), &with_model(paying()));
    let user = User::answering(ElicitationAction::Accept);
    let (client, user) = connect(server, Revision::Earlier, user).await;
    call(&client, "clerk", json!({"message": "Pay the bill"}))
        .await
        .unwrap();
    let expected = [
        "asks Scripted/any",
        "calls clerk/pay",
        "pay has answered",
        "asks Scripted/any",
    ];
    while user.progress().len() < expected.len() {
        tokio::task::yield_now().await;
    }
    let mut progress = user.progress();
    progress.sort_by(|one, other| one.0.total_cmp(&other.0));
    let texts: Vec<_> = progress.into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, expected);
}

#[tokio::test]
async fn a_paused_run_goes_on_with_the_decision_of_the_user() {
    for revision in REVISIONS {
        for (action, expected) in [
            (ElicitationAction::Accept, "5 euros are paid"),
            (
                ElicitationAction::Decline,
                "not allowed: the call was denied",
            ),
        ] {
            let model = paying();
            let server = serving(&clerk(), &with_model(model.clone()));
            let (client, user) = connect(server, revision, User::answering(action)).await;
            let result = call(&client, "clerk", json!({"message": "Pay the bill"}))
                .await
                .unwrap();
            assert_eq!(text(&result), "It is paid.");
            assert_eq!(
                user.asked(),
                [r#"Allow the call of `clerk/pay` with {"amount": 5}?"#]
            );
            let read = model.requests()[1]
                .messages
                .last()
                .unwrap()
                .content()
                .to_owned();
            assert!(read.contains(expected), "{read}");
        }
    }
}

#[tokio::test]
async fn a_model_reads_that_nobody_can_approve() {
    for revision in REVISIONS {
        let model = paying();
        let server = serving(&clerk(), &with_model(model.clone()));
        let (client, _) = connect(server, revision, User::default()).await;
        call(&client, "clerk", json!({"message": "Pay the bill"}))
            .await
            .unwrap();
        let requests = model.requests();
        let read = requests[1].messages.last().unwrap().content();
        assert!(
            read.contains(agent_runtime::approval::NO_APPROVER),
            "{read}"
        );
    }
}

#[tokio::test]
async fn a_paused_run_is_in_the_journal() {
    let journal = MemoryJournal::new();
    let runtime = Runtime::builder().model(paying()).journal(journal.clone());
    let server = serving(&clerk(), &runtime.build().unwrap());
    let user = User::answering(ElicitationAction::Accept);
    let (client, _) = connect(server, Revision::Current, user).await;
    let first = params("clerk", json!({"message": "Pay the bill"}));
    let CallToolResponse::InputRequired(required) =
        client.call_tool_once(first.clone()).await.unwrap()
    else {
        panic!("the run waits");
    };
    assert_eq!(
        journal.list(&RunFilter::new()).await.unwrap()[0].state,
        RunState::Waiting
    );
    let mut retry = first;
    retry.request_state = required.request_state;
    let keys = required.input_requests.unwrap().into_keys();
    retry.input_responses = Some(keys.map(|key| (key, json!({"action": "accept"}))).collect());
    let CallToolResponse::Complete(result) = client.call_tool_once(retry).await.unwrap() else {
        panic!("the run has ended");
    };
    assert_eq!(text(&result), "It is paid.");
    let runs = journal.list(&RunFilter::new()).await.unwrap();
    assert_eq!((runs.len(), runs[0].state), (1, RunState::Done));
}

#[tokio::test]
async fn a_run_is_a_task_for_a_client_that_takes_tasks() {
    let server = serving(&clerk(), &with_model(paying()));
    let user = User {
        takes_tasks: true,
        ..User::answering(ElicitationAction::Accept)
    };
    let (client, _) = connect(server, Revision::Current, user).await;
    let first = params("clerk", json!({"message": "Pay the bill"}));
    let CallToolResponse::Task(task) = client.call_tool_once(first).await.unwrap() else {
        panic!("a task");
    };
    let id = task.task.task_id;
    let result = loop {
        let task = client.get_task(GetTaskParams::new(&id)).await.unwrap().task;
        match task.payload {
            TaskPayload::Working => tokio::task::yield_now().await,
            TaskPayload::InputRequired { input_requests } => {
                let keys = input_requests.into_keys();
                let answers = keys.map(|key| (key, json!({"action": "accept"}))).collect();
                let update = UpdateTaskParams::new(&id, answers);
                client.update_task(update).await.unwrap();
            }
            TaskPayload::Completed { result } => break result,
            other => panic!("the task goes on or completes: {other:?}"),
        }
    };
    assert_eq!(result["content"][0]["text"], "It is paid.");
}

#[tokio::test]
async fn dropping_the_server_ends_its_tasks() {
    let (wait, began, mut dropped) = waiting_tool("()==>(::Any)");
    let source = r#"[clerk:Agent {description: "Waits", instruction: "Wait.", model: "Scripted/any"} | wait]"#;
    let agent = Agent::parse(source, None, Options::default()).expect("an agent");
    let runtime = with_model(Scripted::new([ModelReply::call("wait", "{}")]));
    let server = Server::new(&tools![]);
    let server = server.agent(&runtime, &agent, &wait);
    drop((runtime, wait));
    let user = User {
        takes_tasks: true,
        ..User::default()
    };
    let server = server.expect("the agent can run");
    let (client, _, served) = connect_to(server, Revision::Current, user).await;
    let first = params("clerk", json!({"message": "Wait"}));
    let begun = client.call_tool_once(first).await.unwrap();
    assert!(matches!(begun, CallToolResponse::Task(_)), "{begun:?}");
    began.notified().await;
    served.abort();
    // The task had the last sender.
    let ended = tokio::time::timeout(Duration::from_secs(30), dropped.recv()).await;
    assert_eq!(ended, Ok(None));
}

#[tokio::test]
async fn a_cancelled_task_is_cancelled() {
    let server = serving(&clerk(), &with_model(paying()));
    let user = User {
        takes_tasks: true,
        ..User::answering(ElicitationAction::Accept)
    };
    let (client, _) = connect(server, Revision::Current, user).await;
    let first = params("clerk", json!({"message": "Pay the bill"}));
    let CallToolResponse::Task(task) = client.call_tool_once(first).await.unwrap() else {
        panic!("a task");
    };
    let id = task.task.task_id;
    // It waits for the user, who never answers.
    client
        .cancel_task(CancelTaskParams::new(&id))
        .await
        .unwrap();
    loop {
        let task = client.get_task(GetTaskParams::new(&id)).await.unwrap().task;
        match task.status() {
            TaskStatus::Cancelled => break,
            TaskStatus::Completed | TaskStatus::Failed => panic!("it was cancelled: {task:?}"),
            _ => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn an_agent_that_cannot_run_is_not_served() {
    let library = tools![];
    let error = Server::new(&library)
        .agent(&with_model(paying()), &clerk(), &tools![])
        .unwrap_err();
    assert!(error.to_string().contains("`pay`"), "{error}");
    let silent = agent! { [silent:Agent {instruction: "Help.", model: "Scripted/any"}] };
    let error = Server::new(&library)
        .agent(&with_model(paying()), &silent, &tools![])
        .unwrap_err();
    assert!(
        error.to_string().contains("has no `description`"),
        "{error}"
    );
}
