//! A run that is saved after every step goes on as one that is not.

use crate::support::{agent, calls, config, hello_spec, hello_tool, library, spec};
use agent_runtime::conversation::{Role, ToolCall};
use agent_runtime::library::{BoundTools, bind_agent_tools};
use agent_runtime::model::{FinishReason, ModelReply, Usage};
use agent_runtime::run::{Decision, Run, Step, UsageLimits};
use agent_runtime::{Conversation, Error, Message, Model, ToolError};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
fn a_saved_run_continues_exactly_as_an_unsaved_one() {
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
fn a_saved_run_keeps_the_first_provider_error() {
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
    let none = bind_agent_tools(&crate::support::agent([]), &library([])).expect("bound");
    assert!(
        Run::from_json(&good, &none)
            .expect_err("no tools")
            .is_tool()
    );
}

/// Runs at each place where one is saved: before and after a request, where a person must decide, where
/// some results are there, at the end.
fn saved_runs() -> (BoundTools, Vec<Value>) {
    let (agent, tools) = setting();
    let mut settings = agent.settings().clone();
    settings.fallback = vec![Model::parse("Other/second").expect("a model")].into();
    let agent = agent.with_settings(settings).expect("they are right");
    let said: Conversation = [
        Message::user("Earlier"),
        calls_message("old"),
        Message::function("sayHello", "old", "Hello"),
        Message::assistant("Before"),
    ]
    .into_iter()
    .collect();
    let mut run = Run::new(&agent, &tools, "Hi", &said, &BTreeMap::new())
        .expect("a run")
        .with_usage_limits(UsageLimits::new().requests(40).total_tokens(1_000_000));
    let mut saved = vec![run.to_json()];
    let mut keep = |run: &Run| saved.push(run.to_json());
    run.model_replied(
        calls(&[
            ("a", "sayHello", "{}"),
            ("b", "risky", "{}"),
            ("c", "nope", "{}"),
            ("d", "sayHello", "{}"),
            ("e", "sayHello", "{}"),
        ])
        .with_usage(Usage::of_request(5, 6)),
    )
    .expect("it was due");
    keep(&run);
    run.approve("b", Decision::Approve).expect("it was due");
    keep(&run);
    for (id, result) in [
        ("a", Ok(json!("A"))),
        ("b", Err(ToolError::Timeout)),
        ("e", Ok(json!("E"))),
        ("d", Ok(json!("D"))),
    ] {
        run.tool_finished(id, result).expect("it was due");
        keep(&run);
    }
    run.model_replied(ModelReply::text("Done."))
        .expect("it was due");
    keep(&run);
    (tools, saved)
}

fn calls_message(id: &str) -> Message {
    Message::assistant("").with_tool_calls([ToolCall::new(id, "sayHello", "{}")])
}

/// Drives a run to its end. Every request can be sent, and there is an end.
fn drive(mut run: Run) -> Result<(), String> {
    for _ in 0..100 {
        let said = run.conversation();
        said.check().map_err(|invalid| format!("kept: {invalid}"))?;
        let fed = match run.next() {
            Err(_) | Ok(Step::Done(_)) => return Ok(()),
            Ok(Step::CallModel(request)) => {
                let last = request.messages.last().map(Message::role);
                if last.is_none_or(|role| role == Role::Assistant) {
                    return Err("a request ends with what the model said".to_owned());
                }
                let sent: Conversation = request.messages.into_iter().collect();
                sent.check().map_err(|invalid| format!("sent: {invalid}"))?;
                run.model_replied(ModelReply::text("Done.").with_usage(Usage::of_request(1, 1)))
            }
            Ok(Step::AwaitApproval(calls)) => calls
                .iter()
                .try_for_each(|call| run.approve(&call.id, Decision::Approve)),
            Ok(Step::CallTools(calls)) if calls.is_empty() => {
                return Err("no calls, and no end".to_owned());
            }
            Ok(Step::CallTools(calls)) => calls
                .iter()
                .try_for_each(|call| run.tool_finished(&call.id, Ok(json!("x")))),
            Ok(other) => panic!("{other:?}"),
        };
        fed.map_err(|error| format!("it was due: {error}"))?;
    }
    Err("it never ends".to_owned())
}

/// Each single thing that can be changed in a saved run: taken away, made twice, put elsewhere,
/// written otherwise.
fn changes(good: &Value) -> Vec<(String, Value)> {
    let mut pointers = Vec::new();
    collect(good, String::new(), &mut pointers);
    let mut changed = Vec::new();
    for pointer in pointers {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let mut change = |what: &str, by: &dyn Fn(&mut Value)| {
            let mut json = good.clone();
            by(json.pointer_mut(parent).expect("it is there"));
            if json != *good {
                changed.push((format!("{pointer} {what}"), json));
            }
        };
        let at = key.parse::<usize>().ok();
        change("taken away", &|parent| match parent {
            Value::Object(members) => drop(members.remove(key)),
            Value::Array(items) => drop(items.remove(at.expect("a place"))),
            _ => {}
        });
        change("twice", &|parent| {
            if let (Value::Array(items), Some(at)) = (parent, at) {
                items.insert(at, items[at].clone());
            }
        });
        change("swapped", &|parent| {
            if let (Value::Array(items), Some(at)) = (parent, at) {
                let other = (at + 1) % items.len();
                items.swap(at, other);
            }
        });
        for value in [
            json!(null),
            json!(0),
            json!(1),
            json!(4_000_000_000_u32),
            json!(true),
            json!(""),
            json!("a"),
            json!("user"),
            json!("assistant"),
            json!("askModel"),
            json!("tools"),
            json!("ready"),
            json!([]),
            json!({}),
        ] {
            change(&format!("= {value}"), &|parent| match parent {
                Value::Object(members) => drop(members.insert(key.to_owned(), value.clone())),
                Value::Array(items) => items[at.expect("a place")] = value.clone(),
                _ => {}
            });
        }
    }
    changed
}

#[test]
fn an_edited_saved_run_is_rejected_or_continues_validly() {
    let (tools, saved) = saved_runs();
    let (mut tried, mut refused, mut wrong) = (0, 0, Vec::new());
    for (at, good) in saved.iter().enumerate() {
        let read = Run::from_json(good, &tools).expect("its own form");
        drive(read).expect("it goes on");
        // The rest of it is the same in all of them.
        let changes = changes(good).into_iter();
        let changes = changes.filter(|(change, _)| at == 0 || change.starts_with("/state"));
        for (change, json) in changes {
            tried += 1;
            match Run::from_json(&json, &tools) {
                Err(_) => refused += 1,
                Ok(run) => {
                    if let Err(why) = drive(run) {
                        wrong.push(format!("{change}: {why}"));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        tried > 10_000 && refused > tried / 2,
        "{refused} of {tried}"
    );
}

#[test]
fn reports_the_problem_of_an_edited_run() {
    let (tools, saved) = saved_runs();
    let check = |at: usize, pointer: &str, value: Value, words: &str| {
        let mut json = saved[at].clone();
        *json.pointer_mut(pointer).expect(pointer) = value;
        let error = Run::from_json(&json, &tools).expect_err(pointer);
        assert!(error.is_validation(), "{error:?}");
        assert!(error.to_string().contains(words), "{pointer}: {error}");
    };
    let last = |at: usize| {
        let history = saved[at]["state"]["history"].as_array().expect("a list");
        format!("/state/history/{}", history.len() - 1)
    };
    check(
        6,
        &last(6),
        json!({"role": "user", "content": "x"}),
        "has no result",
    );
    check(
        0,
        &last(0),
        json!({"role": "assistant", "content": "x"}),
        "`start`",
    );
    let call = saved[1]["state"]["phase"]["calls"][0].clone();
    check(
        1,
        "/state/phase/calls/1",
        call,
        "not those of the model's last answer",
    );
    check(
        1,
        "/state/history/1/toolCalls",
        json!([]),
        "message 3 of the conversation",
    );
    check(
        0,
        "/state/limits",
        json!({"requests": "9"}),
        "`state.limits.requests`",
    );
    check(0, "/state/fallback", json!(2), "`fallback`");
    check(0, "/state/usage", json!({}), "`state.usage`");
    check(0, "/output", json!(2), "`name`");
    check(0, "/agent", json!(2), "agent");
    let mut without_agent = saved[0].clone();
    without_agent
        .as_object_mut()
        .expect("an object")
        .remove("agent");
    let error = Run::from_json(&without_agent, &tools).expect_err("no agent");
    assert_eq!(
        error.to_string(),
        "the saved run cannot be read: it has no `agent`"
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
