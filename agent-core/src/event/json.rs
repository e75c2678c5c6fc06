//! The JSON of the values in events that have no serde form, or whose own serde form, which programs read, is
//! another one.

use crate::conversation::{
    Exactness, Message, Part, ReadError, ToolCall, call_from_json, call_to_json, message_from_json,
    message_to_json,
};
use crate::model::{FinishReason, Usage};
use crate::response::{AgentResponse, ToolInvocation};
use crate::run::saved::{self, form};
use agent_spec::Model;
use agent_tool::__private::{MediaForm, part_from_json, part_to_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

form!(
    model: Model,
    |model| model.to_string().into(),
    |json| {
        let model = Model::parse(json.as_str().unwrap_or_default());
        model.map_err(|error| ReadError::new(error.to_string()))
    },
);
form!(
    part: Part,
    |part| part_to_json(part, MediaForm::Data),
    part_from_json,
);
form!(
    calls: Vec<ToolCall>,
    |calls| calls.iter().map(|call| call_to_json(call, Exactness::Plain)).collect(),
    |json| json.as_array().into_iter().flatten().map(call_from_json).collect(),
);
form!(
    message: Message,
    |message| message_to_json(message, Exactness::Plain, MediaForm::Data),
    message_from_json,
);

/// The form of a response with all its fields.
#[derive(Serialize, Deserialize)]
#[serde(remote = "AgentResponse", rename_all = "camelCase")]
pub(super) struct ResponseForm {
    content: String,
    #[serde(with = "saved::parts")]
    parts: Vec<Part>,
    #[serde(with = "saved::invocations")]
    tools_used: Vec<ToolInvocation>,
    usage: Usage,
    cost: Option<f64>,
    #[serde(with = "saved::finish_reason")]
    finish_reason: FinishReason,
    #[serde(default)]
    warnings: Vec<String>,
}
