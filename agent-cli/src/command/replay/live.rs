//! Printing the steps of the recorded run and of a live one in one list.

use crate::display::{json_line, name, shortened};
use crate::outcome::{CommandError, Outcome, with_causes};
use crate::output::{error_to_stderr, json_to_stdout, line_to_stdout};
use crate::output_format::Format;
use agent_runtime::ToolError;
use agent_runtime::journal::RunInfo;
use agent_runtime::redact::Redactor;
use agent_runtime::testing::{LiveReplay, ReplayAction, ReplayStep, StepSide};
use agent_spec::terminal;
use serde_json::{Value, json};

/// Prints both runs.
pub(super) fn print(
    live: &LiveReplay,
    info: &RunInfo,
    redactor: &Redactor,
    format: Format,
) -> Result<Outcome, CommandError> {
    let outcome = Outcome::of_errors(live.outcome.is_err());
    if format == Format::Json {
        json_to_stdout(&redactor.value(&to_json(live, info)))?;
        return Ok(outcome);
    }
    for (side, step) in live.steps() {
        line_to_stdout(&step_text(mark(side), step, redactor))?;
    }
    if let Err(error) = &live.outcome {
        error_to_stderr(&redactor.text(&with_causes(error)));
    }
    Ok(outcome)
}

const fn mark(side: StepSide) -> char {
    match side {
        StepSide::Both => '=',
        StepSide::Recorded => '-',
        StepSide::New => '+',
    }
}

/// Writes a step. Each line of a text begins with the mark and is indented, so that it looks like no other step.
fn step_text(mark: char, step: &ReplayStep, redactor: &Redactor) -> String {
    let below = step.agent.split_once('/').map(|(_, below)| below);
    match &step.action {
        ReplayAction::Text(text) => {
            let agent = match below {
                Some(_) => format!("{}: ", shortened(&step.agent)),
                None => String::new(),
            };
            let text = terminal::text(&redactor.text(text));
            let lines: Vec<&str> = text.trim_end().lines().collect();
            let text = lines.join(&format!("\n{mark}    "));
            format!("{mark} 🤖 {agent}{text}")
        }
        ReplayAction::Call {
            tool,
            arguments,
            result,
            ..
        } => {
            let tool = redactor.text(tool);
            let tool = match below {
                Some(_) => shortened(&format!("{}/{tool}", step.agent)),
                None => name(&tool),
            };
            let arguments = json_line(&redactor.value(arguments).to_string());
            let result = match result {
                None => String::new(),
                Some(result) => format!(" → {}", result_text(result, redactor)),
            };
            format!("{mark} 🛠️ {tool} {arguments}{result}")
        }
        _ => format!("{mark}"),
    }
}

fn result_text(result: &Result<Value, ToolError>, redactor: &Redactor) -> String {
    match result {
        Ok(Value::String(text)) => shortened(&redactor.text(text)),
        Ok(value) => json_line(&redactor.value(value).to_string()),
        Err(error) => format!("error: {}", shortened(&redactor.text(&error.to_string()))),
    }
}

/// Returns both runs as a JSON object. Scripts depend on these members.
fn to_json(live: &LiveReplay, info: &RunInfo) -> Value {
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
