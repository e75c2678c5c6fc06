//! Calls of single tools.

use crate::problem::{Problem, json_answer, json_body};
use crate::state::State;
use agent_runtime::tool::invoke_tool;
use axum::body::Body;
use axum::extract::{self, Path};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Instant;

/// The body of `POST /studio/tools/{name}/call`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    arguments: Map<String, Value>,
}

/// `POST /studio/tools/{name}/call`: calls a tool alone. A person asks for the call, which is the approval that the tool may
/// require. The error of a call is a part of the answer, because the request itself was right.
pub(crate) async fn call(
    extract::State(studio): extract::State<Arc<State>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, Problem> {
    let call: Call = json_body(body).await?;
    let Some(tool) = studio.library.lookup(&name) else {
        let text = format!("this program has no function for a tool `{name}`");
        return Err(Problem(StatusCode::NOT_FOUND, text));
    };
    let begun = Instant::now();
    let arguments = Value::Object(call.arguments).to_string();
    let called = invoke_tool(&**tool, &arguments, &studio.context).await;
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let answer = match called {
        Ok(result) => json!({"result": result, "milliseconds": milliseconds}),
        Err(error) => json!({
            "error": error.to_string(),
            "milliseconds": milliseconds,
        }),
    };
    Ok(json_answer(&studio.runtime.redactor().value(&answer)))
}
