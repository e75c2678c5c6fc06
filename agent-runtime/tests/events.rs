//! The JSON of events.

use crate::support::{agent, calls, config, library, spec};
use agent_runtime::event::EventCollector;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::Decision;
use agent_runtime::{Cancellation, Event, Runtime};
use serde_json::{Value, json};

/// Events as version 1 wrote them. Never change a line: other programs have written such events.
const VERSION_1: &str = include_str!("events/version-1.jsonl");

fn schema() -> jsonschema::Validator {
    let text = include_str!("../../book/src/reference/event.schema.json");
    let schema: Value = serde_json::from_str(text).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

fn to_json(event: &Event) -> Value {
    serde_json::to_value(event).expect("JSON")
}

#[test]
fn events_of_version_1_are_read_and_written_again() {
    let schema = schema();
    let mut kinds = Vec::new();
    for line in VERSION_1.lines() {
        let json: Value = serde_json::from_str(line).expect("JSON");
        if let Err(error) = schema.validate(&json) {
            panic!("{line}: {error}");
        }
        let event: Event = serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(to_json(&event), json);
        kinds.push(json["type"].clone());
        // A later program may have more members.
        let mut later = json.clone();
        later["later"] = json!({"x": [1]});
        assert_eq!(
            serde_json::from_value::<Event>(later).expect("an event"),
            event
        );
    }
    kinds.dedup();
    let text = include_str!("../../book/src/reference/event.schema.json");
    let defined: Value = serde_json::from_str(text).expect("JSON");
    let defined = defined["$defs"]["event"]["oneOf"]
        .as_array()
        .expect("a list");
    let defined: Vec<Value> = defined
        .iter()
        .map(|event| event["properties"]["type"]["const"].clone())
        .collect();
    assert_eq!(kinds, defined, "each event of the schema has a line");
}

#[test]
fn what_is_no_event_is_refused() {
    for (json, problem) in [
        (json!({"text": "x"}), "missing field `type`"),
        (json!({"type": "later"}), "unknown variant `later`"),
        (json!({"type": "textDelta"}), "missing field `text`"),
        (
            json!({"type": "textDelta", "text": 1}),
            "invalid type: integer `1`",
        ),
        (json!({"type": "modelCalled", "model": "gpt"}), "gpt"),
        (
            json!({"type": "partReceived", "part": {"type": "image"}}),
            "image",
        ),
    ] {
        let error = serde_json::from_value::<Event>(json.clone()).expect_err("no event");
        assert!(error.to_string().contains(problem), "{json}: {error}");
    }
}

#[test]
fn decisions_are_read() {
    for (json, decision) in [
        (json!({"type": "approve"}), Decision::Approve),
        (json!({"type": "deny"}), Decision::Deny { reason: None }),
        (
            json!({"type": "deny", "reason": "too much"}),
            Decision::Deny {
                reason: Some("too much".to_owned()),
            },
        ),
        (
            json!({"type": "edit", "args": {"amount": 5}}),
            Decision::Edit {
                args: json!({"amount": 5}),
            },
        ),
        (
            json!({"type": "done", "result": null}),
            Decision::Done {
                result: Value::Null,
            },
        ),
        (json!({"type": "unknown"}), Decision::Unknown),
    ] {
        let read: Decision = serde_json::from_value(json.clone()).expect("a decision");
        assert_eq!(read, decision);
        assert_eq!(serde_json::to_value(&decision).expect("JSON"), json);
    }
    for wrong in [
        json!({"type": "edit"}),
        json!({"type": "pay"}),
        json!("approve"),
    ] {
        assert!(
            serde_json::from_value::<Decision>(wrong.clone()).is_err(),
            "{wrong}"
        );
    }
}

/// The events of a run that went through JSON give the same response.
#[tokio::test]
async fn a_run_is_collected_from_the_json_of_its_events() {
    let tool = config("act").build(|_| async { Ok(json!({"done": [1, 2.5, null]})) });
    let library = library([tool.expect("a tool")]);
    let runtime = Runtime::with_model(Scripted::new([
        calls(&[("x", "act", "{}"), ("y", "act", "no JSON")]),
        ModelReply::text("Done."),
    ]));
    let mut events = runtime
        .run(agent([spec("act")]), "Act.")
        .tools(&library)
        .stream();
    let (schema, mut collector) = (schema(), EventCollector::new());
    let mut last = None;
    while let Some(event) = events.next().await {
        let json = to_json(&event.expect("an event"));
        assert!(schema.is_valid(&json), "{json}");
        let read: Event = serde_json::from_str(&json.to_string()).expect("an event");
        collector.push(&read);
        last = Some(read);
    }
    let Some(Event::Finished { response, .. }) = last else {
        panic!("{last:?}");
    };
    assert_eq!(collector.response(), &response);
    assert_eq!(response.tools_used.len(), 2);
}

/// Each run has one last event, also one that could not begin. The stream then has the error, too.
#[tokio::test]
async fn each_end_of_a_run_is_an_event() {
    let asked = config("act").requires_approval(true);
    let library = library([asked.build(|_| async { Ok(Value::Null) }).expect("a tool")]);
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let model = Scripted::new([calls(&[("x", "act", "{}")])]);
    let runtime = Runtime::with_model(model);
    let agent = agent([spec("act")]);
    let run = || runtime.run(&agent, "Act.");
    for (run, kind) in [
        (run().tools(&library), "waiting"),
        (run().tools(&library), "failed"),
        (run().tools(&library).cancellation(cancelled), "cancelled"),
        (run(), "failed"),
        (runtime.run(&agent, " ").tools(&library), "failed"),
    ] {
        let mut events = run.stream();
        let mut seen = Vec::new();
        let error = loop {
            match events.next().await.expect("an end") {
                Ok(event) => seen.push(event),
                Err(error) => break error,
            }
        };
        assert!(events.next().await.is_none());
        let last: Vec<Value> = seen
            .iter()
            .filter(|event| event.is_last())
            .map(to_json)
            .collect();
        assert_eq!(last.len(), 1, "{seen:?}");
        assert_eq!(last[0]["type"], kind, "{error}");
    }
}
