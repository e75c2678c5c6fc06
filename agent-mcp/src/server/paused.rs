//! Calls that stop for a question and continue when the client calls again with the answer, in any process.

use super::seal::{Seals, expiry};
use super::user::Question;
use agent_runtime::media::Sha256;
use agent_runtime::run::{Decision, Run};
use rmcp::model::{InputRequest, InputRequiredResult, InputResponses};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use uuid::Uuid;

/// The beginnings of the two forms of states.
const SEALED: &str = "s.";
const RECORDED: &str = "j.";

/// The call that a state belongs to. A client that sends the state with another call is refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Binding {
    pub(super) tool: String,
    /// The arguments, as JSON.
    pub(super) arguments: String,
    /// The name of the caller, if the check of its token returned one.
    pub(super) caller: Option<String>,
}

impl Binding {
    fn to_bytes(&self) -> Vec<u8> {
        let Self {
            tool,
            arguments,
            caller,
        } = self;
        json!(["agent-mcp 1", tool, arguments, caller])
            .to_string()
            .into_bytes()
    }
}

/// The point at which a call begins or continues.
pub(super) enum Start {
    /// The beginning.
    New,
    /// The decision on the call itself, under the id that it had in the question. Without a decision, the question is
    /// asked again.
    Decided {
        id: String,
        decision: Option<Decision>,
    },
    /// A run that was saved, with the decisions on its calls.
    Saved {
        run: Value,
        decisions: BTreeMap<String, Decision>,
    },
    /// A run of the journal that waits for decisions with a key.
    Recorded {
        run: String,
        key: String,
        decisions: BTreeMap<String, Decision>,
    },
}

impl Start {
    /// Reads the state that a client sends back, and its answers. Returns `None` if the state is not of this
    /// call, or was used or has expired. Reading the journal later shows whether a run in it still waits.
    pub(super) fn read(
        state: &str,
        answers: Option<InputResponses>,
        binding: &Binding,
        seals: &Seals,
    ) -> Option<Self> {
        let mut decisions = decisions(answers);
        if let Some(handle) = state.strip_prefix(RECORDED) {
            let mut parts = handle.rsplitn(3, '.');
            let expiry = parts.next()?;
            if !expiry.is_empty() && seals.is_over(expiry.parse().ok()?) {
                return None;
            }
            return Some(Self::Recorded {
                run: parts.nth(1)?.to_owned(),
                key: key(state, binding),
                decisions,
            });
        }
        let sealed = state.strip_prefix(SEALED)?;
        let mut state = seals.open(sealed, &binding.to_bytes())?;
        if let Some(id) = state["call"].as_str() {
            return Some(Self::Decided {
                decision: decisions.remove(id),
                id: id.to_owned(),
            });
        }
        Some(Self::Saved {
            run: state["run"].take(),
            decisions,
        })
    }
}

/// Seals the question about a call itself.
pub(super) fn of_call(id: &str, binding: &Binding, seals: &Seals) -> Option<String> {
    seal(&json!({ "call": id }), binding, seals)
}

/// Seals a paused run. Returns `None` if it is too long for a message.
pub(super) fn of_run(run: &Run, binding: &Binding, seals: &Seals) -> Option<String> {
    seal(&json!({ "run": run.to_json() }), binding, seals)
}

fn seal(state: &Value, binding: &Binding, seals: &Seals) -> Option<String> {
    let sealed = seals.seal(state, &binding.to_bytes())?;
    Some(format!("{SEALED}{sealed}"))
}

/// The state of a run that the journal has when it is paused, and the key that the journal keeps.
pub(super) struct Handle {
    pub(super) state: String,
    pub(super) key: String,
}

impl Handle {
    /// Creates a handle of a run that nobody can guess. It is valid for a time, if there is one.
    pub(super) fn new(run: &str, binding: &Binding, time_to_live: Option<Duration>) -> Self {
        // From the operating system's random numbers, because anybody who has the handle can approve the
        // calls of the run.
        let random = Uuid::new_v4().simple();
        let expiry = time_to_live.map(expiry).map(|expiry| expiry.to_string());
        let state = format!("{RECORDED}{run}.{random}.{}", expiry.unwrap_or_default());
        let key = key(&state, binding);
        Self { state, key }
    }
}

/// Returns the key that the journal keeps. It is a digest, so that a reader of the journal does not learn the
/// handle, and so that the handle is valid for this call alone.
fn key(state: &str, binding: &Binding) -> String {
    let bytes = [state.as_bytes(), b" ", &binding.to_bytes()].concat();
    Sha256::of(&bytes).to_string()
}

/// Returns the result that requires input.
pub(super) fn required(questions: &[Question], state: String) -> InputRequiredResult {
    let requests = questions.iter().map(|question| {
        let request = InputRequest::Elicitation(question.request());
        (question.key.clone(), request)
    });
    InputRequiredResult::new(Some(requests.collect()), Some(state))
}

/// Reads the answers to questions about calls. Other answers, and answers that cannot be read, are left out.
fn decisions(answers: Option<InputResponses>) -> BTreeMap<String, Decision> {
    let answers = answers.unwrap_or_default().into_iter();
    let decisions = answers.filter_map(|(key, answer)| {
        let id = Question::id_of_call(&key)?.to_owned();
        let answer = serde_json::from_value(answer).ok()?;
        let answer = Question::about_call(&id, String::new()).read(answer)?;
        Some((id, answer.decision()))
    });
    decisions.collect()
}
