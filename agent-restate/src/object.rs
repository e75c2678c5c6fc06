//! An agent as an object of the engine: a conversation for each key.

use crate::bounds::{CONVERSATION_BYTES, MESSAGE_BYTES, too_large};
use crate::input::{self, Decided};
use crate::media::{MediaStore, Text};
use crate::message::{self, Cancelled, Ended, Engine, code};
use crate::progress::Event;
use crate::session::{Served, Session};
use crate::step::WaitingCall;
use agent_runtime::__private::{shortened, with_causes};
use agent_runtime::conversation::StoreError;
use agent_runtime::{Conversation, Error};
use restate_sdk::discovery::ServiceName;
use restate_sdk::endpoint::{self, ContextInternal};
use restate_sdk::prelude::*;
use restate_sdk::service::{Discoverable, Service, macro_support};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Mutex;

/// The conversation: the text of a list of messages.
const CONVERSATION: &str = "conversation";

/// The message that is under way: see [`Status`].
const STATUS: &str = "status";

/// The events of the last steps, for those who poll, in a ring: the SDK needs the keys at compile time.
#[rustfmt::skip]
const PROGRESS: [&str; 32] = [
    "progress-00", "progress-01", "progress-02", "progress-03", "progress-04", "progress-05", "progress-06", "progress-07",
    "progress-08", "progress-09", "progress-10", "progress-11", "progress-12", "progress-13", "progress-14", "progress-15",
    "progress-16", "progress-17", "progress-18", "progress-19", "progress-20", "progress-21", "progress-22", "progress-23",
    "progress-24", "progress-25", "progress-26", "progress-27", "progress-28", "progress-29", "progress-30", "progress-31",
];

/// The state of the conversation's messages, for the shared handlers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    /// The invocation of the message that is under way.
    invocation: Option<String>,
    /// The calls on which a person must decide, each with the id of its awakeable.
    waiting: Vec<(WaitingCall, String)>,
    /// The reason for which earlier decisions on these calls did not fit.
    refused: Option<String>,
    /// The number of steps with events, when the status was written.
    steps: u64,
}

/// The events of one step.
#[derive(Serialize, Deserialize)]
struct StepEvents {
    number: u64,
    events: Vec<Event>,
}

/// The object of an agent.
pub(crate) struct AgentObject {
    pub(crate) served: Arc<Served>,
}

/// Dispatches requests to the handlers of an object. The SDK's own dispatcher cannot be used, because it
/// needs a name that is known at compile time, and an agent's name is in its document.
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
    /// Configuration when the engine does not accept the name.
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

    fn media(&self) -> Option<&dyn MediaStore> {
        self.served.media.as_deref()
    }

    /// Reads the conversation in the state.
    ///
    /// # Errors
    /// A retryable error when the store of media cannot be read, or a newer version wrote the conversation.
    async fn read(&self, stored: Option<&Text>) -> Result<Conversation, StoreError> {
        let Some(stored) = stored else {
            return Ok(Conversation::new());
        };
        let json = stored.restore(self.media()).await?;
        let cannot =
            || StoreError::format("the conversation in the state of the object cannot be read");
        let json: Value =
            serde_json::from_str(&json).map_err(|error| cannot().with_source(error))?;
        Conversation::from_json(&json).map_err(|error| cannot().with_source(error))
    }
}

#[restate_sdk::object]
impl AgentObject {
    /// Gives the agent a message, and returns its response.
    #[handler]
    async fn send(&self, ctx: ObjectContext<'_>, body: Vec<u8>) -> HandlerResult<Json<Value>> {
        // The media of a message are not in its first step if there is a store for them.
        let most = match self.media() {
            Some(_) => 4 * MESSAGE_BYTES,
            None => MESSAGE_BYTES,
        };
        if body.len() > most {
            return Err(large("the message", body.len(), most).into());
        }
        let input = input::message(&body).map_err(wrong)?;
        let stored: Option<Json<Text>> = ctx.get(CONVERSATION).await?;
        let status: Option<Json<Status>> = ctx.get(STATUS).await?;
        let stored = stored.map(|stored| stored.0);
        let size = stored.as_ref().map_or(0, Text::len);
        if size > CONVERSATION_BYTES {
            return Err(large("the conversation", size, CONVERSATION_BYTES).into());
        }
        let history = self.read(stored.as_ref()).await.map_err(retried)?;
        let mut engine = OnRestate {
            ctx: &ctx,
            status: Status {
                invocation: Some(ctx.invocation_id().to_owned()),
                steps: status.map_or(0, |status| status.0.steps),
                ..Status::default()
            },
        };
        engine.write_status();
        let served = Arc::clone(&self.served);
        let history = Arc::new(history);
        let session = Session::new(served, ctx.key(), ctx.invocation_id(), input, history);
        let Ended { response, added } = message::run(&mut engine, session).await?;
        if let Some(added) = added {
            let text = match stored {
                Some(stored) => stored.followed_by(&added),
                None => added,
            };
            ctx.set(CONVERSATION, Json(text));
        }
        engine.end();
        let response = response?.restore(self.media()).await.map_err(retried)?;
        Ok(Json(serde_json::from_str(&response)?))
    }

    /// Decides on a call that waits.
    #[handler]
    async fn approve(&self, ctx: SharedObjectContext<'_>, body: Vec<u8>) -> HandlerResult<()> {
        if body.len() > MESSAGE_BYTES {
            return Err(large("the decision", body.len(), MESSAGE_BYTES).into());
        }
        let approval = input::approval(&body).map_err(wrong)?;
        let status: Option<Json<Status>> = ctx.get(STATUS).await?;
        let waiting = status.map_or_else(Vec::new, |status| status.0.waiting);
        let found = waiting.iter().find(|(call, _)| call.id == approval.call);
        let Some((call, awakeable)) = found else {
            let ids = waiting.iter().map(|(call, _)| format!("`{}`", call.id));
            let those = match waiting.is_empty() {
                true => "no call does".to_owned(),
                false => format!("those that do: {}", ids.collect::<Vec<_>>().join(", ")),
            };
            let text = format!(
                "no call `{}` of the conversation `{}` waits for a decision; {those}",
                shortened(&approval.call, 100),
                ctx.key()
            );
            return Err(TerminalError::new_with_code(code::NOT_FOUND, text).into());
        };
        if approval.decision.is_about_doubt() && !call.in_doubt {
            let text = format!(
                "the call `{}` was not begun, so that it has no result; approve, deny or edit it",
                call.id
            );
            return Err(wrong(text).into());
        }
        ctx.resolve_awakeable(awakeable, Json(approval.decision));
        Ok(())
    }

    /// Ends the message that is under way. Returns whether there was one.
    #[handler]
    async fn cancel(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<bool>> {
        let status: Option<Json<Status>> = ctx.get(STATUS).await?;
        let Some(invocation) = status.and_then(|status| status.0.invocation) else {
            return Ok(Json(false));
        };
        ctx.invocation_handle(invocation).cancel();
        Ok(Json(true))
    }

    /// Returns the messages of the conversation.
    #[handler]
    async fn history(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Value>> {
        let stored: Option<Json<Text>> = ctx.get(CONVERSATION).await?;
        let stored = stored.map(|stored| stored.0);
        let conversation = self.read(stored.as_ref()).await.map_err(retried)?;
        let json = conversation.to_json_with_data();
        // The answer is a message of the engine, too. A large one has the digests of media in place of their
        // bytes.
        Ok(Json(
            match json.to_string().len() > 2 * CONVERSATION_BYTES {
                true => conversation.to_json(),
                false => json,
            },
        ))
    }

    /// Returns the events since a number, and the calls that wait.
    #[handler]
    async fn progress(
        &self,
        ctx: SharedObjectContext<'_>,
        body: Option<Vec<u8>>,
    ) -> HandlerResult<Json<Value>> {
        let since = input::since(&body.unwrap_or_default()).map_err(wrong)?;
        let status: Option<Json<Status>> = ctx.get(STATUS).await?;
        let status = status.map_or_else(Status::default, |status| status.0);
        let mut steps = Vec::new();
        for key in PROGRESS {
            let found: Option<Json<StepEvents>> = ctx.get(key).await?;
            steps.extend(found.map(|found| found.0));
        }
        steps.sort_by_key(|step| step.number);
        let next = steps.last().map_or(0, |step| step.number + 1);
        let first = steps.first().map_or(0, |step| step.number);
        let steps = steps.into_iter().filter(|step| step.number >= since);
        let events: Vec<Event> = steps.flat_map(|step| step.events).collect();
        let waiting = status.waiting.iter().map(|(call, _)| json!(call));
        Ok(Json(json!({
            "events": events,
            "next": next,
            "isMissing": since < first,
            "isUnderWay": status.invocation.is_some(),
            "waiting": waiting.collect::<Vec<_>>(),
            "refused": status.refused,
        })))
    }
}

/// The error of a wrong input.
fn wrong(text: String) -> TerminalError {
    TerminalError::new_with_code(code::BAD_REQUEST, text)
}

/// The error of something that is too large.
fn large(what: &str, bytes: usize, most: usize) -> TerminalError {
    TerminalError::new_with_code(code::TOO_LARGE, too_large(what, bytes, most))
}

/// The text of an error after which the engine tries again.
fn retried(error: StoreError) -> String {
    with_causes(&error)
}

/// A message that is under way, on the engine.
struct OnRestate<'a, 'ctx> {
    ctx: &'a ObjectContext<'ctx>,
    status: Status,
}

impl OnRestate<'_, '_> {
    /// Writes the status of the message into the state, for the shared handlers.
    fn write_status(&self) {
        self.ctx.set(STATUS, Json(self.status.clone()));
    }

    fn end(&mut self) {
        self.status = Status {
            steps: self.status.steps,
            ..Status::default()
        };
        self.write_status();
    }

    fn wait_for(&mut self, waiting: Vec<(WaitingCall, String)>, refused: Option<String>) {
        self.status.waiting = waiting;
        self.status.refused = refused;
        self.write_status();
    }
}

impl Engine for OnRestate<'_, '_> {
    async fn step(
        &mut self,
        name: String,
        session: Arc<Mutex<Session>>,
    ) -> Result<Vec<u8>, Cancelled> {
        // The step has no retry policy of its own, so that the policy of the engine applies: it retries with
        // growing pauses, and then pauses the invocation, which loses nothing.
        let step = self
            .ctx
            .run(move || async move { Ok(session.lock().await.next().await?) });
        step.name(name).await.map_err(|_| Cancelled)
    }

    fn show(&mut self, events: Vec<Event>) {
        let number = self.status.steps;
        let key = PROGRESS[(number % PROGRESS.len() as u64) as usize];
        self.ctx.set(key, Json(StepEvents { number, events }));
        self.status.steps += 1;
    }

    async fn decisions(
        &mut self,
        calls: Vec<WaitingCall>,
        refused: Option<String>,
    ) -> Result<Vec<(String, Decided)>, Cancelled> {
        let mut open = Vec::new();
        let mut decided = DurableFuturesUnordered::new();
        for call in calls {
            let (id, decision) = self.ctx.awakeable::<Json<Decided>>();
            open.push(Some((call, id)));
            decided.push(decision);
        }
        let mut decisions = Vec::new();
        loop {
            let waiting = open.iter().flatten().cloned().collect();
            let refused = refused.clone().filter(|_| open.iter().any(Option::is_some));
            self.wait_for(waiting, refused);
            match decided.next().await {
                Ok(Some((at, Ok(Json(decision))))) => {
                    if let Some((call, _)) = open.get_mut(at).and_then(Option::take) {
                        decisions.push((call.id, decision));
                    }
                }
                // The awakeable was rejected by somebody with the engine's own commands.
                Ok(Some((at, Err(error)))) => {
                    if let Some((call, _)) = open.get_mut(at).and_then(Option::take) {
                        let reason = Some(error.message().to_owned());
                        decisions.push((call.id, Decided::Deny { reason }));
                    }
                }
                Ok(None) => break,
                Err(_) => {
                    self.wait_for(Vec::new(), None);
                    return Err(Cancelled);
                }
            }
        }
        Ok(decisions)
    }
}
