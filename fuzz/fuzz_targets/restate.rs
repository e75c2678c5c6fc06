//! Messages and state of the engine Restate: each invocation ends with an output, an error or a wait, and steps that were
//! done are read from its journal.
//!
//! The input has up to six parts, with a line `====` between two: the name of a handler and, after a line end, its input;
//! the state `conversation`; the state `status`; the state `progress-00`; and the results of the first two steps, in place
//! of those that the worker proposes. An empty part is not there.

#![no_main]

use agent_fuzz::{agents, block_on, first_line, sections};
use agent_restate::DurableAgent;
use agent_restate::restate_sdk::endpoint::{Endpoint, HandleOptions, ProtocolMode};
use agent_runtime::Runtime;
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// The types of messages.
const START: u16 = 0x0000;
const SUSPENSION: u16 = 0x0001;
const ERROR: u16 = 0x0002;
const END: u16 = 0x0003;
const PROPOSE_RUN_COMPLETION: u16 = 0x0005;
const INPUT: u16 = 0x0400;
const RUN_COMPLETION: u16 = 0x8011;
const COMMANDS: std::ops::Range<u16> = 0x0400..0x0800;

/// The maximum number of attempts of an invocation, each with one more step.
const MAX_ATTEMPTS: usize = 4;

/// A model that calls a tool and then answers.
struct Model;

impl ChatModel for Model {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let is_called = request
            .messages
            .iter()
            .any(|message| !message.tool_calls().is_empty());
        Box::pin(async move {
            Ok(match is_called {
                true => ModelReply::text("Done."),
                false => {
                    ModelReply::calls([ToolCall::new("1", "sayHello", r#"{"personName": "Ada"}"#)])
                }
            })
        })
    }
}

static ENDPOINT: LazyLock<Endpoint> = LazyLock::new(|| {
    let runtime = Runtime::builder().model(Model);
    let agent = DurableAgent::new(runtime, &agents::agent("Scripted/any"), &agents::library());
    let service = agent.expect("an agent").into_service().expect("a service");
    Endpoint::builder().bind(service).build()
});

fuzz_target!(|input: &[u8]| {
    let parts = sections(input);
    let (handler, body) = first_line(parts[0]);
    if handler.is_empty() || !handler.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return;
    }
    let part = |at: usize| parts.get(at).copied().filter(|part| !part.is_empty());
    let mut start = field(1, b"inv_1");
    start.extend(field(2, b"inv_1"));
    let state = [(1, "conversation"), (2, "status"), (3, "progress-00")];
    let state = state
        .into_iter()
        .filter_map(|(at, key)| Some((key, part(at)?)));
    let mut entries = Vec::new();
    for (key, value) in state {
        let entry = [field(1, key.as_bytes()), field(2, value)].concat();
        entries.extend(field(4, &entry));
    }
    entries.extend(field(6, b"ada"));
    let mut journal = vec![frame(INPUT, &field(14, &field(1, body)))];
    let mut results = [part(4), part(5)].into_iter().flatten();
    for _ in 0..MAX_ATTEMPTS {
        let known = varint_field(3, journal.len() as u64);
        let start = frame(START, &[&start[..], &known, &entries].concat());
        let request = [start, journal.concat()].concat();
        let (frames, is_over) = invoke(handler, request);
        let mut goes_on = false;
        for (kind, payload) in frames {
            if COMMANDS.contains(&kind) {
                journal.push(frame(kind, &payload));
            } else if kind == PROPOSE_RUN_COMPLETION {
                journal.push(completion(&payload, results.next()));
                goes_on = true;
            }
        }
        if is_over || !goes_on {
            return;
        }
    }
});

/// Sends the messages of an invocation, and returns those of the worker, and whether the invocation is over.
fn invoke(handler: &str, request: Vec<u8>) -> (Vec<(u16, Vec<u8>)>, bool) {
    let request = Request::builder()
        .method("POST")
        .uri(format!("/invoke/greeter/{handler}"))
        .header("content-type", "application/vnd.restate.invocation.v5")
        .body(Body::from(request))
        .expect("a request");
    let options = HandleOptions {
        protocol_mode: ProtocolMode::RequestResponse,
    };
    let answer = block_on(async {
        let response = ENDPOINT.handle_with_options(request, options);
        let status = response.status().as_u16();
        assert!(matches!(status, 200 | 404), "{status}");
        response.into_body().collect().await
    });
    let answer = answer
        .unwrap_or_else(|_| panic!("the body ends"))
        .to_bytes();
    let (mut rest, mut frames) = (&answer[..], Vec::new());
    while let Some((head, body)) = rest.split_first_chunk::<8>() {
        let kind = u16::from_be_bytes([head[0], head[1]]);
        let length = u32::from_be_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let (payload, after) = body.split_at(length.min(body.len()));
        frames.push((kind, payload.to_vec()));
        rest = after;
    }
    let last = frames.last().map(|(kind, _)| *kind);
    // The router answers an unknown handler.
    let is_over = !matches!(last, Some(SUSPENSION));
    if handler == "send" {
        assert!(matches!(last, Some(SUSPENSION | ERROR | END)), "{last:?}");
    }
    (frames, is_over)
}

/// Returns the completion of a step with this result, or with the one that the worker proposes.
fn completion(proposed: &[u8], result: Option<&[u8]>) -> Vec<u8> {
    let (mut id, mut own) = (0, Vec::new());
    let mut rest = proposed;
    while let Some(key) = varint(&mut rest) {
        let Some(value) = varint(&mut rest) else {
            break;
        };
        match key {
            // The number of the completion.
            0x08 => id = value,
            // A field with bytes: 14 is a value, 15 a failure.
            key => {
                let length = (value as usize).min(rest.len());
                let (bytes, after) = rest.split_at(length);
                rest = after;
                own = match (key >> 3, result) {
                    (14, Some(result)) => field(5, &field(1, result)),
                    (14, None) => field(5, &field(1, bytes)),
                    _ => field(6, bytes),
                };
            }
        }
    }
    frame(RUN_COMPLETION, &[varint_field(1, id), own].concat())
}

fn frame(kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_be_bytes().to_vec();
    bytes.extend([0, 0]);
    bytes.extend((payload.len() as u32).to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Returns a field of protobuf with bytes.
fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
    let mut field = to_varint((number << 3) | 2);
    field.extend(to_varint(bytes.len() as u64));
    field.extend(bytes);
    field
}

fn varint_field(number: u64, value: u64) -> Vec<u8> {
    [to_varint(number << 3), to_varint(value)].concat()
}

fn to_varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}
