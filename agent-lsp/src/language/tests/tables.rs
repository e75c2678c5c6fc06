//! The documentation of keys, type words and providers is complete and correct.

use super::marked;
use crate::language::completion::complete;
use crate::language::keys::{KEYS, KeyDoc};
use crate::language::providers;
use crate::language::type_words::{CONSTRUCTORS, LABELS};
use agent_spec::Type;
use agent_spec::check::{Options, Place, check};
use agent_spec::model::PROVIDERS;
use agent_spec::types::TYPE_LABELS;

#[test]
fn every_key_of_the_checker_is_documented_and_no_other() {
    for place in Place::ALL {
        for name in place.keys() {
            let entries = KEYS
                .iter()
                .filter(|key| key.name == name && key.places.contains(&place));
            assert_eq!(entries.count(), 1, "{place:?} {name}");
        }
    }
    for key in KEYS {
        for place in key.places {
            let known = place.keys().any(|name| name == key.name);
            assert!(known, "{place:?} has no `{}`", key.name);
        }
    }
}

#[test]
fn examples_of_keys_have_no_errors() {
    for key in KEYS {
        for place in key.places {
            let source = document(*place, key.name, key.example);
            let checked = check(&source, Options::default());
            assert!(!checked.has_errors(), "{source}\n{:?}", checked.diagnostics);
        }
    }
}

/// Returns a document with an entry in a record of a kind.
fn document(place: Place, key: &str, entry: &str) -> String {
    let label = match key {
        "elementType" | "minItems" | "maxItems" => "Array",
        "fields" | "valueType" => "Object",
        "minimum" | "maximum" => "Int",
        _ => "Text",
    };
    let tool = |record: &str, param: &str, result: &str| {
        format!("[t:Tool {record} | (a{param})==>({result})]")
    };
    let described = "{description: \"d\"}";
    let node = format!("::{label} {{{entry}}}");
    let named = format!("name: \"f\", type: \"{label}\", {entry}");
    let own = |key: &str| entry.starts_with(&format!("{key}:"));
    match place {
        Place::Agent => {
            let mut record = entry.to_owned();
            for (key, value) in [("instruction", "\"i\""), ("model", "\"Offline/m\"")] {
                if !own(key) {
                    record.push_str(&format!(", {key}: {value}"));
                }
            }
            format!("[greeter:Agent {{{record}}}]")
        }
        Place::Grants => {
            format!("[a:Agent {{instruction: \"i\", model: \"Offline/m\", grants: {{{entry}}}}}]")
        }
        Place::Tool if own("description") => tool(&format!("{{{entry}}}"), "::Text", "::String"),
        Place::Tool => tool(
            &format!("{{description: \"d\", {entry}}}"),
            "::Text",
            "::String",
        ),
        Place::Parameter if own("paramName") => {
            format!("[t:Tool {described} | ({node})==>(::String)]")
        }
        Place::Parameter => tool(described, &node, "::String"),
        Place::Result => tool(described, "::Text", &node),
        Place::Field if own("name") => tool(
            described,
            &format!("::Object {{fields: [{{type: \"Text\", {entry}}}]}}"),
            "::Null",
        ),
        Place::Field if own("type") => tool(
            described,
            &format!("::Object {{fields: [{{name: \"f\", {entry}}}]}}"),
            "::Null",
        ),
        Place::Field => tool(
            described,
            &format!("::Object {{fields: [{{{named}}}]}}"),
            "::Null",
        ),
        Place::Entry if own("type") => tool(
            described,
            &format!("::Object {{fields: {{f: {{{entry}}}}}}}"),
            "::Null",
        ),
        Place::Entry => tool(
            described,
            &format!("::Object {{fields: {{f: {{type: \"{label}\", {entry}}}}}}}"),
            "::Null",
        ),
        Place::Type if own("type") => tool(
            described,
            &format!("::Array {{elementType: {{{entry}}}}}"),
            "::Null",
        ),
        Place::Type => tool(
            described,
            &format!("::Array {{elementType: {{type: \"{label}\", {entry}}}}}"),
            "::Null",
        ),
        other => panic!("no document for {other:?}"),
    }
}

#[test]
fn completed_keys_of_a_label_have_no_errors() {
    for label in TYPE_LABELS {
        for (node, is_result) in [
            ("(a::@ {▮})", false),
            ("(::@ {▮})", false),
            ("(::@ {▮})", true),
        ] {
            if label == "Null" && !is_result {
                continue;
            }
            let node = node.replace('@', label);
            let path = match is_result {
                true => format!("(a::Text)==>{node}"),
                false => format!("{node}==>(::String)"),
            };
            let source = format!("[t:Tool {{description: \"d\"}} | {path}]");
            let (empty, offset) = marked(&source);
            for item in complete(&empty, offset, &[]).expect("there are keys").items {
                let entry = entry(label, &item.label, is_result);
                let source = source.replace('▮', &entry);
                let checked = check(&source, Options::default());
                assert!(!checked.has_errors(), "{source}\n{:?}", checked.diagnostics);
            }
        }
    }
}

/// Returns a key with a value that fits the label.
fn entry(label: &str, key: &str, is_result: bool) -> String {
    let value = match label {
        "Int" | "Integer" | "Double" | "Number" => "1",
        "Bool" | "Boolean" => "true",
        "Object" => "{}",
        "Array" => "[]",
        _ => "\"a\"",
    };
    let place = match is_result {
        true => Place::Result,
        false => Place::Parameter,
    };
    match key {
        "default" => format!("default: {value}"),
        "enum" => format!("enum: [{value}]"),
        key => KeyDoc::find(place, key)
            .expect("the key is documented")
            .example
            .to_owned(),
    }
}

#[test]
fn every_type_label_and_provider_is_documented_and_no_other() {
    let mut labels = LABELS.map(|word| word.name);
    let mut known = TYPE_LABELS;
    labels.sort_unstable();
    known.sort_unstable();
    assert_eq!(labels, known);
    for constructor in CONSTRUCTORS {
        let type_of = |text: &str| Type::from_expression(&format!("{} {text}", constructor.name));
        assert!(
            type_of("Text").is_ok() && type_of("").is_err(),
            "{}",
            constructor.name
        );
    }
    assert_eq!(
        providers::PROVIDERS.map(|provider| provider.name),
        PROVIDERS
    );
}

#[test]
fn completed_formats_are_validated_and_no_other() {
    let source = "[t:Tool {description: \"d\"} | (a::Text {format: \"\"})==>(::String)]";
    let offset = source.find("\"\"").expect("it is there") + 1;
    let completion = complete(source, offset, &[]).expect("there are formats");
    for item in completion.items {
        let record = format!("{{format: \"{}\", default: \"?\"}}", item.label);
        let source = source.replace("{format: \"\"}", &record);
        let refused = check(&source, Options::default()).has_errors();
        assert!(refused, "{} is not validated", item.label);
    }
    let other = source.replace("format: \"\"", "format: \"color\", default: \"?\"");
    assert!(!check(&other, Options::default()).has_errors());
}
