//! Questions of MCP servers to the user.

use super::line_reader::{Line, LineReader};
use super::turn_view::TurnView;
use crate::display::{name, shortened};
use agent_mcp::{InputAnswer, InputForm, InputRequest};
use agent_spec::terminal;
use serde_json::{Map, Value};
use std::io;
use tokio::sync::{mpsc, oneshot};

/// The question whether to answer.
const ANSWER: &str = "   yes or no? ";

/// The maximum number of characters of a text of a server.
const MAX_TEXT: usize = 2000;

/// The maximum number of values that a server may ask for at once.
const MAX_FIELDS: usize = 20;

/// The maximum number of choices that a question names.
const MAX_NAMED: usize = 20;

/// A question of a server that waits for the user.
pub(super) struct ServerQuestion {
    request: InputRequest,
    answer: oneshot::Sender<InputAnswer>,
}

/// The receiver of the questions.
pub(super) type ServerQuestions = mpsc::UnboundedReceiver<ServerQuestion>;

/// The sender of the questions, for the function that answers a server.
#[derive(Clone)]
pub(super) struct ServerQuestionSender(mpsc::UnboundedSender<ServerQuestion>);

/// Creates the two ends of the questions.
pub(super) fn channel() -> (ServerQuestionSender, ServerQuestions) {
    let (sender, questions) = mpsc::unbounded_channel();
    (ServerQuestionSender(sender), questions)
}

impl ServerQuestionSender {
    /// Asks the user, and waits for the answer.
    pub(super) async fn ask(self, request: InputRequest) -> InputAnswer {
        let (answer, answered) = oneshot::channel();
        match self.0.send(ServerQuestion { request, answer }) {
            // Without an answer, the turn was stopped.
            Ok(()) => answered.await.unwrap_or(InputAnswer::Cancel),
            Err(_) => InputAnswer::Cancel,
        }
    }
}

impl ServerQuestion {
    /// Asks the user. Returns `None` if the user stops the turn; the server then gets no answer.
    ///
    /// # Errors
    /// Returns an error if standard input cannot be read.
    pub(super) async fn ask(
        self,
        reader: &mut LineReader,
        view: &mut TurnView,
    ) -> io::Result<Option<()>> {
        view.pause();
        let InputRequest {
            server,
            message,
            form,
            ..
        } = &self.request;
        let message = terminal::line(&view.redactor().text(message), MAX_TEXT);
        view.line(&format!("🔌 the server {} asks: {message}", name(server)));
        let fields = match form {
            InputForm::Fields(schema) => fields_of(schema),
            InputForm::Page(url) => {
                let url = terminal::line(url, MAX_TEXT);
                view.line(&format!("   on a page, which you open yourself: {url}"));
                Vec::new()
            }
            _ => return Ok(self.settle(InputAnswer::Decline)),
        };
        if fields.len() > MAX_FIELDS {
            view.line(&format!(
                "   declined: it asks for {} values, and {MAX_FIELDS} are the most",
                fields.len()
            ));
            return Ok(self.settle(InputAnswer::Decline));
        }
        loop {
            let Line::Text(line) = reader.answer(ANSWER, "").await? else {
                return Ok(None);
            };
            match line.trim().to_ascii_lowercase().as_str() {
                "yes" | "y" => break,
                "no" | "n" => return Ok(self.settle(InputAnswer::Decline)),
                _ => view.line("   answer `yes` or `no`; Ctrl-C stops the turn"),
            }
        }
        let mut values = Map::new();
        for field in fields {
            let Some(value) = field.ask(reader, view).await? else {
                return Ok(None);
            };
            if let Some(value) = value {
                values.insert(field.name, value);
            }
        }
        let values = match &self.request.form {
            InputForm::Page(_) => Value::Null,
            _ => Value::Object(values),
        };
        Ok(self.settle(InputAnswer::Accept(values)))
    }

    fn settle(self, answer: InputAnswer) -> Option<()> {
        // This fails if the call has ended, for example by its timeout.
        let _ = self.answer.send(answer);
        Some(())
    }
}

/// A value that a server asks for.
struct Field {
    name: String,
    /// The texts for the user, which are the server's.
    label: String,
    description: Option<String>,
    kind: Kind,
    default: Option<Value>,
    is_required: bool,
}

enum Kind {
    Text,
    Number,
    Whole,
    YesNo,
    /// One of these.
    Choice(Vec<String>),
    /// Some of these; any texts if there are none.
    Choices(Vec<String>),
}

/// Returns the values of a form.
fn fields_of(schema: &Value) -> Vec<Field> {
    let required = schema["required"].as_array();
    let properties = schema["properties"].as_object();
    let properties = properties.into_iter().flatten();
    let field = |(name, schema): (&String, &Value)| Field {
        name: name.clone(),
        label: schema["title"].as_str().unwrap_or(name).to_owned(),
        description: schema["description"].as_str().map(str::to_owned),
        kind: Kind::of(schema),
        default: schema.get("default").cloned(),
        is_required: required
            .is_some_and(|required| required.contains(&Value::from(name.as_str()))),
    };
    properties.map(field).collect()
}

impl Kind {
    fn of(schema: &Value) -> Self {
        match schema["type"].as_str() {
            Some("boolean") => Self::YesNo,
            Some("integer") => Self::Whole,
            Some("number") => Self::Number,
            Some("array") => Self::Choices(choices(&schema["items"])),
            _ => match choices(schema) {
                choices if choices.is_empty() => Self::Text,
                choices => Self::Choice(choices),
            },
        }
    }

    /// Says what to type.
    fn words(&self) -> String {
        let listed = |choices: &[String]| {
            let named = choices.iter().take(MAX_NAMED);
            let named: Vec<String> = named.map(|choice| shortened(choice)).collect();
            match choices.len().saturating_sub(MAX_NAMED) {
                0 => named.join(", "),
                more => format!("{} and {more} more", named.join(", ")),
            }
        };
        match self {
            Self::Text => "text".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Whole => "a whole number".to_owned(),
            Self::YesNo => "yes or no".to_owned(),
            Self::Choice(choices) => format!("one of {}", listed(choices)),
            Self::Choices(choices) if choices.is_empty() => "texts, with commas".to_owned(),
            Self::Choices(choices) => format!("some of {}, with commas", listed(choices)),
        }
    }

    /// Reads what the user typed. `None` if it does not fit.
    fn read(&self, typed: &str) -> Option<Value> {
        match self {
            Self::Text => Some(typed.into()),
            Self::Number => {
                let number: Value = serde_json::from_str(typed).ok()?;
                number.is_number().then_some(number)
            }
            Self::Whole => typed.parse::<i64>().ok().map(Value::from),
            Self::YesNo => match typed.to_ascii_lowercase().as_str() {
                "yes" | "y" | "true" => Some(true.into()),
                "no" | "n" | "false" => Some(false.into()),
                _ => None,
            },
            Self::Choice(choices) => {
                let is_listed = choices.iter().any(|choice| choice == typed);
                is_listed.then(|| typed.into())
            }
            Self::Choices(choices) => {
                let words = typed.split(',').map(str::trim);
                let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
                let are_listed = choices.is_empty()
                    || words
                        .iter()
                        .all(|word| choices.iter().any(|choice| choice == word));
                are_listed.then(|| words.into())
            }
        }
    }
}

/// Returns the texts that a schema lists, with or without titles.
fn choices(schema: &Value) -> Vec<String> {
    let texts = |list: &Value, text: fn(&Value) -> Option<&str>| {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(text).map(str::to_owned).collect::<Vec<_>>()
    };
    let plain = texts(&schema["enum"], Value::as_str);
    if !plain.is_empty() {
        return plain;
    }
    let titled = |list: &Value| texts(list, |choice| choice["const"].as_str());
    let one_of = titled(&schema["oneOf"]);
    match one_of.is_empty() {
        true => titled(&schema["anyOf"]),
        false => one_of,
    }
}

impl Field {
    /// Asks for the value, which may be left out. `None` if the user stops the turn.
    async fn ask(
        &self,
        reader: &mut LineReader,
        view: &mut TurnView,
    ) -> io::Result<Option<Option<Value>>> {
        if let Some(description) = &self.description {
            view.line(&format!("   {}", terminal::line(description, MAX_TEXT)));
        }
        let mut words = self.kind.words();
        match &self.default {
            Some(default) => {
                words.push_str(&format!("; empty for {}", shortened(&default.to_string())))
            }
            None if !self.is_required => words.push_str("; empty for none"),
            None => {}
        }
        let prompt = format!("   {} ({words}): ", shortened(&self.label));
        loop {
            let Line::Text(line) = reader.answer(&prompt, "").await? else {
                return Ok(None);
            };
            let typed = line.trim();
            if typed.is_empty() {
                if self.default.is_some() || !self.is_required {
                    return Ok(Some(self.default.clone()));
                }
            } else if let Some(value) = self.kind.read(typed) {
                return Ok(Some(Some(value)));
            }
            view.line(&format!(
                "   expected {}; Ctrl-C stops the turn",
                self.kind.words()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_read_as_the_form_wants_them() {
        for (schema, typed, expected) in [
            (json!({"type": "string"}), "Ulm", json!("Ulm")),
            (json!({"type": "integer"}), "7", json!(7)),
            (json!({"type": "integer"}), "7.5", Value::Null),
            (json!({"type": "number"}), "7.5", json!(7.5)),
            (json!({"type": "number"}), "\"7\"", Value::Null),
            (json!({"type": "boolean"}), "Yes", json!(true)),
            (json!({"type": "boolean"}), "maybe", Value::Null),
            (
                json!({"type": "string", "enum": ["a", "b"]}),
                "b",
                json!("b"),
            ),
            (
                json!({"type": "string", "enum": ["a", "b"]}),
                "c",
                Value::Null,
            ),
            (
                json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}),
                "a",
                json!("a"),
            ),
            (
                json!({"type": "array", "items": {"enum": ["a", "b"]}}),
                "b, a",
                json!(["b", "a"]),
            ),
            (
                json!({"type": "array", "items": {"anyOf": [{"const": "a"}]}}),
                "b",
                Value::Null,
            ),
        ] {
            let read = Kind::of(&schema).read(typed);
            assert_eq!(read.unwrap_or_default(), expected, "{schema} {typed}");
        }
    }

    #[test]
    fn few_of_many_choices_are_named() {
        let choices: Vec<String> = (0..100_000).map(|at| format!("c{at}")).collect();
        let words = Kind::Choice(choices).words();
        assert!(words.ends_with("c19 and 99980 more"), "{words}");
    }

    #[test]
    fn a_form_has_its_fields_in_order() {
        let form = json!({
            "properties": {"city": {"type": "string", "title": "City"}, "days": {"type": "integer", "default": 3}},
            "required": ["city"],
        });
        let fields = fields_of(&form);
        let fields: Vec<_> = fields
            .iter()
            .map(|field| {
                (
                    &*field.name,
                    &*field.label,
                    field.is_required,
                    field.default.clone(),
                )
            })
            .collect();
        assert_eq!(
            fields,
            [
                ("city", "City", true, None),
                ("days", "days", false, Some(json!(3)))
            ]
        );
    }
}
