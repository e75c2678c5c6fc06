//! The calls of responses and of conversations.

use super::log::{Call, Failure};
use super::private::Log;
use crate::conversation::{Conversation, Message, ToolCall};
use crate::response::AgentResponse;
use serde_json::Value;

impl Log for AgentResponse {
    fn calls(&self) -> Vec<Call> {
        let calls = self.tools_used.iter().map(|invocation| {
            let failure = |error: &crate::tool::ToolError| {
                let text = invocation.error_text.clone();
                text.unwrap_or_else(|| error.to_string())
            };
            Call {
                tool: invocation.tool.clone(),
                args: invocation.args.clone(),
                result: invocation.result.as_ref().cloned().map_err(failure),
                is_text: false,
                failure: Some(match invocation.is_retry() {
                    true => Failure::Retry,
                    false => Failure::Final,
                }),
            }
        });
        calls.collect()
    }
}

impl Log for Conversation {
    fn calls(&self) -> Vec<Call> {
        let asked = self.messages().iter().enumerate();
        asked
            .flat_map(|(place, message)| {
                let calls = message.tool_calls().iter();
                calls.map(move |call| said(call, &self.messages()[place + 1..]))
            })
            .collect()
    }
}

fn said(call: &ToolCall, after: &[Message]) -> Call {
    let answers = |message: &&Message| message.call_id() == Some(call.id());
    let result = match after.iter().find(answers) {
        None => Err("it has no result".to_owned()),
        Some(message) if message.is_error() => Err(message.content().to_owned()),
        Some(message) => Ok(Value::from(message.content())),
    };
    Call {
        tool: call.tool().to_owned(),
        args: call.args(),
        result,
        is_text: true,
        failure: None,
    }
}
