//! Reading the records of a run for a replay that needs no runtime.

use super::{Read, kind, member, read_reply};
use crate::model::ModelReply;
use crate::run::saved::{read_compaction, read_error_of_run, read_outcome};
use crate::run::{HostValues, MAX_RESULT_TEXT, texts};
use agent_spec::ToolSettings;
use agent_tool::Error;
use agent_tool::media::{Media, Sha256};
use agent_tool::tool::ToolError;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the values of the host of a record that `started` made, and the settings of its tools by their names.
pub fn recorded_host(record: &Value) -> Read<(HostValues, BTreeMap<String, ToolSettings>)> {
    let host = record.get("host").unwrap_or(&Value::Null);
    let is = |json: &Value, key: &str| json.get(key).and_then(Value::as_bool);
    let limit = host.get("resultLimit").and_then(Value::as_u64);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let tools = host.get("tools").and_then(Value::as_object);
    let tools = tools.into_iter().flatten().map(|(name, json)| {
        let mut settings = ToolSettings::DEFAULT;
        settings.sequential = is(json, "sequential").unwrap_or(false);
        settings.retryable = is(json, "retryable").unwrap_or(true);
        settings.requires_approval = is(json, "requiresApproval").unwrap_or(false);
        (name.clone(), settings)
    });
    let values = HostValues {
        result_limit: limit.unwrap_or(MAX_RESULT_TEXT),
        holds_agents: is(host, "hooks").unwrap_or(false),
        compaction: read_compaction(host.get("compaction").unwrap_or(&Value::Null))?,
        reports_begun: true,
        ..HostValues::default()
    };
    Ok((values, tools.collect()))
}

/// Returns the digest of the request that a record answers; `None` if an older version wrote the record.
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

/// Returns the result of a record that `call_finished` made; `None` if the run did not take it.
pub fn result_of_call(record: &Value) -> Read<Option<CallResult>> {
    let outcome = member(record, "outcome")?;
    if outcome.is_null() {
        return Ok(None);
    }
    let outcome = read_outcome(outcome)?;
    let media = outcome.parts.iter();
    Ok(Some(CallResult {
        media: media.filter_map(|part| part.media().cloned()).collect(),
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
    let kind = record.get("kind").and_then(Value::as_str);
    [Some(kind::REPLIED), Some(kind::REQUEST_FAILED)].contains(&kind)
}

/// Whether a record has the beginning of the run of an agent that hooks let pass.
pub fn is_agent_begun(record: &Value) -> bool {
    record.get("kind").and_then(Value::as_str) == Some(kind::AGENT_BEGUN)
}

/// Whether a record has the end of the run.
pub fn is_end(record: &Value) -> bool {
    record.get("kind").and_then(Value::as_str) == Some(kind::ENDED)
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
    match record.get("error") {
        Some(error) => Ok(Err(read_error_of_run(error)?)),
        None => Ok(Ok(read_reply(record)?)),
    }
}
