//! Printing the first request that differs.

use crate::display::name;
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, line_to_stdout, text_to_stdout, to_stderr};
use crate::output_format::Format;
use crate::text_diff::unified_diff;
use agent_runtime::journal::RunInfo;
use agent_runtime::redact::Redactor;
use agent_runtime::testing::{Comparison, RequestDifference};
use agent_spec::terminal;
use agent_studio::replay::comparison_json;

/// Prints the result of a comparison. `new` is the name of the document with the new agent.
pub(super) fn print(
    comparison: &Comparison,
    info: &RunInfo,
    new: Option<&str>,
    redactor: &Redactor,
    format: Format,
) -> Result<Outcome, CommandError> {
    if format == Format::Json {
        json_to_stdout(&redactor.value(&comparison_json(comparison, info)))?;
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
