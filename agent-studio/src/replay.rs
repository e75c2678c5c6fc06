//! Runs that are repeated with the agent of a document as it is now.

use crate::problem::{Problem, json_answer, with_causes};
use crate::runs::stored;
use crate::state::State;
use agent_runtime::journal::RunInfo;
use agent_runtime::testing::{
    Comparison, LiveReplay, Replay, ReplayAction, RequestDifference, RequestPart, StepSide,
};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Agent, Error, ToolError, ToolLibrary};
use agent_spec::ToolSpec;
use axum::extract::{self, Path};
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;

/// `GET /studio/runs/{id}/replay`: the first request of a run that the agent of a document would make in another way.
pub(crate) async fn compare(
    extract::State(studio): extract::State<Arc<State>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (replay, info) = replay_of(&studio, &id).await?;
    let comparison = replay.compare().map_err(Problem::conflict_of)?;
    let json = comparison_json(&comparison, &info);
    Ok(json_answer(&studio.runtime.redactor().value(&json)))
}

/// `POST /studio/runs/{id}/replay`: both runs, after the models of the agent of a document were asked anew.
pub(crate) async fn ask_anew(
    extract::State(studio): extract::State<Arc<State>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (replay, info) = replay_of(&studio, &id).await?;
    let live = replay.live(&studio.runtime).await;
    let json = live_json(&live.map_err(Problem::conflict_of)?, &info);
    Ok(json_answer(&studio.runtime.redactor().value(&json)))
}

async fn replay_of(studio: &State, id: &str) -> Result<(Replay, RunInfo), Problem> {
    let stored = stored(studio, id).await?;
    let info = stored.info.clone();
    let agent = {
        let served = studio.served();
        let mut agents = served.running.iter();
        let found = agents.find(|own| own.agent.name() == info.agent);
        found.map(|own| own.agent.clone())
    };
    let agent = agent.ok_or_else(|| {
        let text = "no open document declares the agent `{}` of the run, or one has errors";
        Problem::conflict(text.replace("{}", &info.agent))
    })?;
    let mut library = studio.library.clone();
    add_stand_ins(&mut library, &specs_of(&agent)).map_err(Problem::conflict_of)?;
    let replay = Replay::new(stored).with_agent(agent).tools(&library);
    Ok((replay, info))
}

/// The specs of the tools of an agent and of the agents that it calls.
fn specs_of(agent: &Agent) -> Vec<ToolSpec> {
    let own = agent.tools().iter();
    let called = agent.agents();
    let called = called.iter().flat_map(|agent| agent.tools());
    own.chain(called).cloned().collect()
}

/// Adds a stand-in for each tool that the program does not have. Its calls are not made.
///
/// # Errors
/// When the signature of a tool cannot be used.
pub fn add_stand_ins(library: &mut ToolLibrary, specs: &[ToolSpec]) -> Result<(), Error> {
    for spec in specs {
        let name = spec.name();
        if library.lookup(name).is_some() {
            continue;
        }
        let signature = spec.signature().to_string();
        let config =
            ToolConfig::with_signature(name.to_owned(), spec.description().to_owned(), &signature);
        let tool = config.build(async |_| {
            Err(ToolError::Execution(
                "not made: this command does not have the tool".to_owned(),
            ))
        });
        let unusable = |error: &dyn std::error::Error| {
            Error::configuration(format!("the tool `{name}` cannot be used: {error}"))
        };
        let tool = tool.map_err(|error| unusable(&error))?;
        library.add(tool).map_err(|error| unusable(&error))?;
    }
    Ok(())
}

/// Returns a comparison as a JSON object. Scripts depend on these members.
#[must_use]
pub fn comparison_json(comparison: &Comparison, info: &RunInfo) -> Value {
    json!({
        "run": info.run,
        "requests": comparison.requests,
        "same": comparison.is_same(),
        "sentOtherwise": comparison.sent_otherwise,
        "difference": comparison.difference.as_ref().map(difference_json),
    })
}

fn difference_json(difference: &RequestDifference) -> Value {
    let (part, named) = match &difference.part {
        RequestPart::Model => ("model", None),
        RequestPart::Settings => ("settings", None),
        RequestPart::Instruction => ("instruction", None),
        RequestPart::Tool(name) => ("tool", Some(json!(name))),
        RequestPart::ToolOrder => ("toolOrder", None),
        RequestPart::Message(number) => ("message", Some(json!(number))),
        _ => ("request", None),
    };
    let mut json = json!({
        "request": difference.request,
        "agent": difference.agent,
        "part": part,
        "recorded": difference.recorded,
        "new": difference.new,
    });
    if let Some(named) = named {
        json["name"] = named;
    }
    if let Some(ended) = &difference.ended {
        json["ended"] = ended.as_str().into();
    }
    json
}

/// Returns a recorded run and the one of models that were asked anew as a JSON object. Scripts depend on these members.
#[must_use]
pub fn live_json(live: &LiveReplay, info: &RunInfo) -> Value {
    let steps = live.steps().into_iter().map(|(side, step)| {
        let side = match side {
            StepSide::Both => "both",
            StepSide::Recorded => "recorded",
            StepSide::New => "new",
        };
        let mut json = json!({"side": side, "agent": step.agent});
        match &step.action {
            ReplayAction::Text(text) => json["text"] = text.as_str().into(),
            ReplayAction::Call {
                tool,
                arguments,
                result,
                ..
            } => {
                json["tool"] = tool.as_str().into();
                json["arguments"] = arguments.clone();
                match result {
                    Some(Ok(value)) => json["result"] = value.clone(),
                    Some(Err(error)) => json["error"] = error.to_string().into(),
                    None => {}
                }
            }
            _ => {}
        }
        json
    });
    let mut json = json!({"run": info.run, "steps": steps.collect::<Value>()});
    match &live.outcome {
        Ok(response) => json["content"] = response.content.as_str().into(),
        Err(error) => json["error"] = with_causes(error).into(),
    }
    json
}
