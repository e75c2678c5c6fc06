//! Reading the records of a run for a replay that needs no runtime.

use super::{Read, RecordedHost, RunRecord};
use crate::model::ModelReply;
use crate::run::saved::from_json;
use crate::run::{HostValues, texts};
use agent_spec::ToolSettings;
use agent_tool::Error;
use agent_tool::media::{Media, ReadError, Sha256};
use agent_tool::tool::ToolError;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the values of the host of the record of a start, and the settings of its tools by their names.
///
/// # Errors
/// When the record cannot be read.
pub fn recorded_host(record: &Value) -> Read<(HostValues, BTreeMap<String, ToolSettings>)> {
    let host = from_json(&record["host"], "$.host");
    let host: RecordedHost = host.map_err(|error| ReadError::new(error.to_string()))?;
    let tools = host.tools.into_iter().map(|(name, tool)| {
        let mut settings = ToolSettings::DEFAULT;
        settings.sequential = tool.is_sequential;
        settings.retryable = !tool.is_tried_once;
        settings.requires_approval = tool.requires_approval;
        settings.effects = tool.effects;
        (name, settings)
    });
    let tools = tools.collect();
    let values = HostValues {
        result_limit: host.result_limit,
        holds_agents: host.hooks,
        compaction: host.compaction,
        when_tainted: host.when_tainted,
        reports_begun: true,
        ..HostValues::default()
    };
    Ok((values, tools))
}

/// Returns the digest of the request that a record answers.
pub fn answered_digest(record: &Value) -> Option<Sha256> {
    record.get("requestDigest")?.as_str()?.parse().ok()
}

/// A recorded result of a call, and the media that it names by their digests.
pub struct CallResult {
    /// The result.
    pub result: Result<Value, ToolError>,
    /// The media, with their bytes.
    pub media: Vec<Media>,
}

/// Returns the result of the record of a call that finished; `None` if the run did not accept it.
///
/// # Errors
/// When the record cannot be read.
pub fn result_of_call(record: &Value) -> Read<Option<CallResult>> {
    let RunRecord::CallFinished { outcome, .. } = RunRecord::read(record)? else {
        return Ok(None);
    };
    Ok(outcome.map(|outcome| CallResult {
        media: outcome
            .parts
            .iter()
            .filter_map(|part| part.media().cloned())
            .collect(),
        result: outcome.result,
    }))
}

/// Returns the error of a call that a person denied.
pub fn denial(reason: Option<&str>, in_doubt: bool) -> ToolError {
    match in_doubt {
        true => ToolError::Execution(texts::interrupted(reason)),
        false => ToolError::Authorization(texts::denied(reason)),
    }
}

/// Returns the error of a call of which it is not known whether it was made.
pub fn not_known() -> ToolError {
    ToolError::Execution(texts::NOT_KNOWN.to_owned())
}

/// Whether a record has the answer to a request.
pub fn is_answer(record: &Value) -> bool {
    record["kind"] == "replied" || record["kind"] == "requestFailed"
}

/// Whether a record has the beginning of the run of an agent that the hooks allowed.
pub fn is_agent_begun(record: &Value) -> bool {
    record["kind"] == "agentBegun"
}

/// Whether a record has the end of the run.
pub fn is_end(record: &Value) -> bool {
    record["kind"] == "ended"
}

/// Returns the place of the run that a record is about.
pub fn place(record: &Value) -> &str {
    let place = record.get("run").and_then(Value::as_str);
    place.unwrap_or_default()
}

/// Reads the answer of a model, or the error, of a record that answers a request.
///
/// # Errors
/// When the record cannot be read.
pub fn read_answer(record: &Value) -> Read<Result<ModelReply, Error>> {
    match RunRecord::read(record)? {
        RunRecord::Replied { reply, .. } => Ok(Ok(reply)),
        RunRecord::RequestFailed { error, .. } => Ok(Err(error.again())),
        _ => Err(ReadError::new("it answers no request")),
    }
}
