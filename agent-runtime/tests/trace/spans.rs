//! The names of spans, and what they say of calls and runs.

use crate::recorder::{Recorder, one, recorded, telling};
use crate::support::{calls, config, greeter, hello_tool, library};
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{FinishReason, ModelReply, Scripted, Usage};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Conversation, Runtime, ToolError, ToolSpec};
use tracing::Level;

#[test]
fn spans_have_their_names_and_no_content() {
    let spans = recorded(async {
        let bad = config("bad");
        let bad = bad.build(|_| async { Err(ToolError::Execution("secret".into())) });
        let library = library([hello_tool(), bad.expect("a tool")]);
        let agent = greeter()
            .with_tool(crate::support::spec("bad"))
            .expect("an agent");
        let model = Scripted::new([
            calls(&[
                ("a", "sayHello", r#"{"personName":"secret","secret2":1}"#),
                ("b", "bad", "{}"),
            ])
            .with_usage(Usage::of_request(11, 5)),
            ModelReply::text("secret"),
        ]);
        let runtime = Runtime::with_model(model);
        let mut conversation = Conversation::new();
        let run = runtime.execute(&agent, "secret", &mut conversation, &library);
        run.await.expect("an answer");
    });
    assert!(
        spans
            .iter()
            .all(|span| !span.fields.contains_key("gen_ai.conversation.id"))
    );
    let names: Vec<_> = spans
        .iter()
        .map(|span| span.name)
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(
        names,
        [
            "invoke_agent",
            "chat",
            "execute_tool",
            "execute_tool",
            "chat"
        ]
    );
    let find = |name: &str, key: &str| {
        let span = spans
            .iter()
            .rfind(|span| span.name == name)
            .expect("the span");
        span.fields.get(key).cloned().unwrap_or_default()
    };
    for (span, key, value) in [
        ("invoke_agent", "otel.name", "invoke_agent greeter"),
        ("invoke_agent", "gen_ai.agent.name", "\"greeter\""),
        ("invoke_agent", "gen_ai.operation.name", "\"invoke_agent\""),
        ("invoke_agent", "gen_ai.aggregated_usage.input_tokens", "11"),
        ("chat", "gen_ai.request.model", "\"gpt-6-luna\""),
        ("chat", "gen_ai.provider.name", "\"scripted\""),
        ("chat", "gen_ai.response.finish_reasons", "[\"stop\"]"),
        ("execute_tool", "gen_ai.tool.name", "\"bad\""),
        ("execute_tool", "gen_ai.tool.call.id", "\"b\""),
        ("execute_tool", "error.type", "\"execution\""),
        ("execute_tool", "otel.status_code", "\"ERROR\""),
        ("execute_tool", "agent_runtime.tool.attempt", "1"),
        ("invoke_agent", "agent_runtime.run.requests", "2"),
        ("invoke_agent", "agent_runtime.run.tool_calls", "2"),
        ("invoke_agent", "agent_runtime.run.failed_tool_calls", "1"),
        ("chat", "gen_ai.request.stream", "false"),
    ] {
        assert_eq!(find(span, key), value, "{span} {key}");
    }
    for span in &spans {
        for (key, value) in &span.fields {
            assert!(
                !value.contains("secret") || *key == "argument",
                "{key}: {value}"
            );
        }
    }
}

/// Does something.
#[agent_runtime::tool]
fn elsewhere() -> serde_json::Value {
    serde_json::Value::Null
}

#[test]
fn a_tool_on_a_thread_is_within_the_span_of_its_call() {
    let recorder = Recorder::default();
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    tracing::subscriber::with_default(recorder.clone(), || {
        let agent = crate::support::agent([crate::support::spec("elsewhere")]);
        let library = agent_runtime::tools![elsewhere];
        let model = Scripted::new([
            calls(&[("a", "elsewhere", "{}")]),
            ModelReply::text("Done."),
        ]);
        let runtime = Runtime::with_model(model);
        let mut conversation = Conversation::new();
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        tokio.block_on(run).expect("an answer");
    });
    let here = std::thread::current().id();
    let spans = recorder.with(|spans| spans.clone());
    let call = spans.iter().find(|span| span.name == "execute_tool");
    let threads = &call.expect("the span").threads;
    assert!(threads.iter().any(|thread| *thread != here));
}

#[test]
fn each_attempt_at_a_tool_is_counted() {
    let spans = recorded(async {
        let agent = crate::support::agent([crate::support::spec("bad")]);
        let bad = crate::support::tool("bad", |_| async { Err(ToolError::Execution("no".into())) });
        let model = Scripted::new([
            calls(&[("a", "bad", "{}")]),
            calls(&[("b", "bad", "{}"), ("c", "none", "{}")]),
            ModelReply::text("I give up."),
        ]);
        let runtime = Runtime::with_model(model);
        let (mut conversation, library) = (Conversation::new(), library([bad]));
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        run.await.expect("an answer");
    });
    for (id, attempt) in [("\"a\"", "1"), ("\"b\"", "2")] {
        let span = one(&spans, "execute_tool", "gen_ai.tool.call.id", id);
        assert_eq!(span.fields["agent_runtime.tool.attempt"], attempt);
    }
    // Also of a call that was never made, and so has no span.
    let told: Vec<_> = spans
        .iter()
        .filter(|event| event.level == Some(Level::DEBUG))
        .filter(|event| event.fields["message"] == "a call was answered")
        .map(|event| {
            let [tool, attempt, error] = [
                "gen_ai.tool.name",
                "agent_runtime.tool.attempt",
                "error.type",
            ]
            .map(|key| event.fields[key].as_str());
            (tool, attempt, error)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("\"bad\"", "1", "\"execution\""),
            ("\"bad\"", "2", "\"execution\""),
            ("\"none\"", "1", "\"execution\""),
        ]
    );
}

#[test]
fn a_run_that_is_dropped_is_cancelled_in_its_trace() {
    let spans = recorded(async {
        let agent = crate::support::agent([crate::support::spec("slow")]);
        let slow = crate::support::tool("slow", |_| std::future::pending());
        let runtime = Runtime::with_model(Scripted::new([calls(&[("a", "slow", "{}")])]));
        let (mut conversation, library) = (Conversation::new(), library([slow]));
        let run = runtime.execute(&agent, "Hi", &mut conversation, &library);
        let moment = std::time::Duration::from_millis(20);
        assert!(tokio::time::timeout(moment, run).await.is_err());
    });
    for name in ["invoke_agent", "execute_tool"] {
        let span = one(&spans, name, "error.type", "\"cancelled\"");
        let seconds: f64 = span.fields["agent_runtime.duration"].parse().expect("f64");
        assert!((0.01..60.0).contains(&seconds), "{name} took {seconds}");
    }
}

#[test]
fn an_answer_of_a_type_is_asked_for_as_json() {
    let spans = recorded(async {
        let given = calls(&[("a", "finalAnswer", r#"{"answer": 7}"#)]);
        let runtime = Runtime::with_model(Scripted::new([given]));
        let mut conversation = Conversation::new();
        let (agent, library) = (greeter(), library([hello_tool()]));
        let run = runtime
            .run(&agent, "Hi")
            .tools(&library)
            .conversation(&mut conversation)
            .output::<u8>();
        assert_eq!(run.await.expect("an answer").value, 7);
    });
    for name in ["invoke_agent", "chat"] {
        let span = one(&spans, name, "gen_ai.output.type", "\"json\"");
        // The choice of a tool has no name in the conventions.
        assert!(span.fields.keys().all(|key| !key.contains("tool_choice")));
    }
}

/// A replayed run is traced as the recorded one.
#[test]
fn a_replay_is_traced_under_the_provider_that_was_recorded() {
    use agent_runtime::runtime::RuntimeBuilder;
    use agent_runtime::testing::Cassette;
    use agent_runtime::{Environment, Model};

    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("traced.json");
    let agent =
        |model: &str| crate::support::agent([]).with_model(Model::parse(model).expect("a model"));
    let providers = |model: &str, build: &dyn Fn(RuntimeBuilder) -> RuntimeBuilder| {
        let spans = recorded(async {
            let builder = Runtime::builder().environment(Environment::empty());
            let runtime = build(builder).build().expect("a runtime");
            let mut conversation = Conversation::new();
            let agent = agent(model);
            let run = runtime.run(&agent, "Hi").conversation(&mut conversation);
            run.await.expect("an answer");
        });
        ["invoke_agent", "chat"].map(|name| {
            let span = spans.iter().find(|span| span.name == name);
            span.expect(name).fields["gen_ai.provider.name"].clone()
        })
    };
    let mine = || Scripted::new([ModelReply::text("Hi.")]);
    for (model, expected) in [
        ("OpenAI/one", "\"openai\""),
        ("Google/one", "\"gcp.gemini\""),
        // Nobody says what this one is.
        ("Acme/one", "\"cassette\""),
    ] {
        let name = model.split('/').next().expect("a name");
        let record = |builder: RuntimeBuilder| {
            let builder = builder.cassette(Cassette::record(&path));
            builder.provider(name, mine())
        };
        let replay = |builder: RuntimeBuilder| builder.cassette(Cassette::replay(&path));
        let as_model = |builder: RuntimeBuilder| builder.model(Cassette::replay(&path));
        assert_eq!(providers(model, &record), ["\"scripted\""; 2]);
        assert_eq!(providers(model, &replay), [expected; 2]);
        assert_eq!(providers(model, &as_model), [expected; 2]);
        // A program that registers the provider when it replays, too, has it under its own name.
        let both = |builder: RuntimeBuilder| replay(builder).provider(name, mine());
        assert_eq!(providers(model, &both), ["\"scripted\""; 2]);
    }
}

#[test]
fn a_request_that_waits_for_a_limit_is_told_in_debug_events() {
    use crate::support::agent;
    use agent_runtime::model::ProviderLimits;
    let spans = recorded(async {
        let model = Scripted::new([ModelReply::text("One."), ModelReply::text("Two.")]);
        let runtime = Runtime::builder()
            .model(model)
            .provider_limits("OpenAI", ProviderLimits::new().requests_per_minute(1))
            .build()
            .expect("a runtime");
        let agent = agent([]);
        runtime.run(&agent, "secret").await.expect("an answer");
        let waiting = runtime.run(&agent, "secret").into_future();
        let waited = tokio::time::timeout(std::time::Duration::from_millis(20), waiting);
        assert!(waited.await.is_err());
    });
    let events = telling(&spans, "a request waits for a limit");
    let expected = ("agent_runtime", Some(Level::DEBUG));
    assert_eq!(events, [expected]);
    assert_eq!(spans.iter().filter(|span| span.name == "chat").count(), 1);
}

#[test]
fn long_names_and_descriptions_are_cut_in_spans() {
    const LONG: usize = 100_000;
    let long = |mark: &str| format!("{mark}{}", "é".repeat(LONG / 2));
    let spans = recorded(async {
        let spec = |name: &str| {
            ToolSpec::new(name.to_owned(), long("Describes"), "()==>(::Any)").expect("a spec")
        };
        let tool = ToolConfig::with_signature("act", long("Describes"), "()==>(::Any)")
            .build(|_| async { Ok("done".into()) });
        let library = library([hello_tool(), tool.expect("a tool")]);
        let agent = greeter().with_description(long("Agent"));
        let agent = agent.with_tool(spec("act")).expect("an agent");
        let mut first = calls(&[("c1", "act", "{}")]);
        first.tool_calls[0] = ToolCall::new(long("id"), "act", "{}");
        let unknown = ToolCall::new("c2", long("tool"), "{}");
        first.tool_calls.push(unknown);
        (first.id, first.model) = (Some(long("reply")), Some(long("model")));
        first.finish_reason = FinishReason::from_word(&long("reason"));
        let runtime = Runtime::with_model(Scripted::new([first, ModelReply::text("Done.")]));
        let run = runtime.run(&agent, "Act").tools(&library);
        run.conversation_id(long("conversation"))
            .await
            .expect("an answer");
    });
    let mut cut = std::collections::BTreeSet::new();
    for span in &spans {
        for (key, value) in &span.fields {
            assert!(value.len() < 5_000, "{key}: {}", value.len());
            if value.contains('…') {
                cut.insert(*key);
            }
        }
    }
    let expected = [
        "gen_ai.agent.description",
        "gen_ai.conversation.id",
        "gen_ai.response.finish_reasons",
        "gen_ai.response.id",
        "gen_ai.response.model",
        "gen_ai.tool.call.id",
        "gen_ai.tool.description",
        "gen_ai.tool.name",
    ];
    assert!(cut.iter().eq(&expected), "{cut:?}");
}
