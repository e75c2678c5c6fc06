//! The branches of a conversation: the page keeps what was said before a message was changed.
//!
//! A branch is a conversation of its own. `sums.2` and `sums.3` are branches of `sums`, so that the names alone say what
//! belongs together.

use crate::conversations::{load, named, open_run};
use crate::problem::{Problem, json_answer, json_body};
use crate::state::{OWNER, State};
use agent_runtime::Conversation;
use agent_runtime::conversation::Role;
use axum::body::Body;
use axum::extract::{self, Path};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The maximum number of attempts to find a free name, while other tabs make branches, too.
const ATTEMPTS: u32 = 20;

/// `GET /studio/conversations/{name}/branches`: the branches of a conversation, itself included.
pub(crate) async fn list(
    extract::State(studio): extract::State<Arc<State>>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let own = load(&studio, &name).await?;
    let mut branches = Vec::new();
    for (number, (branch, updated)) in family(&studio, &name).await? {
        let messages = load(&studio, &branch).await?;
        let (ours, theirs) = (own.messages(), messages.messages());
        let shared = ours
            .iter()
            .zip(theirs)
            .take_while(|(own, other)| own == other);
        branches.push(json!({
            "name": branch,
            "number": number,
            "updated": updated,
            "messages": messages.len(),
            "shared": shared.count(),
        }));
    }
    Ok(json_answer(&json!({"branches": branches})))
}

/// The body of `POST /studio/conversations/{name}/branches`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewBranch {
    messages: usize,
}

/// `POST /studio/conversations/{name}/branches`: a new conversation with the first messages of another one.
pub(crate) async fn create(
    extract::State(studio): extract::State<Arc<State>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, Problem> {
    let NewBranch { messages: kept } = json_body(body).await?;
    let stored = load(&studio, &name).await?;
    if open_run(&studio, &name).await?.is_some() {
        let text = "a run of the conversation has not ended; stop it, or wait";
        return Err(Problem::conflict(text));
    }
    let messages = stored.messages();
    let is_cut_well = match messages.get(kept) {
        Some(next) => next.role() == Role::User,
        None => kept == messages.len(),
    };
    if !is_cut_well {
        let text = "a branch ends before a message of the user, or at the end of the conversation";
        return Err(Problem(StatusCode::BAD_REQUEST, text.to_owned()));
    }
    let mut branch = Conversation::new();
    for message in &messages[..kept] {
        branch.push(message.clone());
    }
    let store = studio
        .runtime
        .conversations()
        .map_err(Problem::unavailable)?;
    let base = base_of(&name);
    let mut number = 2;
    if let Some(last) = family(&studio, &name).await?.keys().next_back() {
        number = number.max(last + 1);
    }
    for number in number..number.saturating_add(ATTEMPTS) {
        let new = format!("{base}.{number}");
        let created = match kept {
            // A store has no empty conversations: this one begins with its first run.
            0 => Ok(()),
            _ => store.save(&named(&new)?, &branch, None).await.map(drop),
        };
        match created {
            Err(error) if error.is_conflict() => {}
            Err(error) => return Err(Problem::unavailable(error)),
            Ok(()) => {
                let answer = json_answer(&json!({"name": new}));
                return Ok((StatusCode::CREATED, answer).into_response());
            }
        }
    }
    let text = "no name is free for the branch; try again";
    Err(Problem(StatusCode::CONFLICT, text.to_owned()))
}

/// Returns the branches of the conversation of which `name` is one, by their numbers, each with its name and the time at
/// which it was updated.
async fn family(studio: &State, name: &str) -> Result<BTreeMap<u32, (String, u64)>, Problem> {
    let store = studio
        .runtime
        .conversations()
        .map_err(Problem::unavailable)?;
    let stored = store
        .list(Some(OWNER))
        .await
        .map_err(Problem::unavailable)?;
    let base = base_of(name);
    let branches = stored.iter().filter_map(|info| {
        let branch = info.name.name();
        let number = number_of(branch).unwrap_or(1);
        (base_of(branch) == base).then(|| (number, (branch.to_owned(), milliseconds(info.updated))))
    });
    Ok(branches.collect())
}

/// Returns the number at the end of the name of a branch.
fn number_of(name: &str) -> Option<u32> {
    let (_, number) = name.rsplit_once('.')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|_| is_number)
}

fn base_of(name: &str) -> &str {
    match (number_of(name), name.rsplit_once('.')) {
        (Some(_), Some((base, _))) => base,
        _ => name,
    }
}

fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
