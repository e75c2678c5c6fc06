//! Approvers, which decide on calls during a run.

use crate::support::{agent, calls, library, results};
use agent_runtime::approval::MAX_EDITS;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{Decision, PendingCall};
use agent_runtime::{Agent, AgentResponse, Conversation, Runtime, ToolError, ToolLibrary};
use serde_json::json;
use std::sync::{Arc, Mutex};

const ADD: &str = "(a::Int)==>(::String)";

fn adding() -> (Agent, ToolLibrary, Scripted) {
    let tool = agent_runtime::tool::ToolConfig::with_signature("add", "Adds", ADD)
        .requires_approval(true)
        .build(|args| async move { Ok(args["a"].clone().to_string().into()) })
        .expect("a tool");
    let spec = agent_runtime::ToolSpec::new("add", "Adds", ADD).expect("a spec");
    let model = Scripted::new([
        calls(&[("x", "add", r#"{"a": 1}"#)]),
        ModelReply::text("Done."),
    ]);
    (agent([spec]), library([tool]), model)
}

/// Runs with an approver that edits to the given arguments, one after another, and the last one
/// for ever.
async fn edited_to(
    edits: Vec<serde_json::Value>,
) -> (AgentResponse, Conversation, Vec<Option<String>>) {
    let (agent, library, model) = adding();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let runtime = Runtime::builder()
        .model(model)
        .approver(move |call: PendingCall| {
            let mut asked = noted.lock().expect("no panic");
            let args = edits[asked.len().min(edits.len() - 1)].clone();
            assert_eq!(call.args(), json!({"a": 1}), "the model's arguments");
            asked.push(call.refused_edit);
            async { Decision::Edit { args } }
        });
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&agent, "Hi", &mut conversation, &library)
        .await
        .expect("an answer");
    let asked = asked.lock().expect("no panic").clone();
    (response, conversation, asked)
}

#[tokio::test]
async fn a_wrong_edit_is_asked_about_again() {
    let (response, _, asked) = edited_to(vec![json!({"a": "two"}), json!({"a": 2})]).await;
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0], None);
    let refused = asked[1].as_deref().expect("a reason");
    assert!(
        refused.contains("`x` of `add`") && refused.contains("two"),
        "{refused}"
    );
    assert_eq!(response.tools_used[0].args, json!({"a": 2}));
    assert_eq!(response.tools_used[0].result, Ok("2".into()));
}

#[tokio::test]
async fn denies_a_call_after_too_many_invalid_edits() {
    let (response, conversation, asked) = edited_to(vec![json!([])]).await;
    assert_eq!(asked.len(), MAX_EDITS);
    assert!(matches!(
        response.tools_used[0].result,
        Err(ToolError::Authorization(_))
    ));
    assert!(results(&conversation)[0].1.contains("edited 10 times"));
}
