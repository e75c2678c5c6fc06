//! Conversations as patterns, so that they can be stored and asked in gram.

use super::json::args_text;
use super::{Conversation, Message, ReadError, Role, ToolCall};
use super::{json_of, value_of};
use agent_gram::value::Record;
use agent_gram::{Pattern, Subject, Value, ValueError};

const CONVERSATION: &str = "Conversation";
const MESSAGE: &str = "Message";
const CALL: &str = "ToolCall";

impl Conversation {
    /// The conversation as a pattern; its elements are the messages, and the elements of those are
    /// the calls, each with the tool as its element. [`from_pattern`](Self::from_pattern) gives
    /// back an equal conversation: nothing is lost.
    ///
    /// ```
    /// use agent_runtime::{Conversation, gram};
    ///
    /// let text = r#"[:Conversation |
    ///   (:Message {role: "user", content: "Hello, I'm Ada"}),
    ///   [:Message {role: "assistant", content: ""} |
    ///     [:ToolCall {callId: "call_1", args: {personName: "Ada"}} | (sayHello)]
    ///   ],
    ///   (:Message {role: "function", content: "Hello, Ada!", name: "sayHello", callId: "call_1"}),
    ///   (:Message {role: "assistant", content: "Hello, Ada!"})
    /// ]"#;
    /// let pattern = gram::parse_patterns(text).expect("gram").remove(0);
    /// let conversation = Conversation::from_pattern(&pattern)?;
    /// assert_eq!(conversation.len(), 4);
    /// assert_eq!(conversation.messages()[1].tool_calls()[0].args()["personName"], "Ada");
    /// assert_eq!(conversation.to_pattern()?, pattern);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The properties are called as in the JSON form, and mean the same. `args` is written in
    /// gram's own words as far as there are some, as in
    /// [`AgentResponse::to_pattern`](crate::AgentResponse::to_pattern); when it does not lead back to
    /// the very text that the model sent, `argsText` has that. A result that reports a failure has
    /// `isError: true`; `name` and `providerData` stand where a message has them.
    ///
    /// # Errors
    /// When what a provider wants back nests more than 191 deep. What is parsed from JSON never
    /// does.
    pub fn to_pattern(&self) -> Result<Pattern, ValueError> {
        let messages = self.messages().iter().map(Message::to_pattern);
        let subject = Subject::default().with_label(CONVERSATION);
        Pattern::new(subject, messages.collect::<Result<_, _>>()?)
    }

    /// Reads the pattern of a conversation. Properties that mean nothing here are passed over. Of a key
    /// that stood twice in the text of a record, a pattern has one alone: that is for whoever reads the
    /// text to find. Whether calls and results match is not looked at; see [`check`](Self::check).
    ///
    /// # Errors
    /// When it has another label, lacks something, or holds what stands for nothing here.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, ReadError> {
        check_label(pattern, CONVERSATION)?;
        let elements = pattern.elements();
        (1..)
            .zip(elements)
            .map(|(number, element)| {
                let read = Message::from_pattern(element);
                read.map_err(|error| {
                    let count = elements.len();
                    ReadError::new(format!("message {number} of {count}: {error}"))
                })
            })
            .collect()
    }
}

impl Message {
    /// The message as a pattern; see [`Conversation::to_pattern`].
    ///
    /// # Errors
    /// When what a provider wants back nests too deep.
    pub fn to_pattern(&self) -> Result<Pattern, ValueError> {
        let mut subject = Subject::default().with_label(MESSAGE);
        let record = &mut subject.properties;
        put_text(record, "role", self.role().as_str())?;
        put_text(record, "content", self.content())?;
        if let Some(name) = self.name() {
            put_text(record, "name", name)?;
        }
        if let Some(id) = self.call_id() {
            put_text(record, "callId", id)?;
        }
        if self.is_error() {
            record.insert("isError", Value::Boolean(true))?;
        }
        if let Some(data) = self.provider_data() {
            record.insert("providerData", value_of(data)?)?;
        }
        let calls = self.tool_calls().iter().map(call_to_pattern);
        Pattern::new(subject, calls.collect::<Result<_, _>>()?)
    }

    /// Reads the pattern of a message. Properties that mean nothing here are passed over.
    ///
    /// # Errors
    /// When it has another label, lacks something, or holds what stands for nothing here.
    pub fn from_pattern(pattern: &Pattern) -> Result<Self, ReadError> {
        check_label(pattern, MESSAGE)?;
        let record = &pattern.subject().properties;
        let content = text(record, "content")?;
        let name = opt_text(record, "name")?.map(str::to_owned);
        let message = match Role::from_word(text(record, "role")?)? {
            Role::User => Self::user(content).with_name(name),
            Role::Assistant => Self::assistant(content).with_name(name),
            Role::Function => {
                let name = name.ok_or_else(|| wrong("name", "the name of a tool"))?;
                Self::function(name, text(record, "callId")?, content)
            }
        };
        let calls = pattern.elements().iter().map(call_from_pattern);
        let message = message.with_tool_calls(calls.collect::<Result<Vec<_>, _>>()?);
        let message = match record.get("isError") {
            None | Some(Value::Boolean(false)) => message,
            Some(Value::Boolean(true)) => message.into_error(),
            Some(_) => return Err(wrong("isError", "`true` or `false`")),
        };
        Ok(match record.get("providerData") {
            None => message,
            Some(data) => message.with_provider_data(json("providerData", data)?),
        })
    }
}

fn call_to_pattern(call: &ToolCall) -> Result<Pattern, ValueError> {
    let mut subject = Subject::default().with_label(CALL);
    let record = &mut subject.properties;
    put_text(record, "callId", call.id())?;
    let args = call.args();
    record.insert("args", value_of(&args)?)?;
    if args_text(&args) != call.args_text() {
        put_text(record, "argsText", call.args_text())?;
    }
    let tool = Pattern::new(Subject::new(call.tool().to_owned()), Vec::new())?;
    Pattern::new(subject, vec![tool])
}

fn call_from_pattern(pattern: &Pattern) -> Result<ToolCall, ReadError> {
    check_label(pattern, CALL)?;
    let [tool] = pattern.elements() else {
        let count = pattern.elements().len();
        let text = format!("a call has exactly one element, its tool; this one has {count}");
        return Err(ReadError::new(text));
    };
    let record = &pattern.subject().properties;
    let args = match (opt_text(record, "argsText")?, record.get("args")) {
        (Some(text), _) => text.to_owned(),
        (None, Some(args)) => args_text(&json("args", args)?).into_owned(),
        (None, None) => "{}".to_owned(),
    };
    let tool = tool.subject().identity.clone().into_string();
    Ok(ToolCall::new(text(record, "callId")?, tool, args))
}

fn check_label(pattern: &Pattern, label: &str) -> Result<(), ReadError> {
    if pattern.subject().has_label(label) {
        return Ok(());
    }
    Err(ReadError::new(format!(
        "the pattern must have the label `{label}`"
    )))
}

fn put_text(record: &mut Record, key: &'static str, text: &str) -> Result<(), ValueError> {
    let value = Value::String(text.to_owned().into());
    record.insert(key, value).map(drop)
}

fn text<'r>(record: &'r Record, key: &str) -> Result<&'r str, ReadError> {
    opt_text(record, key)?.ok_or_else(|| wrong(key, "a text, and is missing"))
}

fn opt_text<'r>(record: &'r Record, key: &str) -> Result<Option<&'r str>, ReadError> {
    match record.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Tagged(tagged)) => Ok(Some(tagged.content())),
        Some(_) => Err(wrong(key, "a text")),
    }
}

fn json(key: &str, value: &Value) -> Result<serde_json::Value, ReadError> {
    json_of(value).map_err(|error| ReadError::new(format!("`{key}`: {error}")))
}

/// That a property is not what it has to be.
fn wrong(key: &str, expected: &str) -> ReadError {
    ReadError::new(format!("`{key}` is {expected}"))
}
