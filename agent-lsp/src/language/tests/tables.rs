//! What is known of keys, words and providers is all that there is.

use super::marked;
use crate::language::completion::complete;
use crate::language::{keys, providers, type_words as types};
use agent_spec::Type;
use agent_spec::check::{Options, Place, check};
use agent_spec::model::PROVIDERS;
use agent_spec::types::TYPE_LABELS;

#[test]
fn every_key_that_the_checker_knows_has_a_meaning_and_no_other() {
    for place in Place::ALL {
        for name in place.keys() {
            let entries = keys::all().filter(|key| key.name == name && key.places.contains(&place));
            assert_eq!(entries.count(), 1, "{place:?} {name}");
        }
    }
    for key in keys::all() {
        for place in key.places {
            let known = place.keys().any(|name| name == key.name);
            assert!(known, "{place:?} has no `{}`", key.name);
        }
    }
}

#[test]
fn the_example_of_a_key_is_right_where_the_key_is() {
    for key in keys::all() {
        for place in key.places {
            let source = document(*place, key.name, key.example);
            let checked = check(&source, Options::default());
            assert!(!checked.has_errors(), "{source}\n{:?}", checked.diagnostics);
        }
    }
}

/// A document with an entry in its place.
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
fn the_keys_that_are_proposed_for_a_label_are_right_there() {
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
            for proposal in complete(&empty, offset, &[])
                .expect("there are keys")
                .proposals
            {
                let entry = entry(label, &proposal.label, is_result);
                let source = source.replace('▮', &entry);
                let checked = check(&source, Options::default());
                assert!(!checked.has_errors(), "{source}\n{:?}", checked.diagnostics);
            }
        }
    }
}

/// A key with a value that goes with the label.
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
        key => keys::key(place, key)
            .expect("it is known")
            .example
            .to_owned(),
    }
}

#[test]
fn every_type_label_and_provider_has_a_meaning_and_no_other() {
    let mut labels = types::LABELS.map(|word| word.name);
    let mut known = TYPE_LABELS;
    labels.sort_unstable();
    known.sort_unstable();
    assert_eq!(labels, known);
    for maker in types::MAKERS {
        let type_of = |text: &str| Type::from_expression(&format!("{} {text}", maker.name));
        assert!(
            type_of("Text").is_ok() && type_of("").is_err(),
            "{}",
            maker.name
        );
    }
    assert_eq!(
        providers::PROVIDERS.map(|provider| provider.name),
        PROVIDERS
    );
}

#[test]
fn the_formats_that_are_proposed_are_those_that_are_asserted() {
    let source = "[t:Tool {description: \"d\"} | (a::Text {format: \"\"})==>(::String)]";
    let offset = source.find("\"\"").expect("it is there") + 1;
    let proposed = complete(source, offset, &[]).expect("there are formats");
    for proposal in proposed.proposals {
        let record = format!("{{format: \"{}\", default: \"?\"}}", proposal.label);
        let source = source.replace("{format: \"\"}", &record);
        let refused = check(&source, Options::default()).has_errors();
        assert!(refused, "{} is not asserted", proposal.label);
    }
    let other = source.replace("format: \"\"", "format: \"color\", default: \"?\"");
    assert!(!check(&other, Options::default()).has_errors());
}
