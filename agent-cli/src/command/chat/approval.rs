//! Asking whether a call may be made.

use super::line_reader::{Line, Lines};
use super::turn_view::Display;
use agent_lsp::terminal::{sanitize, sanitize_json};
use agent_runtime::approval::{Approver, DecisionFuture};
use agent_runtime::redact::Redactor;
use agent_runtime::run::{Decision, PendingCall};
use serde_json::{Map, Value};
use std::io;
use tokio::sync::{mpsc, oneshot};

const PROMPT: &str = "   yes, no, no REASON or edit? ";
const EDIT: &str = "   arguments: ";

/// What the model is told of a call that nobody decided on: it must not take that for a refusal.
const STOPPED: &str = "the turn was stopped before anybody decided";

/// A call that somebody must decide on.
pub(super) struct Question {
    call: PendingCall,
    decision: oneshot::Sender<Decision>,
}

/// Puts calls to whoever reads the other end.
pub(super) struct Asker(mpsc::UnboundedSender<Question>);

/// Calls that somebody must decide on, one after another.
pub(super) type Questions = mpsc::UnboundedReceiver<Question>;

/// An approver, and the questions that it puts.
pub(super) fn asker() -> (Asker, Questions) {
    let (questions, asked) = mpsc::unbounded_channel();
    (Asker(questions), asked)
}

impl Approver for Asker {
    fn decide<'a>(&'a self, call: &'a PendingCall) -> DecisionFuture<'a> {
        let (decision, decided) = oneshot::channel();
        let call = call.clone();
        let asked = self.0.send(Question { call, decision });
        Box::pin(async move {
            let nobody = Decision::Deny {
                reason: Some(STOPPED.to_owned()),
            };
            match asked {
                Ok(()) => decided.await.unwrap_or(nobody),
                Err(_) => nobody,
            }
        })
    }
}

/// What a call was last edited into, to begin with when the tool does not take it.
#[derive(Default)]
pub(super) struct LastEdit(Option<(String, String)>);

impl LastEdit {
    fn of(&self, call: &PendingCall) -> Option<String> {
        // Ids may come again in another turn.
        call.refused_edit.as_ref()?;
        let (id, text) = self.0.as_ref()?;
        (*id == call.id).then(|| text.clone())
    }
}

impl Question {
    /// The call that is asked about.
    pub(super) fn call(&self) -> &PendingCall {
        &self.call
    }

    /// Asks. Gives nothing when whoever is asked wants the turn to be stopped; the call is denied
    /// then.
    ///
    /// # Errors
    /// When standard input cannot be read.
    pub(super) async fn ask(
        self,
        lines: &mut Lines,
        display: &mut Display,
        last_edit: &mut LastEdit,
    ) -> io::Result<Option<()>> {
        display.pause();
        // In full: what is not seen cannot be approved.
        let arguments = self.arguments(display);
        let tool = &self.call.tool;
        match &self.call.refused_edit {
            None => display.line(&format!("🛠️ {tool} {arguments} needs your approval")),
            Some(refused) => display.line(&format!("   {}", sanitize(refused))),
        }
        let mut first = last_edit.of(&self.call).unwrap_or(arguments);
        let decision = loop {
            let Line::Text(line) = lines.answer(PROMPT, "").await? else {
                return Ok(None);
            };
            match read(&line) {
                Some(Answer::Decided(decision)) => break decision,
                Some(Answer::Edit) => {
                    if let Some(decision) = self.edit(lines, display, &mut first).await? {
                        break decision;
                    }
                }
                None => display.line(
                    "   answer `yes`, `no`, `no` and a reason for the model, or `edit`; Ctrl-C \
                     stops the turn",
                ),
            }
        };
        last_edit.0 = Some((self.call.id, first));
        // The run may be over, by a limit of its own.
        let _ = self.decision.send(decision);
        Ok(Some(()))
    }

    /// The arguments, as they are shown and edited.
    fn arguments(&self, display: &Display) -> String {
        let args = self.call.args();
        let shown = display.redactor().value(&args);
        if shown == args {
            // The very text, which says more about numbers than a tree.
            return sanitize_json(&self.call.arguments);
        }
        sanitize_json(&shown.to_string())
    }

    /// Has the arguments edited, beginning with this text, which becomes what was edited last. Gives
    /// nothing when whoever edits goes back to the question.
    async fn edit(
        &self,
        lines: &mut Lines,
        display: &mut Display,
        text: &mut String,
    ) -> io::Result<Option<Decision>> {
        loop {
            let Line::Text(line) = lines.answer(EDIT, text).await? else {
                return Ok(None);
            };
            if line.trim().is_empty() {
                return Ok(None);
            }
            // Typed behind what stood there, too.
            let behind = line.strip_prefix(text.as_str()).unwrap_or(&line);
            if let Some(Answer::Decided(denied @ Decision::Deny { .. })) = read(behind) {
                return Ok(Some(denied));
            }
            let wrong = match serde_json::from_str(&line) {
                Ok(args @ Value::Object(_)) => {
                    match with_keys(args, &self.call.args(), display.redactor()) {
                        Ok(args) => {
                            *text = line;
                            return Ok(Some(Decision::Edit { args }));
                        }
                        Err(Misplaced) => {
                            "`[key]` stands for a key that is not shown, and can only stay where \
                             it stood"
                                .to_owned()
                        }
                    }
                }
                Ok(_) => "arguments are an object, such as {\"name\": \"Ada\"}".to_owned(),
                Err(error) => format!("this is not JSON: {error}"),
            };
            display.line(&format!("   {wrong}; an empty line leads back"));
            *text = line;
        }
    }
}

/// `[key]` stands where no key was.
#[derive(Debug, PartialEq, Eq)]
struct Misplaced;

/// Puts the keys of a call's arguments back into arguments that were edited in their redacted form.
///
/// # Errors
/// When `[key]` stands where no key was: which key it means is unknown.
fn with_keys(edited: Value, args: &Value, redactor: &Redactor) -> Result<Value, Misplaced> {
    if redactor.value(args) == *args {
        return Ok(edited);
    }
    put_back(edited, Some(args), redactor)
}

/// Puts keys back into a part of edited arguments; `was` is that part of the arguments before.
fn put_back(edited: Value, was: Option<&Value>, redactor: &Redactor) -> Result<Value, Misplaced> {
    match edited {
        Value::String(text) => match was {
            // A number that holds a key is redacted to a string.
            Some(was @ Value::Number(_)) if redactor.value(was) == text => Ok(was.clone()),
            _ => put_back_text(text, was.and_then(Value::as_str), redactor).map(Value::String),
        },
        Value::Array(items) => {
            let at = |at: usize| was.and_then(|was| was.get(at));
            let items = items.into_iter().enumerate();
            items
                .map(|(index, item)| put_back(item, at(index), redactor))
                .collect()
        }
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let was = member(was, &name, redactor);
                let value = put_back(value, was.map(|(_, value)| value), redactor)?;
                Ok((
                    put_back_text(name, was.map(|(name, _)| name), redactor)?,
                    value,
                ))
            });
            Ok(Value::Object(members.collect::<Result<Map<_, _>, _>>()?))
        }
        other => Ok(other),
    }
}

/// Returns the member whose redacted name this is.
fn member<'a>(
    was: Option<&'a Value>,
    name: &str,
    redactor: &Redactor,
) -> Option<(&'a str, &'a Value)> {
    let mut members = was?.as_object()?.iter();
    let found = members.find(|(was, _)| redactor.text(was) == name);
    found.map(|(name, value)| (name.as_str(), value))
}

fn put_back_text(
    edited: String,
    was: Option<&str>,
    redactor: &Redactor,
) -> Result<String, Misplaced> {
    const MASK: &str = Redactor::MASK;
    if !edited.contains(MASK) {
        return Ok(edited);
    }
    let was = was.ok_or(Misplaced)?;
    let redacted = redactor.text(was);
    if redacted == edited {
        return Ok(was.to_owned());
    }
    if redacted == was && was.contains(MASK) {
        return Ok(edited);
    }
    // A single key is put back even if the words around it were edited.
    let key = match redacted.split_once(MASK) {
        Some((before, after)) if !after.contains(MASK) => {
            was.get(before.len()..was.len().saturating_sub(after.len()))
        }
        _ => None,
    };
    match key {
        Some(key) if edited.matches(MASK).count() == 1 => Ok(edited.replace(MASK, key)),
        _ => Err(Misplaced),
    }
}

enum Answer {
    Decided(Decision),
    Edit,
}

fn read(line: &str) -> Option<Answer> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let word = word.trim_end_matches([',', ':', ';', '.']);
    let decision = match (word.to_ascii_lowercase().as_str(), rest.trim()) {
        ("yes" | "y", "") => Decision::Approve,
        ("no" | "n", "") => Decision::Deny { reason: None },
        ("no" | "n", reason) => Decision::Deny {
            reason: Some(reason.to_owned()),
        },
        ("edit" | "e", "") => return Some(Answer::Edit),
        _ => return None,
    };
    Some(Answer::Decided(decision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let deny = |reason: Option<&str>| {
            let reason = reason.map(str::to_owned);
            Some(Decision::Deny { reason })
        };
        for (line, expected) in [
            ("yes", Some(Decision::Approve)),
            (" Y ", Some(Decision::Approve)),
            ("no", deny(None)),
            ("no, that is Bob", deny(Some("that is Bob"))),
            ("n not now", deny(Some("not now"))),
            ("yes but later", None),
            ("", None),
            ("nobody", None),
        ] {
            let decision = match read(line) {
                Some(Answer::Decided(decision)) => Some(decision),
                _ => None,
            };
            assert_eq!(decision, expected, "{line}");
        }
        assert!(matches!(read("edit"), Some(Answer::Edit)));
    }
}
