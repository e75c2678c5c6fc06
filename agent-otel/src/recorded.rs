//! Spans of earlier operations, with their original times.

use agent_tool::serde_json::Value as Json;
use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::SdkTracer;
use std::time::SystemTime;

/// A span of an earlier operation, such as a run in a journal. [`Otel::export`](crate::Otel::export) exports
/// it.
#[derive(Clone, Debug)]
pub struct RecordedSpan {
    name: String,
    start: SystemTime,
    end: SystemTime,
    is_client: bool,
    is_failed: bool,
    attributes: Vec<(&'static str, Json)>,
    children: Vec<Self>,
}

impl RecordedSpan {
    /// Creates a span with the times of its beginning and its end. Its name, and the texts of its attributes, are cut after
    /// 4 KiB, as those of a live run are.
    #[must_use]
    pub fn new(name: impl Into<String>, start: SystemTime, end: SystemTime) -> Self {
        Self {
            name: label(&name.into()),
            start,
            end,
            is_client: false,
            is_failed: false,
            attributes: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Marks the span as that of a request to a server.
    #[must_use]
    pub fn client(mut self) -> Self {
        self.is_client = true;
        self
    }

    /// Marks the span as failed.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_failed = true;
        self
    }

    /// Adds an attribute: a text, a number, a boolean or a list of texts. Other values are left out.
    #[must_use]
    pub fn attribute(mut self, key: &'static str, value: impl Into<Json>) -> Self {
        self.attributes.push((key, value.into()));
        self
    }

    /// Adds the span of a part of this operation.
    #[must_use]
    pub fn child(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    /// Exports the span below `parent`, and then its parts. Calls `exported` after each span.
    pub(crate) fn export(
        &self,
        tracer: &SdkTracer,
        parent: &Context,
        exported: &mut impl FnMut() -> OTelSdkResult,
    ) -> OTelSdkResult {
        let attributes = self.attributes.iter();
        let attributes =
            attributes.filter_map(|(key, value)| Some(KeyValue::new(*key, value_of(value)?)));
        let kind = match self.is_client {
            true => SpanKind::Client,
            false => SpanKind::Internal,
        };
        let builder = tracer
            .span_builder(self.name.clone())
            .with_kind(kind)
            .with_start_time(self.start)
            .with_attributes(attributes.collect::<Vec<_>>());
        let mut span = tracer.build_with_context(builder, parent);
        if self.is_failed {
            // The description is empty, because the error's text may quote content.
            span.set_status(Status::error(""));
        }
        let below = parent.with_remote_span_context(span.span_context().clone());
        span.end_with_timestamp(self.end);
        exported()?;
        let mut children = self.children.iter();
        children.try_for_each(|child| child.export(tracer, &below, exported))
    }
}

/// The maximum number of bytes of a text, because a model can write a name of megabytes, and collectors refuse spans of
/// such a size.
const MAX_LABEL: usize = 4096;

fn label(text: &str) -> String {
    match text.len() > MAX_LABEL {
        true => format!("{}…", &text[..text.floor_char_boundary(MAX_LABEL)]),
        false => text.to_owned(),
    }
}

fn value_of(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Bool(value) => Value::Bool(*value),
        Json::String(text) => Value::String(label(text).into()),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::I64(number),
            None => Value::F64(number.as_f64()?),
        },
        Json::Array(items) => {
            let texts = items.iter().filter_map(Json::as_str);
            let texts = texts.map(|text| StringValue::from(label(text)));
            Value::Array(Array::String(texts.collect()))
        }
        Json::Null | Json::Object(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn long_texts_are_cut() {
        let long = "é".repeat(100_000);
        let span = RecordedSpan::new(long.as_str(), UNIX_EPOCH, UNIX_EPOCH);
        let cut = format!("{}…", "é".repeat(MAX_LABEL / 2));
        assert_eq!(span.name, cut);
        let text = value_of(&Json::from(long.as_str()));
        assert_eq!(text, Some(Value::String(cut.clone().into())));
        let texts = value_of(&Json::from(vec![long]));
        assert_eq!(texts, Some(Value::Array(Array::String(vec![cut.into()]))));
    }
}
