//! The routes that need no owner, and the schemas of agents.

use crate::owner::Owner;
use crate::problem::{Problem, json_answer};
use crate::state::Shared;
use agent_runtime::journal::RunFilter;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use std::time::SystemTime;

/// `GET /health`: whether the server lives.
pub(crate) async fn health() -> Response {
    json_answer(StatusCode::OK, &json!({"status": "ok"}))
}

/// `GET /ready`: whether the server can run its agents: that models have keys, tools are bound, and the
/// stores can be read. The reason why something is not ready is only in the log, because anybody may send
/// this request.
pub(crate) async fn ready<O: Owner>(State(web): Shared<O>) -> Response {
    let mut checks = Vec::new();
    let mut check = |name: &str, problem: Option<&(dyn std::error::Error + 'static)>| {
        if let Some(error) = problem {
            tracing::error!(error, "`{name}` is not ready");
        }
        checks.push(json!({"name": name, "ready": problem.is_none()}));
        problem.is_none()
    };
    let mut is_ready = true;
    for (name, agent) in &web.agents {
        let checked = web.runtime.check(agent, &web.tools);
        is_ready &= check(name, checked.as_ref().err().map(|error| error as _));
    }
    let none = RunFilter::new().updated_since(SystemTime::now());
    let listed = web.journal.list(&none).await;
    is_ready &= check("journal", listed.as_ref().err().map(|error| error as _));
    let listed = web.conversations.list(Some("-")).await;
    is_ready &= check(
        "conversations",
        listed.as_ref().err().map(|error| error as _),
    );
    let status = match is_ready {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    json_answer(status, &json!({"ready": is_ready, "checks": checks}))
}

/// `GET /{agent}/schema`: the signature of an agent as JSON Schemas.
pub(crate) async fn schema<O: Owner>(
    State(web): Shared<O>,
    Path(agent): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    web.owner(&parts).await?;
    let agent = web.agent(&agent)?;
    let signature = agent.signature();
    let mut json = json!({
        "name": agent.name(),
        "typeSignature": signature.to_string(),
        "schema": signature.schema(),
        "returnSchema": signature.return_schema(),
    });
    if let Some(description) = agent.description() {
        json["description"] = description.into();
    }
    Ok(json_answer(StatusCode::OK, &json))
}
