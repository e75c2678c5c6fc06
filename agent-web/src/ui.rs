//! The routes that speak the AI SDK's UI message stream, version 1: the POST and the reconnection of `useChat`.
//!
//! The rules are those of the packages `ai` 7.0 and `@ai-sdk/react` 4.0: an unknown `type`, a member that is `null`, or a
//! part of a call that was not announced breaks their client.
//! Source: <https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol>, and the packages' own schemas.

mod history;
mod message;
mod stream;

use crate::events::follow;
use crate::owner::Owner;
use crate::problem::{Problem, json_answer};
use crate::request::json;
use crate::runs::{Beginning, run_headers};
use crate::state::{Inner, Shared};
use agent_runtime::Conversation;
use agent_runtime::conversation::{ConversationName, Revision, Role, StoreError};
use agent_runtime::event::EventId;
use agent_runtime::runtime::Input;
use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use history::ui_messages;
use message::{Body, Trigger, UiMessage};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stream::UiEvents;

/// `POST /{agent}/ui`: a new message, an edited one, an answer that is asked for again, or answers to calls that wait.
pub(crate) async fn chat<O: Owner>(
    State(web): Shared<O>,
    Path(agent): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let owner = web.owner(&parts).await?;
    let body: Body = json(&parts, body, web.max_body).await?;
    let agent = web.agent(&agent)?;
    let name = web.conversation(&owner, &body.id)?;
    let last = body.messages.last();
    let last = last.ok_or_else(|| Problem::bad_request("`messages` is empty"))?;
    if last.role == "assistant" {
        let (run, answered, after) = web.answer(&owner, &name, last).await?;
        return Ok(stream(&web, (parts, owner.id()), &run, after, answered));
    }
    let users = body
        .messages
        .iter()
        .filter(|message| message.role == "user");
    let turn = users.count().saturating_sub(1);
    // The turns from this one on are replaced.
    let replaced = match body.trigger {
        Trigger::RegenerateMessage => true,
        Trigger::SubmitMessage => body.message_id.is_some(),
    };
    let mut beginning = Beginning {
        agent,
        input: last.input()?,
        conversation: Some(name.clone()),
        variables: BTreeMap::new(),
    };
    if !replaced {
        let run = web.begin(&owner, beginning).await?;
        return Ok(stream(
            &web,
            (parts, owner.id()),
            &run,
            None,
            BTreeSet::new(),
        ));
    }
    let cut = web.cut(&name, turn).await?;
    if body.trigger == Trigger::RegenerateMessage {
        // The browser's copy of its earlier message is not trusted.
        beginning.input = cut.message;
    }
    let begun = web.begin(&owner, beginning).await;
    if let (Err(_), Some(revision)) = (&begun, cut.revision) {
        // The conversation is as it was before, unless somebody else has written to it.
        let _ = web
            .conversations
            .save(&name, &cut.whole, Some(revision))
            .await;
    }
    Ok(stream(
        &web,
        (parts, owner.id()),
        &begun?,
        None,
        BTreeSet::new(),
    ))
}

/// `GET /{agent}/ui/{conversation}/stream`: the message of the run that is running or waits, from its
/// beginning. 204 if there is no such run.
pub(crate) async fn resume<O: Owner>(
    State(web): Shared<O>,
    Path((agent, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let owner = web.owner(&parts).await?;
    web.agent(&agent)?;
    // The client treats every answer but 204 as a failure. An invalid name has no run, either.
    let Ok(name) = web.conversation(&owner, &name) else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    match web.open_run(&name).await? {
        Some(run) => Ok(stream(
            &web,
            (parts, owner.id()),
            &run.run,
            None,
            BTreeSet::new(),
        )),
        None => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

/// `GET /{agent}/ui/{conversation}`: the messages of a conversation as the client has them; none if there is
/// no such conversation. The messages of a run that has not ended are sent with its stream.
pub(crate) async fn history<O: Owner>(
    State(web): Shared<O>,
    Path((agent, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let owner = web.owner(&parts).await?;
    web.agent(&agent)?;
    let name = web.conversation(&owner, &name)?;
    let run = match web.open_run(&name).await? {
        Some(info) => Some(web.run_of(&owner, &info.run, false).await?),
        None => None,
    };
    let messages = match &run {
        Some(run) if !run.info.state.is_over() => {
            // The answer so far is in the stream, which replays it.
            let question = run
                .messages
                .iter()
                .rposition(|message| message.role() == Role::User && !message.is_steering());
            run.messages[..question.map_or(0, |at| at + 1)].to_vec()
        }
        _ => {
            let stored = web.conversations.load(&name).await;
            let stored = stored.map_err(|error| Problem::of_store(&error))?;
            let conversation = stored.map(|stored| stored.conversation);
            conversation.unwrap_or_default().messages().to_vec()
        }
    };
    Ok(json_answer(StatusCode::OK, &ui_messages(&messages)))
}

/// Follows a run as a message of the client. `answered` has the calls that this request decided on.
fn stream<O: Owner>(
    web: &Arc<Inner<O>>,
    request: (Parts, String),
    run: &str,
    after: Option<EventId>,
    answered: BTreeSet<String>,
) -> Response {
    let version = HeaderName::from_static("x-vercel-ai-ui-message-stream");
    let mut headers = run_headers(run);
    headers.push((version, HeaderValue::from_static("v1")));
    let writer = UiEvents::new(run, after.is_some(), answered);
    follow(web, request, (run, after), writer, &headers)
}

/// A conversation without its last turns.
struct Cut {
    /// The message that began the first turn that was cut off.
    message: Input,
    /// The conversation before the cut, and the revision of the conversation that is stored now.
    whole: Conversation,
    revision: Option<Revision>,
}

impl<O: Owner> Inner<O> {
    /// Decides on the calls that wait and that a message answers. Returns the run, the calls, and the event
    /// after which the stream of the run continues.
    async fn answer(
        &self,
        owner: &O,
        name: &ConversationName,
        message: &UiMessage,
    ) -> Result<(String, BTreeSet<String>, Option<EventId>), Problem> {
        let nothing = || Problem::conflict("no call of the conversation waits for these answers");
        let open = self.open_run(name).await?.ok_or_else(nothing)?;
        let run = self.run_of(owner, &open.run, false).await?;
        let mut decisions = message.decisions();
        decisions.retain(|call, _| run.waiting.iter().any(|waiting| waiting.id == *call));
        if decisions.is_empty() || message.id != run.info.run {
            return Err(nothing());
        }
        let answered = decisions.keys().cloned().collect();
        self.decide(owner, &run, decisions).await?;
        Ok((open.run, answered, run.last))
    }

    /// Cuts a turn, and all turns after it, off a stored conversation.
    async fn cut(&self, name: &ConversationName, turn: usize) -> Result<Cut, Problem> {
        if let Some(run) = self.open_run(name).await? {
            return Err(Problem::busy(&run.run));
        }
        let of_store = |error: StoreError| match error.is_conflict() {
            true => Problem::conflict("the conversation was changed meanwhile"),
            false => Problem::of_store(&error),
        };
        let stored = self.conversations.load(name).await.map_err(of_store)?;
        let missing = || Problem::conflict("the conversation has no such message");
        let stored = stored.ok_or_else(missing)?;
        let turns: Vec<_> = stored.conversation.turns().collect();
        let message = turns
            .get(turn)
            .and_then(|turn| turn.first())
            .ok_or_else(missing)?;
        let kept: Conversation = turns[..turn].concat().into_iter().collect();
        let saved = self
            .conversations
            .save(name, &kept, Some(stored.revision))
            .await;
        Ok(Cut {
            message: Input::of_message(message),
            revision: Some(saved.map_err(of_store)?),
            whole: stored.conversation,
        })
    }
}
