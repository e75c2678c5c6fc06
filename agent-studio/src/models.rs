//! The routes of the model and the settings that a person tries on the page, in place of those of a document.

use crate::documents::{DocumentAgent, finding_json};
use crate::problem::{Problem, json_answer, json_body};
use crate::state::State;
use crate::trial::{TRIED, Trial, is_error};
use agent_catalog::{Catalog, Price, ReasoningEffort};
use agent_spec::Diagnostic;
use agent_spec::settings::PromptCache;
use agent_spec::vocabulary::SettingKind;
use axum::body::Body;
use axum::extract::{self, Path};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// `GET /studio/models`: the models of the catalogue, and a schema of the settings.
pub(crate) async fn list() -> Response {
    let models = Catalog::builtin().models().map(|entry| {
        let row = entry.row;
        let price = |price: fn(&Price) -> Option<f64>| row.price.as_ref().and_then(price);
        json!({
            "id": format!("{}/{}", entry.provider, entry.id),
            "provider": entry.provider,
            "context": row.context_window,
            "output": row.max_output_tokens,
            "sent": price(|price| price.input),
            "written": price(|price| price.output),
            "ends": row.retires.map(|date| date.to_string()),
        })
    });
    let properties = TRIED.iter().map(|setting| {
        let mut schema = schema_of(setting.kind());
        schema["description"] = setting.description().into();
        (setting.key().to_owned(), schema)
    });
    let properties: Map<String, Value> = properties.collect();
    json_answer(&json!({
        "models": models.collect::<Value>(),
        "settings": {"type": "object", "properties": properties},
    }))
}

fn schema_of(kind: SettingKind) -> Value {
    match kind {
        SettingKind::Number(most) => json!({"type": "number", "minimum": 0, "maximum": most}),
        SettingKind::Integer => json!({"type": "integer"}),
        SettingKind::Count(_) => json!({"type": "integer", "minimum": 1}),
        SettingKind::Flag => json!({"type": "boolean"}),
        SettingKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        SettingKind::Effort => words(ReasoningEffort::ALL.map(ReasoningEffort::as_str)),
        SettingKind::Cache => words(PromptCache::ALL.map(PromptCache::as_str)),
        _ => json!({"type": "string"}),
    }
}

fn words<const N: usize>(words: [&str; N]) -> Value {
    json!({"type": "string", "enum": words.as_slice()})
}

/// `POST /studio/agents/{name}/check`: the findings about an agent with another model and other settings.
pub(crate) async fn check(
    extract::State(studio): extract::State<Arc<State>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, Problem> {
    let trial: Trial = json_body(body).await?;
    let (findings, _) = trial.apply(&*studio.check, &document_agent(&studio, &name)?)?;
    Ok(findings_answer(&findings))
}

/// `PUT /studio/agents/{name}`: lets new runs use another model and other settings.
pub(crate) async fn change(
    extract::State(studio): extract::State<Arc<State>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, Problem> {
    let trial: Trial = json_body(body).await?;
    let (findings, agent) = trial.apply(&*studio.check, &document_agent(&studio, &name)?)?;
    if agent.is_none() {
        let error = findings.iter().find(|finding| is_error(finding));
        let text = error.map_or("the agent cannot be read", Diagnostic::message);
        return Err(Problem::bad_request(text));
    }
    serve(&studio, |trials| drop(trials.insert(name, trial)))?;
    Ok(findings_answer(&findings))
}

/// `DELETE /studio/agents/{name}`: lets new runs use what the document says.
pub(crate) async fn reset(
    extract::State(studio): extract::State<Arc<State>>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    document_agent(&studio, &name)?;
    serve(&studio, |trials| drop(trials.remove(&name)))?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Lets new runs use other trials, and tells all tabs.
fn serve(studio: &State, change: impl FnOnce(&mut BTreeMap<String, Trial>)) -> Result<(), Problem> {
    studio.serve(None, change).map_err(Problem::unavailable)?;
    studio.version.send_modify(|version| *version += 1);
    Ok(())
}

/// Returns an agent as its document says.
fn document_agent(studio: &State, name: &str) -> Result<DocumentAgent, Problem> {
    let served = studio.served();
    let mut agents = served.agents.iter();
    let found = agents.find(|own| own.agent.name() == name).cloned();
    found.ok_or_else(|| {
        let text = format!("no document declares an agent `{name}`");
        Problem(StatusCode::NOT_FOUND, text)
    })
}

fn findings_answer(findings: &[Diagnostic]) -> Response {
    let findings = findings.iter().map(finding_json);
    json_answer(&json!({"findings": findings.collect::<Value>()}))
}
