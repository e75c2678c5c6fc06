//! Questions of MCP servers to the user.

use super::line_reader::{Line, LineReader};
use super::turn_view::TurnView;
use crate::display::{name, shortened};
use agent_mcp::{InputAnswer, InputForm, InputRequest};
use agent_spec::{Type, terminal};
use serde_json::{Map, Value};
use std::io;
use tokio::sync::{mpsc, oneshot};

/// The question whether to answer.
const ANSWER: &str = "   yes or no? ";

/// The maximum number of characters of a text of a server, because an MCP server can send megabytes, which would hide
/// the question.
const MAX_TEXT: usize = 2000;

/// The maximum number of values that a server may ask for at once, because a hostile MCP server could ask for thousands
/// and occupy the chat.
const MAX_FIELDS: usize = 20;

/// The maximum number of choices that a question names, because an MCP server can give thousands.
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
    /// The label and the description are the server's texts for the user.
    label: String,
    description: Option<String>,
    kind: Kind,
    /// The type with all limits of the form, as far as it can be read.
    ty: Option<Type>,
    default: Option<Value>,
    is_required: bool,
}

enum Kind {
    /// A text, and its limits in words.
    Text(String),
    Number(String),
    Whole(String),
    YesNo,
    /// One of these choices.
    Choice(Vec<Choice>),
    /// Some of these choices, and the limits of their number in words. Without choices, any texts are
    /// accepted.
    Choices(Vec<Choice>, String),
}

/// A value that the user can choose.
struct Choice {
    value: String,
    title: Option<String>,
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
        ty: Type::from_schema(schema).ok(),
        default: schema.get("default").cloned(),
        is_required: required
            .is_some_and(|required| required.contains(&Value::from(name.as_str()))),
    };
    properties.map(field).collect()
}

impl Kind {
    fn of(schema: &Value) -> Self {
        let range = || limits(schema, "minimum", "maximum", "");
        match schema["type"].as_str() {
            Some("boolean") => Self::YesNo,
            Some("integer") => Self::Whole(range()),
            Some("number") => Self::Number(range()),
            Some("array") => Self::Choices(
                choices(&schema["items"]),
                limits(schema, "minItems", "maxItems", ""),
            ),
            _ => match choices(schema) {
                choices if choices.is_empty() => {
                    let mut words = limits(schema, "minLength", "maxLength", " characters");
                    if let Some(format) = schema["format"].as_str() {
                        words.push_str(&format!(", in the format {}", shortened(format)));
                    }
                    Self::Text(words)
                }
                choices => Self::Choice(choices),
            },
        }
    }

    /// Describes the accepted input in words.
    fn words(&self) -> String {
        let listed = |choices: &[Choice]| {
            let named = choices.iter().take(MAX_NAMED);
            let named: Vec<String> = named.map(Choice::words).collect();
            match choices.len().saturating_sub(MAX_NAMED) {
                0 => named.join(", "),
                more => format!("{} and {more} more", named.join(", ")),
            }
        };
        match self {
            Self::Text(limits) => format!("text{limits}"),
            Self::Number(limits) => format!("a number{limits}"),
            Self::Whole(limits) => format!("a whole number{limits}"),
            Self::YesNo => "yes or no".to_owned(),
            Self::Choice(choices) => format!("one of {}", listed(choices)),
            Self::Choices(choices, limits) if choices.is_empty() => {
                format!("texts, with commas{limits}")
            }
            Self::Choices(choices, limits) => {
                format!("some of {}, with commas{limits}", listed(choices))
            }
        }
    }

    /// Parses the typed text. `None` if the text is of another kind.
    fn read(&self, typed: &str) -> Option<Value> {
        match self {
            Self::Text(_) => Some(typed.into()),
            Self::Number(_) => {
                let number: Value = serde_json::from_str(typed).ok()?;
                number.is_number().then_some(number)
            }
            Self::Whole(_) => typed.parse::<i64>().ok().map(Value::from),
            Self::YesNo => match typed.to_ascii_lowercase().as_str() {
                "yes" | "y" | "true" => Some(true.into()),
                "no" | "n" | "false" => Some(false.into()),
                _ => None,
            },
            Self::Choice(choices) => chosen(choices, typed),
            Self::Choices(choices, _) => {
                let words = typed.split(',').map(str::trim);
                let mut words = words.filter(|word| !word.is_empty());
                match choices.is_empty() {
                    true => Some(words.collect()),
                    false => words.try_fold(Value::Array(Vec::new()), |mut all, word| {
                        all.as_array_mut()?.push(chosen(choices, word)?);
                        Some(all)
                    }),
                }
            }
        }
    }
}

impl Choice {
    fn words(&self) -> String {
        let value = shortened(&self.value);
        match &self.title {
            Some(title) if *title != self.value => format!("{value} ({})", shortened(title)),
            _ => value,
        }
    }
}

/// Returns the value that the user typed, or whose title the user typed.
fn chosen(choices: &[Choice], typed: &str) -> Option<Value> {
    let by_value = choices.iter().find(|choice| choice.value == typed);
    let by_title = || {
        let mut choices = choices.iter();
        choices.find(|choice| choice.title.as_deref() == Some(typed))
    };
    Some(by_value.or_else(by_title)?.value.as_str().into())
}

/// Returns the limits of a number, or of a length, in words.
fn limits(schema: &Value, least: &str, most: &str, unit: &str) -> String {
    let number = |name: &str| schema[name].as_number().map(ToString::to_string);
    match (number(least), number(most)) {
        (Some(least), Some(most)) => format!(", {least} to {most}{unit}"),
        (Some(least), None) => format!(", at least {least}{unit}"),
        (None, Some(most)) => format!(", at most {most}{unit}"),
        (None, None) => String::new(),
    }
}

/// Returns the values that a schema lists, with or without titles.
fn choices(schema: &Value) -> Vec<Choice> {
    let items = |name: &str| schema[name].as_array().map_or(&[][..], Vec::as_slice);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let titles = items("enumNames").iter().map(text);
    let titles = titles.chain(std::iter::repeat(None));
    let plain = items("enum")
        .iter()
        .zip(titles)
        .filter_map(|(value, title)| {
            let value = text(value)?;
            Some(Choice { value, title })
        });
    let plain: Vec<Choice> = plain.collect();
    if !plain.is_empty() {
        return plain;
    }
    let titled = items("oneOf").iter().chain(items("anyOf"));
    let titled = titled.filter_map(|choice| {
        let (value, title) = (text(&choice["const"])?, text(&choice["title"]));
        Some(Choice { value, title })
    });
    titled.collect()
}

impl Field {
    /// Parses the typed text and validates the value.
    ///
    /// # Errors
    /// The value that the form expects, in words.
    fn read(&self, typed: &str) -> Result<Value, String> {
        let value = self.kind.read(typed).ok_or_else(|| self.kind.words())?;
        match self.ty.as_ref().map(|ty| ty.validate(&value)) {
            Some(Err(found)) => Err(found.first().expected().to_owned()),
            _ => Ok(value),
        }
    }

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
            let is_optional = self.default.is_some() || !self.is_required;
            let expected = match typed.is_empty() {
                true if is_optional => return Ok(Some(self.default.clone())),
                true => self.kind.words(),
                false => match self.read(typed) {
                    Ok(value) => return Ok(Some(Some(value))),
                    Err(expected) => terminal::line(&expected, MAX_TEXT),
                },
            };
            view.line(&format!("   expected {expected}; Ctrl-C stops the turn"));
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
            let fields = fields_of(&json!({"properties": {"a": schema}}));
            let read = fields[0].read(typed);
            assert_eq!(read.unwrap_or_default(), expected, "{schema} {typed}");
        }
    }

    #[test]
    fn limits_of_the_form_are_shown_and_checked() {
        let titled =
            json!([{"const": "ulm", "title": "Ulm, Germany"}, {"const": "rom", "title": "Rome"}]);
        for (schema, words, right, wrong, problem) in [
            (
                json!({"type": "string", "minLength": 3}),
                "text, at least 3 characters",
                "Ulm",
                "Ul",
                "at least 3",
            ),
            (
                json!({"type": "string", "minLength": 2, "maxLength": 4}),
                "text, 2 to 4 characters",
                "äöüß",
                "Genoa",
                "at most 4",
            ),
            (
                json!({"type": "string", "format": "date"}),
                "text, in the format date",
                "2026-11-26",
                "today",
                "date",
            ),
            (
                json!({"type": "integer", "minimum": 1, "maximum": 10}),
                "a whole number, 1 to 10",
                "10",
                "11",
                "10",
            ),
            (
                json!({"type": "number", "maximum": 0.5}),
                "a number, at most 0.5",
                "0.5",
                "0.75",
                "0.5",
            ),
            (
                json!({"type": "string", "oneOf": titled}),
                "one of ulm (Ulm, Germany), rom (Rome)",
                "rom",
                "Bonn",
                "one of ulm",
            ),
            (
                json!({"type": "string", "enum": ["u", "r"], "enumNames": ["Ulm", "Rome"]}),
                "one of u (Ulm), r (Rome)",
                "u",
                "x",
                "one of u",
            ),
            (
                json!({"type": "array", "minItems": 2, "items": {"anyOf": titled}}),
                "some of ulm (Ulm, Germany), rom (Rome), with commas, at least 2",
                "ulm, rom",
                "rom",
                "2",
            ),
        ] {
            let fields = fields_of(&json!({"properties": {"a": schema}}));
            assert_eq!(fields[0].kind.words(), words);
            assert!(fields[0].read(right).is_ok(), "{schema}");
            let expected = fields[0].read(wrong).expect_err(wrong);
            assert!(expected.contains(problem), "{schema}: {expected}");
        }
        let form = json!({"properties": {"a": {"type": "string", "oneOf": titled}}});
        assert_eq!(fields_of(&form)[0].read("Rome"), Ok(json!("rom")));
    }

    #[test]
    fn few_of_many_choices_are_named() {
        let choices: Vec<String> = (0..100_000).map(|at| format!("c{at}")).collect();
        let words = Kind::of(&json!({"enum": choices})).words();
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
