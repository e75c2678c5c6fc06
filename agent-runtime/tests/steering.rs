//! Messages that the user says while a run goes on.

use crate::support::{agent, calls, config, hello_tool, library, spec};
use agent_runtime::conversation::{Image, Part, Role};
use agent_runtime::library::{BoundTools, bind_agent_tools};
use agent_runtime::model::{FinishReason, ModelReply, Scripted};
use agent_runtime::run::{AwaitingApproval, Decision, Run, RunOutcome, Step, UsageLimits};
use agent_runtime::runtime::{Input, RunHandle};
use agent_runtime::{Agent, Conversation, Event, Runtime, ToolError, ToolLibrary};
use serde_json::Value;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

fn tools() -> ToolLibrary {
    let risky = config("risky").requires_approval(true).sequential(true);
    let risky = risky.build(|_| async { Ok(1.into()) }).expect("a tool");
    let plain = config("plain")
        .build(|_| async { Ok("fine".into()) })
        .expect("a tool");
    library([plain, risky])
}

fn setting() -> (Agent, BoundTools) {
    let agent = agent([spec("plain"), spec("risky")]);
    let tools = bind_agent_tools(&agent, &tools()).expect("bound");
    (agent, tools)
}

fn begin() -> (Run, BoundTools) {
    let (agent, tools) = setting();
    let run = Run::new(&agent, &tools, "Hi", &Conversation::new(), &BTreeMap::new());
    (run.expect("a run"), tools)
}

fn texts(messages: &[agent_runtime::Message]) -> Vec<&str> {
    messages.iter().map(|message| message.content()).collect()
}

/// Writes a run as text and reads it again.
fn saved(run: &Run, tools: &BoundTools) -> Run {
    let json: Value = serde_json::from_str(&run.to_json().to_string()).expect("JSON");
    let read = Run::from_json(&json, tools).expect("its own form");
    assert_eq!(read.to_json(), json);
    read
}

/// Plays a run, in which the user says something before the input of this number. Returns the messages of the
/// conversation and the number of requests, or `None` if the run ended before.
fn play(place: usize, saves: bool) -> Option<(Conversation, usize)> {
    let (mut run, tools) = begin();
    let replies = [
        calls(&[
            ("a", "plain", "{}"),
            ("b", "risky", "{}"),
            ("c", "plain", "{}"),
        ]),
        ModelReply::text("Answer 1."),
        ModelReply::text("Answer 2."),
    ];
    let mut replies = replies.into_iter();
    let (mut requests, mut inputs, mut was_said) = (0, 0, false);
    loop {
        if inputs == place && !was_said {
            run.say("Be brief").expect("the run goes on");
            was_said = true;
        }
        inputs += 1;
        if saves {
            run = saved(&run, &tools);
        }
        run.conversation().check().expect("it can be sent");
        match run.next().expect("the run goes on") {
            Step::CallModel(request) => {
                requests += 1;
                let sent: Conversation = request.messages.iter().cloned().collect();
                sent.check().expect("it can be sent");
                let is_sent = request.messages.iter().any(|message| message.is_steering());
                assert_eq!(is_sent, was_said, "the next request has it");
                run.model_replied(replies.next().expect("a reply"))
                    .expect("due");
            }
            Step::AwaitApproval(waiting) => {
                run.approve(&waiting[0].id, Decision::Approve).expect("due");
            }
            Step::CallTools(pending) => {
                let result: Result<Value, ToolError> = Ok(pending[0].id.clone().into());
                run.tool_finished(&pending[0].id, result).expect("due");
            }
            Step::Done(_) => break,
            other => panic!("{other:?}"),
        }
    }
    let error = run.say("Too late").expect_err("the run has ended");
    assert!(
        error.is_validation() && error.to_string().contains("the run has ended"),
        "{error}"
    );
    was_said.then(|| (run.conversation(), requests))
}

#[test]
fn a_message_can_be_said_at_every_place() {
    let before = ["Hi", "Be brief", "", "a", "b", "c", "Answer 1."];
    let after_results = ["Hi", "", "a", "b", "c", "Be brief", "Answer 1."];
    let after_answer = [
        "Hi",
        "",
        "a",
        "b",
        "c",
        "Answer 1.",
        "Be brief",
        "Answer 2.",
    ];
    let mut places = 0;
    for place in 0..20 {
        let Some((conversation, requests)) = play(place, false) else {
            break;
        };
        places += 1;
        let found = texts(conversation.messages());
        let (expected, expected_requests): (&[&str], usize) = match place {
            0 => (&before, 2),
            1..=5 => (&after_results, 2),
            _ => (&after_answer, 3),
        };
        assert_eq!(
            (found.as_slice(), requests),
            (expected, expected_requests),
            "{place}"
        );
        assert_eq!(conversation.turns().count(), 1, "it begins no turn");
        assert_eq!(
            play(place, true),
            Some((conversation, requests)),
            "saved at {place}"
        );
    }
    assert_eq!(places, 7);
}

#[test]
fn what_was_said_is_kept_by_each_form_of_a_conversation() {
    let (conversation, _) = play(3, false).expect("a place");
    let json = conversation.to_json();
    assert_eq!(json[5]["name"], "steering");
    let read = [
        Conversation::from_json(&json).expect("JSON"),
        Conversation::from_pattern(&conversation.to_pattern().expect("gram")).expect("gram"),
        conversation
            .messages()
            .iter()
            .map(|message| message.to_exact_json().expect("JSON"))
            .map(|text| serde_json::from_str(&text).expect("a message"))
            .collect(),
    ];
    for read in read {
        assert!(read.messages()[5].is_steering());
        assert_eq!(read.turns().count(), 1);
        assert_eq!(read, conversation);
    }
}

#[test]
fn a_message_waits_until_a_paused_answer_is_complete() {
    let paused = || ModelReply::text("I look").with_finish_reason(FinishReason::Paused);
    for saves in [false, true] {
        let (mut run, tools) = begin();
        run.next().expect("a request");
        run.model_replied(paused()).expect("due");
        run.say("Be brief").expect("the run goes on");
        if saves {
            run = saved(&run, &tools);
        }
        let Ok(Step::CallModel(request)) = run.next() else {
            panic!("the model goes on");
        };
        assert_eq!(texts(&request.messages), ["Hi", "I look"]);
        run.model_replied(ModelReply::text("ing it up."))
            .expect("due");
        let Ok(Step::CallModel(request)) = run.next() else {
            panic!("the message leads to a request");
        };
        assert_eq!(
            texts(&request.messages),
            ["Hi", "I look", "ing it up.", "Be brief"]
        );
        run.model_replied(ModelReply::text("Yes.")).expect("due");
        let Ok(Step::Done(response)) = run.next() else {
            panic!("the run ends");
        };
        assert_eq!(response.content, "Yes.");
    }
}

#[test]
fn a_limit_that_a_message_passes_keeps_the_answer_in_the_conversation() {
    let (run, _) = begin();
    let mut run = run.with_usage_limits(UsageLimits::new().requests(1));
    run.model_replied(ModelReply::text("Hello.")).expect("due");
    run.say("Louder").expect("the run has not ended");
    let error = run.next().expect_err("no request is left");
    assert!(error.is_limit(), "{error}");
    assert_eq!(
        texts(run.conversation().messages()),
        ["Hi", "Hello.", "Louder"]
    );
    assert!(run.say("Again").expect_err("it has ended").is_validation());
}

#[test]
fn a_failed_run_keeps_what_was_said_unless_nothing_was_answered() {
    let (mut run, _) = begin();
    run.say("Be brief").expect("the run goes on");
    run.cancel();
    assert!(run.conversation().is_empty());
    let (mut run, _) = begin();
    run.model_replied(calls(&[("a", "plain", "{}")]))
        .expect("due");
    run.say("Be brief").expect("the run goes on");
    let kept = run.conversation();
    assert_eq!(
        kept.last().map(|message| message.content()),
        Some("Be brief")
    );
    run.cancel();
    assert_eq!(run.conversation(), kept);
    assert_eq!(kept.check(), Ok(()));
}

/// A handle that a scripted model can use, because it is created before the run.
type Later = Arc<OnceLock<RunHandle>>;

fn said_during(later: &Later, text: &'static str, reply: ModelReply) -> Scripted {
    let later = Arc::clone(later);
    Scripted::default().then_with(move |_| {
        later
            .get()
            .expect("a handle")
            .say(text)
            .expect("the run goes on");
        Ok(reply)
    })
}

#[tokio::test]
async fn a_handle_says_something_during_requests() {
    for streaming in [false, true] {
        let later = Later::default();
        let model = said_during(&later, "One", calls(&[("a", "plain", "{}")]));
        let (two, three) = (Arc::clone(&later), Arc::clone(&later));
        let model = model
            .then_with(move |_| {
                let handle = two.get().expect("a handle").clone();
                std::thread::spawn(move || {
                    handle.say(
                        Input::new("Two")
                            .image(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec()),
                    )
                })
                .join()
                .expect("a thread")
                .map(|()| ModelReply::text("Answer 1."))
            })
            .then_with(move |request| {
                let last = request.messages.last().expect("a message");
                assert!(matches!(last.parts()[1], Part::Image(_)));
                assert!(
                    three.get().expect("a handle").say(" ").is_err(),
                    "it is blank"
                );
                Ok(ModelReply::text("Answer 2."))
            });
        let runtime = Runtime::with_model(model.clone());
        let (agent, tools) = (agent([spec("plain")]), tools());
        let mut conversation = Conversation::new();
        let mut heard = Vec::new();
        let mut observer = |event: &Event| match event {
            Event::Steered { message, .. } => heard.push(message.content().to_owned()),
            Event::ModelCalled { .. } => heard.push("request".to_owned()),
            Event::ModelReplied { .. } => heard.push("reply".to_owned()),
            Event::ToolFinished { .. } => heard.push("result".to_owned()),
            _ => {}
        };
        let mut run = runtime
            .run(&agent, "Hi")
            .tools(&tools)
            .observer(&mut observer)
            .conversation(&mut conversation);
        if streaming {
            run = run.streaming();
        }
        later.set(run.handle()).expect("the first handle");
        let response = run.await.expect("an answer");
        assert_eq!(response.content, "Answer 2.");
        assert_eq!(
            texts(conversation.messages()),
            ["Hi", "", "fine", "One", "Answer 1.", "Two", "Answer 2."]
        );
        assert_eq!(conversation.turns().count(), 1);
        let expected = [
            "request", "reply", "One", "result", "request", "reply", "Two", "request", "reply",
        ];
        assert_eq!(heard, expected);
        let error = later
            .get()
            .expect("a handle")
            .say("Late")
            .expect_err("it has ended");
        assert!(
            error.is_validation() && error.to_string().contains("the run has ended"),
            "{error}"
        );
        model.assert_complete();
    }
}

#[tokio::test]
async fn a_typed_answer_is_given_again_after_a_message() {
    let later = Later::default();
    let model = said_during(
        &later,
        "Twice",
        calls(&[("a", "finalAnswer", r#"{"answer": 1}"#)]),
    );
    let model = model.then(calls(&[("b", "finalAnswer", r#"{"answer": 2}"#)]));
    let runtime = Runtime::with_model(model);
    let run = runtime.run(agent([]), "How many?").output::<i64>();
    later.set(run.handle()).expect("the first handle");
    assert_eq!(run.await.expect("an answer").value, 2);
}

#[tokio::test]
async fn a_handle_fails_when_nobody_hears_it() {
    fn is_shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    let runtime = Runtime::with_model(Scripted::new([
        calls(&[("a", "risky", "{}")]),
        ModelReply::text("Done."),
    ]));
    let (agent, tools) = (agent([spec("risky")]), tools());
    // A run that was never begun.
    let run = runtime.run(&agent, "Hi");
    let handle = run.handle();
    is_shared(&handle);
    handle.say("Hello").expect("it may begin");
    drop(run);
    assert!(handle.say("Hello").is_err());
    // A run that waits for an approval.
    let run = runtime.run(&agent, "Hi").tools(&tools);
    let handle = run.handle();
    let error = run.await.expect_err("it waits");
    let late = handle.say("Hello").expect_err("it waits");
    assert!(late.to_string().contains("waits for an approval"), "{late}");
    let mut run = AwaitingApproval::of(&error)
        .expect("a paused run")
        .run
        .clone();
    run.approve("a", Decision::Approve).expect("due");
    let resumed = runtime.resume(&mut run).tools(&tools);
    resumed.handle().say("Go on").expect("it begins again");
    let outcome = resumed.await.expect("an answer");
    assert!(matches!(outcome, RunOutcome::Done(_)));
    let conversation = run.conversation();
    assert_eq!(
        texts(conversation.messages()),
        ["Hi", "", "1", "Go on", "Done."]
    );
}

/// Drops a run after each number of polls, in which something was said after each number of polls before.
#[tokio::test]
async fn a_run_dropped_anywhere_keeps_what_was_said() {
    let agent = agent([spec("plain")]);
    let waiting = config("plain").build(|_| async {
        tokio::task::yield_now().await;
        Ok("fine".into())
    });
    let tools = library([waiting.expect("a tool"), hello_tool()]);
    let mut ended = false;
    for polls in 0..50 {
        for place in 0..=polls {
            let runtime = Runtime::with_model(Scripted::new([
                calls(&[("a", "plain", "{}")]),
                calls(&[("b", "plain", "{}")]),
                ModelReply::text("Answer 1."),
                ModelReply::text("Answer 2."),
            ]));
            let mut conversation = Conversation::new();
            let run = runtime.run(&agent, "Hi").tools(&tools);
            let run = run.conversation(&mut conversation);
            let handle = run.handle();
            let (mut run, mut was_heard) = (run.into_future(), false);
            for poll in 0..polls {
                if poll == place {
                    was_heard = handle.say("Be brief").is_ok();
                }
                let polled = poll_fn(|context| Poll::Ready(run.as_mut().poll(context))).await;
                if polled.is_ready() {
                    ended = true;
                    break;
                }
                tokio::task::yield_now().await;
            }
            drop(run);
            assert!(handle.say("Late").is_err());
            assert_eq!(conversation.check(), Ok(()));
            let is_kept = conversation
                .messages()
                .iter()
                .any(|message| message.is_steering());
            let is_answered = conversation
                .messages()
                .iter()
                .any(|m| m.role() == Role::Assistant);
            assert_eq!(
                is_kept,
                was_heard && is_answered,
                "{place} of {polls}: {conversation:?}"
            );
        }
    }
    assert!(ended, "some runs end");
}

#[test]
fn an_image_that_is_said_is_kept_by_a_saved_run() {
    let (mut run, tools) = begin();
    run.model_replied(calls(&[("a", "plain", "{}")]))
        .expect("due");
    run.say(Input::new("Like this").image(Image::new(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec(),
    )))
    .expect("it goes on");
    let mut run = saved(&run, &tools);
    run.tool_finished("a", Ok("A".into())).expect("due");
    let Ok(Step::CallModel(request)) = run.next() else {
        panic!("a request is due");
    };
    let bytes = request.messages[3]
        .media()
        .next()
        .and_then(|media| media.bytes().map(<[u8]>::to_vec));
    assert_eq!(
        bytes.as_deref(),
        Some(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".as_slice())
    );
}

#[tokio::test]
async fn an_image_that_is_none_cannot_be_said() {
    let runtime = Runtime::with_model(Scripted::new([ModelReply::text("Done.")]));
    let agent = agent([]);
    let begun = runtime.run(&agent, "Hi");
    let handle = begun.handle();
    let (mut run, _) = begin();
    for (image, words) in [
        (Image::new(b"nope"), "are `text/plain`, not an image"),
        (Image::new(b""), "the image has no bytes"),
        (
            Image::new(b"\0\x01").with_media_type("image/png"),
            "its bytes are not",
        ),
    ] {
        let input = Input::new("Look").image(image);
        let errors = [handle.say(input.clone()), run.say(input)];
        for error in errors.map(|said| said.expect_err(words)) {
            assert!(error.is_validation(), "{error:?}");
            let text = error.to_string();
            assert!(
                text.contains("part 2 of the message (type `image`)"),
                "{text}"
            );
            assert!(text.contains(words), "{text}");
        }
    }
    assert_eq!(begun.await.expect("an answer").content, "Done.");
}
