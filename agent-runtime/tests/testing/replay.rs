//! Replaying recorded runs: the first request that differs.

use crate::support::{calls, config, hello_tool, library};
use agent_runtime::conversation::Compaction;
use agent_runtime::hook::{HookFuture, RunContext};
use agent_runtime::journal::{Journal, MemoryJournal, Record, RunFilter, StoredRun};
use agent_runtime::model::{ModelReply, ModelRequest, Scripted, Usage};
use agent_runtime::run::{AwaitingApproval, Decision};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::serde_json::{Value, json};
use agent_runtime::testing::{Comparison, Replay, RequestDifference, RequestPart};
use agent_runtime::{Agent, Conversation, Hook, Message, Runtime, ToolLibrary};

const GREETER: &str = r#"[greeter:Agent {instruction: "Greet the user.", model: "Scripted/any", temperature: 0.5} |
    [sayHello:Tool {description: "Returns a friendly greeting message for the given name"} |
        (personName::Text)==>(::String)
    ]
]"#;

fn parsed(gram: &str) -> Agent {
    Agent::parse(gram, None, Default::default()).expect("an agent")
}

/// The agent that greets, with another text in one place.
fn changed(from: &str, to: &str) -> Agent {
    assert!(GREETER.contains(from), "{from}");
    parsed(&GREETER.replacen(from, to, 1))
}

fn greets() -> Scripted {
    Scripted::new([
        calls(&[("c1", "sayHello", r#"{"personName": "Ada"}"#)]),
        ModelReply::text("Done."),
    ])
}

fn tools() -> ToolLibrary {
    library([hello_tool()])
}

async fn only_run(journal: &MemoryJournal) -> StoredRun {
    let runs = journal.list(&RunFilter::new()).await.expect("a list");
    assert_eq!(runs.len(), 1);
    let stored = journal.read(&runs[0].run).await;
    stored.expect("a journal").expect("a run")
}

/// Records a run with a runtime of these settings.
async fn recorded(
    agent: &Agent,
    model: Scripted,
    configure: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
) -> StoredRun {
    let journal = MemoryJournal::new();
    let builder = Runtime::builder().model(model).journal(journal.clone());
    let runtime = configure(builder).build().expect("a runtime");
    let run = runtime.run(agent, "Greet Ada.").tools(&tools());
    run.await.expect("an answer");
    only_run(&journal).await
}

async fn greeted() -> Replay {
    Replay::new(recorded(&parsed(GREETER), greets(), |builder| builder).await)
}

fn compared(replay: Replay, agent: &Agent) -> Comparison {
    let compared = replay.with_agent(agent).compare();
    compared.unwrap_or_else(|error| panic!("{error:?}"))
}

fn difference(replay: &Replay, agent: &Agent) -> RequestDifference {
    let compared = compared(replay.clone(), agent);
    compared.difference.expect("a difference")
}

#[tokio::test]
async fn finds_a_changed_instruction() {
    let replay = greeted().await;
    let found = difference(
        &replay,
        &changed("Greet the user.", "Greet the user kindly."),
    );
    assert_eq!((found.request, found.agent.as_str()), (1, "greeter"));
    assert_eq!(found.part, RequestPart::Instruction);
    assert_eq!(found.recorded.as_deref(), Some("Greet the user."));
    assert_eq!(found.new.as_deref(), Some("Greet the user kindly."));
    assert_eq!(
        found.to_string(),
        "request 1 of `greeter` differs from the recorded one in the instruction\n\
         - Greet the user.\n+ Greet the user kindly."
    );
    let whole = found.new_request.expect("a request");
    assert!(
        whole.starts_with("model: Scripted/any\nsettings:\n  temperature: 0.5\n"),
        "{whole}"
    );
    assert!(whole.ends_with("user:\n  Greet Ada.\n"), "{whole}");
}

#[tokio::test]
async fn finds_a_changed_description_and_signature_of_a_tool() {
    let replay = greeted().await;
    for (from, to) in [
        ("a friendly greeting message", "a greeting"),
        (
            "(personName::Text)",
            "(personName::Text)==>(mood::Text {optional: true})",
        ),
        (
            "(personName::Text)",
            "(personName::Text {description: \"The first name\"})",
        ),
    ] {
        let found = difference(&replay, &changed(from, to));
        assert_eq!(found.part, RequestPart::Tool("sayHello".to_owned()));
        assert_ne!(found.recorded, found.new);
    }
}

#[tokio::test]
async fn finds_a_change_of_a_tool_that_is_searched() {
    let searching = |from: &str, to: &str| {
        let gram = GREETER.replacen("temperature: 0.5", "toolSearch: true", 1);
        parsed(&gram.replacen(from, to, 1))
    };
    let model = Scripted::new([
        calls(&[("s", "searchTools", r#"{"query": "greeting"}"#)]),
        calls(&[(
            "c",
            "callTool",
            r#"{"name": "sayHello", "arguments": {"personName": "Ada"}}"#,
        )]),
        ModelReply::text("Done."),
    ]);
    let same = searching("", "");
    let replay = Replay::new(recorded(&same, model, |builder| builder).await);
    let compared = compared(replay.clone(), &same);
    assert!(compared.is_same() && compared.requests == 3, "{compared}");
    assert_eq!(compared.sent_otherwise, [0; 0]);
    let found = difference(&replay, &searching("a friendly greeting", "a greeting"));
    assert_eq!(found.part, RequestPart::Tool("sayHello".to_owned()));
    assert_eq!(found.request, 1);
    let found = difference(
        &replay,
        &parsed(&GREETER.replacen(", temperature: 0.5", "", 1)),
    );
    assert_eq!(found.part, RequestPart::Settings);
    assert_eq!(found.recorded.as_deref(), Some("toolSearch: true"));
}

#[tokio::test]
async fn finds_tools_that_come_go_and_change_their_order() {
    let replay = greeted().await;
    let wave = r#"[wave:Tool {description: "Waves"} | ()==>(::String)]"#;
    let with_wave = parsed(&GREETER.replacen(" |\n    [say", &format!(" |\n    {wave}, [say"), 1));
    let found = difference(&replay, &with_wave);
    assert_eq!(found.part, RequestPart::Tool("wave".to_owned()));
    assert_eq!(found.recorded, None);
    let found = difference(
        &replay,
        &parsed(
            r#"[greeter:Agent {instruction: "Greet the user.", model: "Scripted/any", temperature: 0.5}]"#,
        ),
    );
    assert_eq!(
        (found.part, found.new),
        (RequestPart::Tool("sayHello".to_owned()), None)
    );

    let model = Scripted::new([ModelReply::text("Hello.")]);
    let replay = Replay::new(recorded_without_tools(&with_wave, model).await);
    let tail = GREETER.trim_end().strip_suffix("\n]").expect("the end");
    let found = difference(&replay, &parsed(&format!("{tail},\n    {wave}\n]")));
    assert_eq!(found.part, RequestPart::ToolOrder);
    assert_eq!(found.recorded.as_deref(), Some("wave\nsayHello"));
}

/// Records a run with tools that are never called.
async fn recorded_without_tools(agent: &Agent, model: Scripted) -> StoredRun {
    let journal = MemoryJournal::new();
    let builder = Runtime::builder().model(model).journal(journal.clone());
    let wave = config("wave").build(async |_| Ok("waves".into()));
    let mut library = tools();
    library.add(wave.expect("a tool")).expect("a new name");
    let runtime = builder.bind_policy(agent_runtime::library::BindPolicy::Name);
    let run = runtime.build().expect("a runtime").run(agent, "Greet Ada.");
    run.tools(&library).await.expect("an answer");
    only_run(&journal).await
}

#[tokio::test]
async fn finds_another_model_and_other_settings() {
    let replay = greeted().await;
    let found = difference(&replay, &changed("Scripted/any", "Scripted/other"));
    assert_eq!(found.part, RequestPart::Model);
    assert_eq!(found.new.as_deref(), Some("Scripted/other"));
    let found = difference(&replay, &changed("temperature: 0.5", "temperature: 0.7"));
    assert_eq!(found.part, RequestPart::Settings);
    assert_eq!(found.new.as_deref(), Some("temperature: 0.7"));
}

#[tokio::test]
async fn changes_that_reach_no_request_are_none() {
    let replay = greeted().await;
    for agent in [
        changed("[greeter", "// The one that greets\n[greeter"),
        changed(
            "Agent {instruction: \"Greet the user.\", model: \"Scripted/any\",",
            "Agent {\n  model: \"Scripted/any\",\n  instruction: \"Greet the user.\",\n",
        ),
        changed(
            "temperature: 0.5",
            "temperature: 0.50, maxIterations: 9, cache: \"off\", toolTimeout: 3s",
        ),
        changed(
            "temperature: 0.5",
            "temperature: 0.5, compactAbove: 90000, grants: {read: [\".\"]}",
        ),
        changed(
            "temperature: 0.5",
            "temperature: 0.5, fallback: [\"Scripted/other\"]",
        ),
        changed("given name\"", "given name\", requiresApproval: true"),
        changed("given name\"", "given name\", timeout: 3s"),
        changed("greeter:Agent", "host:Agent"),
    ] {
        let same = compared(replay.clone().tools(&tools()), &agent);
        assert!(same.is_same() && same.requests == 2, "{same}");
        replay.clone().with_agent(&agent).assert_same();
    }
}

#[tokio::test]
async fn a_reference_gets_the_tool_of_the_library() {
    let replay = greeted().await;
    let agent = parsed(
        r#"[greeter:Agent {instruction: "Greet the user.", model: "Scripted/any", temperature: 0.5} | sayHello]"#,
    );
    // Without a library, the tool is the recorded one.
    replay.clone().with_agent(&agent).assert_same();
    // The tool of the library knows a default.
    let found = difference(&replay.clone().tools(&tools()), &agent);
    assert_eq!(found.part, RequestPart::Tool("sayHello".to_owned()));
    let unknown = parsed(
        r#"[greeter:Agent {instruction: "Greet the user.", model: "Scripted/any"} | sayHallo]"#,
    );
    let error = replay.with_agent(&unknown).compare().expect_err("no tool");
    assert!(
        error.is_tool() && error.to_string().contains("sayHallo"),
        "{error}"
    );
}

#[tokio::test]
async fn assert_same_shows_the_difference() {
    let replay = greeted().await.with_agent(changed("Greet", "Welcome"));
    let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| replay.assert_same()))
        .expect_err("a panic");
    let told = told.downcast_ref::<String>().expect("a text");
    assert!(
        told.ends_with("\n- Greet the user.\n+ Welcome the user."),
        "{told}"
    );
}

#[tokio::test]
async fn variables_and_arguments_fill_the_new_agent() {
    let journal = MemoryJournal::new();
    let model = Scripted::new([ModelReply::text("Bonjour")]);
    let builder = Runtime::builder().model(model).journal(journal.clone());
    let runtime = builder
        .variable("user", "Ada")
        .variable("unused", "Ulm")
        .build();
    let gram = r#"[translate:Agent {instruction: "Translate for {{user}} into {{language}}.", variables: ["user", "unused", "person"], model: "Scripted/any"} |
        (text::Text)==>(language::Text)==>(::String)]"#;
    let agent = parsed(gram);
    let arguments = json!({"text": "Guten Tag", "language": "fr"});
    runtime
        .expect("a runtime")
        .call(&agent, arguments)
        .await
        .expect("an answer");
    let replay = Replay::new(only_run(&journal).await);
    replay.clone().with_agent(&agent).assert_same();

    let other = gram.replace(
        "for {{user}} into {{language}}",
        "for {{user}} of {{unused}} into {{language}}",
    );
    let found = difference(&replay, &parsed(&other));
    assert_eq!(
        found.new.as_deref(),
        Some("Translate for Ada of Ulm into fr.")
    );
    let found = difference(&replay.clone().variable("unused", "Linz"), &parsed(&other));
    assert_eq!(
        found.new.as_deref(),
        Some("Translate for Ada of Linz into fr.")
    );
    let prompt = gram.replace("model:", "prompt: \"In short: {{text}}\", model:");
    let found = difference(&replay, &parsed(&prompt));
    assert_eq!(
        (found.part, found.new.as_deref()),
        (RequestPart::Message(1), Some("user:\nIn short: Guten Tag"))
    );

    let unknown = parsed(&gram.replace("{{user}}", "{{person}}"));
    let error = replay
        .clone()
        .with_agent(&unknown)
        .compare()
        .expect_err("no value");
    assert!(
        error.is_configuration() && error.to_string().contains("`person`"),
        "{error}"
    );
    replay
        .clone()
        .variable("person", "Ada")
        .with_agent(&unknown)
        .assert_same();
    let other = parsed(&gram.replace("(text::Text)", "(text::Integer)"));
    let error = replay
        .with_agent(&other)
        .compare()
        .expect_err("another type");
    assert!(error.is_validation(), "{error}");
}

#[tokio::test]
async fn finds_a_changed_instruction_of_an_agent_that_is_called() {
    let gram = r#"[lead:Agent {instruction: "Lead.", model: "Scripted/any"} |
        [helper:Agent {description: "Helps", instruction: "Help with {{what}}.", model: "Scripted/any"} |
            (what::Text)==>(::String),
            [sayHello:Tool {description: "Returns a friendly greeting message for the given name"} |
                (personName::Text)==>(::String)
            ]
        ]
    ]"#;
    let model = Scripted::new([
        calls(&[("a", "helper", r#"{"what": "cats"}"#)]),
        calls(&[("b", "sayHello", r#"{"personName": "Ada"}"#)]),
        ModelReply::text("Cats."),
        ModelReply::text("Done."),
    ]);
    let stored = recorded(&parsed(gram), model, |builder| builder).await;
    let replay = Replay::new(stored);
    let same = compared(replay.clone(), &parsed(gram));
    assert!(same.is_same() && same.requests == 4, "{same}");
    let found = difference(&replay, &parsed(&gram.replace("Help with", "Care for")));
    assert_eq!((found.request, found.agent.as_str()), (2, "lead/helper"));
    assert_eq!(found.new.as_deref(), Some("Care for cats."));
    let found = difference(
        &replay,
        &parsed(&gram.replace("\"Helps\"", "\"Helps people\"")),
    );
    assert_eq!(
        (found.request, found.part),
        (1, RequestPart::Tool("helper".to_owned()))
    );
}

#[tokio::test]
async fn summaries_are_requests_as_well() {
    let journal = MemoryJournal::new();
    let long = "The journey was long. ".repeat(50);
    let model = Scripted::new([
        ModelReply::text("Ada is in Vienna."),
        ModelReply::text("You are Ada."),
    ]);
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime
        .compaction(Compaction::above(200))
        .build()
        .expect("a runtime");
    let mut conversation: Conversation = [
        Message::user(format!("I'm Ada. {long}")),
        Message::assistant("Good morning."),
    ]
    .into_iter()
    .collect();
    let agent = parsed(r#"[guide:Agent {instruction: "Help.", model: "Scripted/any"}]"#);
    let run = runtime
        .run(&agent, "Who am I?")
        .conversation(&mut conversation);
    run.await.expect("an answer");
    let replay = Replay::new(only_run(&journal).await);
    let same = compared(replay.clone(), &agent);
    assert!(same.is_same() && same.requests == 2, "{same}");
    let found = difference(
        &replay,
        &parsed(r#"[guide:Agent {instruction: "Aid.", model: "Scripted/any"}]"#),
    );
    assert_eq!((found.request, found.part), (2, RequestPart::Instruction));
}

#[tokio::test]
async fn a_limit_of_the_agent_ends_its_requests() {
    let model = Scripted::new([
        calls(&[("c1", "sayHello", r#"{"personName": "Ada"}"#)]),
        calls(&[("c2", "sayHello", r#"{"personName": "Eve"}"#)]),
        ModelReply::text("Done."),
    ]);
    let longer = Replay::new(recorded(&parsed(GREETER), model, |builder| builder).await);
    let found = difference(
        &longer,
        &changed("temperature: 0.5", "temperature: 0.5, maxIterations: 1"),
    );
    assert_eq!(
        (found.request, found.part.clone()),
        (3, RequestPart::Request)
    );
    assert_eq!(found.new_request, None);
    let told = found.to_string();
    assert!(
        told.starts_with("request 3 of `greeter` is not sent any more: "),
        "{told}"
    );
    assert!(found.ended.is_some_and(|ended| ended.contains("`greeter`")));
}

#[tokio::test]
async fn a_run_that_a_person_approved_is_replayed() {
    for is_host in [false, true] {
        let journal = MemoryJournal::new();
        let agent = changed("given name\"", "given name\", requiresApproval: true");
        let runtime = Runtime::builder().model(greets()).journal(journal.clone());
        let runtime = runtime.build().expect("a runtime");
        let paused = runtime.run(&agent, "Greet Ada.").tools(&tools());
        let paused = paused.await.expect_err("it waits");
        // A run that waits is replayed, too.
        let waiting = Replay::new(only_run(&journal).await);
        assert_eq!(compared(waiting, &agent).requests, 1);
        if is_host {
            let mut run = AwaitingApproval::of(&paused).expect("it waits").run.clone();
            run.approve("c1", Decision::Approve).expect("a decision");
            let driven = runtime.resume(&mut run).tools(&tools()).await;
            driven.expect("an answer");
        } else {
            let id = only_run(&journal).await.info.run;
            let deny = Decision::Deny {
                reason: Some("not today".to_owned()),
            };
            let (library, decision) = (tools(), ("c1".to_owned(), deny));
            let recovered = runtime
                .recover_run(&id)
                .tools(&library)
                .decisions([decision])
                .await;
            recovered.expect("a run").outcome.expect("an answer");
        }
        let replay = Replay::new(only_run(&journal).await);
        let rebuilt = replay.compare().expect("a run");
        assert_eq!((rebuilt.requests, rebuilt.sent_otherwise.len()), (2, 0));
        for agent in [&agent, &parsed(GREETER)] {
            let same = compared(replay.clone(), agent);
            assert!(
                same.is_same() && same.requests == 2,
                "host: {is_host}: {same}"
            );
        }
        let found = difference(&replay, &changed("Greet", "Welcome"));
        assert_eq!(found.request, 1);
    }
}

#[tokio::test]
async fn the_request_under_way_is_compared() {
    // As if the process had died while the model was asked for the second time.
    let whole = recorded(&parsed(GREETER), greets(), |builder| builder).await;
    let end = whole.records.len() - 2;
    let records = whole.records[..end].to_vec();
    let last = *records.last().expect("a record").checksum();
    let cut = StoredRun::new(whole.info.clone(), records, end as u64, last);
    let replay = Replay::new(cut);
    let same = compared(replay.clone(), &parsed(GREETER));
    assert!(same.is_same() && same.requests == 2, "{same}");
    assert_eq!(replay.compare().expect("a run").requests, 1);
}

/// Adds the time to each instruction.
struct Clock;

impl Hook for Clock {
    fn before_model<'a>(
        &'a self,
        _: &'a RunContext,
        request: &'a mut ModelRequest,
    ) -> HookFuture<'a> {
        Box::pin(async move {
            request.instruction.push_str(" It is noon.");
            Ok(())
        })
    }
}

#[tokio::test]
async fn requests_that_hooks_changed_are_reported_and_are_no_difference() {
    let stored = recorded(&parsed(GREETER), greets(), |builder| builder.hook(Clock)).await;
    let replay = Replay::new(stored);
    let rebuilt = replay.compare().expect("a run");
    assert!(rebuilt.is_same());
    assert_eq!(rebuilt.sent_otherwise, [1, 2]);
    let same = compared(replay.clone(), &parsed(GREETER));
    assert!(same.is_same(), "{same}");
    assert_eq!(same.sent_otherwise, [1, 2]);
    assert_eq!(difference(&replay, &changed("Greet", "Welcome")).request, 1);
}

#[tokio::test]
async fn masked_keys_do_not_change_a_request() {
    let key = "sk-0123456789abcdef";
    let agent = changed("Greet the user.", &format!("Greet the user with {key}."));
    let stored = recorded(&agent, greets(), |builder| {
        builder.secret(key).variable("key", key)
    });
    let stored = stored.await;
    for record in &stored.records {
        assert!(!record.json().contains(key), "{}", record.json());
    }
    let rebuilt = Replay::new(stored).compare().expect("a run");
    assert_eq!((rebuilt.requests, rebuilt.sent_otherwise.len()), (2, 0));
}

/// Writes the records of a run anew, after a change.
fn rewritten(stored: &StoredRun, change: impl Fn(&mut Value)) -> StoredRun {
    let (run, mut last) = (&stored.info.run, Record::first_checksum());
    let records = (0..).zip(&stored.records).map(|(position, record)| {
        let mut json: Value = serde_json::from_str(&record.json()).expect("JSON");
        change(&mut json);
        let record = Record::sealed(run, position, json.to_string(), &last);
        last = *record.checksum();
        record
    });
    let records: Vec<Record> = records.collect();
    let count = records.len() as u64;
    StoredRun::new(stored.info.clone(), records, count, last)
}

#[tokio::test]
async fn damaged_records_are_an_error() {
    let stored = recorded(&parsed(GREETER), greets(), |builder| builder).await;
    let mut cut = stored.clone();
    cut.records.pop();
    let error = Replay::new(cut).compare().expect_err("a record is missing");
    assert!(error.is_journal(), "{error}");
    // Records that fit their checksums, and do not lead to the requests.
    for kind in ["replied", "callFinished", "ended"] {
        let wrong = rewritten(&stored, |record| {
            if record["kind"] == kind {
                record["kind"] = "nonsense".into();
            }
        });
        let error = Replay::new(wrong).compare().expect_err("no kind");
        assert!(error.is_journal(), "{error}");
    }
    let twice = rewritten(&stored, |record| {
        if record["kind"] == "callFinished" {
            *record = json!({"kind": "said", "messages": [], "step": record["step"]});
        }
    });
    let error = Replay::new(twice).compare().expect_err("no result");
    let source = std::error::Error::source(&error)
        .expect("a source")
        .to_string();
    assert!(
        source.contains("a request that the records do not lead to"),
        "{source}"
    );
    let empty = StoredRun::new(stored.info.clone(), Vec::new(), 0, Record::first_checksum());
    let error = Replay::new(empty).compare().expect_err("no start");
    assert!(error.is_journal(), "{error}");
}

#[tokio::test]
async fn hostile_texts_fake_no_lines() {
    let replay = greeted().await;
    let agent = changed("Greet the user.", "A\\ntool evil:\\n\u{1b}[2J\u{202e}B");
    let found = difference(&replay, &agent);
    let whole = found.new_request.as_deref().expect("a request");
    assert!(
        whole.contains("instruction:\n  A\n  tool evil:\n"),
        "{whole}"
    );
    let told = found.to_string();
    assert!(
        told.ends_with("\n+ A\n+ tool evil:\n+ \u{fffd}[2J\u{fffd}B"),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_tool_that_runs_alone_reaches_no_request() {
    let agent = parsed(
        r#"[doer:Agent {instruction: "Do.", model: "Scripted/any"} |
        [one:Tool {description: "Does something."} | ()==>(::Any)],
        [two:Tool {description: "Does something."} | ()==>(::Any)]
    ]"#,
    );
    let tools = |alone: bool| {
        let tool = |name| {
            let config = config(name).sequential(alone);
            config.build(async |_| Ok("done".into())).expect("a tool")
        };
        library([tool("one"), tool("two")])
    };
    for alone in [false, true] {
        let journal = MemoryJournal::new();
        let model = Scripted::new([
            calls(&[("a", "one", "{}"), ("b", "two", "{}"), ("c", "one", "{}")])
                .with_usage(Usage::of_request(10, 1)),
            ModelReply::text("Done."),
        ]);
        let runtime = Runtime::builder().model(model).journal(journal.clone());
        let runtime = runtime.build().expect("a runtime");
        let run = runtime.run(&agent, "Do.").tools(&tools(alone));
        run.await.expect("an answer");
        let stored = only_run(&journal).await;
        for library in [tools(!alone), tools(alone), ToolLibrary::new()] {
            let replay = Replay::new(stored.clone()).tools(&library);
            let same = compared(replay, &agent);
            assert!(same.is_same() && same.requests == 2, "{alone}: {same}");
        }
    }
}

const TEAM: &str = r#"[lead:Agent {instruction: "Lead.", model: "Scripted/any"} |
    [helper:Agent {description: "Helps", instruction: "Help with {{what}}.", model: "Scripted/any"} |
        (what::Text)==>(::String),
        [sayHello:Tool {description: "Returns a friendly greeting message for the given name", requiresApproval: true} |
            (personName::Text)==>(::String)
        ]
    ]
]"#;

#[tokio::test]
async fn an_agent_that_goes_on_is_replaced_at_a_later_start() {
    let journal = MemoryJournal::new();
    let model = Scripted::new([
        calls(&[("a", "helper", r#"{"what": "cats"}"#)]),
        calls(&[("b", "sayHello", r#"{"personName": "Ada"}"#)]),
        ModelReply::text("Cats."),
        ModelReply::text("Done."),
    ]);
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let paused = runtime.run(parsed(TEAM), "Help.").tools(&tools());
    let paused = paused.await.expect_err("it waits");
    let mut run = AwaitingApproval::of(&paused).expect("it waits").run.clone();
    run.approve("a/b", Decision::Approve).expect("a decision");
    let driven = runtime.resume(&mut run).tools(&tools()).await;
    driven.expect("an answer");
    let replay = Replay::new(only_run(&journal).await);
    for gram in [
        TEAM.to_owned(),
        TEAM.replace(", requiresApproval: true", ""),
    ] {
        let same = compared(replay.clone(), &parsed(&gram));
        assert!(same.is_same() && same.requests == 4, "{same}");
    }
    let found = difference(&replay, &parsed(&TEAM.replace("Help with", "Care for")));
    assert_eq!((found.request, found.agent.as_str()), (2, "lead/helper"));
}

#[tokio::test]
async fn an_agent_of_the_library_is_replayed() {
    use agent_runtime::tool::AgentTool;
    let billing = |instruction: &str| {
        let gram = format!(
            r#"[billing:Agent {{description: "Knows invoices", instruction: "{instruction}", model: "Scripted/any"}}]"#
        );
        let mut library = ToolLibrary::new();
        let tool = AgentTool::new(parsed(&gram), &tools()).expect("a tool");
        library.add(tool).expect("a new name");
        library
    };
    let agent =
        parsed(r#"[support:Agent {instruction: "Help.", model: "Scripted/any"} | billing]"#);
    let journal = MemoryJournal::new();
    let model = Scripted::new([
        calls(&[("a", "billing", r#"{"message": "What do I owe?"}"#)]),
        ModelReply::text("12 euros"),
        ModelReply::text("You owe 12 euros."),
    ]);
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let run = runtime
        .run(&agent, "What do I owe?")
        .tools(&billing("Answer."))
        .await;
    run.expect("an answer");
    let replay = Replay::new(only_run(&journal).await);
    let here = replay.clone().tools(&billing("Answer."));
    let same = compared(here.clone(), &agent);
    assert!(same.is_same() && same.requests == 3, "{same}");
    assert_eq!(here.compare().expect("a run").sent_otherwise, [0; 0]);
    // Without the program's agent, its requests cannot be rebuilt.
    let error = replay.compare().expect_err("no agent");
    let source = std::error::Error::source(&error)
        .expect("a source")
        .to_string();
    assert!(
        error.is_journal() && source.contains("`billing`"),
        "{source}"
    );
}

#[tokio::test]
async fn the_type_of_an_answer_is_kept() {
    use agent_runtime::GramType;
    use agent_runtime::serde::Deserialize;

    #[derive(Deserialize, GramType)]
    #[serde(crate = "agent_runtime::serde")]
    struct Town {
        name: String,
    }

    let journal = MemoryJournal::new();
    let model = Scripted::new([
        ModelReply::text("Ulm, I think."),
        calls(&[("a", "finalAnswer", r#"{"name": "Ulm"}"#)]),
    ]);
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let run = runtime
        .run(parsed(GREETER), "Where?")
        .tools(&tools())
        .output::<Town>();
    assert_eq!(run.await.expect("an answer").value.name, "Ulm");
    let replay = Replay::new(only_run(&journal).await);
    let same = compared(replay.clone(), &parsed(GREETER));
    assert!(
        same.is_same() && same.requests == 2 && same.sent_otherwise.is_empty(),
        "{same}"
    );
    let found = difference(&replay, &changed("Greet", "Welcome"));
    let whole = found.new_request.expect("a request");
    assert!(
        whole.contains("tool finalAnswer:\n  (name::Text)==>(::Null)"),
        "{whole}"
    );
}

#[tokio::test]
async fn what_was_said_meanwhile_is_part_of_the_requests() {
    let journal = MemoryJournal::new();
    let model = Scripted::new([]).then_with(|_| Ok(calls(&[("a", "say", "{}")])));
    let model = model.then_with(|_| Ok(ModelReply::text("Done.")));
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let agent = parsed(r#"[a:Agent {instruction: "Go.", model: "Scripted/any"} | say]"#);
    let handle =
        std::sync::Arc::new(std::sync::OnceLock::<agent_runtime::runtime::RunHandle>::new());
    let said = std::sync::Arc::clone(&handle);
    let say = config("say").build(move |_| {
        let told = said.get().expect("a handle").say("Hurry!");
        std::future::ready(Ok(told.is_ok().into()))
    });
    let library = library([say.expect("a tool")]);
    let run = runtime.run(&agent, "Go on.").tools(&library);
    assert!(handle.set(run.handle()).is_ok());
    run.await.expect("an answer");
    let replay = Replay::new(only_run(&journal).await).tools(&library);
    let rebuilt = replay.compare().expect("a run");
    assert_eq!((rebuilt.requests, rebuilt.sent_otherwise.len()), (2, 0));
    assert!(compared(replay, &agent).is_same());
}

#[tokio::test]
async fn images_of_the_input_are_compared_by_their_digests() {
    let png = |byte: u8| {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec();
        png.push(byte);
        png
    };
    let journal = MemoryJournal::new();
    let model = Scripted::new([ModelReply::text("A cat.")]);
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let gram = r#"[seer:Agent {instruction: "Look.", model: "Scripted/any"} | (before::Image)==>(after::Image)==>(what::Text)==>(::String)]"#;
    let image = |byte| agent_runtime::conversation::Image::new(png(byte));
    let (before, after) = (image(1), image(2));
    let arguments = json!({"before": before, "after": after, "what": "Which animal?"});
    let media = [before, after].map(|image| agent_runtime::conversation::Media::clone(&image));
    let input = agent_runtime::runtime::Input::from_arguments(arguments)
        .argument_media(media)
        .image(png(3));
    runtime.run(parsed(gram), input).await.expect("an answer");
    let replay = Replay::new(only_run(&journal).await);
    let same = compared(replay.clone(), &parsed(gram));
    assert!(
        same.is_same() && same.requests == 1 && same.sent_otherwise.is_empty(),
        "{same}"
    );
    let found = difference(
        &replay,
        &parsed(&gram.replace("model:", "prompt: \"See: {{what}}\", model:")),
    );
    let (recorded, new) = (
        found.recorded.expect("a message"),
        found.new.expect("a message"),
    );
    assert_eq!(recorded.matches("sha256").count(), 3, "{recorded}");
    assert_eq!(new.matches("sha256").count(), 3, "{new}");
    assert!(new.starts_with("user:\nSee: Which animal?\n"), "{new}");
}
