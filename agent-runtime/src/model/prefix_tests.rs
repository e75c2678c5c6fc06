//! The view of the model never moves: the tools, the instruction and the messages of each request begin with
//! those of the request before, in the order in which the provider hashes them. Provider caches need this.
//!
//! Runs of a conversation are driven with random answers, results and decisions, and saved in between. The bodies
//! that each provider would be sent are compared block by block, without the marks of caches.

use super::WIRE_BODIES;
use agent_core::__private::{
    Exactness, HostValues, RunSetup, messages_from_json, messages_to_json,
};
use agent_core::conversation::{Compaction, Part, ProviderPart, Thinking, ToolCall};
use agent_core::model::{FinishReason, ModelReply, ModelRequest};
use agent_core::run::{Decision, Input, Run, Step};
use agent_core::{Conversation, Message};
use agent_spec::{Agent, GramType, PromptCache, ToolSpec};
use agent_tool::__private::{MediaForm, ReadFn, read_as};
use agent_tool::Error;
use agent_tool::library::{BoundTools, ToolLibrary, bind_agent_tools};
use agent_tool::tool::{ToolConfig, ToolError};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An endless series of choices, made from random numbers.
struct Choices {
    numbers: Vec<u32>,
    next: usize,
}

impl Choices {
    fn new(numbers: Vec<u32>) -> Self {
        Self { numbers, next: 0 }
    }

    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        let number = self.numbers[self.next % self.numbers.len()];
        // The second pass over the numbers makes other choices than the first.
        let pass = u32::try_from(self.next / self.numbers.len()).unwrap_or_default();
        self.next += 1;
        let mixed = (number ^ pass.wrapping_mul(0x9e37_79b9)).rotate_left(pass % 32);
        mixed as usize % end
    }

    fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// Whether something happens that happens once in `times`.
    fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

const IDS: [&str; 10] = [
    "",
    "a",
    "call_1",
    "call_2",
    "call_3",
    "functions.greet:0",
    "id_1",
    // The replacement of `functions.greet:0`.
    "id_10d6d7124cbe45f4",
    "an-id-of-more-than-forty-characters-0123456789",
    "ä",
];

const TOOLS: [&str; 12] = [
    // Mistakes without `toolSearch`.
    "searchTools",
    "callTool",
    "callTool",
    "greet",
    "greet",
    "photo",
    "page",
    "risky",
    "single",
    "finalAnswer",
    "unknown",
    "functions.say hello",
];

const ARGUMENTS: [&str; 11] = [
    r#"{"query": "does something"}"#,
    r#"{"name": "greet", "arguments": {"name": "Ada"}}"#,
    r#"{"name": "risky"}"#,
    r#"{"name": "photo", "arguments": "{}"}"#,
    r#"{"name": "Ada"}"#,
    r#"{ "name":"Bob", "more": 1 }"#,
    "{}",
    r#"{"name": 7}"#,
    r#"{"answer": [1, 2]}"#,
    "[1]",
    r#"{"name": "A"#,
];

const TEXTS: [&str; 7] = [
    "Certainly.",
    "[1, 2]",
    "```json\n[3]\n```",
    "[\"one\"]",
    " \n",
    "",
    "Grüße 👋",
];

const SPECS: [(&str, &str); 5] = [
    ("photo", "()==>(::Image {optional: true})"),
    ("page", "()==>(::Parts)"),
    ("greet", "(name::Text)==>(::Any)"),
    ("risky", "()==>(::Any)"),
    ("single", "()==>(::Any)"),
];

fn setting(cache: Option<PromptCache>, searches: bool) -> (Agent, BoundTools) {
    const DESCRIPTION: &str = "Does something.";
    let mut agent = Agent::new("a", "OpenAI/gpt-5.4", "Answer.").expect("an agent");
    let mut library = ToolLibrary::new();
    for (name, signature) in SPECS {
        let spec = ToolSpec::new(name, DESCRIPTION, signature).expect("a spec");
        agent = agent.with_tool(spec).expect("a further tool");
        let tool = ToolConfig::with_signature(name, DESCRIPTION, signature)
            .requires_approval(name == "risky")
            .sequential(name == "single");
        let tool = tool.build(|_| async { Ok(Value::Null) }).expect("a tool");
        library.add(tool).expect("a good name");
    }
    let mut settings = agent.settings().clone();
    settings.cache = cache;
    settings.tool_search = searches.then_some(true);
    let agent = agent.with_settings(settings).expect("good settings");
    let tools = bind_agent_tools(&agent, &library).expect("the tools are bound");
    (agent, tools)
}

fn reply(choices: &mut Choices) -> ModelReply {
    let reply = match choices.below(8) {
        0 => ModelReply::text(choices.one_of(&TEXTS)),
        1 | 2 => {
            let arguments = choices.one_of(&[r#"{"answer": [1]}"#, r#"{"answer": "no"}"#]);
            let call = ToolCall::new(choices.one_of(&IDS), "finalAnswer", arguments);
            // The same answer twice is one answer.
            let count = 1 + usize::from(choices.rarely(3));
            ModelReply::calls(vec![call; count])
        }
        _ => {
            let count = match choices.below(8) {
                0 => 12 + choices.below(30),
                few => 1 + few / 3,
            };
            let calls = (0..count).map(|_| {
                let (id, tool) = (choices.one_of(&IDS), choices.one_of(&TOOLS));
                ToolCall::new(id, tool, choices.one_of(&ARGUMENTS))
            });
            ModelReply::calls(calls.collect::<Vec<_>>())
        }
    };
    let mut reply = match choices.below(10) {
        0 => reply.with_finish_reason(FinishReason::Length),
        1 => reply.with_finish_reason(FinishReason::ContentFilter),
        _ => reply,
    };
    if !reply.tool_calls.is_empty() && choices.rarely(2) {
        reply.parts.push(choices.one_of(&TEXTS).into());
    }
    with_provider_parts(reply, choices)
}

/// Adds the thoughts and the data that a provider keeps of its answers.
fn with_provider_parts(mut reply: ModelReply, choices: &mut Choices) -> ModelReply {
    let provider = choices.one_of(&[
        "Anthropic",
        "Google",
        "Ollama",
        "OpenAI",
        "OpenAIResponses",
        "",
        "",
        "",
        "",
        "",
    ]);
    let thought = Part::from(Thinking::new(provider, "Hm."));
    let texts = reply.parts.len();
    let calls = reply.tool_calls.iter();
    let kept = match provider {
        "" => return reply,
        "Anthropic" => {
            let mut blocks = vec![
                json!({"type": "thinking", "signature": "s"}),
                json!({"type": "server_tool_use", "id": "srv_1", "name": "tool_search_tool_bm25",
                       "input": {"query": "greet"}}),
                json!({"type": "tool_search_tool_result", "tool_use_id": "srv_1", "content": {
                    "type": "tool_search_tool_search_result", "tool_references": [
                        {"type": "tool_reference", "tool_name": "greet"},
                        {"type": "tool_reference", "tool_name": "of_another_agent"}]}}),
            ];
            blocks.extend((0..texts).map(|_| json!({"type": "text"})));
            blocks.extend(calls.map(|_| json!({"type": "tool_use"})));
            json!(blocks)
        }
        "Google" => {
            let mut parts = vec![json!({"text": null, "thought": true})];
            parts.extend((0..texts).map(|_| json!({"text": null})));
            parts.extend(calls.map(|call| {
                json!({"functionCall": {"id": call.id(), "name": call.tool(), "args": {}},
                       "thoughtSignature": "s"})
            }));
            json!(parts)
        }
        "OpenAI" => json!({"openaiFunctionCall": true}),
        "OpenAIResponses" => {
            let mut items = vec![
                json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "x",
                                        "summary": [{"type": "summary_text"}]}),
                json!({"type": "tool_search_call", "id": "ts_1", "execution": "server",
                       "arguments": {"paths": ["greet"]}, "status": "completed"}),
                json!({"type": "tool_search_output", "id": "to_1", "execution": "server",
                       "tools": [], "status": "completed"}),
            ];
            items.extend((0..texts).map(|_| {
                json!({"type": "message", "id": "msg_1", "role": "assistant",
                       "status": "completed", "content": [{"type": "output_text"}]})
            }));
            items.extend(calls.map(|_| json!({"type": "function_call", "namespace": "greet"})));
            json!(items)
        }
        _ => Value::Null,
    };
    reply.parts.insert(0, thought);
    if !kept.is_null() {
        reply.parts.push(ProviderPart::new(provider, kept).into());
    }
    reply
}

fn result(tool: &str, choices: &mut Choices) -> Result<Value, ToolError> {
    let image = json!({"type": "image", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"});
    let text = json!({"type": "text", "text": "x".repeat(600)});
    match (tool, choices.below(6)) {
        ("photo", 0 | 1) => return Ok(image),
        ("photo", 2) => return Ok(Value::Null),
        // No image, and an image without bytes.
        ("photo", 3) => return Ok(json!({"type": "image", "data": "SGVsbG8="})),
        ("photo", 4) => return Ok(json!({"type": "image", "data": ""})),
        ("page", 0 | 1) => return Ok(json!([image, text, image])),
        ("page", 2) => return Ok(json!([text, text, image])),
        ("page", 3) => return Ok(json!([])),
        ("page", 4) => return Ok(json!([text, {"type": "document", "data": "JVBERi0xLjcK"}])),
        _ => {}
    }
    match choices.below(8) {
        0 => Ok(Value::Null),
        1 => Ok(json!({"b": [1, 2.5], "a": "x"})),
        2 => Ok("x".repeat(5_000).into()),
        3 => Ok("".into()),
        4 => Err(ToolError::Execution("it failed".into())),
        5 => Err(ToolError::Retry("other arguments".into())),
        _ => Ok("done".into()),
    }
}

fn decision(choices: &mut Choices) -> Decision {
    match choices.below(3) {
        0 => Decision::Approve,
        1 => Decision::Deny {
            reason: choices.one_of(&[None, Some("no".to_owned())]),
        },
        _ => Decision::Edit { args: json!({}) },
    }
}

/// Writes a run as text and reads it again.
fn saved(run: &Run, tools: &BoundTools) -> Run {
    let text = run.to_json().to_string();
    let json = serde_json::from_str(&text).expect("JSON");
    let run = Run::from_json(&json, tools).expect("its own form");
    run.with_result_limit(1_000)
}

/// The conversation as a store gives it back, which keeps the bytes of media.
fn stored(conversation: &Conversation) -> Conversation {
    let json = messages_to_json(conversation.messages(), Exactness::Exact, MediaForm::Data);
    let messages = messages_from_json(&json).expect("its own form");
    messages.into_iter().collect()
}

/// Drives the runs of a conversation, and returns each request that is sent with the request before it. A turn
/// whose input the model did not answer leaves nothing in the conversation, so that its requests come before
/// none. The first request behind a new summary has no request before it.
fn requests(
    choices: &mut Choices,
    is_typed: bool,
    (cache, searches): (Option<PromptCache>, bool),
    compaction: Option<&Compaction>,
) -> Vec<(Option<usize>, ModelRequest)> {
    let (agent, tools) = setting(cache, searches);
    let mut conversation = Conversation::new();
    let mut requests = Vec::new();
    let mut last = None;
    for turn in 0..2 + choices.below(4) {
        let (before, mut is_compacted) = (last, false);
        let setup = RunSetup {
            output: is_typed.then_some((<Vec<i64>>::TYPE, read_as::<Vec<i64>> as ReadFn)),
            compaction: compaction.cloned(),
            host: HostValues {
                result_limit: 1_000,
                ..HostValues::default()
            },
            ..RunSetup::default()
        };
        let text = format!("Question {turn}");
        let input = match choices.below(4) {
            0 => Input::new(&text)
                .image(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec()),
            _ => Input::new(&text),
        };
        let variables = BTreeMap::new();
        let run = Run::create(
            agent.clone(),
            &tools,
            input,
            &conversation,
            &variables,
            setup,
        );
        let mut run = run.expect("the conversation can be sent");
        drive(&mut run, &tools, choices, |request| match request {
            Some(request) => {
                requests.push((last, request));
                last = Some(requests.len() - 1);
            }
            None => (last, is_compacted) = (None, true),
        });
        let known = conversation.len();
        conversation = run.conversation();
        let mut new = conversation.messages()[known..].iter();
        if new.all(Message::is_summary) {
            last = before.filter(|_| !is_compacted);
        }
        if choices.rarely(2) {
            conversation = stored(&conversation);
        }
    }
    requests
}

fn drive(
    run: &mut Run,
    tools: &BoundTools,
    choices: &mut Choices,
    mut sent: impl FnMut(Option<ModelRequest>),
) {
    loop {
        if choices.rarely(3) {
            *run = saved(run, tools);
        }
        if choices.rarely(20) {
            run.cancel();
        }
        if choices.rarely(8) {
            let said = run.say("Something else");
            assert!(said.is_ok() || run.is_over(), "{said:?}");
        }
        match run.next() {
            Err(_) | Ok(Step::Done(_)) => return,
            Ok(Step::Summarise(_)) => {
                let reply = choices.one_of(&["So far.", "So far.", "So far.", ""]);
                run.model_replied(ModelReply::text(reply))
                    .expect("it is due");
                sent(None);
            }
            Ok(Step::CallModel(request)) => {
                sent(Some(request));
                if choices.rarely(20) {
                    let failed = run.model_failed(Error::llm("the provider failed"));
                    failed.expect_err("there is no fallback");
                } else {
                    run.model_replied(reply(choices)).expect("it is due");
                }
            }
            Ok(Step::CallTools(mut calls)) => {
                if choices.rarely(2) {
                    calls.reverse();
                }
                for call in calls {
                    let finished = run.tool_finished(&call.id, result(&call.tool, choices));
                    // Another call may have ended the run.
                    assert!(finished.is_ok() || run.is_over(), "{finished:?}");
                }
            }
            Ok(Step::AwaitApproval(calls)) => {
                for call in calls {
                    let decided = run.approve(&call.id, decision(choices));
                    assert!(decided.is_ok() || run.is_over(), "{decided:?}");
                }
            }
            Ok(step) => panic!("no agent is called: {step:?}"),
        }
    }
}

fn compaction() -> Compaction {
    Compaction::above(1_500).about_tokens(20)
}

/// The elements of a request in the order in which its provider hashes them, without the marks of caches and of OpenAI's
/// search for tools.
fn view(provider: &str, body: &Value) -> Vec<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let parts = |messages: &Value, key: &str| -> Vec<Value> {
        let messages = list(messages).into_iter();
        let parts = messages.flat_map(|message| {
            let role = message["role"].clone();
            let parts = list(&message[key]).into_iter();
            parts
                .map(move |part| json!([role, part]))
                .collect::<Vec<_>>()
        });
        parts.collect()
    };
    let mut view = match provider {
        "Google" => list(&body["tools"][0]["functionDeclarations"]),
        _ => list(&body["tools"]),
    };
    match provider {
        "Anthropic" => {
            view.extend(list(&body["system"]));
            view.extend(parts(&body["messages"], "content"));
        }
        "OpenAIResponses" => {
            view.push(body["instructions"].clone());
            view.extend(list(&body["input"]));
            // They depend on which of the tools another provider has called.
            view.retain(|element| {
                !element["type"]
                    .as_str()
                    .is_some_and(|kind| kind.starts_with("tool_search"))
            });
        }
        "Google" => {
            view.push(body["systemInstruction"].clone());
            view.extend(parts(&body["contents"], "parts"));
        }
        _ => view.extend(list(&body["messages"])),
    }
    for element in &mut view {
        unmark(element);
    }
    assert!(view.len() >= 3, "the view of {provider} is incomplete");
    view
}

fn unmark(element: &mut Value) {
    match element {
        Value::Object(members) => {
            for mark in ["cache_control", "defer_loading", "namespace"] {
                members.remove(mark);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(unmark),
        _ => {}
    }
}

/// The indexes of the marked elements among those of [`view`], and their times.
fn marks(body: &Value) -> Vec<(usize, &str)> {
    let list = |value: &Value| value.as_array().map_or(0, Vec::len);
    let time = |mark: &Value| -> Option<&str> {
        let given = mark.as_object()?.get("ttl");
        Some(given.map_or("5m", |_| "1h"))
    };
    let messages = body["messages"].as_array().expect("messages").iter();
    let blocks = messages.flat_map(|message| message["content"].as_array().expect("blocks"));
    let tools = body["tools"].as_array().expect("tools").iter();
    let elements = tools
        .chain(body["system"].as_array().expect("blocks"))
        .chain(blocks);
    let marks = elements.clone().enumerate();
    let marks = marks.filter_map(|(at, element)| Some((at, time(&element["cache_control"])?)));
    let mut marks: Vec<_> = marks.collect();
    // The server puts this mark on the last block.
    marks.extend(time(&body["cache_control"]).map(|time| (elements.count() - 1, time)));
    assert!(list(&body["messages"]) > 0);
    marks
}

/// The number of blocks that a look-up of Anthropic reaches back from a mark.
const LOOK_BACK: usize = 20;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(50) })]

    #[test]
    fn the_view_of_each_request_begins_with_that_of_the_request_before(
        numbers in vec(any::<u32>(), 40..200),
        is_typed in any::<bool>(),
        is_compacted in any::<bool>(),
        searches in any::<bool>(),
    ) {
        let compaction = is_compacted.then(compaction);
        let requests = requests(&mut Choices::new(numbers), is_typed, (None, searches), compaction.as_ref());
        for (provider, body) in WIRE_BODIES {
            let views: Vec<Vec<Value>> = requests
                .iter()
                .map(|(_, request)| view(provider, &body(request, None)))
                .collect();
            for (later, (earlier, _)) in requests.iter().enumerate() {
                let Some(earlier) = earlier else { continue };
                let (earlier, later) = (&views[*earlier], &views[later]);
                let differs = earlier.iter().zip(later).position(|(one, other)| one != other);
                prop_assert_eq!(differs, None, "{}: {:#?} {:#?}", provider, earlier, later);
                prop_assert!(earlier.len() <= later.len(), "{provider}: {earlier:#?} {later:#?}");
            }
        }
    }

    #[test]
    fn marks_of_anthropics_cache_reach_the_end_of_the_request_before(
        numbers in vec(any::<u32>(), 40..200),
        is_typed in any::<bool>(),
        cache in prop_oneof![Just(None), Just(Some(PromptCache::OneHour))],
        is_vendor in any::<bool>(),
        searches in any::<bool>(),
    ) {
        let requests = requests(&mut Choices::new(numbers), is_typed, (cache, searches), None);
        let (_, body) = WIRE_BODIES[1];
        let base_url = (!is_vendor).then_some("http://127.0.0.1:9");
        let bodies: Vec<Value> = requests
            .iter()
            .map(|(_, request)| body(request, base_url))
            .collect();
        for (later, (earlier, _)) in requests.iter().enumerate() {
            prop_assert_eq!(bodies[later].get("cache_control").is_some(), is_vendor);
            let marks = marks(&bodies[later]);
            prop_assert!((2..=4).contains(&marks.len()), "{marks:?}");
            let times: Vec<&str> = marks.iter().map(|(_, time)| *time).collect();
            // A longer time must not come after a shorter one.
            prop_assert!(times.is_sorted(), "{marks:?}");
            prop_assert_eq!(times[0], if cache.is_some() { "1h" } else { "5m" });
            let Some(earlier) = earlier else { continue };
            let end = view("Anthropic", &bodies[*earlier]).len() - 1;
            let reaches = |(mark, _): &(usize, &str)| (end..end + LOOK_BACK).contains(mark);
            prop_assert!(marks.iter().any(reaches), "{end}: {marks:?} {:#}", bodies[later]);
        }
    }
}

#[test]
fn random_runs_have_requests_of_every_kind() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, TestRunner};

    let mut runner = TestRunner::new(Config::default());
    let mut seen = std::collections::BTreeMap::<&str, usize>::new();
    for _ in 0..40 {
        let numbers = vec(any::<u32>(), 40..200).new_tree(&mut runner);
        let numbers = numbers.expect("numbers").current();
        let requests = requests(
            &mut Choices::new(numbers),
            true,
            (None, true),
            Some(&compaction()),
        );
        for (earlier, request) in &requests {
            let messages = &request.messages;
            let answers = |tool: &str| messages.iter().any(|m| m.name() == Some(tool));
            let calls = messages.iter().flat_map(Message::tool_calls);
            let ids: Vec<&str> = calls.map(ToolCall::id).collect();
            for (kind, is) in [
                ("with a request before", earlier.is_some()),
                (
                    "of a later turn",
                    messages.iter().any(|m| m.content() == "Question 1"),
                ),
                (
                    "with a message that was said",
                    messages.iter().any(Message::is_steering),
                ),
                (
                    "behind a summary",
                    messages[0].is_summary() && earlier.is_some(),
                ),
                (
                    "with a correction",
                    messages.iter().any(Message::is_correction),
                ),
                ("with a typed answer", answers("finalAnswer")),
                (
                    "with an id that is not sent",
                    ids.contains(&"functions.greet:0"),
                ),
                (
                    "with a created id",
                    ids.iter().any(|id| id.starts_with("call_1")),
                ),
                (
                    "with many calls",
                    messages.iter().any(|m| m.tool_calls().len() > 12),
                ),
                (
                    "with a denied call",
                    messages.iter().any(|m| m.content().contains("denied")),
                ),
                (
                    "with a cut result",
                    messages.iter().any(|m| m.content().contains("[cut:")),
                ),
                (
                    "with an image of a tool",
                    messages
                        .iter()
                        .any(|m| m.name() == Some("photo") && m.media().next().is_some()),
                ),
                (
                    "with a result that is no image",
                    messages
                        .iter()
                        .any(|m| m.content().contains("not an image")),
                ),
                ("with a search", answers("searchTools")),
                (
                    "with a result through `callTool`",
                    messages
                        .iter()
                        .any(|m| m.name() == Some("callTool") && !m.is_error()),
                ),
                (
                    "with texts and images of a tool",
                    messages
                        .iter()
                        .any(|m| m.name() == Some("page") && m.parts().len() > 1),
                ),
            ] {
                *seen.entry(kind).or_default() += usize::from(is);
            }
        }
    }
    for (kind, count) in seen {
        assert!(count >= 10, "{count} requests {kind}");
    }
}
