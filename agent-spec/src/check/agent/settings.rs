//! The optional settings of a run.

use super::extra::read_extra;
use super::grants::read_grants;
use super::read_model;
use crate::agent::{ReasoningEffort, Settings, ToolChoice};
use crate::check::reader::{Quoted, Reader};
use crate::diagnostic::{Code, Diagnostic};
use crate::duration::read_duration;
use crate::names::nearest;
use agent_gram::syntax::{NumberKind, Value, ValueKind};
use agent_gram::value::{Decimal, Text};
use std::borrow::Cow;
use std::fmt;

/// Reads one setting. `key` is one of [`crate::agent::AGENT_KEYS`].
pub(super) fn read_setting(
    reader: &mut Reader<'_>,
    key: &str,
    value: Value<'_>,
    settings: &mut Settings,
) {
    let what = Quoted(key);
    match key {
        "temperature" => {
            settings.temperature = read_number(reader, value, what, "a number from 0 to 2", 2.0);
        }
        "topP" => settings.top_p = read_number(reader, value, what, "a number from 0 to 1", 1.0),
        "seed" => settings.seed = reader.integer(value, what, "a whole number of 64 bits"),
        "maxTokens" => settings.max_tokens = read_count(reader, value, what),
        "maxIterations" => settings.max_iterations = read_count(reader, value, what),
        "stop" => settings.stop = Cow::Owned(read_stop(reader, value)),
        "reasoningEffort" => settings.reasoning_effort = read_effort(reader, value),
        // Whether the agent has such a tool is known when its elements are read.
        "toolChoice" => settings.tool_choice = reader.text(value, what).map(ToolChoice::of),
        "toolTimeout" => settings.tool_timeout = read_duration(reader, value, what),
        "baseUrl" => settings.base_url = read_base_url(reader, value),
        "fallback" => {
            settings.fallback = Cow::Owned(
                items(value)
                    .into_iter()
                    .filter_map(|item| read_model(reader, item, "`fallback`"))
                    .collect(),
            );
        }
        "grants" => settings.grants = read_grants(reader, value),
        "extra" => settings.extra = read_extra(reader, value),
        _ => {}
    }
}

fn read_number(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: impl fmt::Display + Copy,
    range: &str,
    highest: f64,
) -> Option<Decimal> {
    if let ValueKind::Number(number) = value.kind() {
        let number = match number.kind() {
            NumberKind::Integer(value) => Some(value as f64),
            NumberKind::Decimal(value) => Some(value),
            NumberKind::Measurement { .. } => None,
        };
        if let Some(number) = number.filter(|number| (0.0..=highest).contains(number)) {
            return Decimal::new(number).ok();
        }
    }
    reader.wrong(value, what, range)
}

fn read_count(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: impl fmt::Display + Copy,
) -> Option<u32> {
    let range = match value.kind() {
        ValueKind::Number(number) if matches!(number.kind(), NumberKind::Integer(count) if count > u32::MAX.into()) =>
        {
            format!("a whole number from 1 to {}", u32::MAX)
        }
        _ => "a whole number, 1 or more".to_owned(),
    };
    let count = reader.integer(value, what, &range)?;
    if count == 0 {
        reader.wrong(value, what, &range)
    } else {
        Some(count)
    }
}

fn read_effort(reader: &mut Reader<'_>, value: Value<'_>) -> Option<ReasoningEffort> {
    let word = reader.text(value, "`reasoningEffort`")?;
    let effort = ReasoningEffort::of(word);
    if effort.is_none() {
        let known = ReasoningEffort::ALL.map(ReasoningEffort::as_str);
        let message = format!("{word:?} is not an effort that every provider knows");
        let found = Diagnostic::new(Code::BadValue, value.span(), message);
        reader.report(found.with_help(match nearest(word, known) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!(
                "known: {}; what one provider has besides goes into `extra`",
                known.join(", ")
            ),
        }));
    }
    effort
}

fn read_stop(reader: &mut Reader<'_>, value: Value<'_>) -> Vec<Text> {
    items(value)
        .into_iter()
        .filter_map(|item| reader.owned_text(item, "`stop`"))
        .collect()
}

fn read_base_url(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Text> {
    let url = reader.owned_text(value, "`baseUrl`")?;
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '\\', '?', '#']).next());
    let message = match host.unwrap_or_default() {
        "" => "`baseUrl` must be an `http://` or `https://` address with a host",
        host if host.contains('@') => {
            "`baseUrl` must hold no user name or password; a server that wants a key gets it in a \
             header"
        }
        _ => return Some(url),
    };
    reader.error(Code::BadValue, value.span(), message);
    None
}

/// The items of a list; a value that is no list counts as a list of one.
pub(super) fn items(value: Value<'_>) -> Vec<Value<'_>> {
    match value.kind() {
        ValueKind::Array(array) => array.items().collect(),
        _ => vec![value],
    }
}
