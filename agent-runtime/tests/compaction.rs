//! Summaries in the place of the beginning of a long conversation.

use crate::support::{agent, calls, config, library, spec};
use agent_runtime::conversation::{
    Compaction, ConversationName, ConversationStore, Image, MemoryStore, Part, ProviderPart,
    Retention, SummaryScope, Thinking, estimate_tokens, estimate_tokens_for,
};
use agent_runtime::library::{BoundTools, bind_agent_tools};
use agent_runtime::model::{
    ChatFuture, ChatModel, FinishReason, ModelReply, ModelRequest, Scripted, Usage,
};
use agent_runtime::run::{Run, Step, UsageLimits};
use agent_runtime::spec::CompactAbove;
use agent_runtime::{Agent, Cancellation, Conversation, Error, Event, Message, Model, Runtime};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use tokio::task::yield_now;

/// A text of about 100 tokens.
fn long(name: &str) -> String {
    let text = format!("{name} {}", "x ".repeat(200));
    text[..400].trim_end().to_owned()
}

/// A turn of about 200 tokens.
fn turn(n: usize) -> [Message; 2] {
    [
        Message::user(long(&format!("Question {n}"))),
        Message::assistant(long(&format!("Answer {n}"))),
    ]
}

fn turns(count: usize) -> Conversation {
    (1..=count).flat_map(turn).collect()
}

/// The first two words of each message.
fn words<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<String> {
    let messages = messages.into_iter();
    messages
        .map(|message| {
            let words: Vec<&str> = message.content().split_whitespace().take(2).collect();
            words.join(" ")
        })
        .collect()
}

fn scopes(conversation: &Conversation) -> Vec<SummaryScope> {
    let messages = conversation.messages().iter();
    messages.filter_map(Message::summary_scope).collect()
}

fn summary(text: &str) -> ModelReply {
    ModelReply::text(text).with_usage(Usage::of_request(70, 7))
}

fn answer(text: &str) -> ModelReply {
    ModelReply::text(text).with_usage(Usage::of_request(100, 10))
}

fn above(tokens: usize) -> Compaction {
    Compaction::above(tokens).about_tokens(50)
}

/// The messages that a request for a summary has, as JSON.
fn material(request: &ModelRequest) -> Vec<Value> {
    assert!(request.tools.is_empty() && request.messages.len() == 1);
    let json = serde_json::from_str(request.messages[0].content()).expect("JSON");
    let Value::Array(messages) = json else {
        panic!("no list: {json}");
    };
    messages
}

#[tokio::test]
async fn a_summary_takes_the_place_of_the_oldest_turns_and_stays() {
    let model = Scripted::new([summary("Three questions."), answer("A"), answer("B")]);
    let runtime = Runtime::with_model(model.clone());
    let agent = agent([]);
    let mut conversation = turns(5);
    let before = conversation.clone();
    let mut events = Vec::new();
    let mut observer = |event: &Event| {
        events.push(match event {
            Event::CompactionStarted { model, .. } => format!("summarise with {model}"),
            Event::Compacted { summary, usage, .. } => {
                let scope = summary.summary_scope().expect("a scope");
                format!("summary of {} for {}", scope.messages, usage.output_tokens)
            }
            Event::ModelCalled { .. } => "request".to_owned(),
            Event::ModelReplied { .. } => "reply".to_owned(),
            Event::Finished { .. } => "end".to_owned(),
            other => panic!("{other:?}"),
        });
    };
    let response = runtime
        .run(&agent, "And now?")
        .conversation(&mut conversation)
        .observer(&mut observer)
        .compaction(above(1_000))
        .await
        .expect("an answer");
    assert_eq!(response.content, "A");
    let used = (
        response.usage.requests,
        response.usage.input_tokens,
        response.usage.output_tokens,
    );
    assert_eq!(used, (2, 170, 17));
    assert_eq!(
        events,
        [
            "summarise with OpenAI/gpt-6-luna",
            "summary of 6 for 7",
            "request",
            "reply",
            "end"
        ]
    );
    // All messages are still there.
    assert_eq!(conversation.messages()[..10], *before.messages());
    assert_eq!(
        words(&conversation.messages()[10..]),
        ["And now?", "Summary of", "A"]
    );
    assert_eq!(scopes(&conversation), [SummaryScope::new(6)]);
    assert_eq!(conversation.turns().count(), 6);
    let requests = model.requests();
    assert_eq!(material(&requests[0]).len(), 6);
    assert!(requests[0].instruction.contains("at most about 37 words"));
    assert_eq!(
        words(&requests[1].messages),
        [
            "Summary of",
            "Question 4",
            "Answer 4",
            "Question 5",
            "Answer 5",
            "And now?"
        ]
    );
    assert_eq!(
        requests[1].messages[0].content(),
        "Summary of the conversation so far:\nThree questions."
    );
    // The next run, after the conversation was stored as JSON, uses the summary.
    let mut conversation = Conversation::from_json(&conversation.to_json()).expect("JSON");
    let run = runtime
        .run(&agent, "And then?")
        .conversation(&mut conversation);
    let response = run.compaction(above(1_000)).await.expect("an answer");
    assert_eq!(response.usage.requests, 1);
    let requests = model.requests();
    assert_eq!(requests[2].messages[..6], requests[1].messages[..]);
    assert_eq!(words(&requests[2].messages[6..]), ["A", "And then?"]);
    model.assert_complete();
}

#[tokio::test]
async fn the_agent_the_runtime_or_the_run_says_the_limit() {
    let limited = |above: Option<u32>| {
        let mut settings = agent_runtime::spec::Settings::NONE;
        settings.compact_above = above.map(CompactAbove::Tokens);
        agent([]).with_settings(settings).expect("settings")
    };
    // The limits of the agent, the runtime and the run, and the requests that are sent.
    for (of_agent, of_runtime, of_run, requests) in [
        (None, None, None, 1),
        (Some(900), None, None, 2),
        (Some(900), Some(100_000), None, 1),
        (None, Some(900), None, 2),
        (Some(100_000), Some(900), Some(100_000), 1),
        (None, Some(100_000), Some(900), 2),
    ] {
        let model = Scripted::default();
        let model = (0..requests).fold(model, |model, _| model.then(answer("Short.")));
        let mut builder = Runtime::builder().model(model.clone());
        if let Some(tokens) = of_runtime {
            builder = builder.compaction(Compaction::above(tokens));
        }
        let runtime = builder.build().expect("a runtime");
        let mut conversation = turns(5);
        let run = runtime.run(limited(of_agent), "And now?");
        let mut run = run.conversation(&mut conversation);
        if let Some(tokens) = of_run {
            run = run.compaction(Compaction::above(tokens));
        }
        run.await.expect("an answer");
        model.assert_complete();
    }
}

/// A model with a known context.
struct WithContext(Scripted, Option<u64>);

impl ChatModel for WithContext {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        self.0.chat(request)
    }

    fn context_window(&self, _: &ModelRequest) -> Option<u64> {
        self.1
    }
}

#[tokio::test]
async fn four_fifths_of_the_models_context_are_the_limit_that_an_agent_leaves_to_it() {
    let mut settings = agent_runtime::spec::Settings::NONE;
    settings.compact_above = Some(CompactAbove::Auto);
    let agent = agent([]).with_settings(settings).expect("settings");
    for (window, requests) in [(Some(1_125), 2), (Some(1_000_000), 1), (None, 1)] {
        let script =
            (0..requests).fold(Scripted::default(), |model, _| model.then(answer("Short.")));
        let model = WithContext(script.clone(), window);
        let runtime = Runtime::builder().model(model).build().expect("a runtime");
        let mut conversation = turns(5);
        let run = runtime.run(&agent, "And now?");
        let response = run
            .conversation(&mut conversation)
            .await
            .expect("an answer");
        script.assert_complete();
        let warning = response.warnings.join("");
        assert_eq!(
            warning.contains("is not known, so that nothing is summarised"),
            window.is_none(),
            "{warning}"
        );
    }
}

fn tool_library() -> agent_runtime::ToolLibrary {
    let read = config("read").build(|_| async {
        yield_now().await;
        Ok(long("Page").into())
    });
    library([read.expect("a tool")])
}

fn reads(id: &'static str) -> ModelReply {
    calls(&[(id, "read", "{}")]).with_usage(Usage::of_request(100, 10))
}

#[tokio::test]
async fn whole_steps_of_the_running_turn_are_summarised_and_its_message_kept() {
    let replies = (0..6).map(|n| reads(["a", "b", "c", "d", "e", "f"][n]));
    let mut replies: Vec<ModelReply> = replies.collect();
    replies.insert(4, summary("Three pages were read."));
    replies.push(answer("Done."));
    let model = Scripted::new(replies);
    let runtime = Runtime::with_model(model.clone());
    let (agent, tools) = (agent([spec("read")]), tool_library());
    let mut conversation = Conversation::new();
    let run = runtime.run(&agent, "Read all pages").tools(&tools);
    let run = run.conversation(&mut conversation);
    let response = run.compaction(above(500)).await.expect("an answer");
    assert_eq!((response.tools_used.len(), response.usage.requests), (6, 8));
    let requests = model.requests();
    let sent = material(&requests[4]);
    assert_eq!(sent[0]["content"], "Read all pages");
    assert_eq!(sent.len(), 1 + 2 * 3, "{sent:?}");
    assert!(requests[4].instruction.contains("still being worked on"));
    assert_eq!(
        words(&requests[5].messages)[..3],
        ["Summary of", "Read all", ""]
    );
    assert_eq!(requests[5].messages.len(), 4);
    assert_eq!(requests[5].messages[2].tool_calls()[0].id(), "d");
    let scope = SummaryScope::new(0).with_messages_of_turn(6);
    assert_eq!(scopes(&conversation), [scope]);
    assert_eq!(conversation.turns().count(), 1);
    assert_eq!(conversation.check(), Ok(()));
    // 14 messages and the summary.
    assert_eq!(conversation.len(), 15);
    // Stored in gram, the view is the same.
    let pattern = conversation.to_pattern().expect("gram");
    let read = Conversation::from_pattern(&pattern).expect("gram");
    assert_eq!(read.view(), conversation.view());
    assert_eq!(read.view().len(), 2 + 2 * 3 + 1);
    model.assert_complete();
}

#[tokio::test]
async fn a_conversation_beyond_the_limit_is_summarised_in_parts() {
    let texts = ["Part one.", "Part two.", "Part three."];
    let model = texts
        .iter()
        .fold(Scripted::default(), |model, text| model.then(summary(text)));
    let model = model.then(answer("Done."));
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = turns(10);
    let run = runtime
        .run(agent([]), "And now?")
        .conversation(&mut conversation);
    run.compaction(above(900)).await.expect("an answer");
    let requests = model.requests();
    let numbers: Vec<usize> = scopes(&conversation)
        .iter()
        .map(|scope| scope.messages)
        .collect();
    assert_eq!(numbers, [8, 16, 18]);
    for request in &requests[..3] {
        let tokens = estimate_tokens(&request.messages[0]);
        // JSON needs a little more than the messages.
        assert!(tokens < 1_200, "{tokens}");
    }
    assert!(
        material(&requests[1])[0]["content"]
            .as_str()
            .expect("a text")
            .contains("Part one.")
    );
    assert_eq!(
        words(&requests[3].messages),
        ["Summary of", "Question 10", "Answer 10", "And now?"]
    );
    model.assert_complete();
}

#[tokio::test]
async fn a_request_is_sent_as_it_is_when_nothing_can_be_replaced() {
    let model = Scripted::new([reads("a"), answer("Done.")]);
    let runtime = Runtime::with_model(model.clone());
    let tools = tool_library();
    // The message and the last step alone have more tokens than the limit.
    let run = runtime
        .run(agent([spec("read")]), long("Read"))
        .tools(&tools);
    run.compaction(above(120)).await.expect("an answer");
    // A turn that is shorter than a summary is not worth one.
    let mut conversation: Conversation = [Message::user("Hi"), Message::assistant("Hello.")]
        .into_iter()
        .collect();
    let runtime = Runtime::with_model(Scripted::new([answer("Done.")]));
    let run = runtime
        .run(agent([]), long("Read"))
        .conversation(&mut conversation);
    run.compaction(above(50)).await.expect("an answer");
    assert_eq!(scopes(&conversation), []);
    model.assert_complete();
}

#[tokio::test]
async fn a_limit_below_the_instruction_and_the_tools_is_an_error_before_any_request() {
    let model = Scripted::default();
    let builder = Runtime::builder().model(model.clone());
    let runtime = builder
        .compaction(Compaction::above(10))
        .build()
        .expect("a runtime");
    let (agent, tools) = (agent([spec("read")]), tool_library());
    let mut conversation = turns(2);
    let run = runtime
        .run(&agent, "Hi")
        .tools(&tools)
        .conversation(&mut conversation);
    for error in [
        run.await.expect_err("too low"),
        runtime.check(&agent, &tools).expect_err("too low"),
    ] {
        assert!(error.is_configuration(), "{error:?}");
        let text = error.to_string();
        let words = "compacted above 10 tokens, but its instruction and tools alone have about ";
        assert!(text.contains(words), "{text}");
    }
    assert_eq!(conversation, turns(2));
    assert!(model.requests().is_empty());
    let zero = Runtime::with_model(Scripted::default());
    let error = zero
        .run(&agent, "Hi")
        .tools(&tools)
        .compaction(above(0))
        .await;
    assert!(error.expect_err("too low").is_configuration());
}

#[tokio::test]
async fn an_unusable_summary_is_asked_for_once_more() {
    let too_long = || ModelReply::text("word ".repeat(4_000));
    let cut_off = || ModelReply::text("Half of").with_finish_reason(FinishReason::Length);
    let refused = || ModelReply::text("I").with_finish_reason(FinishReason::ContentFilter);
    type Unusable = fn() -> ModelReply;
    let cases: [(Unusable, &str); 5] = [
        (|| ModelReply::text(" "), "no text that can be used"),
        (|| calls(&[("a", "read", "{}")]), "`tool_calls`"),
        (cut_off, "cut off"),
        (refused, "`content_filter`"),
        (too_long, "tokens, and the messages that it replaces have"),
    ];
    for (unusable, problem) in cases {
        // Once.
        let model = Scripted::new([
            unusable().with_usage(Usage::of_request(5, 5)),
            summary("Questions."),
            answer("Done."),
        ]);
        let runtime = Runtime::with_model(model.clone());
        let mut conversation = turns(5);
        let mut usage = Usage::default();
        let mut observer = |event: &Event| {
            if let Event::Compacted { usage: used, .. } = event {
                usage = *used;
            }
        };
        let run = runtime.run(agent([]), "Hi").conversation(&mut conversation);
        let run = run.observer(&mut observer).compaction(above(900));
        assert_eq!(run.await.expect("an answer").usage.requests, 3);
        assert_eq!((usage.requests, usage.output_tokens), (2, 12));
        let requests = model.requests();
        assert_eq!(requests[0], requests[1]);
        model.assert_complete();
        // Twice.
        let runtime = Runtime::with_model(Scripted::new([unusable(), unusable()]));
        let mut conversation = turns(5);
        let run = runtime.run(agent([]), "Hi").conversation(&mut conversation);
        let error = run.compaction(above(900)).await.expect_err(problem);
        let text = error.to_string();
        assert!(
            error.is_llm() && text.contains("failed twice to summarise"),
            "{text}"
        );
        assert!(text.contains(problem), "{text}");
        assert_eq!(error.is_refused(), problem.contains("filter"));
        assert_eq!(conversation, turns(5));
    }
}

#[tokio::test]
async fn a_fallback_model_writes_the_summary_when_the_provider_is_down() {
    let mut settings = agent_runtime::spec::Settings::NONE;
    settings.fallback = vec![Model::parse("Spare/one").expect("a model")].into();
    let agent = agent([]).with_settings(settings).expect("settings");
    let down = || Error::llm("the provider is down").into_unavailable();
    let model = Scripted::default().then_error(down());
    let model = model.then(summary("Questions.")).then(answer("Done."));
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = turns(5);
    let run = runtime.run(&agent, "Hi").conversation(&mut conversation);
    run.compaction(above(900)).await.expect("an answer");
    let models: Vec<String> = model
        .requests()
        .iter()
        .map(|r| r.model.to_string())
        .collect();
    assert_eq!(models, ["OpenAI/gpt-6-luna", "Spare/one", "Spare/one"]);
    // No model is left: nothing is lost, and the next run asks again.
    let model = Scripted::default().then_error(down()).then_error(down());
    let model = model.then(summary("Questions.")).then(answer("Done."));
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = turns(5);
    for fails in [true, false] {
        let run = runtime.run(&agent, "Hi").conversation(&mut conversation);
        let ended = run.compaction(above(900)).await;
        assert_eq!(ended.is_err(), fails, "{ended:?}");
        assert_eq!(conversation.len(), if fails { 10 } else { 13 });
    }
    model.assert_complete();
}

#[tokio::test]
async fn another_model_can_write_the_summary() {
    let small = Scripted::new([summary("Short.")]);
    let large = Scripted::new([answer("Done.")]);
    let prices = agent_runtime::cost::Prices::new();
    let small_model = Model::parse("Small/one").expect("a model");
    let price = |dollars| agent_runtime::cost::Price::per_million(dollars, dollars);
    let prices = prices.with(small_model.clone(), price(1.0).expect("a price"));
    let prices = prices.with(
        Model::parse("Large/one").expect("a model"),
        price(100.0).expect("a price"),
    );
    let builder = Runtime::builder().provider("Small", small.clone());
    let builder = builder.provider("Large", large.clone()).prices(prices);
    let runtime = builder.build().expect("a runtime");
    let agent = Agent::new("guide", "Large/one", "Guide.").expect("an agent");
    let mut conversation = turns(5);
    let run = runtime.run(&agent, "Hi").conversation(&mut conversation);
    let options = above(900).model(small_model).instruction("Be brief.");
    let response = run.compaction(options).await.expect("an answer");
    let request = &small.requests()[0];
    assert!(request.instruction.starts_with("Be brief."));
    assert_eq!(request.model.to_string(), "Small/one");
    assert_eq!(large.requests().len(), 1);
    let cost = response.cost.expect("a cost");
    assert!((cost - (77.0 + 110.0 * 100.0) / 1e6).abs() < 1e-9, "{cost}");
}

#[tokio::test]
async fn limits_of_the_run_count_the_summary() {
    let model = Scripted::new([summary("Questions.")]);
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = turns(5);
    let run = runtime.run(agent([]), "Hi").conversation(&mut conversation);
    let run = run.usage_limits(UsageLimits::new().requests(1));
    let error = run
        .compaction(above(900))
        .await
        .expect_err("no request is left");
    assert!(error.is_limit(), "{error}");
    // The summary is paid, and the next run uses it.
    assert_eq!(conversation.len(), 11);
    let model = Scripted::new([answer("Done.")]);
    let runtime = Runtime::with_model(model.clone());
    let run = runtime.run(agent([]), "Hi").conversation(&mut conversation);
    run.compaction(above(900)).await.expect("an answer");
    let sent = model.requests()[0].messages.clone();
    assert_eq!(words(&sent)[0], "Summary of");
    assert_eq!(words(&sent).last().expect("a message"), "Hi");
}

#[tokio::test]
async fn two_runs_over_a_stored_conversation_make_one_summary() {
    let store = MemoryStore::new();
    let name = ConversationName::new("ada").expect("a name");
    store
        .append(&name, turns(5).messages())
        .await
        .expect("stored");
    let model = Scripted::new([summary("Questions."), answer("A"), answer("B")]);
    let runtime = Runtime::with_model(model.clone());
    for question in ["One?", "Two?"] {
        let stored = store
            .load(&name)
            .await
            .expect("loaded")
            .expect("a conversation");
        let mut conversation = stored.conversation;
        let known = conversation.len();
        let run = runtime
            .run(agent([]), question)
            .conversation(&mut conversation);
        run.compaction(above(1_000)).await.expect("an answer");
        let new = &conversation.messages()[known..];
        store.append(&name, new).await.expect("stored");
    }
    let stored = store
        .load(&name)
        .await
        .expect("loaded")
        .expect("a conversation");
    assert_eq!(stored.conversation.messages()[..10], *turns(5).messages());
    assert_eq!(
        words(&stored.conversation.messages()[10..]),
        ["One?", "Summary of", "A", "Two?", "B"]
    );
    model.assert_complete();
}

#[tokio::test]
async fn a_turn_that_another_writer_stored_meanwhile_is_sent() {
    let (agent, tools) = (agent([spec("read")]), tool_library());
    let replies = ["a", "b", "c", "d"].into_iter().map(reads);
    let mut replies: Vec<ModelReply> = replies.collect();
    replies.insert(0, summary("Two questions."));
    replies.insert(5, summary("And two pages."));
    replies.push(answer("Done."));
    let runtime = Runtime::with_model(Scripted::new(replies));
    let mut conversation = turns(2);
    let run = runtime
        .run(&agent, "Read")
        .tools(&tools)
        .conversation(&mut conversation);
    run.compaction(above(440)).await.expect("an answer");
    let other = [
        Message::user("Other question"),
        Message::assistant("Other answer"),
    ];
    let stored: Conversation = turns(2)
        .messages()
        .iter()
        .chain(&other)
        .chain(&conversation.messages()[4..])
        .cloned()
        .collect();
    let (alone, with_other) = (conversation.view(), stored.view());
    let without: Vec<&Message> = with_other
        .iter()
        .filter(|m| !m.content().starts_with("Other"))
        .collect();
    assert_eq!(
        words(&with_other)[..4],
        ["Summary of", "Other question", "Other answer", "Read"]
    );
    assert_eq!(without, alone.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn media_thoughts_and_data_of_providers_are_left_out_of_the_request_for_a_summary() {
    let image = Image::new(
        [
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".as_slice(),
            &[0; 4_000],
        ]
        .concat(),
    );
    let mut conversation: Conversation = [
        Message::user_parts([Part::from("What is this?"), image.into()]),
        Message::assistant_parts([
            Part::from(Thinking::new("Anthropic", "A secret thought")),
            Part::from("A cat."),
            ProviderPart::new(
                "Anthropic",
                json!([{"type": "thinking", "signature": "signed"}]),
            )
            .into(),
        ]),
    ]
    .into_iter()
    .chain(turns(3).messages().iter().cloned())
    .collect();
    let before = conversation.clone();
    let openai = Model::parse("OpenAI/gpt-6-luna").expect("a model");
    let messages = conversation.messages().iter();
    let tokens = messages.map(|message| estimate_tokens_for(&openai, message));
    let tokens = tokens.sum();
    let model = Scripted::new([summary("A cat."), answer("Done.")]);
    let runtime = Runtime::with_model(model.clone());
    let run = runtime.run(agent([]), "Hi").conversation(&mut conversation);
    run.compaction(above(tokens)).await.expect("an answer");
    let said = model.requests()[0].messages[0].content().to_owned();
    assert!(said.contains("A cat.") && said.contains("sha256"), "{said}");
    assert!(
        !said.contains("thought") && !said.contains("signed") && said.len() < 3_000,
        "{said}"
    );
    let sent = &model.requests()[1].messages;
    assert!(sent.iter().all(|message| message.media().next().is_none()));
    assert_eq!(conversation.messages()[..8], *before.messages());
}

#[tokio::test]
async fn a_retention_of_the_run_and_a_compaction_count_the_same_messages() {
    let model = Scripted::new([summary("Questions."), answer("A"), answer("B")]);
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = turns(9);
    for question in ["One?", "Two?"] {
        let run = runtime
            .run(agent([]), question)
            .conversation(&mut conversation);
        let run = run.retention(Retention::new().last_turns(6));
        run.compaction(above(900)).await.expect("an answer");
    }
    // Of nine turns, the retention sends five.
    let requests = model.requests();
    let first = material(&requests[0]);
    let begins = first[0]["content"].as_str().expect("a text");
    assert!(begins.starts_with("Question 5"), "{begins}");
    assert_eq!(conversation.messages()[..18], *turns(9).messages());
    assert_eq!(
        requests[2].messages[..requests[1].messages.len()],
        requests[1].messages[..]
    );
    model.assert_complete();
}

fn setting() -> (Agent, BoundTools) {
    let agent = agent([spec("read")]);
    let tools = bind_agent_tools(&agent, &tool_library()).expect("bound");
    (agent, tools)
}

/// Plays a run whose beginning is summarised twice; `between` stands between any two steps.
fn play(between: impl Fn(Run, &BoundTools) -> Run) -> (Vec<String>, Conversation) {
    let (agent, tools) = setting();
    let run = Run::new(&agent, &tools, "Hi", &turns(7), &BTreeMap::new());
    let mut run = run.expect("a run").with_compaction(above(700));
    let mut ids = ["a", "b", "c", "d"].into_iter();
    let (mut trail, mut summaries) = (Vec::new(), 0);
    loop {
        run = between(run, &tools);
        run.conversation().check().expect("it can be sent");
        let step = run.next().expect("the run goes on");
        trail.push(format!("{step:?}"));
        match step {
            Step::Summarise(request) => {
                summaries += 1;
                assert!(!material(&request).is_empty());
                let text = if summaries == 2 { " " } else { "Questions." };
                run.model_replied(summary(text)).expect("due");
            }
            Step::CallModel(_) => {
                let reply = ids.next().map_or_else(|| answer("Done."), reads);
                run.model_replied(reply).expect("due");
            }
            Step::CallTools(pending) => {
                run.tool_finished(&pending[0].id, Ok(long("Page").into()))
                    .expect("due");
            }
            Step::Done(_) => return (trail, run.conversation()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_run_that_is_saved_during_summaries_goes_on_as_one_that_is_not() {
    let (steps, conversation) = play(|run, _| run);
    let summaries = steps.iter().filter(|step| step.starts_with("Summarise"));
    assert!(summaries.count() >= 4, "{steps:#?}");
    let is_in_turn = |scope: &SummaryScope| scope.messages_of_turn > 0;
    assert!(scopes(&conversation).iter().any(is_in_turn));
    let saved = play(|run, tools| {
        let json: Value = serde_json::from_str(&run.to_json().to_string()).expect("JSON");
        let read = Run::from_json(&json, tools).expect("its own form");
        assert_eq!(read.to_json(), json);
        read
    });
    assert_eq!(saved, (steps, conversation));
}

#[test]
fn a_saved_run_with_a_wrong_compaction_is_refused_and_never_panics() {
    let (agent, tools) = setting();
    let run = Run::new(&agent, &tools, "Hi", &turns(7), &BTreeMap::new());
    let mut run = run.expect("a run").with_compaction(above(700));
    run.next().expect("a summary is due");
    let good = run.to_json();
    assert!(Run::from_json(&good, &tools).is_ok());
    for (pointer, value) in [
        ("/state/phase/messages", json!(15)),
        ("/state/phase/messages", json!(0)),
        ("/state/phase/messagesOfTurn", json!(1)),
        ("/state/phase/usage", json!({})),
        ("/state/compaction", json!(null)),
        ("/state/compaction/above", json!("many")),
        ("/state/compaction/model", json!("none")),
        ("/state/hidden", json!(15)),
        ("/state/said", json!([{"role": "user", "content": "Hi"}])),
        (
            "/state/said",
            json!([{"role": "user", "content": "Hi", "name": "steering"}]),
        ),
    ] {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).expect(pointer) = value.clone();
        let error = Run::from_json(&changed, &tools).expect_err(pointer);
        assert!(error.is_validation(), "{pointer} {value}: {error:?}");
    }
    // A scope that ends within a turn is read, and the whole turn is sent.
    let mut changed = good;
    changed["state"]["phase"]["messages"] = json!(3);
    let mut run = Run::from_json(&changed, &tools).expect("a run");
    run.model_replied(summary("Questions.")).expect("due");
    run.conversation().check().expect("it can be sent");
}

/// A model that waits before it answers, and notes how many requests for a summary it was sent.
#[derive(Clone)]
struct Slow {
    script: Scripted,
    summaries: Arc<Mutex<usize>>,
}

impl ChatModel for Slow {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            if request.instruction.contains("summary") {
                *self.summaries.lock().expect("a lock") += 1;
            }
            yield_now().await;
            let reply = self.script.chat(request).await;
            yield_now().await;
            reply
        })
    }
}

/// Ends a run with summaries after each number of polls, and continues the conversation.
async fn end_anywhere(signalled: bool) -> usize {
    let (agent, tools) = (agent([spec("read")]), tool_library());
    for polls in 0..200 {
        let script = [
            summary("Questions."),
            reads("a"),
            reads("b"),
            reads("c"),
            reads("d"),
            summary("Questions and a page."),
            answer("Done."),
        ];
        let script = Scripted::new(script);
        let model = Slow {
            script: script.clone(),
            summaries: Arc::default(),
        };
        let runtime = Runtime::with_model(model.clone());
        let mut conversation = turns(2);
        let cancellation = Cancellation::new();
        let run = runtime.run(&agent, "Read").tools(&tools);
        let run = run
            .conversation(&mut conversation)
            .cancellation(cancellation.clone());
        let mut run = run.compaction(above(440)).into_future();
        let mut ended = false;
        for _ in 0..polls {
            let polled = poll_fn(|context| Poll::Ready(run.as_mut().poll(context))).await;
            if let Poll::Ready(response) = polled {
                assert_eq!(response.expect("an answer").content, "Done.");
                ended = true;
                break;
            }
            yield_now().await;
        }
        if signalled && !ended {
            cancellation.cancel();
            if let Err(error) = run.await {
                assert!(error.is_cancelled(), "{error}");
            }
        } else {
            drop(run);
        }
        assert_eq!(conversation.check(), Ok(()), "after {polls} polls");
        assert_eq!(conversation.messages()[..4], *turns(2).messages());
        let view: Conversation = conversation.view().into_iter().collect();
        assert_eq!(view.check(), Ok(()));
        // Each summary that was answered is kept.
        let used = 7 - script.remaining();
        let answered = usize::from(used > 0) + usize::from(used > 5);
        let asked = *model.summaries.lock().expect("a lock");
        let kept = scopes(&conversation).len();
        assert!(
            kept <= answered && answered <= asked && kept + 1 >= answered,
            "{kept} of {asked} after {polls}"
        );
        if ended {
            assert_eq!(kept, 2);
            return polls;
        }
    }
    panic!("the run does not end");
}

#[tokio::test]
async fn a_run_dropped_anywhere_loses_no_message_and_no_summary() {
    let places = end_anywhere(false).await;
    assert!(places > 10, "there were only {places} places");
}

#[tokio::test]
async fn a_run_cancelled_anywhere_loses_no_message_and_no_summary() {
    let places = end_anywhere(true).await;
    assert!(places > 10, "there were only {places} places");
}

#[tokio::test]
async fn something_said_during_a_summary_is_sent_with_the_request() {
    let later = Arc::new(std::sync::OnceLock::<agent_runtime::runtime::RunHandle>::new());
    let handle = Arc::clone(&later);
    let model = Scripted::default().then_with(move |_| {
        handle
            .get()
            .expect("a handle")
            .say("Be brief")
            .map(|()| summary("Questions."))
    });
    let model = model.then(answer("Done."));
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = turns(5);
    let run = runtime.run(agent([]), "Hi").conversation(&mut conversation);
    let run = run.compaction(above(900));
    later.set(run.handle()).expect("the first handle");
    run.await.expect("an answer");
    let sent = model.requests()[1].messages.clone();
    assert_eq!(words(&sent[sent.len() - 2..]), ["Hi", "Be brief"]);
}

/// The first messages of the requests of a conversation of many turns change seldom.
#[tokio::test]
async fn the_beginning_of_the_requests_moves_seldom() {
    let model = (0..400).fold(Scripted::default(), |model, _| {
        model.then_with(|request| {
            Ok(match request.instruction.contains("summary") {
                true => summary(&"word ".repeat(40)),
                false => answer(&long("Answer")),
            })
        })
    });
    let runtime = Runtime::with_model(model.clone());
    let mut conversation = Conversation::new();
    for n in 0..100 {
        let run = runtime.run(agent([]), long(&format!("Question {n}")));
        let run = run.conversation(&mut conversation).compaction(above(4_000));
        run.await.expect("an answer");
    }
    let requests = model.requests();
    let asked: Vec<&ModelRequest> = requests
        .iter()
        .filter(|r| !r.instruction.contains("summary"))
        .collect();
    let moves = asked.windows(2).filter(|pair| {
        pair[1].messages[..pair[0].messages.len().min(pair[1].messages.len())]
            != pair[0].messages[..]
    });
    let moves = moves.count();
    assert_eq!(asked.len(), 100);
    assert!(
        moves == scopes(&conversation).len() && moves <= 12,
        "{moves} moves"
    );
    let most = asked
        .iter()
        .map(|r| r.messages.iter().map(estimate_tokens).sum::<usize>())
        .max();
    assert!(most <= Some(4_000), "{most:?}");
    assert_eq!(conversation.len(), 200 + moves);
}

#[test]
fn only_summaries_have_a_scope() {
    for (message, words) in [
        (
            json!({"role": "user", "content": "a", "standsFor": 2}),
            "are only for summaries",
        ),
        (
            json!({"role": "assistant", "content": "a", "name": "summary", "standsFor": 2}),
            "are only for summaries",
        ),
        (
            json!({"role": "user", "content": "a", "name": "summary", "standsFor": -1}),
            "`standsFor` is a number of messages",
        ),
        (
            json!({"role": "user", "content": "a", "name": "summary", "standsForInTurn": "x"}),
            "`standsForInTurn` is a number of messages",
        ),
        (
            json!({"role": "user", "content": "a", "stands_for": 2}),
            "did you mean `standsFor`?",
        ),
    ] {
        let error = Conversation::from_json(&json!([message])).expect_err(words);
        assert!(error.to_string().contains(words), "{error}");
    }
}
