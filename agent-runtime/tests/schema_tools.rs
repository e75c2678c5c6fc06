//! Tools with JSON Schemas: binding by what the schemas mean, the schema that a model gets, and gram.

#[cfg(feature = "json-schema")]
use crate::support::{agent, calls, results};
use agent_runtime::library::{BindPolicy, bind_agent_tools};
#[cfg(feature = "json-schema")]
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::spec::schema::Loss;
use agent_runtime::tool::{DynamicTool, ToolConfig};
#[cfg(feature = "json-schema")]
use agent_runtime::{Conversation, Runtime};
use agent_runtime::{Tool, ToolError, ToolLibrary, ToolSpec};
use serde_json::{Value, json};

fn config(input: Value) -> ToolConfig {
    ToolConfig::with_schema("find", "Finds things", input)
}

fn made(config: ToolConfig) -> DynamicTool {
    let tool = config.build(async |_| Ok(json!({"found": 1})));
    tool.expect("a tool")
}

/// An object with these properties, all required.
fn object(properties: Value) -> Value {
    let names = properties.as_object().expect("properties").keys();
    let names: Vec<&String> = names.collect();
    json!({"type": "object", "properties": properties, "required": names})
}

fn spec(signature: &str) -> ToolSpec {
    ToolSpec::new("find", "Finds things", signature).expect("a spec")
}

fn library(config: ToolConfig) -> ToolLibrary {
    crate::support::library([made(config)])
}

/// Returns the reasons for which a spec cannot be bound to a tool, a reason a line.
fn reasons(signature: &str, config: ToolConfig, policy: BindPolicy) -> String {
    match library(config).bind_with(&spec(signature), policy) {
        Ok(_) => String::new(),
        Err(failure) => failure.to_string(),
    }
}

#[track_caller]
fn binds(signature: &str, input: Value) {
    let found = reasons(signature, config(input), BindPolicy::Compatible);
    assert_eq!(found, "", "{signature}");
}

#[track_caller]
fn differs(signature: &str, config: ToolConfig, expected: &str) {
    let found = reasons(signature, config, BindPolicy::Compatible);
    assert!(found.contains(expected), "{signature}: {found}");
    assert!(found.contains("`BindPolicy::Name`"), "{found}");
}

const TEXT: &str = "(query::Text)==>(::Any)";

#[test]
fn binds_a_parameter_with_a_description() {
    binds(
        TEXT,
        object(json!({"query": {"type": "string", "description": "Which things"}})),
    );
    binds(
        "(query::Text {description: \"Others\"})==>(::Any)",
        object(json!({"query": {"type": "string"}})),
    );
}

#[test]
fn binds_a_parameter_with_a_title() {
    let mut input = object(json!({"query": {"type": "string", "title": "Query"}}));
    input["title"] = "FindArgs".into();
    binds(TEXT, input);
}

#[test]
fn binds_a_schema_with_its_dialect_an_id_examples_and_comments() {
    let mut input = object(json!({"query": {
        "type": "string", "examples": ["x"], "$comment": "none", "deprecated": true,
    }}));
    input["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    input["$id"] = "https://example.com/find".into();
    binds(TEXT, input);
}

#[test]
fn binds_a_schema_with_definitions() {
    for (key, reference) in [
        ("$defs", "#/$defs/Query"),
        ("definitions", "#/definitions/Query"),
    ] {
        let mut input = object(json!({"query": {"$ref": reference}}));
        input[key] = json!({"Query": object(json!({"text": {"type": "string"}}))});
        binds(
            "(query::Object {fields: {text: \"Text\"}})==>(::Any)",
            input.clone(),
        );
        differs(
            "(query::Object {fields: {text: \"Int\"}})==>(::Any)",
            config(input),
            "`query.text`",
        );
    }
}

/// Returns the result of binding an agent that only names the tool.
fn bind_name(config: ToolConfig) -> Result<(), String> {
    let agent = crate::support::agent([]).with_reference("find");
    let agent = agent.expect("a further tool");
    let bound = bind_agent_tools(&agent, &library(config));
    bound.map(drop).map_err(|error| error.to_string())
}

#[test]
fn an_agent_names_a_tool_whose_schema_has_definitions_that_nothing_refers_to() {
    for container in ["components", "definitions", "$defs"] {
        let mut input = object(json!({"query": {"type": "string"}}));
        input[container] = json!({"schemas": {"Unused": {"not": {}}}});
        assert_eq!(bind_name(config(input.clone())), Ok(()), "{container}");
        binds(TEXT, input);
    }
}

#[cfg(feature = "json-schema")]
#[test]
fn the_error_for_a_name_without_signature_says_what_binds() {
    let mut input = object(json!({"query": {"type": "string"}}));
    input["flavour"] = 1.into();
    let error = bind_name(config(input.clone())).expect_err("an unknown keyword");
    for advice in [
        "`agent_runtime::library::BindPolicy::Name`",
        "`.allowing(agent_runtime::spec::schema::Loss::UnknownKeywords)`",
        "`agent_runtime::tool::ToolConfig`",
    ] {
        assert!(error.contains(advice), "{error}");
    }
    // Each of the two ways works.
    assert_eq!(reasons(TEXT, config(input.clone()), BindPolicy::Name), "");
    let allowing = config(input).allowing(Loss::UnknownKeywords);
    assert_eq!(bind_name(allowing), Ok(()));
}

#[cfg(feature = "json-schema")]
fn problems(input: Value, arguments: &Value) -> String {
    let tool = made(config(input));
    match agent_runtime::tool::validate_tool_input(&tool, arguments) {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    }
}

/// The schema that pydantic writes for a function with optional parameters.
#[cfg(feature = "json-schema")]
fn create_issue() -> Value {
    json!({
        "$defs": {"Label": {
            "type": "object",
            "title": "Label",
            "properties": {"name": {"type": "string", "title": "Name"}},
            "required": ["name"],
        }},
        "type": "object",
        "title": "create_issueArguments",
        "properties": {
            "title": {"type": "string", "title": "Title"},
            "assignee": {
                "anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}],
                "default": null,
                "title": "Assignee",
            },
            "due": {
                "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
                "default": null,
            },
            "labels": {
                "anyOf": [
                    {"type": "array", "items": {"$ref": "#/$defs/Label"}},
                    {"type": "null"},
                ],
                "default": null,
            },
            "priority": {"type": "string", "enum": ["low", "high"], "default": "low"},
        },
        "required": ["title"],
    })
}

#[cfg(feature = "json-schema")]
#[test]
fn a_wrong_call_has_the_messages_of_the_type_with_the_feature_json_schema() {
    let call = json!({
        "title": "t", "assignee": true, "due": "tomorrow", "labels": [{"name": 1}],
    });
    let found = problems(create_issue(), &call);
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 3, "{found}");
    for expected in [
        "`$.assignee`: expected Int or Text, found true",
        "`$.due`: expected ",
        "`$.labels[0].name`: expected Text, found the number 1",
    ] {
        assert!(
            lines.iter().any(|line| line.starts_with(expected)),
            "{expected}: {found}"
        );
    }
    let found = problems(create_issue(), &json!({}));
    assert!(found.contains("`title` is required"), "{found}");
    // With a loss, the type's messages are kept, and the schema finds the rest.
    let mut lossy = create_issue();
    lossy["properties"]["labels"]["anyOf"][0]["uniqueItems"] = true.into();
    lossy["additionalProperties"] = false.into();
    let call = json!({"title": "t", "assignee": true, "more": 1});
    let found = problems(lossy.clone(), &call);
    assert!(
        found.contains("`$.assignee`: expected Int or Text, found true") && found.contains("more"),
        "{found}"
    );
    assert_eq!(found.lines().count(), 2, "{found}");
    let twice = json!({"title": "t", "labels": [{"name": "a"}, {"name": "a"}]});
    let found = problems(lossy, &twice);
    assert!(found.contains("non-unique"), "{found}");
}

#[cfg(feature = "json-schema")]
#[test]
fn one_mistake_is_one_problem() {
    let found = problems(create_issue(), &json!({"title": "t", "priority": null}));
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(found.starts_with("`$.priority`"), "{found}");
}

#[cfg(feature = "json-schema")]
#[test]
fn a_value_that_no_alternative_fits_gets_their_names_and_the_problems_of_the_nearest() {
    let shape = |kind: &str, side: &str| {
        json!({
            "type": "object",
            "properties": {"kind": {"const": kind}, side: {"type": "number", "not": {"const": 0}}},
            "required": ["kind", side],
            "unevaluatedProperties": {"type": "string"},
        })
    };
    let input = object(json!({"query": {"anyOf": [
        shape("circle", "r"),
        shape("rect", "w"),
        {"title": "Name", "type": "string", "not": {"const": ""}},
    ]}}));
    let found = problems(input.clone(), &json!({"query": {"kind": "rect", "w": 0}}));
    for part in [
        "expected `kind: \"circle\"`, `kind: \"rect\"` or `Name`, found an object",
        "as `kind: \"rect\"`: `$.query.w`",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    assert_eq!(found.lines().count(), 1, "{found}");
    let found = problems(input, &json!({"query": true}));
    assert!(
        found.contains("expected") && found.contains("found true"),
        "{found}"
    );
}

#[cfg(feature = "json-schema")]
#[test]
fn an_object_that_two_alternatives_fit_gets_their_names() {
    let input = object(json!({"query": either()}));
    let found = problems(input, &json!({"query": 4}));
    assert!(found.contains("only one of them"), "{found}");
}

#[cfg(feature = "json-schema")]
#[test]
fn a_nullable_member_accepts_null() {
    let input = json!({"type": "object", "properties": {
        "query": {"type": "string", "nullable": true},
        "least": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
    }});
    assert_eq!(
        problems(input.clone(), &json!({"query": null, "least": 1})),
        ""
    );
    let found = problems(input, &json!({"query": 1, "least": 0}));
    assert_eq!(found.lines().count(), 2, "{found}");
}

/// Pydantic writes such objects for `dict[str, Any]`, and zod for `passthrough`.
#[test]
fn binds_an_object_of_any_values() {
    for free in [
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": "object", "additionalProperties": {}}),
        json!({"type": "object", "properties": {}, "additionalProperties": {}}),
    ] {
        let input = object(json!({"meta": free}));
        binds("(meta::Object)==>(::Any)", input.clone());
        binds("(meta::Object {valueType: \"Any\"})==>(::Any)", input);
    }
}

#[cfg(feature = "json-schema")]
#[test]
fn binds_a_schema_that_refuses_further_properties() {
    let mut input = object(json!({"query": {"type": "string"}}));
    input["additionalProperties"] = false.into();
    binds(TEXT, input);
}

#[test]
fn binds_a_schema_without_properties_to_a_spec_without_parameters() {
    for input in [
        json!({"type": "object"}),
        json!({}),
        json!({"type": "object", "properties": {}}),
        json!({"type": "object", "properties": {"more": {"type": "string"}}}),
    ] {
        binds("()==>(::Any)", input);
    }
}

#[test]
fn binds_by_the_rule_for_signatures() {
    let input = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 100},
            "limit": {"type": "integer", "default": 10},
            "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
        "required": ["query"],
    });
    for good in [
        "(query::Text {minLength: 1, maxLength: 100})==>(::Any)",
        "(limit::Int)==>(query::Text {minLength: 2, maxLength: 9})==>(::Any)",
        "(query::Text {minLength: 1, maxLength: 100})==>(limit::Int {default: 10})==>(::Any)",
        "(query::Text {minLength: 1, maxLength: 100})==>(tags::Array {elementType: \"Text\", optional: true})==>(::Any)",
    ] {
        binds(good, input.clone());
    }
    for (bad, reason) in [
        (
            "(limit::Int)==>(::Any)",
            "the agent leaves out the required parameter `query::Text`",
        ),
        (
            "(query::Int)==>(::Any)",
            "`query` is `Int` in the agent, but the function takes `Text`",
        ),
        ("(query::Text)==>(::Any)", "`query`"),
        (
            "(query::Text {optional: true, minLength: 1, maxLength: 9})==>(::Any)",
            "optional",
        ),
        (
            "(query::Text {minLength: 1, maxLength: 9})==>(limit::Int {default: 5})==>(::Any)",
            "default",
        ),
        (
            "(query::Text {minLength: 1, maxLength: 9})==>(limits::Int {default: 5})==>(::Any)",
            "did you mean `limit`?",
        ),
    ] {
        differs(bad, config(input.clone()), reason);
    }
    let other = ToolSpec::new(
        "find",
        "Finds others",
        "(query::Text {minLength: 1, maxLength: 9})==>(::Any)",
    );
    let failure = library(config(input))
        .bind(&other.expect("a spec"))
        .map(drop)
        .expect_err("it differs");
    assert!(
        failure.to_string().contains("the description differs"),
        "{failure}"
    );
}

#[test]
fn binds_a_result_whose_every_value_the_spec_allows() {
    let input = object(json!({"query": {"type": "string"}}));
    let with_output = |output: Value| config(input.clone()).output_schema(output);
    let found = |signature: &str, output: Value| {
        reasons(signature, with_output(output), BindPolicy::Compatible)
    };
    let output = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Found",
        "type": "object",
        "properties": {"found": {"type": "integer", "title": "Found"}},
        "required": ["found"],
    });
    let record = "(query::Text)==>(::Object {fields: {found: \"Int\"}})";
    assert_eq!(found(record, output.clone()), "");
    assert_eq!(found("(query::Text)==>(::Any)", json!({})), "");
    differs("(query::Text)==>(::String)", with_output(output), "Object");
    // Without an output schema each result is validated against the spec.
    binds("(query::Text)==>(::String)", input);
}

/// A part that gram can express is no `Any`, for a tool with schemas as for one with a signature.
#[test]
fn any_does_not_bind_to_a_schema_that_gram_can_express() {
    for (signature, input) in [
        (
            "(query::Any)==>(::Any)",
            json!({"query": {"type": "string"}}),
        ),
        (
            "(query::Any)==>(::Any)",
            json!({"query": object(json!({"a": {}}))}),
        ),
        (
            "(query::Array)==>(::Any)",
            json!({"query": {"type": "array", "items": {"type": "string"}}}),
        ),
    ] {
        differs(
            signature,
            config(object(input)),
            "`Any` in the agent, but the function takes",
        );
    }
}

#[test]
fn binds_exactly_what_is_equal() {
    let input =
        object(json!({"query": {"type": "string", "description": "Which things", "title": "Q"}}));
    let exact = |signature: &str| reasons(signature, config(input.clone()), BindPolicy::Exact);
    assert_eq!(
        exact("(query::Text {description: \"Which things\"})==>(::Any)"),
        ""
    );
    assert!(
        exact(TEXT).contains("another `description`"),
        "{}",
        exact(TEXT)
    );
    let narrower = "(query::Text {description: \"Which things\", minLength: 1})==>(::Any)";
    assert!(exact(narrower).contains("`query`"));
}

#[cfg(feature = "json-schema")]
fn either() -> Value {
    json!({"oneOf": [{"type": "integer", "minimum": 3}, {"type": "integer", "maximum": 5}]})
}

#[cfg(feature = "json-schema")]
#[test]
fn binds_any_where_gram_cannot_express_the_schema() {
    let input = object(json!({
        "query": either(),
        "list": {"type": "array", "items": either()},
        "deep": object(json!({"a": either(), "b": {"type": "string"}})),
    }));
    let good = "(query::Any)==>(list::Array)==>(deep::Object {fields: {a: \"Any\", b: \"Text\"}})==>(::Any)";
    binds(good, input.clone());
    // `Any` also stands for what holds such a part.
    binds(
        "(query::Any)==>(list::Any)==>(deep::Any)==>(::Any)",
        input.clone(),
    );
    let pair = json!({
        "type": "array",
        "prefixItems": [either(), {"type": "string"}],
        "items": false,
        "minItems": 2,
    });
    let pair = object(json!({"pair": pair}));
    binds("(pair::Array {items: [\"Any\", \"Text\"]})==>(::Any)", pair);
    let bad = "(query::Int)==>(list::Array)==>(deep::Object {fields: {a: \"Any\", b: \"Text\"}})==>(::Any)";
    differs(
        bad,
        config(input.clone()),
        "gram cannot express these parts of the tool's schema",
    );
    differs(bad, config(input), "`$.properties.query.oneOf`");
}

#[cfg(feature = "json-schema")]
#[test]
fn a_config_allows_losses_as_the_error_advises() {
    let input = || {
        object(json!({"tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}))
    };
    let signature = "(tags::Array {elementType: \"Text\"})==>(::Any)";
    differs(signature, config(input()), "`Loss::UniqueItems`");
    let allowing = config(input()).allowing(Loss::UniqueItems);
    assert_eq!(
        reasons(signature, allowing.clone(), BindPolicy::Compatible),
        ""
    );
    let gram = made(allowing).descriptor().to_gram().expect("gram");
    assert!(gram.contains(signature), "{gram}");
    // The whole schema still validates.
    let tool = made(config(input()).allowing(Loss::UniqueItems));
    let twice = agent_runtime::tool::validate_tool_input(&tool, &json!({"tags": ["a", "a"]}));
    assert!(twice.is_err());
}

#[cfg(not(feature = "json-schema"))]
#[test]
fn a_config_allows_losses_as_the_error_advises() {
    let input = || {
        object(json!({"tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}))
    };
    let error = config(input()).build(async |_| Ok(().into())).map(drop);
    let error = error.expect_err("no type is so narrow").to_string();
    assert!(
        error.contains("`Loss::UniqueItems`") && error.contains("`ToolConfig::allowing`"),
        "{error}"
    );
    let signature = "(tags::Array {elementType: \"Text\"})==>(::Any)";
    let allowing = config(input()).allowing(Loss::UniqueItems);
    assert_eq!(reasons(signature, allowing, BindPolicy::Compatible), "");
}

#[test]
fn prints_the_signature_that_the_schemas_are_read_as() {
    let input = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Which things"},
            "limit": {"type": "integer", "default": 10},
        },
        "required": ["query"],
    });
    let output = json!({"type": "array", "items": {"type": "string"}});
    let tool = made(config(input.clone()).output_schema(output.clone()));
    let signature =
        agent_runtime::Signature::from_schemas(&input, Some(&output)).expect("a signature");
    assert_eq!(
        *tool.descriptor().to_signature().expect("a signature"),
        signature
    );
    let library = crate::support::library([tool]);
    let gram = library.to_gram();
    assert!(
        gram.contains("[find:Tool {description: \"Finds things\"}"),
        "{gram}"
    );
    // The text is the spec of an agent to which the tool binds.
    let document =
        format!("[finder:Agent {{instruction: \"Find.\", model: \"Scripted/m\"}} | {gram}]");
    let agent = agent_runtime::spec::AgentPattern::parse(&document).expect("an agent");
    let agent = agent.to_agent().expect("a valid one");
    assert_eq!(agent.tools()[0].signature(), &signature);
    assert!(bind_agent_tools(&agent, &library).is_ok());
}

#[cfg(feature = "json-schema")]
#[test]
fn a_tool_with_parts_that_gram_cannot_express_is_printed_with_their_schemas() {
    let mut input = object(json!({"query": either(), "limit": {"type": "integer"}}));
    input["dependentRequired"] = json!({"limit": ["query"]});
    let library = library(config(input).output_schema(json!({"not": {"type": "null"}})));
    let gram = library.to_gram();
    for words in [
        "The arguments also satisfy this JSON Schema: {\"dependentRequired\":{\"limit\":[\"query\"]}}",
        "limit::Int",
        "query::Any {\n    schema: ",
        r#"schema: "{\"not\":{\"type\":\"null\"}}""#,
    ] {
        assert!(gram.contains(words), "{words}\n{gram}");
    }
    let document =
        format!("[finder:Agent {{instruction: \"Find.\", model: \"Scripted/m\"}} | {gram}]");
    let agent = agent_runtime::spec::AgentPattern::parse(&document).expect("an agent");
    let agent = agent.to_agent().expect("a valid one");
    let bound = bind_agent_tools(&agent, &library).map(drop);
    assert_eq!(bound.map_err(|error| error.to_string()), Ok(()), "{gram}");
}

#[cfg(feature = "json-schema")]
#[test]
fn a_tool_that_gram_cannot_express_is_a_comment_in_gram() {
    let library = crate::support::library([
        made(config(object(json!({"$top": {"type": "integer"}})))),
        crate::support::hello_tool(),
    ]);
    let gram = library.to_gram();
    assert!(
        gram.starts_with("// The tool `find` is left out, because gram cannot express it:\n// `$.properties`: `$top`"),
        "{gram}"
    );
    assert!(gram.contains("\n[sayHello:Tool"), "{gram}");
    let checked = agent_runtime::spec::check::check(&gram, Default::default());
    assert_eq!((checked.diagnostics.len(), checked.tools.len()), (0, 1));
}

/// Returns the arguments that the closure of a tool gets in a run, and the description that the model sees.
#[cfg(feature = "json-schema")]
async fn arriving(input: Value, arguments: &str) -> (Value, String) {
    let script = [
        calls(&[("", "find", arguments)]),
        ModelReply::text("That is all."),
    ];
    let model = Scripted::new(script);
    let runtime = Runtime::builder().model(model.clone()).build();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Value::Null));
    let kept = std::sync::Arc::clone(&seen);
    let tool = config(input).build(move |arguments| {
        *kept.lock().expect("a value") = arguments;
        async { Ok(json!("done")) }
    });
    let library = crate::support::library([tool.expect("a tool")]);
    let agent = agent([]).with_reference("find").expect("a further tool");
    let mut conversation = Conversation::new();
    let runtime = runtime.expect("a runtime");
    let answer = runtime
        .execute(&agent, "Hi", &mut conversation, &library)
        .await;
    answer.expect("an answer");
    let description = model.requests()[0].tools[0].description().to_owned();
    (seen.lock().expect("a value").clone(), description)
}

#[cfg(feature = "json-schema")]
#[tokio::test]
async fn what_an_open_schema_allows_reaches_the_tool() {
    for (input, arguments, conditions) in [
        (json!({"type": "object"}), r#"{"x": 1}"#, ""),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            r#"{"x": 1}"#,
            "",
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": true}),
            r#"{"a": [], "x": 1}"#,
            "",
        ),
        (
            json!({"type": "object", "patternProperties": {"^x": {"type": "integer"}}}),
            r#"{"x1": 1, "y": {}}"#,
            "patternProperties",
        ),
        (
            json!({"type": "object", "dependentRequired": {"x": ["y"]}}),
            r#"{"x": 1, "y": 2}"#,
            "dependentRequired",
        ),
        (
            json!({"oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]}),
            r#"{"b": 1, "c": 2}"#,
            "oneOf",
        ),
    ] {
        let (arrived, description) = arriving(input.clone(), arguments).await;
        assert_eq!(arrived.to_string(), arguments.replace(' ', ""), "{input}");
        assert!(description.contains(conditions), "{description}");
    }
}

#[test]
fn a_tool_gives_its_input_schema() {
    let input = object(json!({"query": {"type": "string", "title": "Query"}}));
    assert_eq!(made(config(input.clone())).input_schema(), input);
    let signature =
        ToolConfig::with_signature("find", "Finds things", "(query::Text)==>(::String)");
    let tool = made(signature);
    assert_eq!(
        tool.input_schema(),
        object(json!({"query": {"type": "string"}}))
    );
    assert_eq!(
        tool.descriptor().output_schema(),
        Some(json!({"type": "string"}))
    );
}

#[cfg(all(feature = "schemars", feature = "json-schema"))]
mod by_schemars {
    use super::*;
    use agent_runtime::schemars::{self, JsonSchema};

    /// A place
    #[derive(JsonSchema)]
    #[schemars(crate = "agent_runtime::schemars")]
    #[expect(dead_code, reason = "only the schema is asked for")]
    struct Place {
        /// The name on its signs
        name: String,
        latitude: f64,
    }

    /// The unit
    #[derive(JsonSchema)]
    #[schemars(crate = "agent_runtime::schemars", rename_all = "lowercase")]
    #[expect(dead_code, reason = "only the schema is asked for")]
    enum Unit {
        /// Degrees Celsius
        Celsius,
        Kelvin,
    }

    #[derive(JsonSchema)]
    #[schemars(crate = "agent_runtime::schemars", deny_unknown_fields)]
    #[expect(dead_code, reason = "only the schema is asked for")]
    struct Args {
        place: Place,
        others: Vec<Place>,
        unit: Option<Unit>,
        days: Option<u8>,
        notes: std::collections::BTreeMap<String, bool>,
    }

    #[test]
    fn binds_what_schema_for_gives() {
        let input = schemars::schema_for!(Args).to_value();
        assert!(input["$defs"].is_object() && input["$schema"].is_string());
        let place = "fields: {name: \"Text\", latitude: \"Double\"}";
        let signature = format!(
            "(place::Object {{{place}}})==>(others::Array {{elementType: {{type: \"Object\", {place}}}}})==>\
             (unit::String {{enum: [\"celsius\"], optional: true}})==>\
             (days::Int {{minimum: 1, maximum: 16, optional: true}})==>\
             (notes::Object {{valueType: \"Bool\"}})==>(::Any)"
        );
        binds(&signature, input.clone());
        let output = schemars::schema_for!(Vec<Place>).to_value();
        let with_output = config(input).output_schema(output);
        let signature = signature.replace(
            "(::Any)",
            "(::Array {elementType: \"{name: Text, latitude: Double}\"})",
        );
        assert_eq!(reasons(&signature, with_output, BindPolicy::Compatible), "");
    }
}

/// Runs the tool with a model that makes these calls. Returns the schema that the model got, and the results.
#[cfg(feature = "json-schema")]
async fn shown(
    signature: &str,
    input: Value,
    policy: BindPolicy,
    arguments: &[&str],
) -> (Value, Vec<String>) {
    let script = arguments.iter().map(|text| calls(&[("", "find", text)]));
    let model = Scripted::new(script.chain([ModelReply::text("That is all.")]));
    let runtime = Runtime::builder()
        .model(model.clone())
        .bind_policy(policy)
        .build();
    let mut conversation = Conversation::new();
    runtime
        .expect("a runtime")
        .execute(
            &agent([spec(signature)]),
            "Hi",
            &mut conversation,
            &library(config(input)),
        )
        .await
        .expect("an answer");
    let schema = model.requests()[0].tools[0].schema().to_value();
    let results = results(&conversation).into_iter().map(|(_, text, _)| text);
    (schema, results.collect())
}

#[cfg(feature = "json-schema")]
#[tokio::test]
async fn the_model_gets_the_tools_own_schema_where_the_spec_says_any() {
    let node = json!({
        "type": "object",
        "properties": {"next": {"$ref": "#/definitions/Node"}, "value": either()},
    });
    let mut input = object(json!({
        "query": either(),
        "list": {"type": "array", "items": {"$ref": "#/definitions/Node"}},
        "name": {"type": "string", "title": "Name"},
    }));
    input["definitions"] = json!({"Node": node, "Unused": {"type": "string"}});
    let signature =
        "(list::Array)==>(name::Text)==>(query::Any {description: \"A number\"})==>(::Any)";
    let wrong = r#"{"list": [], "name": "n", "query": 4}"#;
    let right = r#"{"list": [{"value": 1}], "name": "n", "query": 1}"#;
    let policy = BindPolicy::Compatible;
    let (schema, results) = shown(signature, input, policy, &[wrong, right]).await;
    let node = json!({
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/Node"}, "value": either()},
    });
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "query": {"description": "A number", "oneOf": either()["oneOf"]},
                "list": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "name": {"type": "string"},
            },
            "required": ["list", "name", "query"],
            "$defs": {"Node": node},
        })
    );
    assert!(results[0].contains("`$.query`"), "{results:?}");
    assert_eq!(results[1], r#"{"found":1}"#);
}

/// Pydantic writes `Optional[str]` so. In gram the parameter is optional, and `null` counts as missing.
#[cfg(feature = "json-schema")]
#[tokio::test]
async fn a_member_that_must_be_there_and_may_be_null_may_be_left_out() {
    let unit = json!({"anyOf": [{"type": "string"}, {"type": "null"}], "title": "Unit"});
    let input = object(json!({"city": {"type": "string"}, "unit": unit}));
    let signature = "(city::Text)==>(unit::Text {optional: true})==>(::Any)";
    let policy = BindPolicy::Compatible;
    let wrong = r#"{"unit": "K"}"#;
    let missing = r#"{"city": "Ulm"}"#;
    let null = r#"{"city": "Ulm", "unit": null}"#;
    let (_, results) = shown(signature, input, policy, &[wrong, missing, null]).await;
    assert!(results[0].contains("city"), "{results:?}");
    assert_eq!(results[1..], [r#"{"found":1}"#; 2]);
}

#[cfg(feature = "json-schema")]
#[tokio::test]
async fn the_model_gets_the_tools_own_schema_of_a_tool_bound_by_name() {
    // The types of `count` differ, so only the name binds.
    let input = object(json!({"query": either(), "count": {"type": "string"}}));
    let signature = "(query::Any)==>(count::Int)==>(::Any)";
    let (schema, _) = shown(signature, input, BindPolicy::Name, &[]).await;
    assert_eq!(
        schema["properties"],
        json!({"query": either(), "count": {"type": "integer"}})
    );
    // A union is the spec's own word, so it is no `Any`.
    let input = object(json!({"query": either()}));
    let signature = "(query::Any {anyOf: [\"Int\", \"Text\"]})==>(::Any)";
    let (schema, _) = shown(signature, input, BindPolicy::Name, &[]).await;
    assert_eq!(
        schema["properties"],
        json!({"query": {"anyOf": [{"type": "integer"}, {"type": "string"}]}})
    );
}

/// Gram has unions, and specs that were written without them say `Any`.
#[cfg(feature = "json-schema")]
#[tokio::test]
async fn any_binds_to_alternatives_that_exclude_each_other_and_the_model_gets_them() {
    let kind =
        |kind: &str, more: &str| object(json!({"kind": {"const": kind}, more: {"type": "string"}}));
    let alternatives =
        json!({"oneOf": [kind("town", "name"), kind("code", "zip"), {"type": "string"}]});
    let input =
        object(json!({"place": alternatives, "all": {"type": "array", "items": alternatives}}));
    let signature = "(place::Any)==>(all::Array)==>(::Any)";
    let wrong = r#"{"place": {"kind": "town", "zip": "89073"}, "all": []}"#;
    let right = r#"{"place": {"kind": "town", "name": "Ulm"}, "all": ["Ulm"]}"#;
    let (schema, results) = shown(signature, input, BindPolicy::Compatible, &[wrong, right]).await;
    assert_eq!(schema["properties"]["place"], alternatives);
    assert_eq!(schema["properties"]["all"]["items"], alternatives);
    assert!(
        results[0].contains("`$.place.name`: expected Text"),
        "{results:?}"
    );
    assert_eq!(results[1], r#"{"found":1}"#);
}

#[test]
fn the_error_of_a_call_is_the_tools_own() {
    let tool = made(config(object(json!({"query": {"type": "string"}}))));
    let context = agent_runtime::ToolContext::detached();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let call = agent_runtime::tool::invoke_tool(&tool, r#"{"query": 1}"#, &context);
    let error = runtime
        .expect("a runtime")
        .block_on(call)
        .expect_err("a number");
    assert!(matches!(error, ToolError::Validation(_)), "{error:?}");
}
