//! JSON Schemas of parts of a signature: the keyword `schema` of `Any`, in calls, results and answers.

use crate::support::{agent, calls, library, results};
use agent_runtime::library::bind_agent_tools;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::tool::{
    DynamicTool, ToolConfig, ToolDescriptor, ToolFuture, ToolSettings, invoke_tool,
    validate_tool_input, validate_tool_output,
};
use agent_runtime::{Agent, Conversation, Runtime, Tool, ToolContext, ToolSpec};
use serde_json::{Value, json};

/// Whether this program validates the schemas.
const VALIDATES: bool = cfg!(feature = "json-schema");

const FILTER: &str = r#"(limit::Int {optional: true})==>(filter::Any {schema: '{"type":"object","minProperties":1,"additionalProperties":{"type":["string","number"]}}'})==>(::Any)"#;

fn find(signature: &str, result: Value) -> DynamicTool {
    ToolConfig::with_signature("find", "Finds things", signature)
        .build(move |_| std::future::ready(Ok(result.clone())))
        .expect("a tool")
}

/// Returns the result that the model gets for a call of a tool of the first signature by a spec of the second.
async fn result_of(tool: &str, spec: &str, arguments: &str, result: Value) -> (String, bool) {
    let spec = ToolSpec::new("find", "Finds things", spec).expect("a spec");
    let script = [
        calls(&[("a", "find", arguments)]),
        ModelReply::text("That is all."),
    ];
    let runtime = Runtime::with_model(Scripted::new(script));
    let mut conversation = Conversation::new();
    runtime
        .execute(
            &agent([spec]),
            "Hi",
            &mut conversation,
            &library([find(tool, result)]),
        )
        .await
        .expect("an answer");
    let (_, text, is_error) = results(&conversation).remove(0);
    (text, is_error)
}

/// Checks that a call is refused with these words where schemas are validated, and is made elsewhere.
#[track_caller]
fn refused((text, is_error): &(String, bool), words: &[&str]) {
    assert_eq!(*is_error, VALIDATES, "{text}");
    for words in words.iter().filter(|_| VALIDATES) {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[tokio::test]
async fn a_call_is_validated_against_the_schema_of_a_parameter() {
    const ANY: &str = "(limit::Int {optional: true})==>(filter::Any)==>(::Any)";
    // The tool takes any value, and the spec narrows it; or the tool narrows it itself.
    for tool in [ANY, FILTER] {
        let call = async |arguments: &str| result_of(tool, FILTER, arguments, json!("found")).await;
        let fine = call(r#"{"limit": 3, "filter": {"size": 3}}"#).await;
        assert!(!fine.1, "{}", fine.0);
        refused(
            &call(r#"{"filter": {}}"#).await,
            &[
                "the arguments are not right",
                "`$.filter`",
                "less than 1 property",
            ],
        );
        refused(
            &call(r#"{"filter": {"size": true}}"#).await,
            &["`$.filter.size`"],
        );
        refused(&call(r#"{"filter": null}"#).await, &["`$.filter`"]);
        let (text, is_error) = call(r#"{"limit": "x", "filter": {"a": 1}}"#).await;
        assert!(is_error && text.contains("`$.limit`"), "{text}");
    }
}

#[tokio::test]
async fn a_violation_names_the_path_at_every_depth() {
    let signature = r#"(list::Array {elementType: {type: "Any", optional: true, schema: '{"not":{"type":"string"}}'}})==>(map::Object {valueType: {type: "Any", schema: '{"not":{"type":"string"}}'}})==>(pair::Array {items: ["Int", {type: "Any", schema: '{"not":{"type":"string"}}'}]})==>(record::Object {fields: [{name: "a", type: "Any", optional: true, schema: '{"not":{"type":"string"}}'}], valueType: {type: "Any", schema: '{"not":{"type":"integer"}}'}})==>(either::Any {optional: true, anyOf: ["Int", {type: "Object", fields: [{name: "b", type: "Any", schema: '{"not":{"type":"string"}}'}]}]})==>(::Any)"#;
    let wrong = r#"{"list": [1, null, "x"], "map": {"m": "x", "n": 1}, "pair": [1, "x"], "record": {"a": "x", "c": 1, "d": "x"}, "either": {"b": "x"}}"#;
    let tool = find(signature, json!(1));
    let arguments: Value = serde_json::from_str(wrong).expect("JSON");
    let found = validate_tool_input(&tool, &arguments);
    assert_eq!(found.is_err(), VALIDATES);
    if let Err(error) = found {
        let text = error.to_string();
        let mut paths: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split('`').nth(1))
            .collect();
        paths.sort_unstable();
        assert_eq!(
            paths,
            [
                "$.either.b",
                "$.list[2]",
                "$.map.m",
                "$.pair[1]",
                "$.record.a",
                "$.record.c"
            ],
            "{text}"
        );
    }
    let right = json!({"list": [1, null], "map": {}, "pair": [1, 2], "record": {"a": null, "d": "x"}, "either": 3});
    assert_eq!(validate_tool_input(&tool, &right), Ok(()));
}

#[tokio::test]
async fn a_value_of_a_union_fits_one_type_with_its_schema() {
    let signature = r#"(a::Any {anyOf: [{type: "Any", schema: '{"type":"object","required":["x"]}'}, {type: "Any", schema: '{"type":"array","uniqueItems":true}'}, "Int"]})==>(::Any)"#;
    let tool = find(signature, json!(1));
    for (value, fits) in [
        (json!({"x": 1}), true),
        (json!([1, 2]), true),
        (json!(3), true),
        (json!({"y": 1}), false),
        (json!([1, 1]), false),
        (json!("x"), false),
    ] {
        let found = validate_tool_input(&tool, &json!({"a": value}));
        assert_eq!(found.is_ok(), fits || !VALIDATES, "{value}");
    }
}

#[tokio::test]
async fn a_result_is_validated_against_its_schema() {
    const OPEN: &str = "()==>(::Any)";
    const NARROW: &str =
        r#"()==>(::Any {schema: '{"type":"array","minItems":1,"uniqueItems":true}'})"#;
    let call = async |tool: &str, result: Value| result_of(tool, NARROW, "{}", result).await;
    for tool in [OPEN, NARROW] {
        assert!(!call(tool, json!([1, 2])).await.1);
        refused(
            &call(tool, json!([1, 1])).await,
            &["the result is not right", "`$`", "non-unique"],
        );
    }
    let tool = find(NARROW, json!(1));
    assert_eq!(validate_tool_output(&tool, &json!([1])), Ok(()));
    assert_eq!(validate_tool_output(&tool, &json!([])).is_err(), VALIDATES);
}

/// A tool that is written by hand, and leaves the validation to the runtime.
struct ByHand(ToolDescriptor);

impl Tool for ByHand {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.0
    }

    fn call<'a>(&'a self, arguments: &'a str, _: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async move { Ok(arguments.into()) })
    }
}

#[tokio::test]
async fn a_tool_that_is_called_directly_is_guarded_by_its_schemas() {
    let signature = agent_runtime::spec::parse_signature(FILTER).expect("a signature");
    let contract = agent_runtime::tool::Contract::Signature(signature);
    let descriptor = ToolDescriptor::new(
        "find".into(),
        "Finds".into(),
        contract,
        ToolSettings::DEFAULT,
    );
    let tool = ByHand(descriptor);
    let context = ToolContext::detached();
    let fine = invoke_tool(&tool, r#"{"filter": {"a": 1}}"#, &context).await;
    assert_eq!(fine, Ok(r#"{"filter": {"a": 1}}"#.into()));
    let wrong = invoke_tool(&tool, r#"{"filter": {}}"#, &context).await;
    assert_eq!(wrong.is_err(), VALIDATES, "{wrong:?}");
    let wrong = find(FILTER, json!(1))
        .call(r#"{"filter": {}}"#, &context)
        .await;
    assert_eq!(wrong.is_err(), VALIDATES, "{wrong:?}");
}

#[test]
fn a_spec_with_a_schema_binds_to_any_and_not_the_reverse() {
    let bound = |spec: &str, tool: &str| {
        let spec = ToolSpec::new("find", "Finds things", spec).expect("a spec");
        let library = library([find(tool, json!(1))]);
        bind_agent_tools(&agent([spec]), &library).map(drop)
    };
    let any = "(limit::Int {optional: true})==>(filter::Any)==>(::Any)";
    assert_eq!(bound(FILTER, any), Ok(()));
    assert_eq!(bound(FILTER, FILTER), Ok(()));
    let text = FILTER
        .replace(":1,", ": 1.0, ")
        .replace("{\"type\":\"object\",", "{ \"type\" : \"object\",");
    assert_eq!(bound(&text, FILTER), Ok(()));
    let error = bound(any, FILTER).expect_err("a wider spec").to_string();
    assert!(error.contains("`schema`"), "{error}");
    let other = FILTER.replace("minProperties\":1", "minProperties\":2");
    let error = bound(&other, FILTER)
        .expect_err("another schema")
        .to_string();
    assert!(error.contains("`schema`"), "{error}");
}

#[cfg(feature = "json-schema")]
#[test]
fn a_schema_that_cannot_be_used_is_found_when_it_is_read() {
    let wrong = r#"(a::Array {elementType: {type: "Any", schema: '{"type":"strin"}'}})==>(::Any)"#;
    let endless = r##"(a::Any {schema: '{"allOf":[{"$ref":"#"},{"$ref":"#"}]}'})==>(::Any)"##;
    for (signature, problem) in [
        (wrong, "`type` must be one of the seven types"),
        (endless, "refers to itself alone"),
    ] {
        let spec = ToolSpec::new("find", "Finds things", signature);
        let error = spec.expect_err("no schema").to_string();
        assert!(error.contains(problem), "{error}");
        let built = ToolConfig::with_signature("find", "Finds things", signature);
        let error = built.build(async |_| Ok(json!(1))).expect_err("no schema");
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[cfg(feature = "json-schema")]
#[test]
fn a_schema_of_an_older_draft_is_validated() {
    let signature = r#"(a::Any {schema: '{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"integer"},{"type":"string"}],"additionalItems":false}'})==>(b::Any {optional: true, schema: '{"type":"number","minimum":0,"exclusiveMinimum":true,"not":{"const":5}}'})==>(::Any)"#;
    let tool = find(signature, json!(1));
    assert_eq!(
        validate_tool_input(&tool, &json!({"a": [1, "x"], "b": 1})),
        Ok(())
    );
    for wrong in [
        json!({"a": ["x"]}),
        json!({"a": [1, "x", 2]}),
        json!({"a": [], "b": 0}),
    ] {
        assert!(validate_tool_input(&tool, &wrong).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn the_answer_and_the_arguments_of_an_agent_are_validated() {
    let text = r#"[chooser:Agent {instruction: "Choose {{of}}", model: "Scripted/any", description: "Chooses"}
        | (of::Any {schema: '{"type":"array","minItems":2,"uniqueItems":true}'})==>(::Any {schema: '{"type":"object","minProperties":1}'})]"#;
    let chooser = Agent::parse(text, None, Default::default()).expect("an agent");
    let call = async |of: Value| {
        let answer = |text: &str| calls(&[("a", "finalAnswer", text)]);
        let script = [
            answer(r#"{"answer": {}}"#),
            answer(r#"{"answer": {"x": 1}}"#),
        ];
        let runtime = Runtime::with_model(Scripted::new(script));
        runtime.call(&chooser, json!({"of": of})).await
    };
    let called = call(json!([1, 1])).await;
    assert_eq!(called.is_err(), VALIDATES);
    if let Err(error) = called {
        assert!(error.to_string().contains("`$.of`"), "{error}");
    }
    let answer = call(json!([1, 2])).await.expect("an answer");
    let expected = if VALIDATES { r#"{"x":1}"# } else { "{}" };
    assert_eq!(answer.content.replace(' ', ""), expected);
}
