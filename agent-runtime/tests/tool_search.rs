//! Agents whose tools the model searches: on the state machine alone, and in runs.

use crate::support::{calls, hello_spec, hello_tool, library, results};
use agent_runtime::conversation::Role;
use agent_runtime::library::{BoundTools, bind_agent_tools};
use agent_runtime::model::{ModelReply, ModelRequest, Scripted};
use agent_runtime::run::{Decision, PendingCall, Run, Step, UsageLimits};
use agent_runtime::spec::{Settings, ToolChoice};
use agent_runtime::tool::{DynamicTool, ToolConfig};
use agent_runtime::{
    Agent, AgentResponse, Conversation, Runtime, ToolError, ToolLibrary, ToolSpec,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Tools: name, description, signature.
const TOOLS: &[(&str, &str, &str)] = &[
    (
        "createIssue",
        "Opens a new issue in the tracker",
        "(title::Text)==>(labels::Array {elementType: \"Text\", optional: true})==>(::Any)",
    ),
    (
        "listIssues",
        "Lists the issues of the tracker",
        "()==>(::Any)",
    ),
    (
        "pay_invoice",
        "Pays an invoice at once",
        "(id::Int {minimum: 1})==>(::Any)",
    ),
    (
        "readFile",
        "Reads a file of the disk",
        "(path::Text)==>(::Any)",
    ),
    ("alone", "Runs while no other tool runs", "()==>(::Any)"),
    (
        "once",
        "Fails for ever after the first time",
        "()==>(::Any)",
    ),
];

fn specs() -> impl Iterator<Item = ToolSpec> {
    let spec = |(name, description, signature): &(&'static str, &'static str, &str)| {
        ToolSpec::new(*name, *description, signature).expect("a spec")
    };
    TOOLS.iter().map(spec)
}

fn tools() -> ToolLibrary {
    let tool = |(name, description, signature): &(&'static str, &'static str, &str)| {
        let tool = ToolConfig::with_signature(*name, *description, signature)
            .requires_approval(*name == "pay_invoice")
            .sequential(*name == "alone")
            .retryable(*name != "once");
        let tool: DynamicTool = tool.build(async |args| Ok(args)).expect("a tool");
        tool
    };
    library(TOOLS.iter().map(tool))
}

fn agent_with(settings: impl FnOnce(&mut Settings)) -> Agent {
    let agent = Agent::new("clerk", "Scripted/any", "Help.").expect("an agent");
    let agent = specs().fold(agent, |agent, spec| agent.with_tool(spec).expect("a tool"));
    let mut given = Settings::NONE;
    settings(&mut given);
    agent.with_settings(given).expect("good settings")
}

fn clerk() -> Agent {
    agent_with(|settings| settings.tool_search = Some(true))
}

fn bind(agent: &Agent) -> BoundTools {
    bind_agent_tools(agent, &tools()).expect("the tools fit")
}

fn start(agent: &Agent) -> Run {
    let (tools, none) = (bind(agent), BTreeMap::new());
    Run::new(agent, &tools, "Hello!", &Conversation::new(), &none).expect("a run")
}

fn request(run: &Run) -> ModelRequest {
    match run.clone().next() {
        Ok(Step::CallModel(request)) => request,
        other => panic!("no request is due, but {other:?}"),
    }
}

fn pending(run: &Run) -> Vec<PendingCall> {
    match run.clone().next() {
        Ok(Step::CallTools(calls)) => calls,
        other => panic!("no calls are due, but {other:?}"),
    }
}

fn reply(run: &mut Run, list: &[(&str, &str, &str)]) {
    run.model_replied(calls(list)).expect("a reply is due");
    run.conversation().check().expect("a valid history");
}

fn finish(run: &mut Run, id: &str) {
    run.tool_finished(id, Ok("done".into()))
        .expect("the call waits");
    run.conversation().check().expect("a valid history");
}

fn done(run: &mut Run) -> AgentResponse {
    run.model_replied(ModelReply::text("Done."))
        .expect("a reply is due");
    match run.next() {
        Ok(Step::Done(response)) => response,
        other => panic!("the run is not done, but {other:?}"),
    }
}

fn last_result(run: &Run) -> (String, bool) {
    let (_, content, is_error) = results(&run.conversation()).pop().expect("a result");
    (content, is_error)
}

/// The names of the tools that a search finds, best first.
fn found(query: &str) -> Vec<String> {
    let mut run = start(&clerk());
    let arguments = json!({"query": query}).to_string();
    reply(&mut run, &[("s", "searchTools", &arguments)]);
    let (content, is_error) = last_result(&run);
    assert!(!is_error, "{content}");
    let found: Vec<Value> = match serde_json::from_str(&content) {
        Ok(found) => found,
        Err(_) => return vec![content],
    };
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    found.iter().map(name).collect()
}

fn names<'a>(
    tools: impl IntoIterator<Item = &'a agent_runtime::model::ToolDefinition>,
) -> Vec<&'a str> {
    tools.into_iter().map(|tool| tool.name()).collect()
}

#[test]
fn offers_two_tools_in_place_of_those_that_are_searched() {
    let request = request(&start(&clerk()));
    assert_eq!(names(&*request.tools), ["searchTools", "callTool"]);
    assert_eq!(
        names(&*request.deferred),
        TOOLS.iter().map(|tool| tool.0).collect::<Vec<_>>()
    );
    assert_eq!(names(request.tools_beside_search()), [""; 0]);
    let call = request.tools[1].schema().to_value();
    assert_eq!(call["required"], json!(["name"]));
    assert_eq!(call["properties"]["arguments"]["type"], "object");
    for off in [None, Some(false)] {
        let plain = agent_with(|settings| settings.tool_search = off);
        let request = self::request(&start(&plain));
        assert_eq!(
            (request.tools.len(), request.deferred.len()),
            (TOOLS.len(), 0)
        );
    }
}

#[test]
fn a_namespace_is_left_out_of_the_names_of_the_search_too() {
    let mut run = start(&clerk());
    let arguments = json!({"name": "functions.readFile", "arguments": "{\"path\": \"\\ud83d\"}"});
    reply(
        &mut run,
        &[
            ("s", "default_api.searchTools", r#"{"query": "issue"}"#),
            ("c", "functions.callTool", &arguments.to_string()),
        ],
    );
    let pending = pending(&run);
    assert_eq!((pending.len(), pending[0].tool.as_str()), (1, "readFile"));
    assert_eq!(pending[0].args(), json!({"path": "\u{fffd}"}));
    let calls = run.conversation().messages()[1].tool_calls().to_vec();
    let names: Vec<_> = calls.iter().map(|call| call.tool()).collect();
    assert_eq!(names, ["searchTools", "callTool"]);
}

#[test]
fn an_agent_without_tools_has_none_to_search() {
    let agent = Agent::new("a", "Scripted/any", "Help.").expect("an agent");
    let mut settings = Settings::NONE;
    settings.tool_search = Some(true);
    let agent = agent.with_settings(settings).expect("good settings");
    assert_eq!(request(&start(&agent)).tools.len(), 0);
}

#[test]
fn finds_tools_by_words_of_their_names_and_descriptions() {
    assert_eq!(found("issue"), ["createIssue", "listIssues"]);
    assert_eq!(found("list all issues")[0], "listIssues");
    assert_eq!(found("Opens an issue")[0], "createIssue");
    assert_eq!(found("pay the bill")[0], "pay_invoice");
    assert_eq!(found("PAY_INVOICE")[0], "pay_invoice");
    // The beginnings of words.
    assert_eq!(found("invoices")[0], "pay_invoice");
    assert_eq!(found("read files from disk")[0], "readFile");
    // Words that most tools have decide nothing.
    assert_eq!(found("the file of the")[0], "readFile");
    assert_eq!(
        found("quantum"),
        ["no tool fits these words; search with other words"]
    );
    assert_eq!(
        found(""),
        ["no tool fits these words; search with other words"]
    );
}

#[test]
fn a_search_returns_the_definitions_of_few_tools() {
    let mut run = start(&clerk());
    reply(
        &mut run,
        &[("s", "searchTools", r#"{"query": "tracker new issue"}"#)],
    );
    let (content, _) = last_result(&run);
    // The properties keep their order, and the description is that of the agent.
    assert!(
        content.starts_with(
            r#"[{"name":"createIssue","description":"Opens a new issue in the tracker","inputSchema":{"type":"object","properties":{"title":{"type":"string"},"labels""#
        ),
        "{content}"
    );
    let all = found(
        "a new issue tracker lists the invoice at once reads file disk runs while fails for ever",
    );
    assert_eq!(all.len(), 5);
    // The search is no tool that the agent used.
    assert_eq!(done(&mut run).tools_used, []);
}

#[test]
fn a_search_of_large_definitions_is_bounded() {
    let agent = Agent::new("a", "Scripted/any", "Help.").expect("an agent");
    let big = |at: usize| {
        let spec = ToolSpec::new(format!("big{at}"), "x ".repeat(6_000), "()==>(::Any)");
        spec.expect("a spec")
    };
    let agent = (0..5).fold(agent, |agent, at| agent.with_tool(big(at)).expect("a tool"));
    let mut settings = Settings::NONE;
    settings.tool_search = Some(true);
    let agent = agent.with_settings(settings).expect("good settings");
    let tools = (0..5).map(|at| {
        let spec = big(at);
        let config = ToolConfig::with_signature(
            spec.name().to_owned(),
            spec.description().to_owned(),
            "()==>(::Any)",
        );
        config.build(async |_| Ok(Value::Null)).expect("a tool")
    });
    let tools = bind_agent_tools(&agent, &library(tools)).expect("the tools fit");
    let run = Run::new(&agent, &tools, "Hi", &Conversation::new(), &BTreeMap::new());
    let mut run = run.expect("a run");
    reply(&mut run, &[("s", "searchTools", r#"{"query": "x"}"#)]);
    let (content, _) = last_result(&run);
    let found: Vec<Value> = serde_json::from_str(&content).expect("whole definitions");
    assert_eq!(found.len(), 2, "{} bytes", content.len());
}

#[test]
fn a_call_through_call_tool_is_that_of_the_tool() {
    let mut run = start(&clerk());
    let arguments = r#"{"name": "createIssue", "arguments": {"title": "Broken", "more": 1}}"#;
    reply(&mut run, &[("a", "callTool", arguments)]);
    let call = pending(&run).remove(0);
    assert_eq!((&*call.id, &*call.tool), ("a", "createIssue"));
    assert_eq!(call.path, "clerk/createIssue");
    // What the tool does not have is dropped, as from a direct call.
    assert_eq!(call.arguments, r#"{"title":"Broken"}"#);
    finish(&mut run, "a");
    // The model made the call, and gets the result, under the name that it used.
    let sent = request(&run).messages;
    assert_eq!(sent[1].tool_calls()[0].tool(), "callTool");
    assert_eq!(sent[1].tool_calls()[0].args_text(), arguments);
    assert_eq!(
        (sent[2].name(), sent[2].content()),
        (Some("callTool"), "done")
    );
    let used = done(&mut run).tools_used;
    assert_eq!((used.len(), &*used[0].tool), (1, "createIssue"));
    assert_eq!(used[0].args, json!({"title": "Broken"}));
}

#[test]
fn a_tool_may_be_called_by_its_own_name() {
    let mut run = start(&clerk());
    reply(&mut run, &[("a", "createIssue", r#"{"title": "Broken"}"#)]);
    assert_eq!(pending(&run)[0].tool, "createIssue");
    finish(&mut run, "a");
    assert_eq!(done(&mut run).tools_used[0].tool, "createIssue");
}

/// The results and the record of calls of turns, which are made directly or through `callTool`.
fn played(turns: &[(&str, &str)], through: bool) -> (Vec<(String, bool)>, Vec<String>) {
    let mut run = start(&clerk());
    for (at, (tool, arguments)) in turns.iter().enumerate() {
        let id = format!("c{at}");
        match through {
            false => reply(&mut run, &[(&id, tool, arguments)]),
            true => {
                let call = format!(r#"{{"name": "{tool}", "arguments": {arguments}}}"#);
                reply(&mut run, &[(&id, "callTool", &call)]);
            }
        }
        if let Ok(Step::CallTools(calls)) = run.clone().next() {
            assert_eq!(calls[0].tool, *tool);
            let failed = ToolError::Execution("boom".into());
            run.tool_finished(&id, Err(failed)).expect("the call waits");
        }
    }
    let used = run.invocations().iter().map(|call| {
        let text = call.error_text.clone().unwrap_or_default();
        format!("{} {} {} {text}", call.tool, call.args, call.attempt)
    });
    let used = used.collect();
    let results = results(&run.conversation()).into_iter();
    (
        results
            .map(|(_, text, is_error)| (text, is_error))
            .collect(),
        used,
    )
}

#[test]
fn mistakes_and_failures_read_and_count_as_those_of_direct_calls() {
    for turns in [
        &[("createIssue", r#"{"title": 7, "labels": [1]}"#)][..],
        &[("createIssue", "{}")],
        &[("createIssue", "[1]")],
        &[("createIssue", r#"{"title": "a", "title": "b"}"#)],
        &[("createIsue", r#"{"title": "a"}"#)],
        &[("unheard_of", "{}")],
        &[
            ("listIssues", "{}"),
            ("listIssues", "{}"),
            ("listIssues", "{}"),
            ("listIssues", "{}"),
        ],
        &[("once", "{}"), ("once", "{}")],
        &[("pay_invoice", r#"{"id": 0}"#)],
        &[("pay_invoice", r#"{"id": 1.5}"#)],
    ] {
        let direct = played(turns, false);
        assert!(direct.0.iter().any(|(_, is_error)| *is_error), "{turns:?}");
        match turns[0].1 {
            // It is no object, so that the mistake is that of `callTool`.
            "[1]" => {
                let (results, _) = played(turns, true);
                assert!(
                    results[0].0.contains("`$.arguments`: expected Object"),
                    "{results:?}"
                );
            }
            _ => assert_eq!(played(turns, true), direct, "{turns:?}"),
        }
    }
}

#[test]
fn a_call_of_call_tool_may_be_wrong_itself() {
    for (arguments, expected) in [
        ("{}", "name"),
        (r#"{"name": 7}"#, "`$.name`: expected Text"),
        (r#"{"name": "listIssues", "arguments": 7}"#, "`$.arguments`"),
        ("[]", "object"),
        (r#"{"name": "listIssues""#, "JSON"),
        (
            r#"{"name": "callTool", "arguments": {"name": "listIssues"}}"#,
            "no tool `callTool`",
        ),
    ] {
        let mut run = start(&clerk());
        reply(&mut run, &[("a", "callTool", arguments)]);
        let (content, is_error) = last_result(&run);
        assert!(
            is_error && content.contains(expected),
            "{arguments}: {content}"
        );
        assert_eq!(run.invocations()[0].tool, "callTool");
    }
    let mut run = start(&clerk());
    reply(&mut run, &[("a", "searchTools", "{}")]);
    let (content, is_error) = last_result(&run);
    assert!(is_error && content.contains("`query`"), "{content}");
}

#[test]
fn takes_arguments_that_are_missing_or_written_as_text() {
    for (arguments, tool, expected) in [
        (r#"{"name": "listIssues"}"#, "listIssues", "{}"),
        (
            r#"{"name": "listIssues", "arguments": null}"#,
            "listIssues",
            "{}",
        ),
        (
            r#"{"name": "listIssues", "arguments": ""}"#,
            "listIssues",
            "{}",
        ),
        (
            r#"{"arguments": "{\"title\": \"a\"}", "name": "createIssue"}"#,
            "createIssue",
            r#"{"title": "a"}"#,
        ),
    ] {
        let mut run = start(&clerk());
        reply(&mut run, &[("a", "callTool", arguments)]);
        let call = pending(&run).remove(0);
        assert_eq!(
            (&*call.tool, &*call.arguments),
            (tool, expected),
            "{arguments}"
        );
    }
}

#[test]
fn keeps_every_digit_of_the_arguments() {
    let mut run = start(&clerk());
    let id = "170141183460469231731687303715884105727";
    let call = format!(r#"{{"name": "pay_invoice", "arguments": {{"id": {id}}}}}"#);
    reply(&mut run, &[("a", "callTool", &call)]);
    let Ok(Step::AwaitApproval(calls)) = run.next() else {
        panic!("a person must decide");
    };
    assert_eq!(calls[0].arguments, format!(r#"{{"id": {id}}}"#));
}

/// A search that is made through `callTool`.
const SEARCH_THROUGH_CALL: &str = r#"{"name": "searchTools", "arguments": {"query": "pay"}}"#;

#[test]
fn a_search_may_be_made_through_call_tool() {
    let mut run = start(&clerk());
    reply(&mut run, &[("a", "callTool", SEARCH_THROUGH_CALL)]);
    let (content, is_error) = last_result(&run);
    assert!(!is_error && content.contains("pay_invoice"), "{content}");
}

#[test]
fn a_person_decides_on_the_call_of_the_tool() {
    let call = r#"{"name": "pay_invoice", "arguments": {"id": 7}}"#;
    let waiting = || {
        let mut run = start(&clerk());
        reply(&mut run, &[("a", "callTool", call)]);
        let Ok(Step::AwaitApproval(calls)) = run.next() else {
            panic!("a person must decide");
        };
        assert_eq!(
            (&*calls[0].tool, calls[0].args()),
            ("pay_invoice", json!({"id": 7}))
        );
        run
    };
    let mut run = waiting();
    run.approve("a", Decision::Approve).expect("it waits");
    assert_eq!(pending(&run)[0].arguments, r#"{"id": 7}"#);
    let mut run = waiting();
    let edit = |id: i64| Decision::Edit {
        args: json!({"id": id}),
    };
    let error = run
        .approve("a", edit(0))
        .expect_err("it is below the minimum");
    assert!(
        error.to_string().contains("of `pay_invoice` waits still"),
        "{error}"
    );
    run.approve("a", edit(8)).expect("it waits");
    assert_eq!(pending(&run)[0].arguments, r#"{"id":8}"#);
    let mut run = waiting();
    run.approve("a", Decision::Deny { reason: None })
        .expect("it waits");
    let denied = "not allowed: the call was denied";
    assert_eq!(last_result(&run), (denied.to_owned(), true));
    assert_eq!(run.invocations()[0].tool, "pay_invoice");
}

#[test]
fn a_saved_run_continues_with_the_calls_of_its_tools() {
    let agent = clerk();
    let mut run = start(&agent);
    let call =
        |tool: &str, arguments: &str| format!(r#"{{"name": "{tool}", "arguments": {arguments}}}"#);
    let (pay, list) = (
        call("pay_invoice", r#"{"id": 7}"#),
        call("listIssues", "{}"),
    );
    let search = r#"{"query": "pay"}"#;
    reply(&mut run, &[("s", "searchTools", search)]);
    reply(
        &mut run,
        &[
            ("a", "callTool", &pay),
            ("b", "callTool", &list),
            ("c", "searchTools", search),
            ("d", "listIssues", "{}"),
        ],
    );
    let saved = |run: &Run| {
        let text = run.to_json().to_string();
        let json = serde_json::from_str(&text).expect("JSON");
        Run::from_json(&json, &bind(&agent)).expect("its own form")
    };
    let mut run = saved(&run);
    let Ok(Step::AwaitApproval(waiting)) = run.next() else {
        panic!("a person must decide");
    };
    assert_eq!(waiting[0].tool, "pay_invoice");
    run.approve("a", Decision::Approve).expect("it waits");
    let mut run = saved(&run);
    let tools: Vec<String> = pending(&run).into_iter().map(|call| call.tool).collect();
    assert_eq!(tools, ["pay_invoice", "listIssues", "listIssues"]);
    finish(&mut run, "a");
    let mut run = saved(&run);
    finish(&mut run, "b");
    finish(&mut run, "d");
    let names: Vec<String> = request(&run)
        .messages
        .iter()
        .filter_map(|message| message.name().map(str::to_owned))
        .collect();
    assert_eq!(
        names,
        [
            "searchTools",
            "callTool",
            "callTool",
            "searchTools",
            "listIssues"
        ]
    );
    let used = done(&mut run).tools_used;
    let used: Vec<&str> = used.iter().map(|call| &*call.tool).collect();
    assert_eq!(used, ["pay_invoice", "listIssues", "listIssues"]);
}

#[test]
fn a_tool_that_runs_alone_does_so_through_call_tool() {
    let mut run = start(&clerk());
    let (alone, list) = (r#"{"name": "alone"}"#, r#"{"name": "listIssues"}"#);
    reply(
        &mut run,
        &[
            ("a", "callTool", list),
            ("b", "callTool", alone),
            ("c", "callTool", list),
        ],
    );
    for id in ["a", "b", "c"] {
        let ids: Vec<String> = pending(&run).into_iter().map(|call| call.id).collect();
        assert_eq!(ids, [id]);
        finish(&mut run, id);
    }
}

#[test]
fn the_tool_that_is_demanded_is_not_searched() {
    let agent = agent_with(|settings| {
        settings.tool_search = Some(true);
        settings.tool_choice = Some(ToolChoice::Tool("readFile".into()));
    });
    let request = request(&start(&agent));
    assert_eq!(
        names(&*request.tools),
        ["readFile", "searchTools", "callTool"]
    );
    assert_eq!(names(request.tools_beside_search()), ["readFile"]);
    assert!(!names(&*request.deferred).contains(&"readFile"));
}

#[test]
fn a_search_is_not_the_call_that_is_demanded() {
    let agent = agent_with(|settings| {
        settings.tool_search = Some(true);
        settings.tool_choice = Some(ToolChoice::Required);
    });
    let mut run = start(&agent);
    let choice = |run: &Run| request(run).settings.tool_choice.clone();
    reply(&mut run, &[("s", "searchTools", r#"{"query": "pay"}"#)]);
    assert_eq!(choice(&run), Some(ToolChoice::Required));
    reply(&mut run, &[("t", "callTool", SEARCH_THROUGH_CALL)]);
    assert_eq!(choice(&run), Some(ToolChoice::Required));
    reply(&mut run, &[("a", "callTool", r#"{"name": "listIssues"}"#)]);
    finish(&mut run, "a");
    assert_eq!(choice(&run), Some(ToolChoice::Auto));
}

#[test]
fn no_tool_is_searched_when_none_may_be_called() {
    let agent = agent_with(|settings| {
        settings.tool_search = Some(true);
        settings.tool_choice = Some(ToolChoice::None);
    });
    // The choice forbids calls; the tools stay, as those of any agent do.
    assert_eq!(
        names(&*request(&start(&agent)).tools),
        ["searchTools", "callTool"]
    );
}

#[test]
fn searches_count_as_turns_and_not_as_calls() {
    let agent = clerk();
    let limits = UsageLimits::new().tool_calls(1);
    let mut run = start(&agent).with_usage_limits(limits);
    for at in 0..9 {
        let id = format!("s{at}");
        match at % 2 {
            0 => reply(&mut run, &[(&id, "searchTools", r#"{"query": "pay"}"#)]),
            _ => reply(&mut run, &[(&id, "callTool", SEARCH_THROUGH_CALL)]),
        }
    }
    reply(&mut run, &[("a", "callTool", r#"{"name": "listIssues"}"#)]);
    finish(&mut run, "a");
    reply(&mut run, &[("b", "searchTools", r#"{"query": "pay"}"#)]);
    let error = run.next().expect_err("eleven turns");
    assert!(error.to_string().contains("more than 10 turns"), "{error}");
}

#[test]
fn a_tool_must_not_have_the_name_of_one_of_the_search() {
    for name in ["searchTools", "callTool"] {
        let agent = Agent::new("a", "Scripted/any", "Help.").expect("an agent");
        let spec = ToolSpec::new(name, "Does it.", "()==>(::Any)").expect("a spec");
        let agent = agent.with_tool(spec).expect("a tool");
        let mut settings = Settings::NONE;
        settings.tool_search = Some(true);
        let error = agent
            .clone()
            .with_settings(settings)
            .expect_err("a conflict");
        let text = error.to_string();
        assert!(
            text.contains(&format!("`toolSearch` adds a tool `{name}`")),
            "{text}"
        );
        // An agent that got the tool afterwards.
        let clerk = clerk().extend(&agent).expect("no further conflict");
        let tool = ToolConfig::with_signature(name, "Does it.", "()==>(::Any)");
        let tool = tool.build(async |_| Ok(Value::Null)).expect("a tool");
        let mut all = tools();
        all.add(tool).expect("a further tool");
        let bound = bind_agent_tools(&clerk, &all).expect("the tools fit");
        let run = Run::new(&clerk, &bound, "Hi", &Conversation::new(), &BTreeMap::new());
        let text = run.expect_err("a conflict").to_string();
        assert!(text.contains(&format!("has a tool `{name}`")), "{text}");
    }
}

#[tokio::test]
async fn a_run_searches_calls_and_answers() {
    let model = Scripted::new([
        calls(&[("s", "searchTools", r#"{"query": "greeting for a name"}"#)]),
        calls(&[(
            "c",
            "callTool",
            r#"{"name": "sayHello", "arguments": {"personName": "Ada"}}"#,
        )]),
        ModelReply::text("Done."),
    ]);
    let mut settings = Settings::NONE;
    settings.tool_search = Some(true);
    let agent = clerk().with_tool(hello_spec()).expect("a further tool");
    let agent = agent.with_settings(settings).expect("good settings");
    let runtime = Runtime::builder()
        .model(model.clone())
        .build()
        .expect("a runtime");
    let mut all = tools();
    all.add(hello_tool()).expect("a further tool");
    let mut conversation = Conversation::new();
    let response = runtime.execute(&agent, "Hi", &mut conversation, &all).await;
    let used = response.expect("an answer").tools_used;
    assert_eq!(used[0].tool, "sayHello");
    assert_eq!(used[0].result, Ok("Hello, Ada! Nice to meet you.".into()));
    let said = conversation.messages().iter();
    assert_eq!(
        said.filter(|message| message.role() == Role::Function)
            .count(),
        2
    );
}

#[tokio::test]
async fn a_typed_answer_is_given_by_a_call_of_its_own() {
    #[derive(serde::Deserialize, agent_runtime::GramType)]
    struct Total {
        sum: i64,
    }
    let model = Scripted::new([
        calls(&[(
            "a",
            "callTool",
            r#"{"name": "finalAnswer", "arguments": {"sum": 3}}"#,
        )]),
        calls(&[("b", "finalAnswer", r#"{"sum": 3}"#)]),
    ]);
    let runtime = Runtime::builder()
        .model(model.clone())
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let (agent, tools) = (clerk(), tools());
    let run = runtime
        .run(&agent, "Add")
        .tools(&tools)
        .conversation(&mut conversation);
    let total = run.output::<Total>().await.expect("an answer");
    assert_eq!(total.value.sum, 3);
    let (_, content, is_error) = results(&conversation).remove(0);
    assert!(
        is_error && content.contains("calling the tool `finalAnswer`"),
        "{content}"
    );
}

#[tokio::test]
async fn the_offline_model_has_all_tools() {
    let agent = Agent::parse(
        r#"[a:Agent {instruction: "Greet.", model: "Offline/rules", toolSearch: true} | sayHello]"#,
        None,
        Default::default(),
    );
    let runtime = Runtime::offline();
    let (agent, tools) = (agent.expect("an agent"), library([hello_tool()]));
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&agent, "Say hello to Ada", &mut conversation, &tools)
        .await;
    assert_eq!(
        response.expect("an answer").content,
        "Hello, Ada! Nice to meet you."
    );
}
