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
use agent_studio::replay::live_json;
use serde_json::Value;

/// Prints both runs.
pub(super) fn print(
    live: &LiveReplay,
    info: &RunInfo,
    redactor: &Redactor,
    format: Format,
) -> Result<Outcome, CommandError> {
    let outcome = Outcome::of_errors(live.outcome.is_err());
    if format == Format::Json {
        json_to_stdout(&redactor.value(&live_json(live, info)))?;
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
