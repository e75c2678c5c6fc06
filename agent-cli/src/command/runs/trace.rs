//! A run as a trace: the spans of a live run, with the times of the records.

use crate::display;
use agent_otel::RecordedSpan;
use agent_runtime::journal::{RunInfo, RunState};
use agent_runtime::model::{Usage, trace_name_of};
use agent_runtime::trace::attribute;
use agent_runtime::{Agent, Model};
use agent_spec::AgentTool;
use agent_studio::steps::{Entry, Failure, Outcome, RecordedCall, Reply, Step, Steps, caller_of};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The spans of a run while they are made.
struct Trace<'a> {
    steps: &'a Steps,
    /// The steps of each run, by the calls that lead to it.
    entries: HashMap<&'a str, Vec<&'a Entry>>,
}

/// The numbers of a run and of the agents that it called.
#[derive(Default)]
struct Totals {
    usage: Usage,
    calls: u64,
    failed_calls: u64,
}

/// Returns the span of a run. The content of messages and calls is not part of it.
pub(super) fn trace(info: &RunInfo, steps: &Steps) -> RecordedSpan {
    let mut entries: HashMap<&str, Vec<&Entry>> = HashMap::new();
    for entry in &steps.entries {
        entries.entry(&entry.place).or_default().push(entry);
    }
    let trace = Trace { steps, entries };
    let end = steps.entries.last().map_or(steps.start, |entry| entry.at);
    let (mut span, _) = trace.run("", (steps.start, end));
    span = span.attribute(attribute::RUN, info.run.as_str());
    let failures = steps
        .entries
        .iter()
        .rev()
        .filter(|entry| entry.place.is_empty());
    let mut failures = failures.filter_map(|entry| match &entry.step {
        Step::Failed(failure) => Some(failure),
        _ => None,
    });
    match failures.next() {
        Some(failure) if info.state == RunState::Failed => failed(span, &failure.kind),
        _ => span,
    }
}

impl Trace<'_> {
    /// Returns the span of the run at a place, and its numbers.
    fn run(&self, place: &str, (start, end): (u64, u64)) -> (RecordedSpan, Totals) {
        let agent = self.steps.agent_at(place);
        let agent_name = agent.map_or("", Agent::name);
        let mut span =
            RecordedSpan::new(format!("invoke_agent {agent_name}"), time(start), time(end))
                .attribute(attribute::OPERATION, "invoke_agent")
                .attribute(
                    attribute::PROVIDER,
                    agent.map(|agent| provider(agent.model())),
                )
                .attribute(attribute::AGENT, agent_name)
                .attribute(
                    attribute::AGENT_DESCRIPTION,
                    agent.and_then(Agent::description),
                )
                .attribute(attribute::RUN_PATH, self.steps.path(place))
                .attribute(
                    attribute::REQUEST_MODEL,
                    agent.map(|agent| agent.model().id()),
                );
        if self.is_typed(place) {
            span = span.attribute(attribute::OUTPUT_TYPE, "json");
        }
        let mut totals = Totals::default();
        for entry in self.entries.get(place).into_iter().flatten() {
            match &entry.step {
                Step::Replied(reply) => {
                    totals.usage.add(&reply.usage);
                    let chat = self.chat(place, (reply.since, entry.at));
                    span = span.child(replied(chat, reply));
                }
                Step::Failed(Failure {
                    kind,
                    since: Some(since),
                    ..
                }) => {
                    let chat = self.chat(place, (*since, entry.at));
                    span = span.child(failed(chat, kind));
                }
                Step::Called(index) => {
                    let call = &self.steps.calls[*index];
                    totals.calls += 1;
                    totals.failed_calls += u64::from(is_failed(call));
                    // A call that was refused has no span.
                    if let Some(times) = call.times {
                        let (called, within) = self.call(call, times);
                        totals.usage.add(&within);
                        span = span.child(called);
                    }
                }
                _ => {}
            }
        }
        let Totals {
            usage,
            calls,
            failed_calls,
        } = &totals;
        span = span
            .attribute(attribute::TOTAL_INPUT_TOKENS, usage.input_tokens)
            .attribute(attribute::TOTAL_OUTPUT_TOKENS, usage.output_tokens)
            .attribute(attribute::RUN_REQUESTS, usage.requests)
            .attribute(attribute::RUN_CALLS, *calls)
            .attribute(attribute::RUN_FAILED_CALLS, *failed_calls);
        (span, totals)
    }

    /// Returns the span of a call, and the usage of the agent that it called.
    fn call(&self, call: &RecordedCall, (start, end): (u64, u64)) -> (RecordedSpan, Usage) {
        let place = caller_of(&call.id);
        let path = format!("{}/{}", self.steps.path(place), display::name(&call.tool));
        let tool = self.steps.agent_at(place).and_then(|agent| {
            let mut tools = agent.all_tools();
            tools.find(|tool| tool.name() == call.tool)
        });
        let own = self.steps.agent_at(&call.id).and_then(Agent::description);
        let description = match tool {
            Some(AgentTool::Spec(spec)) => Some(spec.description()),
            _ => own,
        };
        let mut span = RecordedSpan::new(
            format!("execute_tool {}", call.tool),
            time(start),
            time(end),
        )
        .attribute(attribute::OPERATION, "execute_tool")
        .attribute(attribute::TOOL, call.tool.as_str())
        .attribute(attribute::TOOL_TYPE, "function")
        .attribute(attribute::TOOL_DESCRIPTION, description)
        .attribute(attribute::CALL_ID, call.id.as_str())
        .attribute(attribute::TOOL_PATH, path)
        .attribute(attribute::ATTEMPT, call.attempt);
        let mut usage = Usage::default();
        if self.entries.contains_key(call.id.as_str()) {
            let (run, totals) = self.run(&call.id, (start, end));
            usage = totals.usage;
            span = span.child(run);
        }
        if let Some(Outcome::Error(kind, _)) = &call.outcome {
            span = failed(span, kind);
        }
        (span, usage)
    }

    /// Returns the span of a request of the run at a place.
    fn chat(&self, place: &str, (start, end): (u64, u64)) -> RecordedSpan {
        let model = self.steps.model(place);
        let id = model.map_or("", Model::id);
        let mut span = RecordedSpan::new(format!("chat {id}"), time(start), time(end))
            .client()
            .attribute(attribute::OPERATION, "chat")
            .attribute(attribute::PROVIDER, model.map(provider))
            .attribute(attribute::REQUEST_MODEL, id);
        if let Some(agent) = self.steps.agent_at(place) {
            let settings = agent.settings();
            let stop: Vec<&str> = settings.stop.iter().map(|text| text.as_str()).collect();
            span = span
                .attribute(attribute::MAX_TOKENS, settings.max_tokens)
                .attribute(
                    attribute::TEMPERATURE,
                    settings.temperature.as_ref().map(|number| number.value()),
                )
                .attribute(
                    attribute::TOP_P,
                    settings.top_p.as_ref().map(|number| number.value()),
                )
                .attribute(attribute::SEED, settings.seed);
            if !stop.is_empty() {
                span = span.attribute(attribute::STOP_SEQUENCES, json!(stop));
            }
        }
        match self.is_typed(place) {
            true => span.attribute(attribute::OUTPUT_TYPE, "json"),
            false => span,
        }
    }

    fn is_typed(&self, place: &str) -> bool {
        place.is_empty() && self.steps.is_typed
    }
}

/// Adds the attributes of a model's reply to the span of its request.
fn replied(span: RecordedSpan, reply: &Reply) -> RecordedSpan {
    let usage = &reply.usage;
    // A count that the provider did not report is left out, because a zero would be taken for a count.
    let counted = |count: u64| (usage.is_counted() || count > 0).then_some(count);
    let positive = |count: u64| (count > 0).then_some(count);
    span.attribute(attribute::RESPONSE_ID, reply.id.as_deref())
        .attribute(attribute::RESPONSE_MODEL, reply.model.as_deref())
        .attribute(attribute::FINISH_REASONS, json!([reply.finish_reason]))
        .attribute(attribute::INPUT_TOKENS, counted(usage.input_tokens))
        .attribute(attribute::OUTPUT_TOKENS, counted(usage.output_tokens))
        .attribute(attribute::CACHED_TOKENS, positive(usage.cached_tokens))
        .attribute(
            attribute::CACHE_WRITTEN_TOKENS,
            positive(usage.cache_written_tokens),
        )
        .attribute(
            attribute::REASONING_TOKENS,
            positive(usage.reasoning_tokens),
        )
}

fn failed(span: RecordedSpan, kind: &str) -> RecordedSpan {
    span.failed().attribute(attribute::ERROR, Value::from(kind))
}

fn is_failed(call: &RecordedCall) -> bool {
    matches!(call.outcome, Some(Outcome::Error(..)))
}

/// Returns the name of a model's provider in traces.
fn provider(model: &Model) -> &'static str {
    trace_name_of(model.provider()).unwrap_or("custom")
}

fn time(milliseconds: u64) -> SystemTime {
    let since = Duration::from_millis(milliseconds);
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}
