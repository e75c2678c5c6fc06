//! Asking whether a call may be made.

use super::display::Display;
use super::lines::{Line, Lines};
use crate::shown::{harmless, harmless_json};
use agent_runtime::{Approver, Decision, DecisionFuture, PendingCall};
use serde_json::Value;
use std::io;
use tokio::sync::{mpsc, oneshot};

const PROMPT: &str = "   yes, no, no REASON or edit? ";
const EDIT: &str = "   arguments: ";

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
            let nobody = Decision::Deny { reason: None };
            match asked {
                Ok(()) => decided.await.unwrap_or(nobody),
                Err(_) => nobody,
            }
        })
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
    ) -> io::Result<Option<()>> {
        display.pause();
        // In full: what is not seen cannot be approved.
        let arguments = harmless_json(&self.call.arguments);
        let tool = &self.call.tool;
        match &self.call.refused_edit {
            None => display.line(&format!("🛠️ {tool} {arguments} needs your approval")),
            Some(refused) => display.line(&format!("   {}", harmless(refused))),
        }
        let decision = loop {
            let Line::Text(line) = lines.answer(PROMPT, "").await? else {
                return Ok(None);
            };
            match read(&line) {
                Some(Answer::Decided(decision)) => break decision,
                Some(Answer::Edit) => {
                    if let Some(args) = edit(lines, display, &arguments).await? {
                        break Decision::Edit { args };
                    }
                }
                None => display.line(
                    "   answer `yes`, `no`, `no` and a reason for the model, or `edit`; Ctrl-C \
                     stops the turn",
                ),
            }
        };
        // The run may be over, by a limit of its own.
        let _ = self.decision.send(decision);
        Ok(Some(()))
    }
}

/// Other arguments; nothing when there shall be none.
async fn edit(
    lines: &mut Lines,
    display: &mut Display,
    arguments: &str,
) -> io::Result<Option<Value>> {
    let mut text = arguments.to_owned();
    loop {
        let line = lines.answer(EDIT, &text).await?;
        let Line::Text(line) = line else {
            return Ok(None);
        };
        if line.trim().is_empty() {
            return Ok(None);
        }
        match serde_json::from_str(&line) {
            Ok(args @ Value::Object(_)) => return Ok(Some(args)),
            Ok(_) => display.line("   arguments are an object, such as {\"name\": \"Ada\"}"),
            Err(error) => display.line(&format!("   this is not JSON: {error}")),
        }
        text = line;
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
