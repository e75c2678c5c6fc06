//! The JSON of the values in events that have no serde form, or another one that programs read.

use crate::conversation::{
    Exactness, Message, Part, ReadError, ToolCall, call_from_json, call_to_json, message_from_json,
    message_to_json,
};
use crate::model::{FinishReason, Usage};
use crate::response::{AgentResponse, ToolInvocation};
use crate::run::saved::{self, form};
use agent_spec::Model;
use agent_tool::__private::{MediaForm, part_from_json, part_to_json};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
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

pub(super) mod response {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Form {
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

    pub(crate) fn serialize<S: Serializer>(
        response: &AgentResponse,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let response = response.clone();
        let form = Form {
            content: response.content,
            parts: response.parts,
            tools_used: response.tools_used,
            usage: response.usage,
            cost: response.cost,
            finish_reason: response.finish_reason,
            warnings: response.warnings,
        };
        form.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<AgentResponse, D::Error> {
        let form = Form::deserialize(from)?;
        Ok(AgentResponse {
            content: form.content,
            parts: form.parts,
            tools_used: form.tools_used,
            usage: form.usage,
            cost: form.cost,
            finish_reason: form.finish_reason,
            warnings: form.warnings,
        })
    }
}
