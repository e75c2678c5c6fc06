//! The typed answer of a run.
//!
//! The model gives the answer by calling a tool that the run adds to the agent's tools: every provider has
//! tools, and wrong arguments are answered as those of any tool are. An answer written as text is accepted if
//! the text is JSON of the type.

use super::texts;
use crate::model::ToolDefinition;
use agent_spec::json::{parse_json, without_lone_surrogates};
use agent_spec::types::{Field, Kind as TypeKind, Shape, Type};
use agent_spec::{Returns, Signature, ToolSpec};
use agent_tool::__private::{ErrorAtPath, PartSchemas, ReadFn, text, wrong_arguments};
use agent_tool::Error;
use agent_tool::media::ReadError;
use agent_tool::tool::ToolError;
use serde_json::{Map, Value, json};

/// The name of the tool that receives the answer, unless the agent has a tool of this name.
const NAME: &str = "finalAnswer";

/// The parameter that holds an answer whose type is no record.
const MEMBER: &str = "answer";

/// The end of the signature of the tool that receives the answer, which has no result.
const NO_RESULT: &str = "==>(::Null)";

const DESCRIPTION: &str = "Takes the final answer. Call it once everything is known, and call no \
                           other tool with it. This is the only way to answer.";

/// The type of a run's final answer.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    spec: ToolSpec,
    /// The JSON Schemas of parts of the type.
    parts: PartSchemas,
    /// Whether the answer is a record, whose fields are the tool's parameters.
    is_record: bool,
    /// Reads an answer into the program's type. `None` where only the gram type is known: in a resumed run, and for
    /// the type that an agent's signature states.
    read: Option<ReadFn>,
}

impl Output {
    /// Creates the output of a type, for an agent with these tools.
    pub(super) fn new(ty: &Type, tools: &[ToolSpec], read: Option<ReadFn>) -> Result<Self, Error> {
        let fields = match ty.kind() {
            TypeKind::Object(Shape::Fields(fields)) if is_plain(ty) => Some(fields.to_vec()),
            _ => None,
        };
        let is_record = fields.is_some();
        let params = fields.unwrap_or_else(|| vec![Field::new(MEMBER, ty.clone())]);
        let returns = Returns::new(Type::new(TypeKind::Null));
        let spec = spec(tools, Signature::new(params, returns))?;
        Ok(Self {
            parts: PartSchemas::of(spec.signature()),
            spec,
            is_record,
            read,
        })
    }

    /// Returns the same output for an agent with other tools.
    pub(super) fn for_tools(&self, tools: &[ToolSpec]) -> Result<Self, Error> {
        Ok(Self {
            spec: spec(tools, self.spec.signature().clone())?,
            ..self.clone()
        })
    }

    pub(super) fn definition(&self) -> ToolDefinition {
        ToolDefinition::new(&self.spec)
    }

    /// Whether the answer is a record, whose fields are the tool's parameters.
    pub(super) fn is_record(&self) -> bool {
        self.is_record
    }

    pub(super) fn name(&self) -> &str {
        self.spec.name()
    }

    /// Returns the type as the parameters of the call that gives the answer.
    pub(super) fn type_text(&self) -> String {
        let signature = self.spec.signature().to_string();
        let params = signature.strip_suffix(NO_RESULT).unwrap_or(&signature);
        params.to_owned()
    }

    /// Reads the answer from the arguments of its call. Returns JSON text.
    pub(super) fn read(&self, arguments: &str) -> Result<String, ToolError> {
        let checked = self.spec.signature().check_arguments(arguments, None);
        let checked = checked.map_err(wrong_arguments)?;
        self.parts.check_arguments(&checked)?;
        let answer = if self.is_record {
            checked.text().to_owned()
        } else {
            let members: Map<String, Value> =
                serde_json::from_str(checked.text()).unwrap_or_default();
            members.get(MEMBER).unwrap_or(&Value::Null).to_string()
        };
        if let Some(read) = self.read
            && let Err(error) = read(&answer)
        {
            let root = match self.is_record {
                true => "$".to_owned(),
                false => format!("$.{MEMBER}"),
            };
            let error = ErrorAtPath::new(&root, &answer, &error, read);
            return Err(ToolError::Validation(error.to_string()));
        }
        Ok(answer)
    }

    /// Reads the answer from text. Returns JSON text.
    pub(super) fn read_text(&self, text: &str) -> Result<String, ToolError> {
        // The JSON is inside a text, in which the provider's own format repairs nothing.
        let inner = without_lone_surrogates(unfenced(text));
        let inner = &*inner;
        let value = match parse_json(inner) {
            Ok(value) => value,
            Err(_) if self.is_text() => text.into(),
            Err(_) => return Err(ToolError::Validation(texts::answer_by_call(self.name()))),
        };
        let read = if self.is_record {
            self.read(inner)
        } else {
            self.read(&json!({ MEMBER: value }).to_string())
        };
        read.map_err(|error| {
            let text = texts::continued(&error.to_string(), texts::ANSWER_AS_JSON);
            ToolError::Validation(text)
        })
    }

    fn is_text(&self) -> bool {
        let params = self.spec.signature().params();
        !self.is_record
            && params
                .iter()
                .all(|param| matches!(param.ty().kind(), TypeKind::Text))
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "name": self.spec.name(),
            "typeSignature": self.spec.signature().to_string(),
            "isRecord": self.is_record,
        })
    }

    pub(super) fn from_json(json: &Value) -> Result<Option<Self>, ReadError> {
        if json.is_null() {
            return Ok(None);
        }
        let spec = ToolSpec::new(
            text(json, "name")?,
            DESCRIPTION,
            &text(json, "typeSignature")?,
        );
        let spec = spec.map_err(|error| ReadError::new(format!("`output`: {error}")))?;
        Ok(Some(Self {
            parts: PartSchemas::of(spec.signature()),
            spec,
            is_record: json
                .get("isRecord")
                .and_then(Value::as_bool)
                .ok_or_else(|| ReadError::new("`isRecord` of `output` is `true` or `false`"))?,
            read: None,
        }))
    }
}

/// Returns the spec of the tool that receives the answer, for an agent with these tools.
fn spec(tools: &[ToolSpec], signature: Signature) -> Result<ToolSpec, Error> {
    let taken = |name: &str| tools.iter().any(|tool| tool.name() == name);
    let others = (2..).map(|number| format!("{NAME}{number}"));
    let mut names = std::iter::once(NAME.to_owned()).chain(others);
    let name = names.find(|name| !taken(name)).unwrap_or_default();
    ToolSpec::with_signature(name, DESCRIPTION, signature).map_err(|diagnostics| {
        Error::configuration("no model can be asked for an answer of this type")
            .with_source(diagnostics)
    })
}

/// Whether a record type has fields and nothing else.
fn is_plain(ty: &Type) -> bool {
    !ty.is_optional() && ty.constraints().is_none()
}

/// Removes the code fence that models put around JSON.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"));
    let Some(inner) = inner else {
        return text;
    };
    let after_word = inner.split_once('\n').map(|(_, rest)| rest);
    after_word.unwrap_or(inner).trim()
}
