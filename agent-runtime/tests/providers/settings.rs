//! Tool choices, efforts and extras in each provider's own words, and what becomes of a setting that a
//! provider does not have.

use crate::providers::anthropic::ANTHROPIC;
use crate::providers::exchange::Dialect;
use crate::providers::google::GOOGLE;
use crate::providers::ollama::OLLAMA;
use crate::providers::openai::OPENAI;
use crate::support::server::Server;
use crate::support::{hello_tool, library};
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Conversation, Error, ToolLibrary};
use serde_json::{Value, json};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

const DIALECTS: &[Dialect] = &[OPENAI, ANTHROPIC, GOOGLE, OLLAMA];

const TOOL: &str = " | [sayHello:Tool {description: \"Returns a friendly greeting message for the \
                    given name\"} | (personName::Text)==>(::String)]";

/// What a run with these settings sends first, plain or streamed.
async fn sent(
    dialect: &Dialect,
    settings: &str,
    tools: &str,
    streamed: bool,
) -> Result<Value, Error> {
    let ending = if streamed { dialect.stream.1 } else { ".json" };
    let server = Server::start(vec![dialect.answer(&format!("hello{ending}"))]);
    let runtime = dialect.runtime(&server).build().expect("a runtime");
    let model = dialect.model;
    let gram =
        format!("[a:Agent {{instruction: \"Greet.\", model: \"{model}\", {settings}}}{tools}]");
    let agent = AgentPattern::parse(&gram).unwrap_or_else(|error| panic!("{error}"));
    let library = match tools {
        "" => ToolLibrary::new(),
        _ => library([hello_tool()]),
    };
    let mut conversation = Conversation::new();
    let mut run = runtime
        .run(&agent, "Hi")
        .tools(&library)
        .conversation(&mut conversation);
    if streamed {
        run = run.streaming();
    }
    run.await?;
    Ok(server.requests().remove(0).json())
}

/// The member of a request that these settings lead to, plain and streamed.
async fn check(dialect: &Dialect, settings: &str, tools: &str, pointer: &str, expected: Value) {
    for streamed in [false, true] {
        let body = sent(dialect, settings, tools, streamed).await;
        let body = body.expect("an answer");
        let found = body.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(found, expected, "{}: {settings} {body}", dialect.folder);
    }
}

#[tokio::test]
async fn tool_choices() {
    for (dialect, pointer, [auto, required, none, named]) in [
        (
            OPENAI,
            "/tool_choice",
            [
                json!("auto"),
                json!("required"),
                json!("none"),
                json!({"type": "function", "function": {"name": "sayHello"}}),
            ],
        ),
        (
            ANTHROPIC,
            "/tool_choice",
            [
                json!({"type": "auto"}),
                json!({"type": "any"}),
                json!({"type": "none"}),
                json!({"type": "tool", "name": "sayHello"}),
            ],
        ),
        (
            GOOGLE,
            "/toolConfig",
            [
                json!({"functionCallingConfig": {"mode": "AUTO"}}),
                json!({"functionCallingConfig": {"mode": "ANY"}}),
                json!({"functionCallingConfig": {"mode": "NONE"}}),
                json!({"functionCallingConfig":
                       {"mode": "ANY", "allowedFunctionNames": ["sayHello"]}}),
            ],
        ),
        (
            OLLAMA,
            "/tool_choice",
            [Value::Null, Value::Null, Value::Null, Value::Null],
        ),
    ] {
        for (choice, expected) in [
            ("auto", &auto),
            ("required", &required),
            ("none", &none),
            ("sayHello", &named),
        ] {
            let settings = format!("toolChoice: \"{choice}\"");
            check(&dialect, &settings, TOOL, pointer, expected.clone()).await;
        }
        // Nothing is chosen unless the agent says so, and there is nothing to choose without tools.
        check(&dialect, "seed: 1", TOOL, pointer, Value::Null).await;
        for choice in ["auto", "none"] {
            let settings = format!("toolChoice: \"{choice}\"");
            check(&dialect, &settings, "", pointer, Value::Null).await;
            check(&dialect, &settings, "", "/tools", Value::Null).await;
        }
    }
}

#[tokio::test]
async fn tools_stay_in_the_request_unless_there_is_no_other_way_to_forbid_them() {
    for dialect in DIALECTS {
        for choice in ["auto", "required", "none", "sayHello"] {
            let settings = format!("toolChoice: \"{choice}\"");
            let body = sent(dialect, &settings, TOOL, false).await;
            let has_tools = body.expect("an answer").get("tools").is_some();
            let forbidden = dialect.folder == "ollama" && choice == "none";
            assert_eq!(has_tools, !forbidden, "{}: {choice}", dialect.folder);
        }
    }
}

#[tokio::test]
async fn efforts() {
    for (dialect, pointer, words) in [
        (
            OPENAI,
            "/reasoning_effort",
            ["minimal", "low", "medium", "high"],
        ),
        (
            ANTHROPIC,
            "/output_config/effort",
            ["low", "low", "medium", "high"],
        ),
        (
            GOOGLE,
            "/generationConfig/thinkingConfig/thinkingLevel",
            ["MINIMAL", "LOW", "MEDIUM", "HIGH"],
        ),
        (OLLAMA, "/think", ["low", "low", "medium", "high"]),
    ] {
        for (effort, word) in ["minimal", "low", "medium", "high"].into_iter().zip(words) {
            let settings = format!("reasoningEffort: \"{effort}\"");
            check(&dialect, &settings, "", pointer, json!(word)).await;
        }
        check(&dialect, "seed: 1", "", pointer, Value::Null).await;
    }
}

#[tokio::test]
async fn top_p_and_seed() {
    for (dialect, top_p, seed) in [
        (OPENAI, "/top_p", "/seed"),
        (GOOGLE, "/generationConfig/topP", "/generationConfig/seed"),
        (OLLAMA, "/options/top_p", "/options/seed"),
    ] {
        let settings = "topP: 0.25, seed: -9007199254740993";
        check(&dialect, settings, "", top_p, json!(0.25)).await;
        check(
            &dialect,
            settings,
            "",
            seed,
            json!(-9_007_199_254_740_993_i64),
        )
        .await;
    }
    let body = sent(&ANTHROPIC, "topP: 0.25, seed: 7", "", false).await;
    let plain = sent(&ANTHROPIC, "maxIterations: 3", "", false).await;
    assert_eq!(body.expect("an answer"), plain.expect("an answer"));
}

#[tokio::test]
async fn extras_stand_beside_what_is_sent_and_within_its_records() {
    for (dialect, extra, pointer, expected) in [
        (
            OPENAI,
            "{service_tier: \"flex\", logit_bias: {`50256`: -100}}",
            "/service_tier",
            json!("flex"),
        ),
        (
            OPENAI,
            "{logit_bias: {`50256`: -100}}",
            "/logit_bias",
            json!({"50256": -100}),
        ),
        (
            ANTHROPIC,
            "{thinking: {type: \"enabled\", budget_tokens: 1024}}",
            "/thinking",
            json!({"type": "enabled", "budget_tokens": 1024}),
        ),
        // What the published types have no longer, older models still take.
        (ANTHROPIC, "{temperature: 0.5}", "/temperature", json!(0.5)),
        (
            GOOGLE,
            "{generationConfig: {topK: 40, responseModalities: [\"TEXT\"]}}",
            "/generationConfig",
            json!({"topP": 0.5, "topK": 40, "responseModalities": ["TEXT"]}),
        ),
        (
            OLLAMA,
            "{options: {num_ctx: 8192}, keep_alive: \"5m\"}",
            "/options",
            json!({"top_p": 0.5, "num_ctx": 8192}),
        ),
        (OLLAMA, "{keep_alive: \"5m\"}", "/keep_alive", json!("5m")),
    ] {
        let settings = format!("topP: 0.5, extra: {extra}");
        check(&dialect, &settings, "", pointer, expected).await;
    }
}

#[tokio::test]
async fn an_extra_that_is_there_already_is_a_configuration_error_and_nothing_is_sent() {
    const ONLY_ADDS: &str = "`extra` can only add to a request";
    for (dialect, settings, path, instead) in [
        (
            OPENAI,
            "topP: 0.5, extra: {top_p: 1}",
            "top_p",
            "the agent's own `topP`",
        ),
        (
            OPENAI,
            "toolChoice: \"none\", extra: {tool_choice: \"auto\"}",
            "tool_choice",
            "the agent's own `toolChoice`",
        ),
        // It is sent although the agent does not say it.
        (
            ANTHROPIC,
            "extra: {max_tokens: 4711}",
            "max_tokens",
            "the agent's own `maxTokens`",
        ),
        (
            ANTHROPIC,
            "extra: {system: \"Secret 4711.\"}",
            "system",
            "the agent's own `instruction`",
        ),
        (GOOGLE, "extra: {contents: []}", "contents", ONLY_ADDS),
        (
            GOOGLE,
            "seed: 1, extra: {generationConfig: {seed: 2}}",
            "generationConfig.seed",
            "the agent's own `seed`",
        ),
        (
            OLLAMA,
            "seed: 1, extra: {options: {seed: 4711}}",
            "options.seed",
            "the agent's own `seed`",
        ),
    ] {
        for streamed in [false, true] {
            let error = sent(&dialect, settings, TOOL, streamed).await;
            let error = error.expect_err("it is there already");
            assert!(error.is_configuration(), "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("`{path}`")), "{text}");
            assert!(text.ends_with(instead), "{text}");
            assert!(!text.contains("4711"), "{text}");
        }
    }
}

/// Level, target and the values of a span or an event.
type Told = (Level, &'static str, String);

/// What traces are told.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Told>>>);

#[derive(Default)]
struct Words(Vec<String>);

impl Visit for Words {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() != "message" {
            self.0.push(value.to_owned());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() != "message" {
            self.0.push(format!("{value:?}"));
        }
    }
}

impl Recorder {
    fn add(&self, metadata: &'static Metadata<'static>, words: Words) {
        let told = (*metadata.level(), metadata.target(), words.0.join(" "));
        self.0.lock().expect("no panic").push(told);
    }

    fn told(&self) -> Vec<Told> {
        self.0.lock().expect("no panic").clone()
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("agent_runtime")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut words = Words::default();
        attributes.record(&mut words);
        self.add(attributes.metadata(), words);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut words = Words::default();
        event.record(&mut words);
        self.add(event.metadata(), words);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn a_setting_that_a_provider_does_not_have_is_left_out_and_told() {
    let all = "temperature: 0.5, topP: 0.5, seed: 7, reasoningEffort: \"minimal\", extra: {x_y: 1}";
    for (dialect, choice, expected) in [
        (OPENAI, "sayHello", &[][..]),
        (
            ANTHROPIC,
            "sayHello",
            &["Anthropic temperature", "Anthropic topP", "Anthropic seed"],
        ),
        (GOOGLE, "sayHello", &[]),
        (OLLAMA, "auto", &[]),
        (OLLAMA, "none", &[]),
        (OLLAMA, "required", &["Ollama toolChoice"]),
        (OLLAMA, "sayHello", &["Ollama toolChoice"]),
    ] {
        let recorder = Recorder::default();
        let settings = format!("{all}, toolChoice: \"{choice}\"");
        let guard = tracing::subscriber::set_default(recorder.clone());
        let body = sent(&dialect, &settings, TOOL, false).await;
        body.expect("an answer");
        drop(guard);
        let told = recorder.told().into_iter();
        let warnings = told.filter(|(level, ..)| *level == Level::WARN);
        let warnings: Vec<String> = warnings.map(|(.., words)| words).collect();
        assert_eq!(warnings, expected, "{choice}");
    }
}

/// Only those who ask for what is sent, word for word, are shown an extra, and never a key in it.
#[tokio::test]
async fn traces_do_not_show_extras() {
    for dialect in DIALECTS {
        let recorder = Recorder::default();
        let (_, key) = dialect.key;
        let settings = format!("extra: {{x_user: \"person-4711\", x_key: \"{key}\"}}");
        let guard = tracing::subscriber::set_default(recorder.clone());
        let body = sent(dialect, &settings, TOOL, false).await;
        drop(guard);
        assert_eq!(body.expect("an answer")["x_key"], json!(key));
        let mut shown = 0;
        for (level, target, words) in recorder.told() {
            assert!(!words.contains(key), "{level} {target} {words}");
            if words.contains("person-4711") {
                assert_eq!((level, target), (Level::TRACE, "agent_runtime::wire"));
                shown += 1;
            }
        }
        assert!(shown > 0, "what is sent can be asked for");
    }
}
