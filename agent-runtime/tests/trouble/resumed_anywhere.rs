//! A run that is saved after every step and goes on in a process of its own each time.

use crate::support::{agent, calls, config, hello_spec, hello_tool, library, spec};
use agent_runtime::library::{BoundTools, bind_agent_tools};
use agent_runtime::model::{ModelReply, Usage};
use agent_runtime::run::{Decision, Run, Step, UsageLimits};
use agent_runtime::{Agent, Conversation, ToolError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The variable that names the file of the run to a process that makes a step.
const FILE: &str = "AGENT_RUN_FILE";

fn setting() -> (Agent, BoundTools) {
    let risky = config("risky").requires_approval(true).sequential(true);
    let risky = risky.build(|_| async { Ok(1.into()) }).expect("a tool");
    let agent = agent([hello_spec(), spec("risky")]);
    let tools = bind_agent_tools(&agent, &library([hello_tool(), risky])).expect("bound");
    (agent, tools)
}

fn begin() -> Run {
    let (agent, tools) = setting();
    let run = Run::new(&agent, &tools, "Hi", &Conversation::new(), &BTreeMap::new());
    run.expect("a run")
        .with_usage_limits(UsageLimits::new().requests(9))
}

/// The answer to the request of a run that asked so often before.
fn reply(requests: u64) -> ModelReply {
    let reply = match requests {
        0 => calls(&[
            ("a", "sayHello", "{\"personName\":   \"Ada\"}"),
            ("b", "risky", "{}"),
            ("", "nope", "{bad"),
        ]),
        1 => calls(&[("c", "risky", "{}"), ("d", "sayHello", "{}")]),
        _ => ModelReply::text("Done."),
    };
    reply.with_usage(Usage::of_request(5, 6))
}

/// Makes one step; says what the run came to, if it ended.
fn step(run: &mut Run) -> Option<Value> {
    match run.next().expect("the run goes on") {
        Step::CallModel(_) => run.model_replied(reply(run.usage().requests)),
        Step::AwaitApproval(waiting) => {
            let decision = match waiting[0].id.as_str() {
                "b" => Decision::Approve,
                _ => Decision::Deny { reason: None },
            };
            run.approve(&waiting[0].id, decision)
        }
        Step::CallTools(pending) => {
            let result = match pending[0].id.as_str() {
                "d" => Err(ToolError::Timeout),
                id => Ok(json!({ "of": id })),
            };
            run.tool_finished(&pending[0].id, result)
        }
        Step::Done(response) => return Some(response.to_json()),
        other => panic!("{other:?}"),
    }
    .expect("it was due");
    None
}

/// Makes one step of the run in the file; the file has the run afterwards, or the response. This is
/// no test by itself: the one below starts it, each time as a new process.
#[test]
#[ignore = "a step of another test"]
fn one_step() {
    let Some(file) = std::env::var_os(FILE) else {
        return;
    };
    let file = Path::new(&file);
    let text = std::fs::read_to_string(file).expect("a file");
    let (_, tools) = setting();
    let mut run =
        Run::from_json(&serde_json::from_str(&text).expect("JSON"), &tools).expect("a run");
    let after = match step(&mut run) {
        Some(response) => json!({ "response": response }),
        None => run.to_json(),
    };
    std::fs::write(file, after.to_string()).expect("written");
}

#[test]
fn a_run_goes_on_in_fresh_processes_as_in_one() {
    let mut run = begin();
    let expected = loop {
        if let Some(response) = step(&mut run) {
            break response;
        }
    };
    let name = format!("run-{}.json", std::process::id());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, begin().to_json().to_string()).expect("written");
    for steps in 1.. {
        assert!(steps < 50, "the run does not end");
        let program = std::env::current_exe().expect("this program");
        let done = Command::new(program)
            .args([
                "--ignored",
                "--exact",
                "trouble::resumed_anywhere::one_step",
            ])
            .env(FILE, &file)
            .output()
            .expect("it starts");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stdout)
        );
        let text = std::fs::read_to_string(&file).expect("a file");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        if let Some(response) = json.get("response") {
            assert_eq!(response, &expected);
            assert!(steps > 6, "there were only {steps} steps");
            std::fs::remove_file(file).expect("removed");
            return;
        }
    }
}
