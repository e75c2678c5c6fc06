//! Printing the first request that differs.

use crate::display::name;
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, line_to_stdout, text_to_stdout, to_stderr};
use crate::output_format::Format;
use crate::text_diff::unified_diff;
use agent_runtime::journal::RunInfo;
use agent_runtime::redact::Redactor;
use agent_runtime::testing::{Comparison, RequestDifference, RequestPart};
use agent_spec::terminal;
use serde_json::{Value, json};

/// Prints the result of a comparison. `new` is the name of the document with the new agent.
pub(super) fn print(
    comparison: &Comparison,
    info: &RunInfo,
    new: Option<&str>,
    redactor: &Redactor,
    format: Format,
) -> Result<Outcome, CommandError> {
    if format == Format::Json {
        json_to_stdout(&redactor.value(&to_json(comparison, info)))?;
        return Ok(Outcome::of_errors(!comparison.is_same()));
    }
    match &comparison.difference {
        None if comparison.requests == 0 => line_to_stdout("the run has no requests")?,
        None => line_to_stdout(&comparison.to_string())?,
        Some(difference) => {
            // The lines after the first contain the part that differs, which the diff also shows.
            let heading = redactor.text(&difference.to_string());
            line_to_stdout(heading.lines().next().unwrap_or_default())?;
            let diff = terminal::text(&diff_of(difference, new.unwrap_or("new"), redactor));
            text_to_stdout(&diff)?;
        }
    }
    for number in &comparison.sent_otherwise {
        to_stderr(&format!(
            "request {number} was sent in another form than the records lead to: a hook changed it, or the program \
             that made the run builds requests in another way\n"
        ));
    }
    Ok(Outcome::of_errors(!comparison.is_same()))
}

fn diff_of(difference: &RequestDifference, new: &str, redactor: &Redactor) -> String {
    let text = |request: &Option<String>| redactor.text(request.as_deref().unwrap_or_default());
    unified_diff(
        ["recorded", &name(new)],
        &text(&difference.recorded_request),
        &text(&difference.new_request),
    )
}

/// Returns the comparison as a JSON object. Scripts depend on these members.
fn to_json(comparison: &Comparison, info: &RunInfo) -> Value {
    json!({
        "run": info.run,
        "requests": comparison.requests,
        "same": comparison.is_same(),
        "sentOtherwise": comparison.sent_otherwise,
        "difference": comparison.difference.as_ref().map(difference_to_json),
    })
}

fn difference_to_json(difference: &RequestDifference) -> Value {
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
