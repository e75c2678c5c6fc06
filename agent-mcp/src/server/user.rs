//! Questions to the user of the client that called a tool.

use agent_runtime::run::Decision;
use agent_runtime::{ToolContext, ToolError};
use agent_spec::Type;
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, JsonObject,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use tokio::sync::{mpsc, oneshot};

/// The user of the client that called a tool over MCP. A tool that needs a decision or a value asks it.
///
/// ```
/// use agent_mcp::{Answer, ClientUser};
/// use agent_runtime::serde_json::json;
/// use agent_runtime::{ToolContext, ToolError, tool};
///
/// /// Books a table
/// #[tool(timeout = "5min")]
/// async fn book(context: &ToolContext) -> Result<String, ToolError> {
///     let Some(user) = ClientUser::of(context) else {
///         return Err(ToolError::execution("this tool is for MCP clients"));
///     };
///     let name = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
///     match user.ask("name", "On which name?", name).await? {
///         Answer::Accepted(given) => Ok(format!("A table for {}", given["name"])),
///         _ => Err(ToolError::execution("the user gave no name")),
///     }
/// }
/// ```
///
/// The timeout of a tool keeps running while the user thinks. The call waits in the memory of the process,
/// and is lost with it.
#[derive(Clone)]
pub struct ClientUser {
    rounds: mpsc::Sender<Round>,
    can_answer: bool,
}

/// The answer of a user.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// The user gave these values: an object that fits the schema of the question.
    Accepted(Value),
    /// The user declined.
    Declined,
    /// The user closed the question, or did not answer in time.
    Cancelled,
}

/// A question to a user.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The key of the question in the result that requires input.
    pub(super) key: String,
    pub(super) message: String,
    pub(super) schema: ElicitationSchema,
}

/// Questions that are asked together, and the channel for their answers, which have the same order.
pub(super) struct Round {
    pub(super) questions: Vec<Question>,
    pub(super) answers: oneshot::Sender<Vec<Answer>>,
}

impl ClientUser {
    /// Creates the user of a client. The other end asks the questions.
    pub(super) fn new(can_answer: bool) -> (Self, mpsc::Receiver<Round>) {
        let (rounds, asked) = mpsc::channel(1);
        (Self { rounds, can_answer }, asked)
    }

    /// Returns the user of the client that made the call of a context. `None` for a call that was not made over MCP, and
    /// for one of an agent.
    #[must_use]
    pub fn of(context: &ToolContext) -> Option<&Self> {
        context.extension()
    }

    /// Whether the client can ask its user.
    #[must_use]
    pub fn can_answer(&self) -> bool {
        self.can_answer
    }

    /// Asks a question. `schema` is the JSON Schema of an object whose properties are texts, numbers, Booleans and
    /// choices. `key` names the question among those of the call.
    ///
    /// # Errors
    /// Authorization when the client cannot ask its user. Execution when `schema` is not of that form.
    pub async fn ask(&self, key: &str, message: &str, schema: Value) -> Result<Answer, ToolError> {
        let schema = serde_json::from_value(schema).map_err(|error| {
            ToolError::Execution(format!(
                "the schema of the question `{key}` is not flat: {error}"
            ))
        })?;
        let question = Question {
            key: key.to_owned(),
            message: message.to_owned(),
            schema,
        };
        let answers = self.ask_all(vec![question]).await?;
        Ok(answers.into_iter().next().unwrap_or(Answer::Cancelled))
    }

    /// Asks several questions at the same time.
    pub(super) async fn ask_all(&self, questions: Vec<Question>) -> Result<Vec<Answer>, ToolError> {
        if !self.can_answer {
            return Err(ToolError::Authorization(
                "the client cannot ask its user; a client that can declares the capability `elicitation`".to_owned(),
            ));
        }
        let number = questions.len();
        let (answers, answered) = oneshot::channel();
        let round = Round { questions, answers };
        let given = match self.rounds.send(round).await {
            Ok(()) => answered.await.ok(),
            Err(_) => None,
        };
        Ok(given.unwrap_or_else(|| vec![Answer::Cancelled; number]))
    }
}

impl fmt::Debug for ClientUser {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ClientUser")
            .field("can_answer", &self.can_answer)
            .finish_non_exhaustive()
    }
}

/// Whether a client can show forms to its user. A capability without modes means forms.
pub(super) fn can_elicit(capabilities: Option<&ClientCapabilities>) -> bool {
    capabilities
        .and_then(|capabilities| capabilities.elicitation.as_ref())
        .is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// The beginning of the keys of questions about calls. The id of the call follows.
const APPROVE: &str = "approve_";

impl Answer {
    /// Returns the decision on a call. Accepting the question is the approval.
    pub(super) fn decision(&self) -> Decision {
        let reason = match self {
            Self::Accepted(_) => return Decision::Approve,
            Self::Declined => None,
            Self::Cancelled => Some("the user did not answer".to_owned()),
        };
        Decision::Deny { reason }
    }
}

impl Question {
    /// Creates the question whether a call may be made.
    pub(super) fn about_call(id: &str, message: String) -> Self {
        Self {
            key: format!("{APPROVE}{id}"),
            message,
            schema: ElicitationSchema::new(BTreeMap::new()),
        }
    }

    /// Returns the id of the call that the question of a key is about.
    pub(super) fn id_of_call(key: &str) -> Option<&str> {
        key.strip_prefix(APPROVE)
    }

    pub(super) fn request(&self) -> ElicitRequest {
        ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message.clone(),
            requested_schema: self.schema.clone(),
        })
    }

    /// Reads the answer of a client; `None` if it does not fit the question.
    pub(super) fn read(&self, answer: ElicitResult) -> Option<Answer> {
        match answer.action {
            ElicitationAction::Accept => {
                let content = answer.content.unwrap_or_else(|| JsonObject::new().into());
                self.fits(&content).then_some(Answer::Accepted(content))
            }
            ElicitationAction::Decline => Some(Answer::Declined),
            _ => Some(Answer::Cancelled),
        }
    }

    /// Whether values fit the schema: required ones are there, and each fits its property.
    fn fits(&self, content: &Value) -> bool {
        let Some(content) = content.as_object() else {
            return false;
        };
        let schema = serde_json::to_value(&self.schema).unwrap_or_default();
        let required = schema["required"].as_array().into_iter().flatten();
        let mut required = required.filter_map(Value::as_str);
        required.all(|name| content.contains_key(name))
            && content.iter().all(|(name, value)| {
                let mut property = schema["properties"][name].clone();
                if let Some(members) = property.as_object_mut() {
                    // The titles of the choices, which JSON Schema does not know.
                    members.remove("enumNames");
                }
                Type::from_schema(&property).map_or(true, |ty| ty.validate(value).is_ok())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_fits_the_form_with_all_its_limits() {
        let titled = json!([{"const": "u", "title": "Ulm"}, {"const": "r", "title": "Rome"}]);
        for (property, right, wrong) in [
            (json!({"type": "string"}), json!(""), json!(1)),
            (json!({"type": "boolean"}), json!(false), json!("no")),
            (json!({"type": "integer"}), json!(3), json!(3.5)),
            (
                json!({"type": "integer", "title": "Days"}),
                json!(3.0),
                json!("3"),
            ),
            (
                json!({"type": "string", "minLength": 2}),
                json!("ab"),
                json!("a"),
            ),
            (
                json!({"type": "string", "maxLength": 2}),
                json!("äö"),
                json!("abc"),
            ),
            (
                json!({"type": "string", "format": "date"}),
                json!("2026-11-26"),
                json!("today"),
            ),
            (json!({"type": "integer", "minimum": 1}), json!(1), json!(0)),
            (
                json!({"type": "number", "maximum": 0.5}),
                json!(0.5),
                json!(0.75),
            ),
            (
                json!({"type": "string", "enum": ["u", "r"]}),
                json!("u"),
                json!("x"),
            ),
            (
                json!({"type": "string", "enum": ["u", "r"], "enumNames": ["Ulm", "Rome"]}),
                json!("u"),
                json!("Ulm"),
            ),
            (
                json!({"type": "string", "oneOf": titled}),
                json!("u"),
                json!("Ulm"),
            ),
            (
                json!({"type": "array", "items": {"type": "string", "enum": ["u", "r"]}}),
                json!(["u", "r"]),
                json!(["x"]),
            ),
            (
                json!({"type": "array", "minItems": 2, "items": {"anyOf": titled}}),
                json!(["u", "r"]),
                json!(["u"]),
            ),
        ] {
            let form = json!({"type": "object", "properties": {"a": property}});
            let question = Question {
                key: "k".to_owned(),
                message: "m".to_owned(),
                schema: serde_json::from_value(form).expect("a flat schema"),
            };
            assert!(question.fits(&json!({"a": right, "more": 1})), "{property}");
            assert!(!question.fits(&json!({"a": wrong})), "{property}");
        }
    }
}
