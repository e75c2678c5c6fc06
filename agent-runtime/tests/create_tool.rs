//! Tools made of a closure and two schemas: what the design documents ask of `createTool`,
//! `ToolConfig` and `executeTool`, step by step, with their own example.

use crate::support::{calls, library, results};
use agent_runtime::approval::{Approver, DecisionFuture};
use agent_runtime::library::bind_agent_tools;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{Decision, PendingCall};
use agent_runtime::spec::AgentPattern;
use agent_runtime::tool::{
    DynamicTool, ToolConfig, invoke_tool, validate_tool_input, validate_tool_output,
};
use agent_runtime::{Agent, AgentResponse, Conversation, Runtime, ToolContext, ToolError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const AGENT: &str = r#"
[forecaster:Agent {instruction: "Tell the weather.", model: "OpenAI/gpt-6-luna"} |
  [get_weather:Tool {description: "Get current weather for a city"} |
    (city::Text {description: "City name"})==>(::Object {
      fields: [
        {name: "temperature", type: "Double", optional: true},
        {name: "conditions", type: "Text", optional: true}
      ]
    })
  ]
]"#;

fn forecaster() -> Agent {
    let pattern = AgentPattern::parse(AGENT).expect("an agent");
    pattern.to_agent().expect("a valid one")
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"city": {"type": "string", "description": "City name"}},
        "required": ["city"],
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"temperature": {"type": "number"}, "conditions": {"type": "string"}},
    })
}

fn config() -> ToolConfig {
    ToolConfig::with_schema(
        "get_weather",
        "Get current weather for a city",
        input_schema(),
    )
    .output_schema(output_schema())
}

/// The tool, giving this each time, and how often it was called.
fn giving(config: ToolConfig, result: Result<Value, ToolError>) -> (DynamicTool, Arc<AtomicU32>) {
    let called = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&called);
    let tool = config.build(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        let result = result.clone();
        async move { result }
    });
    (tool.expect("a tool"), called)
}

fn sunny() -> Value {
    json!({"temperature": 21.5, "conditions": "sunny"})
}

/// Runs the agent with a model that makes these calls, one an answer.
async fn run(tool: DynamicTool, arguments: &[&str]) -> (AgentResponse, Conversation) {
    let ids: Vec<String> = (0..arguments.len()).map(|id| id.to_string()).collect();
    let script = ids
        .iter()
        .zip(arguments)
        .map(|(id, arguments)| calls(&[(id, "get_weather", arguments)]));
    let model = Scripted::new(script.chain([ModelReply::text("That is all.")]));
    let mut conversation = Conversation::new();
    let response = Runtime::with_model(model.clone())
        .execute(
            &forecaster(),
            "The weather?",
            &mut conversation,
            &library([tool]),
        )
        .await
        .expect("an answer");
    model.assert_complete();
    (response, conversation)
}

const ULM: &str = r#"{"city": "Ulm"}"#;

#[tokio::test]
async fn a_good_call_gets_its_result() {
    let (tool, called) = giving(config(), Ok(sunny()));
    let (response, conversation) = run(tool, &[ULM]).await;
    assert_eq!(response.tools_used[0].result, Ok(sunny()));
    assert_eq!(results(&conversation)[0].1, sunny().to_string());
    assert_eq!(called.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn step_1_the_input_is_validated_before_the_closure_sees_it() {
    let (tool, called) = giving(config(), Ok(sunny()));
    let (response, conversation) = run(tool, &["{}", r#"{"city": 5}"#, "not json"]).await;
    for used in &response.tools_used {
        assert!(
            matches!(used.result, Err(ToolError::Validation(_))),
            "{used:?}"
        );
    }
    let results = results(&conversation);
    assert!(results[0].1.contains("city"), "{results:?}");
    assert!(results[1].1.contains("$.city"), "{results:?}");
    assert_eq!(called.load(Ordering::Relaxed), 0);
}

/// Without a run, too: the tool holds to its own schema.
#[tokio::test]
async fn step_1_holds_for_a_tool_that_is_called_alone() {
    let (tool, called) = giving(config(), Ok(sunny()));
    let context = ToolContext::detached();
    for arguments in ["{}", r#"{"city": 5}"#, "[]", "not json"] {
        let error = invoke_tool(&tool, arguments, &context)
            .await
            .expect_err(arguments);
        assert!(matches!(error, ToolError::Validation(_)), "{error}");
    }
    assert_eq!(called.load(Ordering::Relaxed), 0);
    assert_eq!(invoke_tool(&tool, ULM, &context).await, Ok(sunny()));
}

#[tokio::test(start_paused = true)]
async fn steps_2_and_3_a_slow_call_is_stopped_after_10_seconds_or_when_it_says() {
    for (timeout, seconds) in [
        (None, 10),
        (Some(Duration::from_millis(5_000_000 / 1000)), 5),
    ] {
        let config = match timeout {
            Some(timeout) => config().timeout(timeout),
            None => config(),
        };
        let slow = config.build(|_| std::future::pending()).expect("a tool");
        let started = tokio::time::Instant::now();
        let (response, conversation) = run(slow, &[ULM]).await;
        assert_eq!(response.tools_used[0].result, Err(ToolError::Timeout));
        assert!(results(&conversation)[0].2, "the model is told");
        // The clock is the test's own, so this is exact.
        assert_eq!(started.elapsed(), Duration::from_secs(seconds));
    }
}

#[tokio::test]
async fn step_4_a_failing_tool_may_be_called_three_times_in_all() {
    let failure = ToolError::Execution("The service is down. Try Ulm.".into());
    let (tool, called) = giving(config(), Err(failure.clone()));
    let (response, conversation) = run(tool, &[ULM, ULM, ULM, ULM]).await;
    let attempts: Vec<_> = response
        .tools_used
        .iter()
        .map(|used| used.attempt)
        .collect();
    assert_eq!(attempts, [1, 2, 3, 4]);
    assert!(
        response.tools_used[..3]
            .iter()
            .all(|used| used.result == Err(failure.clone()))
    );
    // The fourth was not made, and the record says so.
    assert_eq!(called.load(Ordering::Relaxed), 3);
    let not_made = "not made: no attempts are left, so do not call `get_weather` again";
    assert_eq!(
        response.tools_used[3].result,
        Err(ToolError::execution(not_made))
    );
    assert_eq!(response.tools_used[3].to_json()["error"], not_made);
    let said: Vec<_> = results(&conversation)
        .into_iter()
        .map(|(_, text, _)| text)
        .collect();
    assert_eq!(
        said,
        [
            "The service is down. Try Ulm.",
            "The service is down. Try Ulm.",
            "The service is down. Try Ulm; no attempts are left: do not call `get_weather` again",
            not_made,
        ]
    );
}

#[tokio::test]
async fn step_4_a_tool_that_is_not_retryable_is_called_once() {
    let failure = ToolError::Execution("The service is down.".into());
    let (tool, called) = giving(config().retryable(false), Err(failure));
    let (response, _) = run(tool, &[ULM, ULM]).await;
    assert_eq!(called.load(Ordering::Relaxed), 1);
    assert_eq!(response.tools_used.len(), 2);
}

/// The example of the documents: the model gives something else, and succeeds.
#[tokio::test]
async fn step_4_other_parameters_may_succeed() {
    let tool = config().build(async |input| match input["city"].as_str() {
        Some("Ulm") => Ok(sunny()),
        _ => Err(ToolError::execution("There is weather for Ulm only.")),
    });
    let (response, _) = run(tool.expect("a tool"), &[r#"{"city": "Atlantis"}"#, ULM]).await;
    assert!(response.tools_used[0].result.is_err());
    assert_eq!(response.tools_used[1].result, Ok(sunny()));
    assert_eq!(response.tools_used[1].attempt, 2);
}

#[tokio::test]
async fn step_5_the_output_is_validated_and_a_wrong_one_is_a_failed_attempt() {
    let (tool, called) = giving(config(), Ok(json!({"temperature": "warm"})));
    let (response, conversation) = run(tool, &[ULM, ULM, ULM]).await;
    for used in &response.tools_used {
        let Err(ToolError::Validation(text)) = &used.result else {
            panic!("{used:?}");
        };
        assert!(text.contains("$.temperature"), "{text}");
    }
    assert_eq!(called.load(Ordering::Relaxed), 3);
    assert!(results(&conversation)[2].1.contains("no attempts"));
}

#[tokio::test]
async fn a_call_that_a_person_denies_is_not_authorised() {
    struct Never;
    impl Approver for Never {
        fn decide<'a>(&'a self, _: &'a PendingCall) -> DecisionFuture<'a> {
            Box::pin(async {
                Decision::Deny {
                    reason: Some("it rains".into()),
                }
            })
        }
    }
    let (tool, called) = giving(config().requires_approval(true), Ok(sunny()));
    let model = Scripted::new([
        calls(&[("a", "get_weather", ULM)]),
        ModelReply::text("So be it."),
    ]);
    let runtime = Runtime::builder()
        .model(model)
        .approver(Never)
        .build()
        .expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(
            &forecaster(),
            "The weather?",
            &mut conversation,
            &library([tool]),
        )
        .await
        .expect("an answer");
    assert!(matches!(
        response.tools_used[0].result,
        Err(ToolError::Authorization(_))
    ));
    assert_eq!(called.load(Ordering::Relaxed), 0);
}

#[test]
fn binds_a_json_type_by_its_schema() {
    let (tool, _) = giving(config(), Ok(sunny()));
    assert_eq!(
        bind_agent_tools(&forecaster(), &library([tool]))
            .expect("it binds")
            .len(),
        1
    );
    let other = config().output_schema(json!({
        "type": "object",
        "properties": {"temperature": {"type": "string"}, "conditions": {"type": "string"}},
    }));
    let (other, _) = giving(other, Ok(sunny()));
    let error = bind_agent_tools(&forecaster(), &library([other])).expect_err("it differs");
    assert!(
        error
            .to_string()
            .contains("the field `temperature` of the result is `Double` in the agent"),
        "{error}"
    );
}

#[test]
fn validates_values_against_a_tool() {
    let (by_schema, _) = giving(config(), Ok(sunny()));
    let by_signature = ToolConfig::with_signature(
        "get_weather",
        "Get current weather for a city",
        "(city::Text)==>(::Object {fields: {temperature: \"Double\"}})",
    );
    let (by_signature, _) = giving(by_signature, Ok(sunny()));
    for tool in [&by_schema, &by_signature] {
        assert!(validate_tool_input(tool, &json!({"city": "Ulm"})).is_ok());
        let error = validate_tool_input(tool, &json!({"city": 5})).expect_err("no text");
        assert!(error.to_string().contains("$.city"), "{error}");
        assert!(validate_tool_input(tool, &json!([])).is_err());
        assert!(validate_tool_output(tool, &sunny()).is_ok());
        let wrong = json!({"temperature": "warm"});
        let error = validate_tool_output(tool, &wrong).expect_err("no number");
        assert!(error.to_string().contains("$.temperature"), "{error}");
    }
}

#[test]
fn a_result_is_described_once() {
    let twice = ToolConfig::with_signature("get_weather", "Weather", "()==>(::Any)")
        .output_schema(output_schema())
        .build(async |_| Ok(Value::Null));
    let error = twice.expect_err("which of the two?").to_string();
    assert!(error.contains("leave the output schema out"), "{error}");
}

#[test]
fn a_schema_that_cannot_be_used_is_refused_with_the_reason() {
    for (input, output, reason) in [
        (
            json!({"type": "string"}),
            json!({}),
            "its `type` is \"object\", not \"string\"",
        ),
        (
            json!({"type": ["null", "array"]}),
            json!({}),
            "arguments are an object",
        ),
        (
            json!({"type": "object", "required": [1]}),
            json!({}),
            "input schema of the tool `t`",
        ),
        (
            json!({"type": "object", "required": [1]}),
            json!({}),
            "required",
        ),
        (
            json!({"type": "object"}),
            json!(7),
            "output schema of the tool `t`",
        ),
    ] {
        let config = ToolConfig::with_schema("t", "Does it", input).output_schema(output);
        let error = config.build(|_| async { Ok(Value::Null) }).map(|_| ());
        let error = error.expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}");
    }
    let config = ToolConfig::with_signature("t", "Does it", "(a::Txt)==>(::String)");
    let error = config.build(|_| async { Ok(Value::Null) }).map(|_| ());
    let error = error.expect_err("a wrong type").to_string();
    assert!(
        error.contains("Txt") && error.contains("did you mean `Text`"),
        "{error}"
    );
}

#[test]
fn null_for_a_member_that_may_be_missing_is_judged_by_whoever_validates() {
    let (tool, _) = giving(config(), Ok(sunny()));
    let checked = validate_tool_output(&tool, &json!({"temperature": null}));
    assert_eq!(
        checked.is_err(),
        cfg!(feature = "json-schema"),
        "{checked:?}"
    );
}

/// The arguments that the closures of two tools get: one made with a schema, one with the signature of the same meaning.
async fn arguments_of_both(
    schema: Value,
    signature: &str,
    arguments: &str,
) -> [Result<Value, String>; 2] {
    let by_schema = ToolConfig::with_schema("t", "Does it", schema);
    let by_signature = ToolConfig::with_signature("t", "Does it", signature);
    let context = ToolContext::detached();
    let mut given = Vec::new();
    for config in [by_schema, by_signature] {
        let tool = config.build(async |args| Ok(args)).expect("a tool");
        let result = invoke_tool(&tool, arguments, &context).await;
        given.push(result.map_err(|error| error.to_string()));
    }
    given.try_into().expect("two tools")
}

#[tokio::test]
async fn a_schema_completes_arguments_as_a_signature_does() {
    let options = json!({
        "type": "object",
        "properties": {
            "depth": {"type": "integer", "default": 2},
            "tags": {"type": "array", "items": {"type": "integer"}, "default": []},
        },
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "default": 10, "minimum": 1},
            "sort": {"type": "string", "enum": ["up", "down"], "default": "up"},
            "ratio": {"type": "number"},
            "options": options,
            "more": {"type": "array", "items": options},
        },
        "required": ["query"],
    });
    let options = r#"{fields: [{name: "depth", type: "Int", default: 2},
        {name: "tags", type: "Array", elementType: "Int", default: []}]}"#;
    let signature = format!(
        r#"(query::Text)==>(limit::Int {{default: 10, minimum: 1}})==>(sort::Text {{enum: ["up", "down"], default: "up"}})
        ==>(ratio::Double {{optional: true}})==>(options::Object {{optional: true, {})
        ==>(more::Array {{optional: true, elementType: {{type: "Object", {}}})==>(::Any)"#,
        &options[1..],
        &options[1..],
    );
    let default = json!({"query": "a", "limit": 10, "sort": "up"});
    for (arguments, expected) in [
        (json!({"query": "a"}), default.clone()),
        (
            json!({"query": "a", "limit": 5.0, "sort": "down"}),
            json!({"query": "a", "limit": 5, "sort": "down"}),
        ),
        (json!({"query": "a", "ratio": 1.5, "options": {}}), {
            let mut all = default.clone();
            all["ratio"] = json!(1.5);
            all["options"] = json!({"depth": 2, "tags": []});
            all
        }),
        (
            json!({"query": "a", "options": "{\"tags\": [1.0]}", "more": "[{}]"}),
            {
                let mut all = default.clone();
                all["options"] = json!({"depth": 2, "tags": [1]});
                all["more"] = json!([{"depth": 2, "tags": []}]);
                all
            },
        ),
    ] {
        let found = arguments_of_both(schema.clone(), &signature, &arguments.to_string()).await;
        assert_eq!(found, [Ok(expected.clone()), Ok(expected)], "{arguments}");
    }
    for arguments in [
        json!({}),
        json!({"query": "a", "limit": 0}),
        json!({"query": "a", "limit": 1.5}),
        json!({"query": "a", "options": "{\"tags\": [true]}"}),
        json!({"query": "a", "more": "[{}"}),
    ] {
        let found = arguments_of_both(schema.clone(), &signature, &arguments.to_string()).await;
        let [Err(by_schema), Err(by_signature)] = found else {
            panic!("{arguments}: {found:?}");
        };
        let explains = |text: &str| text.contains("itself, not its JSON text");
        assert_eq!(
            explains(&by_schema),
            explains(&by_signature),
            "{by_schema}\n{by_signature}"
        );
    }
}

#[tokio::test]
async fn null_and_blank_arguments_are_none_for_a_schema_too() {
    for schema in [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {}}),
    ] {
        for arguments in ["null", "", " null "] {
            let found = arguments_of_both(schema.clone(), "()==>(::Any)", arguments).await;
            assert_eq!(
                found,
                [Ok(json!({})), Ok(json!({}))],
                "{schema} {arguments:?}"
            );
        }
    }
    let (tool, called) = giving(config(), Ok(sunny()));
    let error = invoke_tool(&tool, "null", &ToolContext::detached()).await;
    let error = error.expect_err("a required argument").to_string();
    assert!(
        error.contains("city") && error.contains("required"),
        "{error}"
    );
    assert!(validate_tool_input(&tool, &Value::Null).is_err());
    assert_eq!(called.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_default_that_is_wrong_or_of_a_required_member_is_left_out() {
    for (property, required) in [
        (json!({"type": "string", "default": null}), false),
        (json!({"type": "string", "default": 5}), false),
        (
            json!({"type": "integer", "default": 5, "maximum": 3}),
            false,
        ),
        (
            json!({"anyOf": [{"type": "string", "default": "a"}, {"type": "integer"}]}),
            false,
        ),
        (json!({"type": "string", "default": "a"}), true),
    ] {
        let mut schema = json!({"type": "object", "properties": {"a": property}});
        if required {
            schema["required"] = json!(["a"]);
        }
        // Without the feature, a schema must be a type.
        let config = ToolConfig::with_schema("t", "Does it", schema.clone());
        let tool = match config.build(async |args| Ok(args)) {
            Ok(tool) => tool,
            Err(error) if cfg!(feature = "json-schema") => panic!("{schema}: {error}"),
            Err(_) => continue,
        };
        let found = invoke_tool(&tool, "{}", &ToolContext::detached()).await;
        match required {
            true => assert!(found.is_err(), "{schema}"),
            false => assert_eq!(found, Ok(json!({})), "{schema}"),
        }
    }
}
