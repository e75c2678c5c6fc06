//! The routes of conversations.

use crate::owner::Owner;
use crate::problem::{Problem, json_answer};
use crate::state::Shared;
use agent_runtime::journal::{RunFilter, RunInfo, RunState};
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn run_json(run: Option<&RunInfo>) -> Value {
    run.map_or(
        Value::Null,
        |run| json!({"run": run.run, "agent": run.agent, "state": run.state}),
    )
}

/// `GET /conversations`: the stored conversations, and those whose first run has not ended, the last updated
/// first.
pub(crate) async fn list<O: Owner>(
    State(web): Shared<O>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let owner = web.owner(&parts).await?.id();
    let stored = web.conversations.list(Some(&owner)).await;
    let mut found = BTreeMap::new();
    for info in stored.map_err(|error| Problem::of_store(&error))? {
        found.insert(info.name, (info.updated, info.messages, None));
    }
    let filter = RunFilter::new()
        .owner(&owner)
        .states([RunState::Running, RunState::Waiting]);
    let runs = web.journal.list(&filter).await;
    for run in runs.map_err(|error| Problem::of_store(&error))? {
        if let Some(name) = run.conversation.clone() {
            let entry = found.entry(name).or_insert((run.updated, 0, None));
            *entry = (entry.0.max(run.updated), entry.1, Some(run));
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, (updated, ..))| std::cmp::Reverse(*updated));
    let found = found.into_iter().map(|(name, (updated, messages, run))| {
        json!({
            "name": name.name(),
            "updated": milliseconds(updated),
            "messages": messages,
            "run": run_json(run.as_ref()),
        })
    });
    Ok(json_answer(StatusCode::OK, &found.collect()))
}

/// `GET /conversations/{name}`: its messages, the run that has not ended, and the calls that wait.
pub(crate) async fn show<O: Owner>(
    State(web): Shared<O>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let owner = web.owner(&parts).await?;
    let found = web.conversation(&owner, &name)?;
    // The run is read first, because its messages are stored if it ends meanwhile.
    let run = match web.open_run(&found).await? {
        Some(info) => Some(web.run_of(&owner, &info.run, false).await?),
        None => None,
    };
    let open = run.as_ref().filter(|run| !run.info.state.is_over());
    let messages = match open {
        Some(run) => run.messages.clone(),
        None => {
            let stored = web.conversations.load(&found).await;
            let stored = stored.map_err(|error| Problem::of_store(&error))?;
            let stored = stored.ok_or_else(|| Problem::not_found("conversation", &name))?;
            stored.conversation.messages().to_vec()
        }
    };
    let waiting = open.map(|run| run.waiting.clone()).unwrap_or_default();
    let json = json!({
        "name": name,
        "messages": messages,
        "run": run_json(open.map(|run| &run.info)),
        "waiting": waiting,
    });
    Ok(json_answer(StatusCode::OK, &json))
}

/// `DELETE /conversations/{name}`.
pub(crate) async fn delete<O: Owner>(
    State(web): Shared<O>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let owner = web.owner(&parts).await?;
    let found = web.conversation(&owner, &name)?;
    if let Some(run) = web.open_run(&found).await? {
        return Err(Problem::busy(&run.run));
    }
    let deleted = web.conversations.delete(&found).await;
    match deleted.map_err(|error| Problem::of_store(&error))? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Problem::not_found("conversation", &name)),
    }
}
