//! The beginning and the answer of a run.

use crate::run_rules::play::{Play, bind};
use crate::support::{calls, greeter, hello_tool, library};
use agent_runtime::conversation::{Part, ToolCall};
use agent_runtime::model::{FinishReason, ModelReply, Usage};
use agent_runtime::run::{Decision, MAX_PAUSES, Run, Step};
use agent_runtime::{Agent, Conversation, Error, Message, ToolError, ToolLibrary};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

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
        ("sayHello", &crate::support::ada(), 1)
    );
    assert_eq!(used.result, Ok("Hello, Ada!".into()));
    assert_eq!(
        response.to_json()["toolsUsed"],
        json!([{"tool": "sayHello", "args": {"personName": "Ada"}, "result": "Hello, Ada!",
                "attempt": 1}])
    );
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
    let mut filled = run(&BTreeMap::from([("user".into(), "Ada".into())])).expect("a run");
    let Ok(Step::CallModel(request)) = filled.next() else {
        panic!("a run begins with a request");
    };
    assert_eq!(request.instruction, "Greet Ada.");
    assert!(request.tools.is_empty());
    let error = run(&BTreeMap::new()).expect_err("no value");
    assert!(error.is_configuration() && error.to_string().contains("`user`"));
}

#[test]
fn rejects_a_reply_that_the_run_does_not_wait_for() {
    let mut play = Play::greeter();
    play.calls(&[("a", "sayHello", "{}")]);
    assert!(play.run.model_replied(ModelReply::text("x")).is_err());
    assert!(play.run.model_failed(Error::llm("x")).is_err());
    assert!(play.run.approve("a", Decision::Approve).is_err());
    assert_eq!(play.pending_ids(), ["a"]);
}

#[test]
fn calls_of_an_answer_that_was_cut_off_or_filtered_are_not_made() {
    for (reason, words) in [
        (FinishReason::Length, "cut off"),
        (FinishReason::ContentFilter, "filter or a refusal"),
    ] {
        let mut play = Play::greeter();
        let cut = calls(&[("a", "sayHello", "{}"), ("b", "sayHello", r#"{"pers"#)]);
        play.reply(cut.with_finish_reason(reason));
        let results = play.results();
        assert_eq!(results.len(), 2);
        assert!(results.iter().all(|(_, text, _)| text.contains(words)));
        // The incomplete answer does not count against the tool.
        play.calls(&[("c", "sayHello", "{}")]);
        play.finish("c", Ok("x"));
        assert_eq!(play.run.invocations()[2].attempt, 1);
    }
}

fn ended(reason: FinishReason) -> ModelReply {
    ModelReply::default().with_finish_reason(reason)
}

#[test]
fn requests_an_empty_answer_once_more_before_the_first_result() {
    let mut play = Play::greeter();
    play.reply(ended(FinishReason::Stop));
    assert_eq!(play.run.conversation().len(), 0);
    play.reply(ModelReply::text("There."));
    assert_eq!(play.done().content, "There.");

    let mut play = Play::greeter();
    play.reply(ended(FinishReason::Stop))
        .reply(ModelReply::text("  \n"));
    let error = play.failure();
    let words = "answered twice with neither text nor calls; the finish reason is `stop`";
    assert!(
        error.is_llm() && !error.is_refused() && error.to_string().contains(words),
        "{error}"
    );

    // Turns that call tools give the second chance back, for reasons that are no stop.
    let malformed = || ended(FinishReason::Other("MALFORMED_FUNCTION_CALL".to_owned()));
    let mut play = Play::greeter();
    play.reply(malformed()).calls(&[("a", "sayHello", "{}")]);
    play.finish("a", Ok("x"));
    play.reply(malformed()).reply(ModelReply::text("There."));
    assert_eq!(play.done().content, "There.");
}

#[test]
fn an_answer_that_is_held_back_twice_is_refused() {
    let mut play = Play::greeter();
    let held = || ended(FinishReason::ContentFilter);
    play.reply(held()).reply(held());
    let error = play.failure();
    let text = error.to_string();
    assert!(error.is_llm() && error.is_refused(), "{error:?}");
    assert!(
        text.contains("held back") && text.contains("content_filter"),
        "{text}"
    );
}

/// The model may have nothing to add to what its tools did.
#[test]
fn a_stop_without_text_is_an_answer_after_a_result() {
    for result in [Ok("x"), Err(ToolError::Execution("broken".to_owned()))] {
        let mut play = Play::greeter();
        play.calls(&[("a", "sayHello", "{}")]).finish("a", result);
        play.reply(ended(FinishReason::Stop));
        let response = play.done();
        assert_eq!(
            (response.content.as_str(), response.usage.requests),
            ("", 2)
        );
        assert_eq!(response.finish_reason, FinishReason::Stop);
        assert_eq!(response.tools_used.len(), 1);
        assert_eq!(play.run.conversation().len(), 4);
        // The next turn of the conversation can be sent, and needs a result of its own.
        let agent = greeter();
        let tools = bind(&agent, &library([hello_tool()]));
        let before = play.run.conversation();
        let run = Run::new(&agent, &tools, "And now?", &before, &BTreeMap::new());
        let mut play = Play {
            run: run.expect("a run"),
        };
        play.reply(ended(FinishReason::Stop))
            .reply(ended(FinishReason::Stop));
        assert!(play.failure().is_llm());
    }
}

#[test]
fn a_paused_answer_goes_on_and_is_one_answer() {
    let mut play = Play::greeter();
    let begun = || ModelReply::text("I look. ").with_finish_reason(FinishReason::Paused);
    play.reply(begun()).reply(begun());
    let saved = play.run.to_json();
    let tools = bind(play.run.agent(), &library([hello_tool()]));
    play.run = Run::from_json(&saved, &tools).expect("a saved run");
    play.reply(ModelReply::text("It is Ada."));
    let response = play.done();
    assert_eq!(response.content, "I look. I look. It is Ada.");
    let texts = ["I look. ", "I look. ", "It is Ada."].map(Part::from);
    assert_eq!(response.parts, texts);
    assert_eq!(play.run.conversation().len(), 4);
}

/// The answer is the text before the pause.
#[test]
fn the_last_piece_of_a_paused_answer_may_be_empty() {
    let mut play = Play::greeter();
    let begun = ModelReply::text("It is Ada.").with_finish_reason(FinishReason::Paused);
    play.reply(begun).reply(ModelReply::text(""));
    assert_eq!(play.done().content, "It is Ada.");
}

#[test]
fn an_answer_that_is_always_paused_ends_at_its_own_limit() {
    let mut play = Play::greeter();
    for _ in 0..=MAX_PAUSES {
        play.reply(ModelReply::text("…").with_finish_reason(FinishReason::Paused));
    }
    let error = play.failure();
    assert!(error.is_limit(), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("paused one answer more than 10 times"),
        "{text}"
    );
    assert!(!text.contains("call"), "{text}");
}

/// The second request would end in the same way.
#[test]
fn an_answer_cut_off_before_its_text_is_not_asked_again() {
    for after_a_result in [false, true] {
        for content in [None, Some("  \n".to_owned())] {
            let mut play = Play::greeter();
            if after_a_result {
                play.calls(&[("a", "sayHello", "{}")]).finish("a", Ok("x"));
            }
            let mut cut = ended(FinishReason::Length);
            cut.parts = content.map(Part::from).into_iter().collect();
            play.reply(cut);
            let error = play.failure();
            let text = error.to_string();
            assert!(error.is_llm(), "{error:?}");
            assert!(
                text.contains("`length`") && text.contains("`maxTokens`"),
                "{text}"
            );
        }
    }
}

/// Programs act on the kinds, also after the run was saved.
#[test]
fn a_failed_run_keeps_the_kind_of_its_error() {
    let wait = Duration::from_millis(1_500);
    let limited = Error::llm("slow down").into_rate_limited();
    for (error, check) in [
        (
            limited.with_retry_after(wait),
            (|error| error.is_rate_limited()) as fn(&Error) -> bool,
        ),
        (Error::llm("x").into_context_too_long(), |error| {
            error.is_context_too_long()
        }),
        (Error::llm("x").into_overloaded(), Error::is_overloaded),
        (Error::llm("x").into_refused(), Error::is_refused),
        (Error::llm("x").into_timeout(), Error::is_timeout),
    ] {
        let mut play = Play::greeter();
        let returned = play.run.model_failed(error).expect_err("it ends the run");
        let tools = bind(&greeter(), &library([hello_tool()]));
        let mut saved = Run::from_json(&play.run.to_json(), &tools).expect("its own form");
        let again = saved.next().expect_err("the run has failed");
        for error in [&returned, &play.failure(), &again] {
            assert!(error.is_llm() && check(error), "{error:?}");
            let expected = error.is_rate_limited().then_some(wait);
            assert_eq!(error.retry_after(), expected, "{error:?}");
            assert_eq!(error.is_unavailable(), returned.is_unavailable());
        }
    }
}

#[test]
fn counts_requests_that_the_model_does_not_count() {
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
