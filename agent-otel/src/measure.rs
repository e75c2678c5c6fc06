//! The metrics of runs, requests and tool calls.

use crate::attributes::Attributes;
use agent_core::trace::attribute::{self, metric};
use opentelemetry::metrics::{Histogram, Meter};
use opentelemetry::{KeyValue, Value};

/// The bucket boundaries of durations, from the conventions.
const SECONDS: [f64; 14] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/// The bucket boundaries of token counts, from the conventions.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// The attributes of request metrics. None of them differs from request to request, as an id would, because
/// each combination of values is a series of its own.
const REQUEST_ATTRIBUTES: [&str; 7] = [
    attribute::OPERATION,
    attribute::PROVIDER,
    attribute::REQUEST_MODEL,
    attribute::RESPONSE_MODEL,
    attribute::SERVER_ADDRESS,
    attribute::SERVER_PORT,
    attribute::ERROR,
];

const RUN_ATTRIBUTES: [&str; 5] = [
    attribute::OPERATION,
    attribute::PROVIDER,
    attribute::AGENT,
    attribute::REQUEST_MODEL,
    attribute::ERROR,
];

const CALL_ATTRIBUTES: [&str; 4] = [
    attribute::OPERATION,
    attribute::TOOL,
    attribute::TOOL_TYPE,
    attribute::ERROR,
];

/// The instruments that record metrics.
pub(crate) struct Instruments {
    operation: Histogram<f64>,
    first_chunk: Histogram<f64>,
    tokens: Histogram<u64>,
    agent: Histogram<f64>,
    tool: Histogram<f64>,
}

impl Instruments {
    pub(crate) fn new(meter: &Meter) -> Self {
        let seconds = |name, description| {
            let histogram = meter.f64_histogram(name).with_description(description);
            histogram
                .with_unit("s")
                .with_boundaries(SECONDS.to_vec())
                .build()
        };
        let tokens = meter.u64_histogram(metric::TOKEN_USAGE);
        Self {
            operation: seconds(metric::OPERATION_DURATION, "How long a request took"),
            first_chunk: seconds(
                metric::FIRST_CHUNK,
                "How long the first part of an answer took",
            ),
            tokens: tokens
                .with_description("How many tokens a request and its answer had")
                .with_unit("{token}")
                .with_boundaries(TOKENS.to_vec())
                .build(),
            agent: seconds(metric::AGENT_DURATION, "How long a run took"),
            tool: seconds(metric::TOOL_DURATION, "How long a call of a tool took"),
        }
    }

    /// Records an operation that has ended.
    pub(crate) fn measure(&self, seconds: f64, attributes: &Attributes) {
        match attributes
            .get(attribute::OPERATION)
            .map(Value::as_str)
            .as_deref()
        {
            Some("chat") => self.request(seconds, attributes),
            Some("invoke_agent") => self
                .agent
                .record(seconds, &attributes.only(&RUN_ATTRIBUTES)),
            Some("execute_tool") => self
                .tool
                .record(seconds, &attributes.only(&CALL_ATTRIBUTES)),
            _ => {}
        }
    }

    fn request(&self, seconds: f64, attributes: &Attributes) {
        let mut series = attributes.only(&REQUEST_ATTRIBUTES);
        self.operation.record(seconds, &series);
        if let Some(Value::F64(first)) = attributes.get(attribute::FIRST_CHUNK) {
            self.first_chunk.record(*first, &series);
        }
        for (key, kind) in [
            (attribute::INPUT_TOKENS, "input"),
            (attribute::OUTPUT_TOKENS, "output"),
        ] {
            if let Some(Value::I64(tokens)) = attributes.get(key) {
                series.push(KeyValue::new(metric::TOKEN_TYPE, kind));
                self.tokens.record(tokens.unsigned_abs(), &series);
                series.pop();
            }
        }
    }
}
