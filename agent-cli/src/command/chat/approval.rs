//! Questions to the user about calls that require approval.

use super::line_reader::{Line, LineReader};
use super::turn_view::TurnView;
use crate::display::{APPROVAL, guarded_line, name, shortened};
use agent_runtime::approval::{Approver, DecisionFuture};
use agent_runtime::redact::Redactor;
use agent_runtime::run::{Decision, PendingCall};
use agent_spec::terminal;
use serde_json::{Map, Value};
use std::io;
use tokio::sync::{mpsc, oneshot};

const EDIT: &str = "   arguments: ";

/// The reason that the model gets for a call without a decision, so that the model does not read the missing
/// decision as a refusal.
const STOPPED: &str = "the turn was stopped before anybody decided";

/// The maximum number of characters of the reason why edited arguments were refused, because the reason can quote
/// megabytes of arguments that a model wrote.
const MAX_REFUSAL: usize = 1000;

/// A call that waits for the user's decision.
pub(super) struct Question {
    call: PendingCall,
    decision: oneshot::Sender<Decision>,
}

/// An approver that sends a question for each call.
pub(super) struct QuestionSender(mpsc::UnboundedSender<Question>);

/// The receiver of the questions.
pub(super) type Questions = mpsc::UnboundedReceiver<Question>;

/// Creates an approver and the receiver of its questions.
pub(super) fn channel() -> (QuestionSender, Questions) {
    let (sender, questions) = mpsc::unbounded_channel();
    (QuestionSender(sender), questions)
}

impl Approver for QuestionSender {
    fn decide<'a>(&'a self, call: &'a PendingCall) -> DecisionFuture<'a> {
        let (decision, received) = oneshot::channel();
        let call = call.clone();
        let sent = self.0.send(Question { call, decision });
        Box::pin(async move {
            let undecided = Decision::Deny {
                reason: Some(STOPPED.to_owned()),
            };
            match sent {
                Ok(()) => received.await.unwrap_or(undecided),
                Err(_) => undecided,
            }
        })
    }
}

/// The last edit of a call's arguments. If the tool rejects them, the next edit begins with them.
#[derive(Default)]
pub(super) struct LastEdit(Option<(String, String)>);

impl LastEdit {
    /// Returns the edited arguments, if this call is the rejected edit.
    fn of(&self, call: &PendingCall) -> Option<String> {
        // Another turn can use the same id.
        call.refused_edit.as_ref()?;
        let (id, text) = self.0.as_ref()?;
        (*id == call.id).then(|| text.clone())
    }
}

impl Question {
    /// Returns the call.
    pub(super) fn call(&self) -> &PendingCall {
        &self.call
    }

    /// Asks the user. Returns `None` if the user stops the turn; the call is then denied.
    ///
    /// # Errors
    /// Returns an error if standard input cannot be read.
    pub(super) async fn ask(
        self,
        reader: &mut LineReader,
        view: &mut TurnView,
        last_edit: &mut LastEdit,
    ) -> io::Result<Option<()>> {
        view.pause();
        // The arguments are not shortened, because the user must see all that is approved.
        let arguments = self.arguments(view);
        match &self.call.refused_edit {
            None => {
                let (tool, id) = self.tool();
                view.line(&format!("🛠️ {tool} {arguments} needs your approval{id}"));
                if let Some(guarded) = &self.call.guarded {
                    view.line(&format!("   {}", guarded_line(guarded)));
                }
            }
            Some(refused) => view.line(&format!("   {}", terminal::line(refused, MAX_REFUSAL))),
        }
        let mut edited = last_edit.of(&self.call).unwrap_or(arguments);
        let decision = loop {
            let Line::Text(line) = reader.answer(APPROVAL, "").await? else {
                return Ok(None);
            };
            match parse_answer(&line) {
                Some(Answer::Decided(decision)) => break decision,
                Some(Answer::Edit) => {
                    if let Some(decision) = self.edit(reader, view, &mut edited).await? {
                        break decision;
                    }
                }
                None => view.line(
                    "   answer `yes`, `no`, `no` and a reason for the model, or `edit`; Ctrl-C \
                     stops the turn",
                ),
            }
        };
        last_edit.0 = Some((self.call.id, edited));
        // This fails if the run has ended, for example at a limit.
        let _ = self.decision.send(decision);
        Ok(Some(()))
    }

    /// Returns the tool as the question names it, and a suffix with the id of the call. A tool of an agent
    /// that was called is named by its path, and by the id because two calls of one agent have the same path.
    fn tool(&self) -> (String, String) {
        let PendingCall { tool, path, id, .. } = &self.call;
        // The path of a tool of the first agent has the names of the agent and of the tool.
        match path.matches('/').count() {
            0 | 1 => (name(tool), String::new()),
            _ => (shortened(path), format!(" ({})", shortened(id))),
        }
    }

    /// Returns the arguments in redacted form, for printing and editing.
    fn arguments(&self, view: &TurnView) -> String {
        let args = self.call.args();
        let redacted = view.redactor().value(&args);
        if redacted == args {
            // The text itself is shown, because a tree of values changes the digits of numbers.
            // A line end of JSON is a blank. Text that is not JSON must stay on one line, too.
            return terminal::json(&self.call.arguments.replace(['\n', '\r', '\t'], " "));
        }
        terminal::json(&redacted.to_string())
    }

    /// Lets the user edit the arguments, beginning with `text`, which is set to the last edit. Returns
    /// `None` if the user goes back to the question.
    async fn edit(
        &self,
        reader: &mut LineReader,
        view: &mut TurnView,
        text: &mut String,
    ) -> io::Result<Option<Decision>> {
        loop {
            let Line::Text(line) = reader.answer(EDIT, text).await? else {
                return Ok(None);
            };
            if line.trim().is_empty() {
                return Ok(None);
            }
            // An answer is also accepted after the initial text.
            let typed = line.strip_prefix(text.as_str()).unwrap_or(&line);
            if let Some(Answer::Decided(denied @ Decision::Deny { .. })) = parse_answer(typed) {
                return Ok(Some(denied));
            }
            let problem = match serde_json::from_str(&line) {
                Ok(args @ Value::Object(_)) => {
                    match restore_keys(args, &self.call.args(), view.redactor()) {
                        Ok(args) => {
                            *text = line;
                            return Ok(Some(Decision::Edit { args }));
                        }
                        Err(Misplaced) => {
                            "`[key]` stands for a key that is not shown, and can only stay where \
                             it was"
                                .to_owned()
                        }
                    }
                }
                Ok(_) => "write an object, such as {\"name\": \"Ada\"}".to_owned(),
                Err(error) => format!("this is not JSON: {error}"),
            };
            view.line(&format!(
                "   {problem}; an empty line goes back to the question"
            ));
            *text = line;
        }
    }
}

/// The error of `[key]` in a place that had no key.
#[derive(Debug, PartialEq, Eq)]
struct Misplaced;

/// Restores the keys of a call's arguments in arguments that were edited in redacted form.
///
/// # Errors
/// Returns an error if `[key]` is in a place that had no key, because the key is unknown.
fn restore_keys(edited: Value, args: &Value, redactor: &Redactor) -> Result<Value, Misplaced> {
    if redactor.value(args) == *args {
        return Ok(edited);
    }
    restore_value(edited, Some(args), redactor)
}

/// Restores the keys in a part of edited arguments. `original` is the same part before the edit.
fn restore_value(
    edited: Value,
    original: Option<&Value>,
    redactor: &Redactor,
) -> Result<Value, Misplaced> {
    match edited {
        Value::String(text) => match original {
            // A number that holds a key is redacted to a string.
            Some(original @ Value::Number(_)) if redactor.value(original) == text => {
                Ok(original.clone())
            }
            _ => restore_text(text, original.and_then(Value::as_str), redactor).map(Value::String),
        },
        Value::Array(items) => {
            let at = |at: usize| original.and_then(|original| original.get(at));
            let items = items.into_iter().enumerate();
            items
                .map(|(index, item)| restore_value(item, at(index), redactor))
                .collect()
        }
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let original = member(original, &name, redactor);
                let value = restore_value(value, original.map(|(_, value)| value), redactor)?;
                Ok((
                    restore_text(name, original.map(|(name, _)| name), redactor)?,
                    value,
                ))
            });
            Ok(Value::Object(members.collect::<Result<Map<_, _>, _>>()?))
        }
        other => Ok(other),
    }
}

/// Returns the member with this redacted name.
fn member<'a>(
    original: Option<&'a Value>,
    name: &str,
    redactor: &Redactor,
) -> Option<(&'a str, &'a Value)> {
    let mut members = original?.as_object()?.iter();
    let found = members.find(|(original, _)| redactor.text(original) == name);
    found.map(|(name, value)| (name.as_str(), value))
}

/// Restores the keys in a text or in the name of a member.
fn restore_text(
    edited: String,
    original: Option<&str>,
    redactor: &Redactor,
) -> Result<String, Misplaced> {
    const MASK: &str = Redactor::MASK;
    if !edited.contains(MASK) {
        return Ok(edited);
    }
    let original = original.ok_or(Misplaced)?;
    let redacted = redactor.text(original);
    if redacted == edited {
        return Ok(original.to_owned());
    }
    if redacted == original && original.contains(MASK) {
        return Ok(edited);
    }
    // A single key is restored even if the text around it was edited.
    let key = match redacted.split_once(MASK) {
        Some((before, after)) if !after.contains(MASK) => {
            original.get(before.len()..original.len().saturating_sub(after.len()))
        }
        _ => None,
    };
    match key {
        Some(key) if edited.matches(MASK).count() == 1 => Ok(edited.replace(MASK, key)),
        _ => Err(Misplaced),
    }
}

/// An answer to a question.
enum Answer {
    /// `yes` or `no`.
    Decided(Decision),
    /// `edit`.
    Edit,
}

/// Parses an answer. `None` if it is neither `yes`, `no` nor `edit`.
fn parse_answer(line: &str) -> Option<Answer> {
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
    fn parses_answers() {
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
            let decision = match parse_answer(line) {
                Some(Answer::Decided(decision)) => Some(decision),
                _ => None,
            };
            assert_eq!(decision, expected, "{line}");
        }
        assert!(matches!(parse_answer("edit"), Some(Answer::Edit)));
    }
}
