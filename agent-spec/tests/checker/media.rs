//! The types of media: `Image`, `Audio`, `Document` and `Parts`.

use super::mistakes::one_finding;
use agent_spec::binding::{Policy, first_mismatch};
use agent_spec::{Kind, MediaKind, Signature, ToolSpec, Type};
use serde_json::{Value, json};

fn tool(signature: &str) -> String {
    format!("[t:Tool {{description: \"d\"}} | {signature}]")
}

fn media(kind: MediaKind) -> Type {
    Type::new(Kind::Media(kind))
}

fn parse(signature: &str) -> Signature {
    agent_spec::parse_signature(signature).unwrap_or_else(|error| panic!("{signature}\n{error}"))
}

#[test]
fn media_are_whole_results() {
    for kind in MediaKind::ALL {
        let label = kind.label();
        for (text, optional) in [
            (format!("(path::Text)==>(::{label})"), false),
            (format!("()==>(::{label} {{optional: true}})"), true),
            (
                format!("()==>(::{label} {{description: \"The photo.\"}})"),
                false,
            ),
        ] {
            let signature = parse(&text);
            assert_eq!(
                *signature.returns().ty(),
                media(kind).with_optional(optional),
                "{text}"
            );
            assert_eq!(signature.to_string(), text);
        }
    }
}

#[test]
fn media_stand_nowhere_else() {
    for (signature, at, help) in [
        ("(a::Image)==>(::String)", "Image", "==>(::Image)"),
        ("(a::Parts)==>(::String)", "Parts", "==>(::Parts)"),
        (
            "(a::Image {optional: true})==>(::String)",
            "Image",
            "==>(::Parts)",
        ),
        (
            "()==>(::Array {elementType: \"Image\"})",
            "\"Image\"",
            "==>(::Parts)",
        ),
        (
            "()==>(::Array {elementType: Audio})",
            "Audio",
            "==>(::Audio)",
        ),
        (
            "()==>(::Array {items: [\"Text\", \"Image\"]})",
            "\"Image\"",
            "",
        ),
        ("()==>(::Object {valueType: Document})", "Document", ""),
        ("()==>(::Object {fields: {photo: Image}})", "Image", ""),
        (
            "()==>(::Object {fields: {photo: \"Maybe Image\"}})",
            "\"Maybe Image\"",
            "",
        ),
        (
            "()==>(::Object {fields: [{name: \"a\", type: {type: \"Image\"}}]})",
            "{type: \"Image\"}",
            "",
        ),
        (
            "()==>(::Any {anyOf: [\"Text\", \"Image\"]})",
            "\"Image\"",
            "",
        ),
        (
            "()==>(::Array {elementType: \"Text | Image\"})",
            "\"Text | Image\"",
            "",
        ),
        (
            "()==>(::Array {elementType: \"[Parts]\"})",
            "\"[Parts]\"",
            "",
        ),
    ] {
        // A type expression has one code for all its mistakes.
        let code = match at.starts_with('"') && at.contains(['[', '|', ' ']) {
            true => "agent::unknown-type",
            false => "agent::misplaced-type",
        };
        one_finding(&tool(signature), code, at, help);
    }
    let error = Type::from_expression("Map Image").expect_err("no value is an image");
    assert!(
        error
            .to_string()
            .contains("`Image` stands only as a whole result"),
        "{error}"
    );
}

#[test]
fn keywords_do_not_narrow_media() {
    for (signature, at) in [
        ("()==>(::Image {enum: [\"a\"]})", "[\"a\"]"),
        ("()==>(::Image {minLength: 1})", "1"),
        ("()==>(::Parts {maxItems: 3})", "3"),
        ("()==>(::Image {fields: {a: Text}})", "{a: Text}"),
        ("()==>(::Parts {elementType: Text})", "Text"),
    ] {
        one_finding(&tool(signature), "agent::misplaced-keyword", at, "");
    }
}

#[test]
fn labels_are_suggested_and_written_with_their_case() {
    for (label, meant) in [
        ("image", "Image"),
        ("Documnt", "Document"),
        ("Part", "Parts"),
    ] {
        one_finding(
            &tool(&format!("()==>(::{label})")),
            "agent::unknown-type",
            label,
            meant,
        );
    }
}

/// The value of a part, and a value with one mistake.
fn values(kind: MediaKind) -> (Value, Value) {
    match kind {
        MediaKind::Image => (
            json!({"type": "image", "mediaType": "image/png", "data": "iVBORw0KGgo="}),
            json!({"type": "audio", "data": "iVBORw0KGgo="}),
        ),
        MediaKind::Audio => (
            json!({"type": "audio", "url": "https://example.com/a.mp3"}),
            json!({"type": "audio", "url": 5}),
        ),
        MediaKind::Document => (
            json!({"type": "document", "fileId": "f", "provider": "OpenAI"}),
            json!("text"),
        ),
        _ => (
            json!([{"type": "text", "text": "Two photos:"}, {"type": "image", "sha256": "0"}]),
            json!([{"type": "provider", "provider": "OpenAI", "data": 1}]),
        ),
    }
}

#[test]
fn results_are_parts_in_json() {
    for kind in MediaKind::ALL {
        let (right, wrong) = values(kind);
        let ty = media(kind);
        assert!(ty.validate(&right).is_ok(), "{kind:?}");
        assert!(ty.validate(&wrong).is_err(), "{kind:?}");
        assert!(ty.validate(&Value::Null).is_err(), "{kind:?}");
        let optional = ty.with_optional(true);
        assert!(optional.validate(&Value::Null).is_ok(), "{kind:?}");
        assert!(optional.validate(&wrong).is_err(), "{kind:?}");
    }
    let violations = media(MediaKind::Parts)
        .validate(&json!([{"type": "text", "text": "a"}, {"type": "video"}]))
        .expect_err("no part is a video");
    assert_eq!(violations.first().path(), "$[1].type");
}

#[test]
fn the_schema_of_media_is_that_of_a_part_and_is_read_back() {
    let schema = media(MediaKind::Image).schema().to_value();
    assert_eq!(
        schema["properties"]["type"],
        json!({"type": "string", "enum": ["image"]})
    );
    assert_eq!(schema["required"], json!(["type"]));
    let schema = media(MediaKind::Parts).schema().to_value();
    assert_eq!(schema["type"], "array");
    assert_eq!(
        schema["items"]["properties"]["type"]["enum"],
        json!(["text", "image", "audio", "document"])
    );
}

#[test]
fn signatures_from_schemas_have_media() {
    for kind in MediaKind::ALL {
        for optional in ["", " {optional: true}"] {
            let signature = parse(&format!("(a::Text)==>(::{}{optional})", kind.label()));
            let (schema, returns) = (signature.schema(), signature.return_schema());
            let read = Signature::from_schemas(&schema, Some(&returns)).expect("our own schemas");
            assert_eq!(read.to_string(), signature.to_string());
            // A `Value` sorts the members.
            let (schema, returns) = (schema.to_value(), returns.to_value());
            let read = Signature::from_schemas(&schema, Some(&returns)).expect("our own schemas");
            assert_eq!(read.to_string(), signature.to_string());
        }
    }
    // Elsewhere it is a record.
    let image = media(MediaKind::Image).schema().to_value();
    let schema = json!({"type": "object", "properties": {"a": image}, "required": ["a"]});
    let read = Signature::from_schemas(&schema, None).expect("a record");
    assert!(matches!(read.params()[0].ty().kind(), Kind::Object(_)));
}

#[test]
fn media_bind_only_to_media_of_their_kind() {
    let labels = [
        "Image", "Audio", "Document", "Parts", "String", "Any", "Object", "Array",
    ];
    for spec in labels {
        for tool in labels {
            let is_media = |label: &str| MediaKind::ALL.iter().any(|kind| kind.label() == label);
            if !is_media(spec) && !is_media(tool) {
                continue;
            }
            let [ours, theirs] = [spec, tool].map(|label| parse(&format!("()==>(::{label})")));
            let found = first_mismatch(("d", &ours), ("d", &theirs), Policy::default());
            assert_eq!(found.is_none(), spec == tool, "{spec} {tool}");
        }
    }
}

#[test]
fn a_tool_with_media_round_trips_as_json_and_pattern() {
    let spec = ToolSpec::new("photo", "Takes a photo", "(of::Text)==>(::Image)").expect("a tool");
    let json = spec.to_json();
    assert_eq!(json["typeSignature"], "(of::Text)==>(::Image)");
    assert_eq!(
        ToolSpec::from_pattern(spec.to_pattern().as_pattern()).expect("a tool"),
        spec
    );
}

#[test]
fn a_signature_made_in_code_cannot_misplace_media() {
    let param = agent_spec::Param::new("photo", media(MediaKind::Image));
    let returns = agent_spec::Returns::new(Type::new(Kind::Null));
    let signature = Signature::new(vec![param], returns);
    let error = ToolSpec::with_signature("show", "Shows it", signature).expect_err("a parameter");
    assert!(error.to_string().contains("whole result"), "{error}");
}
