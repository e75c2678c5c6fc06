//! The rules of the loop, one test each, on the state machine alone: no I/O, no clock.

mod support;

use agent_runtime::{
    Agent, BoundTools, Conversation, Decision, Error, FinishReason, MAX_CALLS, Message, ModelReply,
    PendingCall, Run, Settings, Step, ToolCall, ToolError, ToolLibrary, Usage, bind_agent_tools,
};
use serde_json::json;
use std::collections::BTreeMap;
use support::{agent, calls, config, greeter, hello_tool, library, results, spec, tool};

/// A run, and short ways to feed it.
struct Play {
    run: Run,
}

impl Play {
    fn new(agent: &Agent, library: &ToolLibrary) -> Self {
        let tools = bind(agent, library);
        let conversation = Conversation::new();
        let run = Run::new(agent, &tools, "Hello!", &conversation, &BTreeMap::new());
        Self {
            run: run.expect("a run"),
        }
    }

    fn greeter() -> Self {
        Self::new(&greeter(), &library([hello_tool()]))
    }

    fn reply(&mut self, reply: ModelReply) -> &mut Self {
        let Ok(Step::CallModel(request)) = self.run.next() else {
            panic!("no request is due, but {:?}", self.run.next());
        };
        let sent: Conversation = request.messages.into_iter().collect();
        sent.check().expect("every request can be sent");
        self.run.model_replied(reply).expect("a reply is due");
        self.check();
        self
    }

    fn calls(&mut self, list: &[(&str, &str, &str)]) -> &mut Self {
        self.reply(calls(list))
    }

    fn pending(&self) -> Vec<PendingCall> {
        match self.run.next() {
            Ok(Step::CallTools(calls)) => calls,
            other => panic!("no calls are due, but {other:?}"),
        }
    }

    fn pending_ids(&self) -> Vec<String> {
        self.pending().into_iter().map(|call| call.id).collect()
    }

    fn finish(&mut self, id: &str, result: Result<&str, ToolError>) -> &mut Self {
        let result = result.map(Into::into);
        self.run.tool_finished(id, result).expect("the call waits");
        self.check();
        self
    }

    /// Whatever happens, the history can be sent.
    fn check(&self) {
        self.run.conversation().check().expect("a valid history");
    }

    fn done(&self) -> agent_runtime::AgentResponse {
        match self.run.next() {
            Ok(Step::Done(response)) => response,
            other => panic!("the run is not done, but {other:?}"),
        }
    }

    fn failure(&self) -> Error {
        self.run.next().expect_err("the run has failed")
    }

    fn results(&self) -> Vec<(String, String, bool)> {
        results(&self.run.conversation())
    }

    fn last_result(&self) -> String {
        self.results().pop().expect("a result").1
    }
}

fn bind(agent: &Agent, library: &ToolLibrary) -> BoundTools {
    bind_agent_tools(agent, library).expect("the tools fit")
}

fn boom() -> ToolError {
    ToolError::Execution("boom".into())
}

#[test]
fn a_text_ends_the_run() {
    let mut play = Play::greeter();
    play.reply(ModelReply::text("Good day.").with_usage(Usage::of_request(7, 2)));
    let response = play.done();
    assert_eq!(response.content, "Good day.");
    assert_eq!(response.tools_used, []);
    assert_eq!(response.usage, Usage::of_request(7, 2));
    assert_eq!(play.run.conversation().len(), 2);
}

#[test]
fn a_call_is_made_and_its_result_sent() {
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", r#"{"personName": "Ada"}"#)]);
    let pending = play.pending();
    assert_eq!(pending[0].arguments, r#"{"personName": "Ada"}"#);
    play.finish("a", Ok("Hello, Ada!"));
    assert_eq!(play.results(), [("a".into(), "Hello, Ada!".into(), false)]);
    play.reply(ModelReply::text("Done."));
    let response = play.done();
    let used = &response.tools_used[0];
    assert_eq!(
        (used.tool.as_str(), &used.args, used.attempt),
        ("sayHello", &support::ada(), 1)
    );
    assert_eq!(used.result, Ok("Hello, Ada!".into()));
    assert_eq!(
        response.to_json()["toolsUsed"],
        json!([{"tool": "sayHello", "args": {"personName": "Ada"}, "result": "Hello, Ada!",
                "attempt": 1}])
    );
}

#[test]
fn an_argument_that_the_tool_fills_itself_may_be_missing() {
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", "{}")]);
    assert_eq!(play.pending()[0].arguments, "{}");
}

#[test]
fn blank_input_is_a_validation_error() {
    let agent = greeter();
    let tools = bind(&agent, &library([hello_tool()]));
    for input in ["", " \n\t"] {
        let run = Run::new(
            &agent,
            &tools,
            input,
            &Conversation::new(),
            &BTreeMap::new(),
        );
        assert!(run.expect_err("no input").is_validation());
    }
}

#[test]
fn a_conversation_that_cannot_be_sent_is_a_validation_error() {
    let agent = greeter();
    let tools = bind(&agent, &library([hello_tool()]));
    let broken = Conversation::from_iter([
        Message::user("hi"),
        Message::assistant("").with_tool_calls([ToolCall::new("a", "sayHello", "{}")]),
    ]);
    let run = Run::new(&agent, &tools, "Hello!", &broken, &BTreeMap::new());
    assert!(run.expect_err("a call without result").is_validation());
}

#[test]
fn variables_fill_the_instruction_and_a_missing_one_is_a_configuration_error() {
    let agent = Agent::new("a", "OpenAI/m", "Greet {{user}}.").expect("an agent");
    let tools = bind(&agent, &ToolLibrary::new());
    let run = |variables: &BTreeMap<String, String>| {
        Run::new(&agent, &tools, "Hi", &Conversation::new(), variables)
    };
    let filled = run(&BTreeMap::from([("user".into(), "Ada".into())])).expect("a run");
    let Ok(Step::CallModel(request)) = filled.next() else {
        panic!("a run begins with a request");
    };
    assert_eq!(request.instruction, "Greet Ada.");
    assert!(request.tools.is_empty());
    let error = run(&BTreeMap::new()).expect_err("no value");
    assert!(error.is_configuration() && error.to_string().contains("`user`"));
}

/// A call that never reaches its tool: tool, arguments, and what the result says.
fn check_refused(tool: &str, arguments: &str, parts: &[&str], error: fn(&ToolError) -> bool) {
    let agent = greeter();
    let undeclared = support::tool("other", |_| async { Ok(1.into()) });
    let mut play = Play::new(&agent, &library([hello_tool(), undeclared]));
    play.calls(&[("a", tool, arguments)]);
    let (id, text, is_error) = play.results().pop().expect("a result");
    assert_eq!(id, "a");
    assert!(is_error);
    for part in parts {
        assert!(text.contains(part), "{text} lacks {part}");
    }
    play.reply(ModelReply::text("Sorry."));
    let used = play.done().tools_used.remove(0);
    assert_eq!(used.tool, tool);
    assert!(used.result.as_ref().is_err_and(error), "{used:?}");
}

#[test]
fn an_unknown_tool_gets_the_nearest_name() {
    check_refused(
        "sayhelo",
        "{}",
        &["`sayhelo`", "did you mean `sayHello`"],
        |error| matches!(error, ToolError::Execution(_)),
    );
    check_refused("banana", "{}", &["`banana`", "`sayHello`"], |error| {
        matches!(error, ToolError::Execution(_))
    });
}

#[test]
fn a_tool_of_the_library_that_the_agent_does_not_declare_is_not_allowed() {
    check_refused("other", "{}", &["`other`"], |error| {
        matches!(error, ToolError::Authorization(_))
    });
}

#[test]
fn bad_json_is_a_validation_error_and_the_raw_text_is_kept() {
    let raw = r#"{"personName": "Ad"#;
    check_refused("sayHello", raw, &["JSON"], |error| {
        matches!(error, ToolError::Validation(_))
    });
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", raw)]);
    let said = play.run.conversation();
    assert_eq!(said.messages()[1].tool_calls()[0].args_text(), raw);
    assert_eq!(play.run.invocations()[0].args, json!(raw));
}

#[test]
fn violations_are_told_with_their_path() {
    check_refused(
        "sayHello",
        r#"{"personName": 5}"#,
        &["$.personName", "5"],
        |error| matches!(error, ToolError::Validation(_)),
    );
}

#[test]
fn an_argument_the_tool_does_not_have_is_dropped() {
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", r#"{"personName": "Ada", "mood": "good"}"#)]);
    assert_eq!(play.pending()[0].args(), support::ada());
}

#[test]
fn every_call_of_a_turn_gets_its_result_in_call_order() {
    let mut play = Play::greeter();
    play.calls(&[
        ("a", "sayHello", r#"{"personName": "A"}"#),
        ("b", "nope", "{}"),
        ("c", "sayHello", r#"{"personName": "C"}"#),
    ]);
    assert_eq!(play.pending_ids(), ["a", "c"]);
    play.finish("c", Ok("C!"));
    assert_eq!(play.pending_ids(), ["a"]);
    play.finish("a", Err(boom()));
    let ids: Vec<_> = play.results().into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    play.reply(ModelReply::text("Done."));
    let used = play.done().tools_used;
    assert_eq!(
        used.iter()
            .map(|used| used.call_id.as_str())
            .collect::<Vec<_>>(),
        ids
    );
}

#[test]
fn a_call_has_one_result_only() {
    let mut play = Play::greeter();
    play.calls(&[
        ("a", "sayHello", "{}"),
        ("b", "nope", "{}"),
        ("c", "sayHello", "{}"),
    ]);
    play.finish("a", Ok("1"));
    for id in ["a", "b", "zzz"] {
        let error = play.run.tool_finished(id, Ok(2.into())).expect_err(id);
        assert!(error.is_validation());
    }
    play.finish("c", Ok("3"));
    assert!(play.run.tool_finished("c", Ok(2.into())).is_err());
    assert_eq!(play.results().len(), 3);
}

#[test]
fn an_answer_that_nobody_waits_for_is_refused() {
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", "{}")]);
    assert!(play.run.model_replied(ModelReply::text("x")).is_err());
    assert!(play.run.model_failed(Error::llm("x")).is_err());
    assert!(play.run.approve("a", Decision::Approve).is_err());
    assert_eq!(play.pending_ids(), ["a"]);
}

#[test]
fn ids_that_are_missing_or_used_twice_are_minted() {
    let mut play = Play::greeter();
    play.calls(&[
        ("", "sayHello", "{}"),
        ("x", "sayHello", "{}"),
        ("x", "sayHello", "{}"),
        ("call_4", "sayHello", "{}"),
    ]);
    let ids = play.pending_ids();
    assert_eq!((ids[1].as_str(), ids[3].as_str()), ("x", "call_4"));
    for id in &ids {
        play.finish(id, Ok("1"));
    }
    // The same ids again, in the next turn.
    play.calls(&[("x", "sayHello", "{}"), ("", "sayHello", "{}")]);
    for id in play.pending_ids() {
        assert!(!ids.contains(&id), "{id} of {ids:?}");
        play.finish(&id, Ok("1"));
    }
}

#[test]
fn the_third_failure_in_a_row_uses_up_the_attempts() {
    let mut play = Play::greeter();
    for attempt in 1..=3 {
        play.calls(&[("", "sayHello", "{}")]);
        let id = play.pending_ids().remove(0);
        play.finish(&id, Err(boom()));
        assert_eq!(play.last_result().contains("no attempts"), attempt == 3);
    }
    let said = play.last_result();
    play.calls(&[("", "sayHello", "{}")]);
    assert_eq!(play.last_result(), said);
    play.reply(ModelReply::text("Sorry."));
    let used = play.done().tools_used;
    assert_eq!(
        used.iter().map(|used| used.attempt).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    assert!(used.iter().all(|used| used.result == Err(boom())));
}

#[test]
fn bad_arguments_use_up_attempts_too() {
    let mut play = Play::greeter();
    for _ in 0..3 {
        play.calls(&[("", "sayHello", "[]")]);
    }
    assert!(play.last_result().contains("no attempts"));
    play.calls(&[("", "sayHello", "{}")]);
    assert!(play.last_result().contains("no attempts"));
}

#[test]
fn a_success_gives_all_attempts_back() {
    let mut play = Play::greeter();
    for result in [
        Err(boom()),
        Err(boom()),
        Ok("x"),
        Err(boom()),
        Err(boom()),
        Ok("y"),
    ] {
        play.calls(&[("", "sayHello", "{}")]);
        let id = play.pending_ids().remove(0);
        play.finish(&id, result);
    }
    play.reply(ModelReply::text("Done."));
    let used = play.done().tools_used;
    assert_eq!(
        used.iter().map(|used| used.attempt).collect::<Vec<_>>(),
        [1, 2, 3, 1, 2, 3]
    );
}

#[test]
fn a_tool_that_is_not_retryable_has_one_attempt() {
    let tool = config("once").retryable(false);
    let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
    let mut play = Play::new(&agent([spec("once")]), &library([tool]));
    // It was never reached, so it may be called again.
    play.calls(&[("a", "once", "[]")]);
    assert!(!play.last_result().contains("no attempts"));
    play.calls(&[("b", "once", "{}")]);
    play.finish("b", Err(ToolError::Timeout));
    assert!(play.last_result().contains("no attempts"));
    play.calls(&[("c", "once", "{}")]);
    assert!(play.last_result().contains("no attempts"));
    assert_eq!(play.run.invocations()[2].result, Err(ToolError::Timeout));
}

#[test]
fn calls_that_run_at_the_same_time_are_counted_in_call_order() {
    let mut play = Play::greeter();
    let four: Vec<_> = ["a", "b", "c", "d"].map(|id| (id, "sayHello", "{}")).into();
    play.calls(&four);
    for id in ["d", "c", "b"] {
        play.finish(id, Err(boom()));
    }
    play.finish("a", Ok("x"));
    let spent: Vec<_> = play
        .results()
        .iter()
        .map(|(_, text, _)| text.contains("no attempts"))
        .collect();
    assert_eq!(spent, [false, false, false, true]);
}

#[test]
fn ten_bad_calls_in_a_row_end_the_run_whatever_their_names() {
    let mut play = Play::greeter();
    let names: Vec<String> = (0..12).map(|n| format!("invented{n}")).collect();
    let list: Vec<_> = names.iter().map(|name| ("", name.as_str(), "{}")).collect();
    play.calls(&list);
    assert!(play.failure().is_limit());
    assert_eq!(play.results().len(), 12);
}

#[test]
fn nine_bad_calls_and_a_good_one_do_not_end_the_run() {
    let mut play = Play::greeter();
    let mut list = vec![("", "invented", "{}"); 9];
    list.push(("good", "sayHello", "{}"));
    list.extend(vec![("", "invented", "{}"); 9]);
    play.calls(&list);
    play.finish("good", Ok("x"));
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().tools_used.len(), 19);
}

#[test]
fn denied_and_cut_off_calls_are_no_bad_calls() {
    let mut play = approving();
    let ids: Vec<String> = (0..12).map(|n| format!("id{n}")).collect();
    let list: Vec<_> = ids.iter().map(|id| (id.as_str(), "risky", "{}")).collect();
    play.calls(&list);
    for id in &ids {
        let decision = Decision::Deny { reason: None };
        play.run.approve(id, decision).expect("it waits");
    }
    let cut = calls(&vec![("", "sayHello", "{}"); 12]);
    play.reply(cut.with_finish_reason(FinishReason::Length));
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().tools_used.len(), 24);
}

#[test]
fn a_limit_answers_calls_that_still_run() {
    let mut play = Play::greeter();
    let mut list = vec![("", "invented", "{}"); 10];
    list.push(("slow", "sayHello", "{}"));
    play.calls(&list);
    assert!(play.failure().is_limit());
    let (id, text, is_error) = play.results().pop().expect("a result");
    assert!(id == "slow" && text.contains("cancelled") && is_error);
    assert!(play.run.tool_finished("slow", Ok(1.into())).is_err());
}

/// Plays turns that call the tool; gives the run after them.
fn play_turns(turns: usize, most: Option<u32>) -> Play {
    let mut settings = Settings::NONE;
    settings.max_iterations = most;
    let agent = greeter().with_settings(settings).expect("they are right");
    let mut play = Play::new(&agent, &library([hello_tool()]));
    for _ in 0..turns {
        play.calls(&[("", "sayHello", "{}")]);
        let id = play.pending_ids().remove(0);
        play.finish(&id, Ok("x"));
    }
    play
}

#[test]
fn the_request_after_the_last_turn_is_still_made() {
    let mut play = play_turns(10, None);
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().tools_used.len(), 10);
}

#[test]
fn calls_after_the_last_turn_end_the_run_and_have_results() {
    for (turns, most) in [(10, None), (2, Some(2))] {
        let mut play = play_turns(turns, most);
        play.calls(&[("p", "sayHello", "{}"), ("q", "sayHello", "{}")]);
        let error = play.failure();
        assert!(error.is_limit(), "{error}");
        assert_eq!(play.results().len(), turns + 2);
        assert!(
            play.results()[turns..]
                .iter()
                .all(|(.., is_error)| *is_error)
        );
    }
}

#[test]
fn calls_of_an_answer_that_was_cut_off_are_not_made() {
    let mut play = Play::greeter();
    let cut = calls(&[("a", "sayHello", "{}"), ("b", "sayHello", r#"{"pers"#)]);
    play.reply(cut.with_finish_reason(FinishReason::Length));
    let results = play.results();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|(_, text, _)| text.contains("cut off")));
    // It was the answer's fault, not the tool's.
    play.calls(&[("c", "sayHello", "{}")]);
    play.finish("c", Ok("x"));
    assert_eq!(play.run.invocations()[2].attempt, 1);
}

#[test]
fn an_empty_answer_is_asked_for_once_more() {
    let mut play = Play::greeter();
    let empty = || ModelReply::default().with_finish_reason(FinishReason::Length);
    play.reply(empty());
    assert_eq!(play.run.conversation().len(), 0);
    play.reply(ModelReply::text("There."));
    assert_eq!(play.done().content, "There.");

    let mut play = Play::greeter();
    play.reply(empty())
        .reply(ModelReply::text("  \n").with_finish_reason(FinishReason::Length));
    let error = play.failure();
    assert!(
        error.is_llm() && error.to_string().contains("length"),
        "{error}"
    );

    let mut play = Play::greeter();
    let held = || ModelReply::default().with_finish_reason(FinishReason::ContentFilter);
    play.reply(held()).reply(held());
    let text = play.failure().to_string();
    assert!(
        text.contains("held back") && text.contains("content_filter"),
        "{text}"
    );

    // Turns that call tools give the second chance back.
    let mut play = Play::greeter();
    play.reply(empty()).calls(&[("a", "sayHello", "{}")]);
    play.finish("a", Ok("x"));
    play.reply(empty()).reply(ModelReply::text("There."));
    assert_eq!(play.done().content, "There.");
}

#[test]
fn an_answer_may_have_many_calls_and_not_any_number() {
    let calls =
        |count: usize| ModelReply::calls((0..count).map(|_| ToolCall::new("", "sayHello", "{}")));
    let mut play = Play::greeter();
    play.reply(calls(MAX_CALLS));
    let ids = play.pending_ids();
    assert_eq!(ids.len(), MAX_CALLS);
    for id in &ids {
        let done = play.run.tool_finished(id, Ok(1.into()));
        done.expect("the call waits");
    }
    play.check();

    play.reply(calls(MAX_CALLS + 1));
    let error = play.failure();
    assert!(error.is_llm(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("wants 32769 calls in one answer"), "{text}");
    // What came before stands.
    assert_eq!(play.results().len(), MAX_CALLS);
    play.check();
}

#[test]
fn a_sequential_tool_is_a_barrier() {
    let tools = [
        tool("fast", |_| async { Ok(1.into()) }),
        config("alone")
            .sequential(true)
            .build(|_| async { Ok(1.into()) })
            .expect("a tool"),
    ];
    let mut play = Play::new(&agent([spec("fast"), spec("alone")]), &library(tools));
    play.calls(&[
        ("a", "fast", "{}"),
        ("b", "fast", "{}"),
        ("c", "alone", "{}"),
        ("d", "alone", "{}"),
        ("e", "fast", "{}"),
    ]);
    assert_eq!(play.pending_ids(), ["a", "b"]);
    assert!(play.run.tool_finished("c", Ok(1.into())).is_err());
    play.finish("b", Ok("x")).finish("a", Ok("x"));
    assert_eq!(play.pending_ids(), ["c"]);
    play.finish("c", Ok("x"));
    assert_eq!(play.pending_ids(), ["d"]);
    play.finish("d", Ok("x"));
    assert_eq!(play.pending_ids(), ["e"]);
    play.finish("e", Ok("x"));
    play.reply(ModelReply::text("Done."));
}

#[test]
fn attempts_used_up_before_a_barrier_count_after_it() {
    let alone = config("alone").sequential(true);
    let alone = alone.build(|_| async { Ok(1.into()) }).expect("a tool");
    let mut play = Play::new(&agent([spec("alone")]), &library([alone]));
    play.calls(&[("", "alone", "{}"); 4]);
    for _ in 0..3 {
        let id = play.pending_ids().remove(0);
        play.finish(&id, Err(boom()));
    }
    assert_eq!(play.results().len(), 4);
    play.reply(ModelReply::text("Sorry."));
}

fn approving() -> Play {
    let tool = config("risky").requires_approval(true);
    let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
    let agent = agent([spec("risky"), support::hello_spec()]);
    Play::new(&agent, &library([tool, hello_tool()]))
}

fn awaiting(play: &Play) -> Vec<String> {
    match play.run.next() {
        Ok(Step::AwaitApproval(calls)) => calls.into_iter().map(|call| call.id).collect(),
        other => panic!("no approval is due, but {other:?}"),
    }
}

#[test]
fn approval_is_asked_for_before_anything_is_made() {
    let mut play = approving();
    play.calls(&[
        ("a", "risky", "{}"),
        ("b", "sayHello", "{}"),
        ("c", "risky", "{}"),
        ("d", "risky", "[]"),
    ]);
    assert_eq!(awaiting(&play), ["a", "c"]);
    assert!(play.run.tool_finished("a", Ok(1.into())).is_err());
    play.run.approve("a", Decision::Approve).expect("it waits");
    play.check();
    let deny = Decision::Deny {
        reason: Some("too late".into()),
    };
    assert_eq!(awaiting(&play), ["c"]);
    play.run.approve("c", deny).expect("it waits");
    assert_eq!(play.pending_ids(), ["a", "b"]);
    play.finish("a", Ok("x")).finish("b", Ok("x"));
    assert!(play.results()[2].1.contains("too late"));
    assert!(matches!(
        play.run.invocations()[2].result,
        Err(ToolError::Authorization(_))
    ));
    assert!(play.run.approve("c", Decision::Approve).is_err());
}

#[test]
fn edited_arguments_are_validated_and_given_to_the_tool() {
    let mut settings = agent_runtime::ToolSettings::DEFAULT;
    settings.requires_approval = true;
    let tool = agent_runtime::ToolConfig::with_signature(
        "sayHello",
        support::GREETING,
        "(personName::Text)==>(::String)",
    )
    .settings(settings)
    .build(|_| async { Ok("".into()) })
    .expect("a tool");
    let mut play = Play::new(&greeter(), &library([tool]));
    play.calls(&[
        ("a", "sayHello", r#"{"personName": "Ada"}"#),
        ("b", "sayHello", r#"{"personName": "Ada"}"#),
    ]);
    let edit = |args| Decision::Edit { args };
    let bob = json!({"personName": "Bob"});
    play.run.approve("a", edit(bob.clone())).expect("it waits");
    play.run
        .approve("b", edit(json!({"personName": 1})))
        .expect("it waits");
    assert_eq!(play.pending()[0].args(), bob);
    play.finish("a", Ok("Hello, Bob!"));
    assert_eq!(play.run.invocations()[0].args, bob);
    assert!(matches!(
        play.run.invocations()[1].result,
        Err(ToolError::Validation(_))
    ));
}

#[test]
fn bad_arguments_of_a_person_use_up_no_attempts() {
    let mut play = approving();
    for id in ["a", "b", "c", "d"] {
        play.calls(&[(id, "risky", "{}")]);
        let edit = Decision::Edit { args: json!([]) };
        play.run.approve(id, edit).expect("it waits");
        assert!(!play.last_result().contains("no attempts"));
    }
    assert_eq!(play.run.invocations()[3].attempt, 1);
}

#[test]
fn cancelling_answers_what_is_open() {
    let mut play = approving();
    play.calls(&[("a", "sayHello", "{}"), ("b", "sayHello", "{}")]);
    play.finish("b", Ok("B!"));
    play.run.cancel();
    assert!(play.failure().is_cancelled());
    let results = play.results();
    assert!(results[0].2 && results[0].1.contains("cancelled"));
    assert_eq!(results[1], ("b".into(), "B!".into(), false));
}

#[test]
fn a_run_that_stops_anywhere_leaves_a_history_that_can_be_sent() {
    let mut play = approving();
    assert!(play.run.conversation().is_empty());
    play.calls(&[("a", "risky", "{}"), ("b", "sayHello", "{}")]);
    let said = play.run.conversation();
    assert_eq!(said.len(), 4);
    // Asking does not change the run.
    assert_eq!(awaiting(&play), ["a"]);
}

#[test]
fn a_provider_that_is_down_is_replaced_by_the_next_model() {
    let mut settings = Settings::NONE;
    settings.base_url = Some("http://localhost/v1".into());
    settings.fallback = vec![
        agent_runtime::Model::parse("OpenAI/second").expect("a model"),
        agent_runtime::Model::parse("Other/third").expect("a model"),
    ]
    .into();
    let agent = agent([]).with_settings(settings).expect("they are right");
    let mut play = Play::new(&agent, &ToolLibrary::new());
    let mut seen = Vec::new();
    for _ in 0..2 {
        let Ok(Step::CallModel(request)) = play.run.next() else {
            panic!("a request is due");
        };
        seen.push((
            request.model.to_string(),
            request.settings.base_url.is_some(),
        ));
        let down = Error::llm("down").into_unavailable();
        play.run.model_failed(down).expect("a further model");
    }
    let Ok(Step::CallModel(request)) = play.run.next() else {
        panic!("a request is due");
    };
    seen.push((
        request.model.to_string(),
        request.settings.base_url.is_some(),
    ));
    assert_eq!(
        seen,
        [
            ("OpenAI/gpt-4o-mini".into(), true),
            ("OpenAI/second".into(), true),
            ("Other/third".into(), false)
        ]
    );
    let error = play.run.model_failed(Error::llm("down").into_unavailable());
    assert!(error.expect_err("no model is left").is_llm());
    assert!(play.failure().is_llm());
}

/// A run of an agent with two fallback models, whose own has just failed.
fn fallen_back() -> Play {
    let mut settings = Settings::NONE;
    let models = ["Other/second", "Other/third"];
    let models = models.map(|model| agent_runtime::Model::parse(model).expect("a model"));
    settings.fallback = models.to_vec().into();
    let agent = agent([]).with_settings(settings).expect("they are right");
    let mut play = Play::new(&agent, &ToolLibrary::new());
    let down = Error::llm("the first is down").into_unavailable();
    let down = down.with_source(std::io::Error::other("why"));
    play.run.model_failed(down).expect("a further model");
    play
}

#[test]
fn a_fallback_that_cannot_be_used_is_passed_over() {
    let mut play = fallen_back();
    let no_key = Error::configuration("no key");
    play.run.model_failed(no_key).expect("a further model");
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().content, "Done.");
}

#[test]
fn when_no_fallback_works_the_first_error_is_told() {
    let mut play = fallen_back();
    let no_key = || Error::configuration("no key");
    play.run.model_failed(no_key()).expect("a further model");
    let error = play.run.model_failed(no_key()).expect_err("none is left");
    assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(error.to_string(), "the first is down");
    assert_eq!(play.failure().to_string(), "the first is down");
}

#[test]
fn requests_are_counted_also_when_the_model_does_not() {
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", "{}")]);
    play.finish("a", Ok("x"));
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().usage.requests, 2);
}

#[test]
fn usage_is_summed_over_requests() {
    let mut play = Play::greeter();
    let usage = Usage::of_request(10, 3);
    play.reply(calls(&[("a", "sayHello", "{}")]).with_usage(usage));
    play.finish("a", Ok("x"));
    play.reply(ModelReply::text("Done.").with_usage(usage));
    let json = play.done().usage.to_json();
    assert_eq!(
        json,
        json!({"inputTokens": 20, "outputTokens": 6, "requests": 2})
    );
}
