//! A final answer of a type.
//!
//! The model gives it by calling a tool that the run adds to those of the agent: every provider has
//! tools, and arguments that are not right are answered as those of any tool are. Models that write
//! the answer as text all the same are understood if the text is JSON of the type.

use super::feed::is_cut_off;
use super::rules::MAX_FAILURES;
use super::state::{Outcome, Phase, Weight};
use super::{Run, texts};
use crate::conversation::{Message, ReadError, ToolCall, text};
use crate::error::{Error, Kind};
use crate::misread::{Misread, Reads};
use crate::model::{ModelReply, ToolDefinition};
use crate::tool::ToolError;
use agent_spec::types::{Field, Kind as TypeKind, Shape, Type};
use agent_spec::{Returns, Signature, ToolSpec};
use serde_json::{Map, Value, json};

/// What the tool is called that takes the answer, unless the agent has one of this name.
const NAME: &str = "finalAnswer";

/// The member that holds an answer that is no record.
const MEMBER: &str = "answer";

const DESCRIPTION: &str = "Takes the final answer. Call it once everything is known, and call no \
                           other tool with it. This is the only way to answer.";

/// The type of a run's final answer.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    spec: ToolSpec,
    /// Whether the answer is a record, whose fields are the tool's parameters.
    is_record: bool,
    /// Whether the program can read an answer that fits the type.
    reads: Option<Reads>,
}

impl Output {
    /// An answer of this type, for an agent with these tools.
    fn new(ty: &Type, tools: &[ToolSpec], reads: Reads) -> Result<Self, Error> {
        let taken = |name: &str| tools.iter().any(|tool| tool.name() == name);
        let others = (2..).map(|number| format!("{NAME}{number}"));
        let mut names = std::iter::once(NAME.to_owned()).chain(others);
        let name = names.find(|name| !taken(name)).unwrap_or_default();
        let fields = match ty.kind() {
            TypeKind::Object(Shape::Fields(fields)) if is_plain(ty) => Some(fields.to_vec()),
            _ => None,
        };
        let is_record = fields.is_some();
        let params = fields.unwrap_or_else(|| vec![Field::new(MEMBER, ty.clone())]);
        let returns = Returns::new(Type::new(TypeKind::Null));
        let spec = ToolSpec::with_signature(name, DESCRIPTION, Signature::new(params, returns));
        let spec = spec.map_err(|diagnostics| {
            Error::configuration("no model can be asked for an answer of this type")
                .with_source(diagnostics)
        })?;
        Ok(Self {
            spec,
            is_record,
            reads: Some(reads),
        })
    }

    pub(super) fn definition(&self) -> ToolDefinition {
        ToolDefinition::new(&self.spec)
    }

    pub(super) fn name(&self) -> &str {
        self.spec.name()
    }

    /// The answer that arguments hold, as JSON text.
    fn read(&self, arguments: &str) -> Result<String, ToolError> {
        let checked = self.spec.signature().check_arguments(arguments, None);
        let checked =
            checked.map_err(|violations| ToolError::Validation(texts::violations(&violations)))?;
        let answer = if self.is_record {
            checked.text().to_owned()
        } else {
            let members: Map<String, Value> =
                serde_json::from_str(checked.text()).unwrap_or_default();
            members.get(MEMBER).unwrap_or(&Value::Null).to_string()
        };
        // A saved run that goes on in another program knows the type alone.
        if let Some(reads) = self.reads
            && let Err(error) = reads(&answer)
        {
            let root = match self.is_record {
                true => "$".to_owned(),
                false => format!("$.{MEMBER}"),
            };
            let misread = Misread::new(&root, &answer, &error, reads);
            return Err(ToolError::Validation(misread.to_string()));
        }
        Ok(answer)
    }

    /// The answer that a text holds.
    fn read_text(&self, text: &str) -> Result<String, ToolError> {
        let words = text;
        let text = unfenced(text);
        let value = match serde_json::from_str::<Value>(text) {
            Ok(value) => value,
            // Words are all that is wanted.
            Err(_) if self.is_text() => words.into(),
            Err(_) => return Err(ToolError::Validation(texts::answer_by_call(self.name()))),
        };
        let read = if self.is_record {
            self.read(text)
        } else {
            self.read(&json!({ MEMBER: value }).to_string())
        };
        read.map_err(|error| {
            ToolError::Validation(format!("{error}; {}", texts::answer_by_call(self.name())))
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
        Ok(Some(Self {
            spec: spec.map_err(|error| ReadError::new(format!("`output`: {error}")))?,
            is_record: json
                .get("isRecord")
                .and_then(Value::as_bool)
                .ok_or_else(|| ReadError::new("`isRecord` of `output` is `true` or `false`"))?,
            reads: None,
        }))
    }
}

/// Whether a type says no more than which fields there are.
fn is_plain(ty: &Type) -> bool {
    !ty.is_optional() && ty.constraints().is_none()
}

/// A text without the fence that models put around JSON.
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

impl Run {
    /// The same run, whose answer is JSON of a type. `reads` says whether the program can read it.
    pub(crate) fn with_output(mut self, ty: &Type, reads: Reads) -> Result<Self, Error> {
        self.set_output(Some(Output::new(ty, self.agent.tools(), reads)?));
        Ok(self)
    }

    pub(super) fn set_output(&mut self, output: Option<Output>) {
        let added = output.as_ref().map(Output::definition);
        self.definitions = self.definitions.iter().cloned().chain(added).collect();
        self.output = output;
    }

    /// Whether the answer is a value of a type, and not just words.
    pub(crate) fn is_typed(&self) -> bool {
        self.output.is_some()
    }

    /// Whether a call is one that gives the answer.
    pub(super) fn is_output(&self, tool: &str) -> bool {
        self.output
            .as_ref()
            .is_some_and(|output| output.name() == tool)
    }

    /// The answer, when it is all that a reply says.
    pub(super) fn given_answer(&self, reply: &ModelReply) -> Option<String> {
        let output = self.output.as_ref()?;
        match reply.tool_calls.as_slice() {
            _ if is_cut_off(&reply.finish_reason) => None,
            [call, more @ ..] if call.tool() == output.name() => {
                let same = |other: &ToolCall| {
                    other.tool() == call.tool() && other.args_text() == call.args_text()
                };
                // One that is given twice is one.
                let is_one = more.iter().all(same);
                is_one.then(|| output.read(call.args_text()).ok()).flatten()
            }
            _ => None,
        }
    }

    /// Why a call that should give the answer does not.
    pub(super) fn refused_answer(&self, arguments: &str, calls: &[ToolCall]) -> Option<Outcome> {
        let output = self.output.as_ref()?;
        if calls.len() > 1 {
            let is_answer = |call: &ToolCall| call.tool() == output.name();
            let text = match calls.iter().all(is_answer) {
                true => texts::answer_once(output.name(), calls.len()),
                false => texts::answer_alone(output.name()),
            };
            return Some(Outcome::refused(ToolError::Validation(text), Weight::Free));
        }
        let error = output.read(arguments).err()?;
        Some(Outcome::refused(error, Weight::Mistake))
    }

    /// Takes an answer in words where one of a type is wanted: the answer itself if it is JSON of the
    /// type, else the model is told how to give it.
    pub(super) fn take_words(&mut self, reply: ModelReply) {
        let Some(output) = &self.output else {
            return;
        };
        let words = reply.content.clone().unwrap_or_default();
        let read = output.read_text(&words);
        let name = output.name().to_owned();
        match read {
            Ok(answer) => self.finish_with(answer, reply),
            Err(error) => {
                self.push_answer(words, reply.provider_data);
                self.state.asides.push(self.state.history.len());
                self.state.history.push(Message::user(error.to_string()));
                let attempts = self.state.attempts.entry(name).or_default();
                attempts.failures = attempts.failures.saturating_add(1);
                self.end_without_answer();
                if let Some(text) = self.used_up().filter(|_| !self.is_over()) {
                    self.fail(Kind::Limit, text);
                }
            }
        }
    }

    /// Ends the run with an answer of its type.
    ///
    /// The history has it as if the model had written it: a call without a result could not be sent,
    /// and whoever reads on wants the answer.
    pub(super) fn finish_with(&mut self, answer: String, reply: ModelReply) {
        self.state.history.push(Message::assistant(answer.clone()));
        self.state.phase = Phase::Done {
            content: answer,
            finish_reason: reply.finish_reason,
        };
    }

    /// Ends the run when the model failed too often to give an answer of its type.
    pub(super) fn end_without_answer(&mut self) {
        let Some(output) = &self.output else {
            return;
        };
        let attempts = self.state.attempts.get(output.name());
        if attempts.is_some_and(|attempts| attempts.failures >= MAX_FAILURES) {
            let text = texts::no_answer_of_type(self.request_model(), MAX_FAILURES);
            self.fail(Kind::Llm, text);
        }
    }
}
