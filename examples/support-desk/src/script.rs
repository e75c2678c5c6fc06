//! The answers without a model. They depend on the messages of a request alone, so that a saved run can
//! continue with them in another process.

use agent_runtime::conversation::{Role, ToolCall};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};

pub(crate) struct Script;

impl ChatModel for Script {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async { Ok(answer(request)) })
    }
}

/// The answer of an agent, by the number of its answers so far.
fn answer(request: &ModelRequest) -> ModelReply {
    let messages = &request.messages;
    let own = messages
        .iter()
        .filter(|message| message.role() == Role::Assistant);
    let last = messages.last().map_or("", |message| message.content());
    match (request.agent.as_str(), own.count()) {
        ("support", 0) => ModelReply::call("triage", r#"{"ticket": 17}"#),
        ("support", 1) => {
            let question = r#"{"order": 1042, "question": "Was the order charged twice?"}"#;
            ModelReply::calls([
                ToolCall::new("call_1", "billing", question),
                ToolCall::new("call_2", "shipping", r#"{"order": 1042}"#),
            ])
        }
        ("support", _) => {
            let billing = messages
                .iter()
                .find(|message| message.name() == Some("billing"));
            let billing = billing.map_or("", |message| message.content());
            ModelReply::text(format!(
                "{billing} Your parcel is in Ulm, and arrives tomorrow."
            ))
        }
        ("triage", 0) => ModelReply::call("readTicket", r#"{"ticket": 17}"#),
        ("triage", _) => {
            let about = r#"{"order": 1042, "aboutMoney": true, "aboutParcel": true}"#;
            ModelReply::call("finalAnswer", about)
        }
        ("billing", 0) => ModelReply::call("findCharges", r#"{"order": 1042}"#),
        ("billing", 1) => ModelReply::call("refund", r#"{"order": 1042, "euros": 39.9}"#),
        ("billing", _) if messages.last().is_some_and(|message| message.is_error()) => {
            ModelReply::text("Nothing was paid back.")
        }
        ("billing", _) => ModelReply::text(format!("We charged you twice; {last}.")),
        ("shipping", 0) => ModelReply::call("trackParcel", r#"{"order": 1042}"#),
        _ => ModelReply::call("finalAnswer", r#"{"place": "Ulm", "arrives": "tomorrow"}"#),
    }
}
