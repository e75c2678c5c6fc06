//! A run that is saved after every step goes on as one that is not.

mod support;

use agent_runtime::{
    BoundTools, Conversation, Decision, Error, FinishReason, Model, ModelReply, Run, Step,
    ToolError, Usage, bind_agent_tools,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use support::{agent, calls, config, hello_spec, hello_tool, library, spec};

/// Saves a run as text and reads it again.
fn again(run: &Run, tools: &BoundTools) -> Run {
    let text = run.to_json().to_string();
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let read = Run::from_json(&json, tools).expect("its own form");
    assert_eq!(read.to_json(), json);
    read
}

fn setting() -> (agent_runtime::Agent, BoundTools) {
    let risky = config("risky").requires_approval(true).sequential(true);
    let risky = risky.build(|_| async { Ok(1.into()) }).expect("a tool");
    let agent = agent([hello_spec(), spec("risky")]);
    let tools = bind_agent_tools(&agent, &library([hello_tool(), risky])).expect("bound");
    (agent, tools)
}

/// Plays one run; `between` stands between any two steps.
fn play(between: impl Fn(Run, &BoundTools) -> Run) -> (String, Value) {
    let (agent, tools) = setting();
    let run = Run::new(&agent, &tools, "Hi", &Conversation::new(), &BTreeMap::new());
    let mut run = run.expect("a run");
    let mut replies = [
        calls(&[
            ("a", "sayHello", "{\"personName\":   \"Ada\"}"),
            ("", "nope", "{bad"),
            ("c", "risky", "{}"),
            ("d", "sayHello", "{}"),
            ("e", "risky", "{}"),
        ])
        .with_usage(Usage::of_request(5, 6)),
        calls(&[("f", "risky", "[]"), ("g", "risky", "[]")]),
        ModelReply::default().with_finish_reason(FinishReason::Other("odd".into())),
        calls(&[("h", "risky", "[]"), ("i", "risky", "{}")]),
        ModelReply::text("Done."),
    ]
    .into_iter();
    let id = run.id().to_owned();
    let mut trail = Vec::new();
    loop {
        run = between(run, &tools);
        assert_eq!(run.id(), id);
        let step = run.next().expect("the run goes on");
        trail.push(format!("{step:?}"));
        match step {
            Step::CallModel(_) => run.model_replied(replies.next().expect("a reply")),
            Step::AwaitApproval(waiting) => {
                let decision = match waiting[0].id.as_str() {
                    "c" => Decision::Approve,
                    _ => Decision::Deny { reason: None },
                };
                run.approve(&waiting[0].id, decision)
            }
            Step::CallTools(pending) => {
                let last = pending.last().expect("a call");
                let result = match last.id.as_str() {
                    "d" => Err(ToolError::Timeout),
                    id => Ok(json!({ "of": id })),
                };
                run.tool_finished(&last.id, result)
            }
            Step::Done(response) => {
                return (trail.join("\n"), response.to_json());
            }
            other => panic!("{other:?}"),
        }
        .expect("it was due");
    }
}

#[test]
fn a_saved_run_goes_on_exactly_as_it_would_have() {
    let straight = play(|run, _| run);
    let saved = play(|run, tools| again(&run, tools));
    assert_eq!(straight, saved);
    let errors: Vec<_> = straight.1["toolsUsed"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|used| used["error"].as_str().unwrap_or("-").to_owned())
        .collect();
    assert_eq!(errors.len(), 9);
    assert!(errors[8].contains("no attempts"), "{errors:#?}");
}

#[test]
fn a_run_that_has_ended_stays_ended() {
    let (agent, tools) = setting();
    let new = || Run::new(&agent, &tools, "Hi", &Conversation::new(), &BTreeMap::new());
    let mut done = new().expect("a run");
    done.model_replied(ModelReply::text("Done."))
        .expect("it was due");
    assert_eq!(
        again(&done, &tools).next().expect("done"),
        done.next().expect("done")
    );
    let mut cancelled = new().expect("a run");
    cancelled.cancel();
    let error = again(&cancelled, &tools).next().expect_err("cancelled");
    assert!(error.is_cancelled());
}

#[test]
fn a_saved_run_knows_why_it_turned_to_a_fallback() {
    let (agent, tools) = setting();
    let mut settings = agent.settings().clone();
    settings.fallback = vec![Model::parse("Other/second").expect("a model")].into();
    let agent = agent.with_settings(settings).expect("they are right");
    let run = Run::new(&agent, &tools, "Hi", &Conversation::new(), &BTreeMap::new());
    let mut run = run.expect("a run");
    let down = Error::llm("down").into_unavailable();
    run.model_failed(down).expect("a further model");
    let mut run = again(&run, &tools);
    let error = run.model_failed(Error::configuration("no key"));
    assert_eq!(error.expect_err("no model is left").to_string(), "down");
}

#[test]
fn other_json_is_refused_and_never_panics() {
    let (agent, tools) = setting();
    let run = Run::new(&agent, &tools, "Hi", &Conversation::new(), &BTreeMap::new());
    let mut run = run.expect("a run");
    run.model_replied(calls(&[("a", "sayHello", "{}"), ("b", "risky", "{}")]))
        .expect("it was due");
    let good = run.to_json();
    for wrong in [
        json!(null),
        json!({}),
        json!({"format": "agent-run", "version": 99}),
    ] {
        assert!(
            Run::from_json(&wrong, &tools)
                .expect_err("no run")
                .is_validation()
        );
    }
    // Every member taken away, and every number made too large.
    let mut pointers = Vec::new();
    collect(&good, String::new(), &mut pointers);
    for pointer in pointers {
        for change in [None, Some(json!(4_000_000_000_u32)), Some(json!([]))] {
            let mut changed = good.clone();
            let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
            match (changed.pointer_mut(parent), change) {
                (Some(Value::Object(map)), None) => drop(map.remove(key)),
                (Some(Value::Object(map)), Some(value)) => drop(map.insert(key.into(), value)),
                _ => continue,
            }
            if let Ok(mut run) = Run::from_json(&changed, &tools) {
                let _ = run.next();
                let _ = run.tool_finished("a", Ok(Value::Null));
                let _ = run.approve("b", Decision::Approve);
                run.cancel();
            }
        }
    }
    let none = bind_agent_tools(&support::agent([]), &library([])).expect("bound");
    assert!(
        Run::from_json(&good, &none)
            .expect_err("no tools")
            .is_tool()
    );
}

fn collect(json: &Value, at: String, pointers: &mut Vec<String>) {
    match json {
        Value::Object(map) => {
            for (key, value) in map {
                let at = format!("{at}/{key}");
                pointers.push(at.clone());
                collect(value, at, pointers);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{at}/{index}"), pointers);
            }
        }
        _ => {}
    }
}
