//! The object of the engine that an agent is: a conversation for each key.

use crate::session::{Served, Session};
use crate::step::{Outcome, Snapshot, Step, WaitingCall, kind_of};
use agent_runtime::conversation::ConversationName;
use agent_runtime::run::Decision;
use agent_runtime::runtime::Input;
use agent_runtime::{Conversation, Error, Message};
use restate_sdk::discovery::ServiceName;
use restate_sdk::endpoint::{self, ContextInternal};
use restate_sdk::prelude::*;
use restate_sdk::service::{Discoverable, Service, macro_support};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// The conversation: a list of messages.
const CONVERSATION: &str = "conversation";

/// The message that is under way: see [`UnderWay`].
const UNDER_WAY: &str = "underWay";

/// The events of the last steps, for those who poll, in a ring: the SDK needs the keys at compile time.
const PROGRESS: [&str; 32] = [
    "progress-00",
    "progress-01",
    "progress-02",
    "progress-03",
    "progress-04",
    "progress-05",
    "progress-06",
    "progress-07",
    "progress-08",
    "progress-09",
    "progress-10",
    "progress-11",
    "progress-12",
    "progress-13",
    "progress-14",
    "progress-15",
    "progress-16",
    "progress-17",
    "progress-18",
    "progress-19",
    "progress-20",
    "progress-21",
    "progress-22",
    "progress-23",
    "progress-24",
    "progress-25",
    "progress-26",
    "progress-27",
    "progress-28",
    "progress-29",
    "progress-30",
    "progress-31",
];

/// The number of steps with events so far.
const STEPS: &str = "steps";

/// The maximum number of characters of a text in an event.
const EVENT_TEXT: usize = 500;

/// The status codes of terminal errors.
mod code {
    pub(super) const BAD_REQUEST: u16 = 400;
    pub(super) const NOT_FOUND: u16 = 404;
    pub(super) const CONFLICT: u16 = 409;
    pub(super) const LIMIT: u16 = 429;
    pub(super) const FAILED: u16 = 500;
}

/// The message that is under way, in the state of the object.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UnderWay {
    /// The id of the invocation.
    invocation: String,
    /// The calls on which a person must decide, each with the id of its awakeable.
    waiting: Vec<(WaitingCall, String)>,
}

/// The input of `send`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Send {
    /// A text, or a list of parts as in a stored message.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    message: Value,
    /// The arguments of an agent that is called as a function.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    arguments: Value,
}

/// The input of `approve`: a call, and the decision on it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Approve {
    call: String,
    #[serde(flatten)]
    decision: Decided,
}

/// A decision as JSON, such as `{"decision": "deny", "reason": "too much"}`.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", tag = "decision")]
enum Decided {
    Approve,
    Deny { reason: Option<String> },
    Edit { arguments: Value },
    Done { result: Value },
    Unknown,
}

impl From<Decided> for Decision {
    fn from(decided: Decided) -> Self {
        match decided {
            Decided::Approve => Self::Approve,
            Decided::Deny { reason } => Self::Deny { reason },
            Decided::Edit { arguments } => Self::Edit { args: arguments },
            Decided::Done { result } => Self::Done { result },
            Decided::Unknown => Self::Unknown,
        }
    }
}

/// The input of `progress`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Since {
    #[serde(default)]
    since: u64,
}

/// The events of one step.
#[derive(Serialize, Deserialize)]
struct StepEvents {
    number: u64,
    events: Vec<Value>,
}

/// The name that the conversation of an object has in its runs.
pub(crate) fn conversation_name() -> ConversationName {
    ConversationName::new("conversation").unwrap_or_else(|_| unreachable!("a valid name"))
}

/// The object.
pub(crate) struct AgentObject {
    pub(crate) served: Arc<Served>,
}

/// Hands requests to the handlers of an object. The SDK's own dispatcher goes with a name that is known at compile time,
/// and an agent's name stands in its document.
struct Dispatcher(Arc<AgentObject>);

impl Service for Dispatcher {
    type Future = macro_support::ServiceBoxFuture;

    fn handle(&self, ctx: ContextInternal) -> Self::Future {
        let object = Arc::clone(&self.0);
        Box::pin(async move {
            match ctx.handler_name() {
                "send" => {
                    let (input, metadata) = ctx.input().await;
                    let sent = object.send((&ctx, metadata).into(), input).await;
                    ctx.handle_handler_result(sent);
                }
                "approve" => {
                    let (input, metadata) = ctx.input().await;
                    let approved = object.approve((&ctx, metadata).into(), input).await;
                    ctx.handle_handler_result(approved);
                }
                "cancel" => {
                    let ((), metadata) = ctx.input().await;
                    let cancelled = object.cancel((&ctx, metadata).into()).await;
                    ctx.handle_handler_result(cancelled);
                }
                "history" => {
                    let ((), metadata) = ctx.input().await;
                    let history = object.history((&ctx, metadata).into()).await;
                    ctx.handle_handler_result(history);
                }
                "progress" => {
                    let (input, metadata) = ctx.input().await;
                    let progress = object.progress((&ctx, metadata).into(), input).await;
                    ctx.handle_handler_result(progress);
                }
                handler => {
                    let service = ctx.service_name();
                    return Err(endpoint::Error::unknown_handler(service, handler));
                }
            }
            ctx.end();
            Ok(())
        })
    }
}

impl AgentObject {
    /// Returns the object under the name of its agent.
    ///
    /// # Errors
    /// Configuration when the engine does not take the name.
    pub(crate) fn into_service(self) -> Result<ServiceDefinition, Error> {
        let mut discovery = Self::discover();
        let name = self.served.agent.name();
        discovery.name = ServiceName::try_from(name).map_err(|error| {
            let text = format!("the agent `{name}` cannot be an object of Restate: {error}");
            Error::configuration(text)
        })?;
        Ok(macro_support::service_definition(
            Dispatcher(Arc::new(self)),
            discovery,
        ))
    }
}

#[restate_sdk::object]
impl AgentObject {
    /// Gives the agent a message, and returns its response.
    #[handler]
    async fn send(
        &self,
        ctx: ObjectContext<'_>,
        Json(send): Json<Send>,
    ) -> HandlerResult<Json<Value>> {
        let input = send.into_input()?;
        let stored: Option<Json<Value>> = ctx.get(CONVERSATION).await?;
        let steps: Option<u64> = ctx.get(STEPS).await?;
        let history = read_conversation(stored.map(|stored| stored.0))?;
        let key = ctx.key().to_owned();
        let session = Session::new(Arc::clone(&self.served), &key, input, history.clone());
        let mut under_way = Running {
            ctx: &ctx,
            session: Arc::new(Mutex::new(session)),
            stored: Snapshot::default(),
            steps: steps.unwrap_or(0),
            added: None,
        };
        under_way.note(Vec::new());
        let result = under_way.run().await;
        if let Some(added) = under_way.added {
            let mut conversation = history;
            let added = read_conversation(Some(added))?;
            let appended = conversation.append(added);
            appended.map_err(|error| TerminalError::new(error.to_string()))?;
            ctx.set(CONVERSATION, Json(conversation.to_json_with_data()));
        }
        ctx.clear(UNDER_WAY);
        Ok(Json(result?))
    }

    /// Decides on a call that waits.
    #[handler]
    async fn approve(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(approve): Json<Approve>,
    ) -> HandlerResult<()> {
        let under_way: Option<Json<UnderWay>> = ctx.get(UNDER_WAY).await?;
        let waiting = under_way.map_or_else(Vec::new, |under_way| under_way.0.waiting);
        let found = waiting.iter().find(|(call, _)| call.id == approve.call);
        let Some((call, awakeable)) = found else {
            let ids: Vec<String> = waiting
                .iter()
                .map(|(call, _)| format!("`{}`", call.id))
                .collect();
            let those = match ids.is_empty() {
                true => "none waits".to_owned(),
                false => format!("those that wait: {}", ids.join(", ")),
            };
            let text = format!(
                "no call `{}` of the conversation waits for a decision; {those}",
                approve.call
            );
            return Err(TerminalError::new_with_code(code::NOT_FOUND, text).into());
        };
        let needs_doubt = matches!(approve.decision, Decided::Done { .. } | Decided::Unknown);
        if needs_doubt && !call.in_doubt {
            let text = format!(
                "the call `{}` was not begun, so that it has no result; approve, deny or edit it",
                call.id
            );
            return Err(TerminalError::new_with_code(code::BAD_REQUEST, text).into());
        }
        ctx.resolve_awakeable(awakeable, Json(approve.decision));
        Ok(())
    }

    /// Ends the message that is under way. Returns whether there was one.
    #[handler]
    async fn cancel(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<bool>> {
        let under_way: Option<Json<UnderWay>> = ctx.get(UNDER_WAY).await?;
        let Some(Json(under_way)) = under_way else {
            return Ok(Json(false));
        };
        ctx.invocation_handle(under_way.invocation).cancel();
        Ok(Json(true))
    }

    /// Returns the messages of the conversation.
    #[handler]
    async fn history(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Value>> {
        let stored: Option<Json<Value>> = ctx.get(CONVERSATION).await?;
        Ok(Json(stored.map_or_else(|| json!([]), |stored| stored.0)))
    }

    /// Returns the events since a number, and the calls that wait.
    #[handler]
    async fn progress(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(Since { since }): Json<Since>,
    ) -> HandlerResult<Json<Value>> {
        let under_way: Option<Json<UnderWay>> = ctx.get(UNDER_WAY).await?;
        let steps: Option<u64> = ctx.get(STEPS).await?;
        let steps = steps.unwrap_or(0);
        let first = steps.saturating_sub(PROGRESS.len() as u64).max(since);
        let mut events = Vec::new();
        for number in first..steps {
            let found: Option<Json<StepEvents>> = ctx.get(progress_key(number)).await?;
            if let Some(Json(found)) = found.filter(|found| found.0.number == number) {
                events.extend(found.events);
            }
        }
        let under_way = under_way.map(|under_way| under_way.0);
        let waiting = under_way.as_ref().map(|under_way| {
            let calls = under_way.waiting.iter();
            calls.map(|(call, _)| json!(call)).collect::<Vec<_>>()
        });
        Ok(Json(json!({
            "events": events,
            "next": steps,
            "isUnderWay": under_way.is_some(),
            "waiting": waiting.unwrap_or_default(),
        })))
    }
}

fn progress_key(number: u64) -> &'static str {
    PROGRESS[(number % PROGRESS.len() as u64) as usize]
}

impl Send {
    fn into_input(self) -> Result<Input, TerminalError> {
        let wrong = |text: String| TerminalError::new_with_code(code::BAD_REQUEST, text);
        match (self.message, self.arguments) {
            (Value::String(text), Value::Null) => Ok(Input::new(text)),
            (Value::Null, arguments @ Value::Object(_)) => Ok(Input::from_arguments(arguments)),
            (parts @ Value::Array(_), Value::Null) => {
                let message = json!([{"role": "user", "content": parts}]);
                let message = Conversation::from_json(&message);
                let message = message.map_err(|error| wrong(format!("`message`: {error}")))?;
                let parts = message.last().map(Message::parts).unwrap_or_default();
                Ok(Input::from(parts.to_vec()))
            }
            _ => Err(wrong(
                "expected `message`, a text or a list of parts, or `arguments`, an object"
                    .to_owned(),
            )),
        }
    }
}

fn read_conversation(stored: Option<Value>) -> Result<Conversation, TerminalError> {
    match stored {
        None => Ok(Conversation::new()),
        Some(stored) => Conversation::from_json(&stored).map_err(|error| {
            let text =
                format!("the conversation in the state of the object cannot be read: {error}");
            TerminalError::new_with_code(code::FAILED, text)
        }),
    }
}

/// A message that is under way.
struct Running<'a, 'ctx> {
    ctx: &'a ObjectContext<'ctx>,
    session: Arc<Mutex<Session>>,
    stored: Snapshot,
    steps: u64,
    /// The messages that the run added to the conversation.
    added: Option<Value>,
}

impl Running<'_, '_> {
    /// Drives the run to its end. Returns the response.
    async fn run(&mut self) -> Result<Value, TerminalError> {
        let mut step = self.step().await;
        loop {
            let outcome = match step {
                Ok(Step { outcome, .. }) => outcome,
                Err(error) if error.code() == code::CONFLICT => {
                    self.session.lock().await.cancel();
                    None
                }
                Err(error) => return Err(error),
            };
            match outcome {
                None => {}
                Some(Outcome::Done(response)) => return Ok(response),
                Some(Outcome::Failed { kind, text }) => return Err(failure(&kind, text)),
                Some(Outcome::Waiting(calls)) => self.decide(calls).await,
                Some(Outcome::Refused(text)) => {
                    return Err(TerminalError::new_with_code(code::BAD_REQUEST, text));
                }
            }
            step = self.step().await;
        }
    }

    /// Does the next step, which the engine keeps.
    async fn step(&mut self) -> Result<Step, TerminalError> {
        let (session, stored) = (Arc::clone(&self.session), self.stored.clone());
        let name = stored.next_step();
        let step = self.ctx.run(move || async move {
            let step = session.lock().await.next(stored).await?;
            Ok(Json(step))
        });
        let policy = RunRetryPolicy::new()
            .initial_delay(Duration::from_secs(1))
            .exponentiation_factor(2.0)
            .max_delay(Duration::from_secs(60))
            .max_duration(Duration::from_secs(3600));
        let Json(step) = step.name(name).retry_policy(policy).await?;
        if let Some(commit) = &step.commit {
            self.stored.add(commit);
            if commit.messages.is_some() {
                self.added.clone_from(&commit.messages);
            }
            let events: Vec<Value> = commit
                .records
                .iter()
                .filter_map(|record| event(record))
                .collect();
            if !events.is_empty() {
                let (number, key) = (self.steps, progress_key(self.steps));
                self.ctx.set(key, Json(StepEvents { number, events }));
                self.steps += 1;
                self.ctx.set(STEPS, self.steps);
            }
        }
        Ok(step)
    }

    /// Waits for the decisions on calls.
    async fn decide(&mut self, calls: Vec<WaitingCall>) {
        let mut waiting = Vec::new();
        let mut decided = DurableFuturesUnordered::new();
        for call in calls {
            let (id, decision) = self.ctx.awakeable::<Json<Decided>>();
            waiting.push((call, id));
            decided.push(decision);
        }
        let mut open: Vec<Option<(WaitingCall, String)>> = waiting.into_iter().map(Some).collect();
        let mut decisions = Vec::new();
        loop {
            self.note(open.iter().flatten().cloned().collect());
            match decided.next().await {
                Ok(Some((at, decision))) => {
                    let call = open.get_mut(at).and_then(Option::take);
                    if let (Some((call, _)), Ok(Json(decision))) = (call, decision) {
                        decisions.push((call.id, decision.into()));
                    }
                }
                Ok(None) => break,
                // The message was cancelled.
                Err(_) => {
                    self.session.lock().await.cancel();
                    decisions.clear();
                    break;
                }
            }
        }
        self.note(Vec::new());
        self.session.lock().await.decide(decisions);
    }

    /// Writes what is under way into the state, for the shared handlers.
    fn note(&self, waiting: Vec<(WaitingCall, String)>) {
        let invocation = self.ctx.invocation_id().to_owned();
        self.ctx.set(
            UNDER_WAY,
            Json(UnderWay {
                invocation,
                waiting,
            }),
        );
    }
}

fn failure(kind: &str, text: String) -> TerminalError {
    let code = match kind {
        "validation" => code::BAD_REQUEST,
        "cancelled" => code::CONFLICT,
        "limit" => code::LIMIT,
        _ => code::FAILED,
    };
    TerminalError::new_with_code(code, text)
}

/// Returns the event of a record, without long texts.
fn event(record: &str) -> Option<Value> {
    let kind = kind_of(record)?;
    let members: &[&str] = match kind {
        "replied" => &["run", "content", "toolCalls", "model"],
        "requestFailed" => &["run", "error"],
        "callBegun" => &["run", "call", "tool", "arguments"],
        "callFinished" => &["run", "call", "outcome"],
        "callInDoubt" | "decisionMade" => &["run", "call", "decision"],
        "ended" => &["cost", "error"],
        _ => return None,
    };
    let record: Value = serde_json::from_str(record).ok()?;
    let mut event = json!({"event": kind, "at": record["at"]});
    for member in members {
        if let Some(value) = record.get(member).filter(|value| !value.is_null()) {
            event[*member] = shortened(value);
        }
    }
    Some(event)
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(EVENT_TEXT) {
            Some((end, _)) => format!("{}…", &text[..end]).into(),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().take(50).map(shortened).collect(),
        Value::Object(members) => {
            let members = members.iter().take(50);
            members
                .map(|(key, value)| (key.clone(), shortened(value)))
                .collect()
        }
        plain => plain.clone(),
    }
}
