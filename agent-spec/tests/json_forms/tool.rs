//! Tools in their JSON form.

use agent_effects::Effects;
use agent_gram::value::{Measurement, Record, Symbol};
use agent_gram::{Value, parse_patterns};
use agent_spec::json::tool_pattern_from_json;
use agent_spec::{Field, Kind, Returns, Signature, ToolSpec, Type};
use serde_json::json;
use std::time::Duration;

pub(crate) fn say_hello() -> ToolSpec {
    let name =
        Field::new("name", Type::new(Kind::Text)).with_default(Value::String("world".into()));
    let signature = Signature::new(vec![name], Returns::new(Type::new(Kind::Text)));
    ToolSpec::from_parts("sayHello".into(), "Says hello".into(), signature)
}

fn with_settings(extra: Record) -> ToolSpec {
    let signature = say_hello().signature().clone();
    let timeout = Some(Duration::from_millis(1500));
    ToolSpec::from_static_settings(
        "sayHello",
        "Says hello",
        signature,
        timeout,
        true,
        Effects::NONE,
        extra,
    )
}

#[test]
fn writes_members_of_tools_in_order() {
    let text = serde_json::to_string(&say_hello()).expect("JSON");
    let signature = serde_json::to_string(&say_hello().signature().to_string()).expect("JSON");
    assert_eq!(
        text,
        format!(
            r#"{{"name":"sayHello","description":"Says hello","typeSignature":{signature},"schema":{}}}"#,
            say_hello().signature().schema()
        )
    );
    let parsed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(say_hello().to_json(), parsed);
}

#[test]
fn writes_settings_and_extra_properties() {
    let extra = Record::from_entries([
        ("owner".into(), Value::Symbol(Symbol::from_static("team-a"))),
        ("schema".into(), Value::String("shadowed".into())),
    ]);
    let json = with_settings(extra.expect("flat")).to_json();
    assert_eq!(json["timeout"], json!("1500ms"));
    assert_eq!(json["requiresApproval"], json!(true));
    assert_eq!(json["owner"], json!({"type": "symbol", "value": "team-a"}));
    assert_eq!(json["schema"]["type"], json!("object"));
    assert!(say_hello().to_json().get("timeout").is_none());
}

#[test]
fn reads_a_tool_as_its_pattern() {
    for (json, gram) in [
        (
            json!({"name": "f", "description": "d", "typeSignature": "(a::Int)==>(::String)"}),
            r#"[f:Tool {description: "d"} | (a::Int)==>(::String)]"#,
        ),
        (
            json!({
                "name": "f", "description": "d", "typeSignature": "()==>(::String)",
                "schema": {"wrong": true}, "timeout": "1500ms", "requiresApproval": true,
                "owner": {"type": "symbol", "value": "a"}, "nothing": null,
            }),
            r#"[f:Tool {description: "d", owner: a, requiresApproval: true, timeout: 1500ms} | ()==>(::String)]"#,
        ),
        (
            json!({
                "name": "f", "description": "d", "typeSignature": "()==>(::String)",
                "timeout": "soon",
            }),
            r#"[f:Tool {description: "d", timeout: "soon"} | ()==>(::String)]"#,
        ),
    ] {
        let expected = parse_patterns(gram).expect("gram");
        let pattern = tool_pattern_from_json(&json).expect("a tool");
        assert_eq!([pattern], expected[..], "{gram}");
    }
}

#[test]
fn reads_what_it_writes() {
    let extra = Record::from_entries([("a".into(), Value::Integer(1))]);
    let tool = with_settings(extra.expect("flat"));
    let pattern = tool_pattern_from_json(&tool.to_json()).expect("a tool");
    let subject = pattern.subject();
    assert_eq!(subject.identity, "sayHello");
    assert_eq!(subject.labels, ["Tool"]);
    assert_eq!(subject.properties.get("a"), Some(&Value::Integer(1)));
    let timeout = Measurement::new(1500.0, "ms").expect("a measurement");
    assert_eq!(
        subject.properties.get("timeout"),
        Some(&Value::from(timeout))
    );
    let signature = parse_patterns(&tool.signature().to_string()).expect("gram");
    assert_eq!(pattern.elements(), signature);
}

#[test]
fn errors_name_the_path() {
    let signature = "(a::Int)==>(::String)";
    for (json, expected) in [
        (
            json!("f"),
            r#"`$`: expected a tool, `{"name", "description", "typeSignature"}`, found the text "f""#,
        ),
        (
            json!({}),
            "`$.name`: expected the tool's name, found nothing",
        ),
        (
            json!({"name": "f", "description": 1, "typeSignature": signature}),
            "`$.description`: expected the tool's description, found the number 1",
        ),
        (
            json!({"name": "f", "description": "d"}),
            "`$.typeSignature`: expected the tool's signature, as gram text, found nothing",
        ),
        (
            json!({"name": "f", "description": "d", "typeSignature": " "}),
            "`$.typeSignature`: expected a signature, such as `(name::Text)==>(::String)`, found no pattern",
        ),
        (
            json!({"name": "f", "description": "d", "typeSignature": "(a) (b)"}),
            "`$.typeSignature`: expected a signature, such as `(name::Text)==>(::String)`, found 2 patterns",
        ),
        (
            json!({"name": "f", "description": "d", "typeSignature": signature, "tags": [null]}),
            "`$.tags[0]`: expected a value (gram has no null), found null",
        ),
    ] {
        assert_eq!(
            tool_pattern_from_json(&json)
                .expect_err("wrong")
                .to_string(),
            expected
        );
    }
    let bad = json!({"name": "f", "description": "d", "typeSignature": "(a::"});
    let error = tool_pattern_from_json(&bad).expect_err("wrong");
    assert_eq!(error.path(), "$.typeSignature");
    assert!(
        error.found().starts_with("text that is not gram: "),
        "{error}"
    );
}
