//! The conversations of the page.

use crate::problem::Problem;
use crate::state::{OWNER, State};
use agent_runtime::Conversation;
use agent_runtime::conversation::{ConversationName, Media, Message};
use agent_runtime::journal::{RunFilter, RunInfo, RunState};
use axum::extract::{self, Path};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// `GET /studio/conversations/{name}/media/{sha256}`: the bytes of an image, a document or audio in a message of a conversation
/// or of its open run. Messages and events name media by their digests.
pub(crate) async fn media(
    extract::State(studio): extract::State<Arc<State>>,
    Path((name, sha256)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let stored = load(&studio, &name).await?;
    let mut messages = stored.messages().to_vec();
    if let Some(run) = open_run(&studio, &name).await? {
        let run = studio.runtime.snapshot(&run.run).await;
        messages.extend(run.map_err(Problem::unavailable)?.messages);
    }
    let is_wanted = |media: &&Media| {
        let own = media.sha256();
        own.is_some_and(|own| own.to_string() == sha256)
    };
    let found = messages.iter().flat_map(Message::media).find(is_wanted);
    let Some(bytes) = found.and_then(Media::bytes) else {
        let text = "no message of the conversation has these bytes";
        return Err(Problem(StatusCode::NOT_FOUND, text.to_owned()));
    };
    // The page knows the type. A type that a stranger chose would be one that a browser may run.
    let media_type = [(header::CONTENT_TYPE, "application/octet-stream")];
    Ok((media_type, bytes.to_vec()).into_response())
}

/// Loads a conversation of the page. One that no run has ended in is empty.
pub(crate) async fn load(studio: &State, name: &str) -> Result<Conversation, Problem> {
    let store = studio
        .runtime
        .conversations()
        .map_err(Problem::unavailable)?;
    let name = named(name)?;
    let stored = store.load(&name).await.map_err(Problem::unavailable)?;
    Ok(stored.map(|stored| stored.conversation).unwrap_or_default())
}

pub(crate) fn named(name: &str) -> Result<ConversationName, Problem> {
    let named = ConversationName::new(name).and_then(|name| name.of_owner(OWNER));
    named.map_err(|error| Problem(StatusCode::BAD_REQUEST, error.to_string()))
}

/// Returns the run of a conversation that has not ended.
pub(crate) async fn open_run(studio: &State, name: &str) -> Result<Option<RunInfo>, Problem> {
    let filter = RunFilter::new()
        .conversation(named(name)?)
        .states([RunState::Running, RunState::Waiting]);
    let journal = studio.runtime.journal().map_err(Problem::unavailable)?;
    let mut runs = journal.list(&filter).await.map_err(Problem::unavailable)?;
    Ok(runs.pop())
}
