//! Texts: the one writer of signatures and tools against the printer of patterns.

use agent_spec::binding::Policy;
use agent_spec::{ToolDescriptor, ToolSettings, ToolSpec};

/// Descriptors print in a `const`, specs by way of their pattern. Both must give one layout.
#[test]
fn descriptors_and_patterns_print_the_same_text() {
    let long = "word ".repeat(40);
    let wide = "wide ".repeat(15);
    for (description, signature) in [
        ("Greets".to_owned(), "(personName::Text {default: \"world\"})==>(::String)".to_owned()),
        ("Says \"hi\"\\".to_owned(), "()==>(::Null)".to_owned()),
        (wide.clone(), "()==>(::String)".to_owned()),
        (long.clone(), "()==>(::String)".to_owned()),
        ("One.\n\nTwo.".to_owned(), "()==>(::String)".to_owned()),
        ("d".to_owned(), format!("(a::Text {{description: {wide:?}}})==>(b::Int {{minimum: 1}})==>(::String)")),
        ("d".to_owned(), format!("(a::Text {{description: {long:?}}})==>(::String)")),
        ("d".to_owned(), format!("(a::Text {{enum: [{wide:?}, \"x\"]}})==>(::Array {{elementType: \"Int\"}})")),
        (
            "d".to_owned(),
            format!(
                "(user::Object {{fields: [{{name: \"name\", type: \"Text\", description: {wide:?}}}, {{name: \"tags\", type: \"Array\", elementType: {{type: \"Object\", valueType: \"Double\"}}}}]}})==>(::String)"
            ),
        ),
        ("d".to_owned(), "(a::Double {default: 0.5})==>(b::Array {default: [1, 2]})==>(c::Any {default: {k: [true]}})==>(::Any)".to_owned()),
        ("é".repeat(70), "(`1.a-b`::Object {fields: [{name: \"ä ö\", type: \"Text\"}]})==>(::String)".to_owned()),
    ] {
        let signature = agent_spec::parse_signature(&signature).expect("a correct signature");
        let spec = ToolSpec::with_signature("theTool", description.clone(), signature.clone())
            .expect("a correct tool");
        let descriptor = ToolDescriptor::new(
            "theTool".into(),
            description.into(),
            agent_spec::Contract::Signature(signature),
            ToolSettings::DEFAULT,
        );
        let text = descriptor.to_gram().expect("it has a signature");
        assert_eq!(text, spec.to_gram());
        let checked = agent_spec::check::check(&text, agent_spec::check::Options::default());
        assert!(!checked.has_errors(), "{text}\n{:?}", checked.diagnostics);
        assert_eq!(checked.tools[0].spec, spec, "{text}");
    }
}

/// Both break a line at the same width, at every depth of a type.
#[test]
fn descriptors_and_patterns_break_lines_at_the_same_width() {
    for length in 1..90 {
        let word = "x".repeat(length);
        let field = format!("{{name: \"a\", type: \"Text\", description: {word:?}}}");
        let record = format!("{{type: \"Object\", fields: [{field}]}}");
        for signature in [
            format!("(p::Object {{fields: [{field}]}})==>(::Any)"),
            format!("(p::Array {{elementType: {record}}})==>(::Any)"),
            format!("(p::Object {{fields: [{{name: \"b\", type: {record}}}]}})==>(::Any)"),
            format!("()==>(::Object {{valueType: {{type: \"Text\", enum: [{word:?}]}}}})"),
        ] {
            let signature = agent_spec::parse_signature(&signature).expect("a correct signature");
            let spec = ToolSpec::with_signature("t", "d", signature.clone()).expect("a tool");
            let descriptor = ToolDescriptor::new(
                "t".into(),
                "d".into(),
                agent_spec::Contract::Signature(signature),
                ToolSettings::DEFAULT,
            );
            assert_eq!(descriptor.to_gram(), Some(spec.to_gram()));
        }
    }
}

#[test]
fn default_policy_is_compatible() {
    assert_eq!(Policy::default(), Policy::Compatible);
}
