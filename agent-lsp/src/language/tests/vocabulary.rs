//! The documentation of keys, labels and providers is complete and correct.

use super::marked;
use crate::language::completion::complete;
use crate::language::type_words::{CONSTRUCTORS, is_result_only};
use crate::language::vocabulary::{
    self, KeyDoc, catalog_word_markdown, catalog_words, is_catalog_flag, label_markdown,
    provider_markdown, style_markdown,
};
use agent_catalog::Catalog;
use agent_spec::Type;
use agent_spec::check::{Options, check, check_catalog};
use agent_spec::model::PROVIDERS;
use agent_spec::project_file::Project;
use agent_spec::types::TYPE_LABELS;
use agent_spec::vocabulary::{CONST, RecordKind};
use agent_spec::{Style, restyle};

#[test]
fn every_key_of_the_checker_is_documented_and_no_other() {
    for kind in RecordKind::ALL {
        for name in kind.keys() {
            assert!(KeyDoc::find(kind, name).is_some(), "{kind:?} {name}");
        }
    }
    let typed = [
        RecordKind::Parameter,
        RecordKind::Result,
        RecordKind::Field,
        RecordKind::Entry,
        RecordKind::Type,
    ];
    for (page, kinds) in [
        (&vocabulary::AGENT_KEYS, &[RecordKind::Agent][..]),
        (&vocabulary::GRANT_KEYS, &[RecordKind::Grants]),
        (&vocabulary::TOOL_KEYS, &[RecordKind::Tool]),
        (&vocabulary::PROJECT_KEYS, &[RecordKind::Project]),
        (&vocabulary::CATALOG_KEYS, &[RecordKind::Catalog]),
        (&vocabulary::MODEL_KEYS, &[RecordKind::Model]),
        (&vocabulary::PRICE_KEYS, &[RecordKind::Price]),
        (&vocabulary::LONG_CONTEXT_KEYS, &[RecordKind::LongContext]),
        (&vocabulary::TYPE_KEYS, &typed),
    ] {
        let mut known: Vec<&str> = kinds.iter().flat_map(|kind| kind.keys()).collect();
        if kinds.contains(&RecordKind::Type) {
            known.push(CONST);
        }
        known.sort_unstable();
        known.dedup();
        assert_eq!(sorted(page.names()), known);
    }
}

fn sorted(mut names: Vec<&'static str>) -> Vec<&'static str> {
    names.sort_unstable();
    names
}

#[test]
fn examples_of_keys_have_no_errors() {
    for kind in RecordKind::ALL {
        for name in kind.keys() {
            let key = KeyDoc::find(kind, name).expect("the key is documented");
            if kind == RecordKind::Project {
                let source = format!("{{{}}}", key.example());
                assert!(Project::parse(&source).is_ok(), "{source}");
                continue;
            }
            if CATALOG_KINDS.contains(&kind) {
                let source = catalog_document(kind, key.example());
                let read = check_catalog(&source, Catalog::builtin());
                assert!(read.is_ok(), "{source}\n{read:?}");
                continue;
            }
            let source = document(kind, name, key.example());
            let checked = check(&source, Options::default());
            assert!(!checked.has_errors(), "{source}\n{:?}", checked.diagnostics);
        }
    }
}

const CATALOG_KINDS: [RecordKind; 4] = [
    RecordKind::Catalog,
    RecordKind::Model,
    RecordKind::Price,
    RecordKind::LongContext,
];

/// Returns a catalogue with an entry in a record of a kind.
fn catalog_document(kind: RecordKind, entry: &str) -> String {
    let with = |others: &[(&str, &str)]| {
        let mut record = entry.to_owned();
        for (key, value) in others {
            if !entry.starts_with(&format!("{key}:")) {
                record.push_str(&format!(", {key}: {value}"));
            }
        }
        record
    };
    let model = |record: String| format!("[OpenAI:Catalog | [m:Model {{{record}}}]]");
    match kind {
        RecordKind::Catalog => format!("[Mine:Catalog {{{entry}}}]"),
        RecordKind::Model => model(entry.to_owned()),
        RecordKind::Price => {
            let price = with(&[("input", "1"), ("output", "1")]);
            model(format!("price: {{{price}}}"))
        }
        RecordKind::LongContext => {
            let long = with(&[("above", "1"), ("input", "1"), ("output", "1")]);
            model(format!(
                "price: {{input: 1, output: 1, longContext: {{{long}}}}}"
            ))
        }
        other => panic!("no catalogue for {other:?}"),
    }
}

#[test]
fn words_of_catalogues_are_those_of_the_checker_and_documented() {
    for kind in CATALOG_KINDS {
        for key in kind.keys() {
            let words = catalog_words(kind, key);
            for word in &words {
                let markdown = catalog_word_markdown(kind, key, word);
                assert!(markdown.is_some(), "{kind:?} {key} {word}");
            }
            // The checker lists the words that a key accepts.
            let source = catalog_document(kind, &format!("{key}: {{}}"));
            let found = check_catalog(&source, Catalog::builtin()).expect_err("`{}` is no value");
            let (_, expected) = found[0]
                .message()
                .split_once("must be ")
                .expect("the message has the right values");
            let is_flag = expected == "`true` or `false`";
            assert_eq!(is_catalog_flag(kind, key), is_flag, "{kind:?} {key}");
            let listed: Vec<&str> = match expected.starts_with('"') {
                true => expected.split('"').skip(1).step_by(2).collect(),
                false => Vec::new(),
            };
            assert_eq!(words, listed, "{kind:?} {key}");
        }
    }
}

#[test]
fn every_style_is_documented_with_an_example_in_this_style() {
    let styles = Style::ALL.iter().map(|style| style.as_str());
    assert_eq!(vocabulary::STYLES.names(), styles.collect::<Vec<_>>());
    for style in Style::ALL {
        let markdown = style_markdown(*style).expect("the style is documented");
        let (_, block) = markdown.split_once("```gram\n").expect("it has an example");
        let (example, _) = block.split_once("\n```").expect("the block ends");
        let source = format!("[t:Tool {{description: \"d\"}} | {example}]");
        let restyled = restyle(&source, *style).expect("the example has no errors");
        assert_eq!(restyled.text, source);
        assert_eq!(restyled.warnings, []);
    }
}

/// Returns a document with an entry in a record of a kind.
fn document(kind: RecordKind, key: &str, entry: &str) -> String {
    let label = match key {
        "elementType" | "items" | "minItems" | "maxItems" => "Array",
        "anyOf" | "schema" => "Any",
        "fields" | "valueType" => "Object",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "Int",
        _ => "Text",
    };
    let tool = |record: &str, param: &str, result: &str| {
        format!("[t:Tool {record} | (a{param})==>({result})]")
    };
    let described = "{description: \"d\"}";
    let node = format!("::{label} {{{entry}}}");
    let named = format!("name: \"f\", type: \"{label}\", {entry}");
    let own = |key: &str| entry.starts_with(&format!("{key}:"));
    match kind {
        RecordKind::Agent => {
            let mut record = entry.to_owned();
            for (key, value) in [("instruction", "\"i\""), ("model", "\"Offline/m\"")] {
                if !own(key) {
                    record.push_str(&format!(", {key}: {value}"));
                }
            }
            format!("[greeter:Agent {{{record}}}]")
        }
        RecordKind::Grants => {
            format!("[a:Agent {{instruction: \"i\", model: \"Offline/m\", grants: {{{entry}}}}}]")
        }
        RecordKind::Tool if own("description") => {
            tool(&format!("{{{entry}}}"), "::Text", "::String")
        }
        RecordKind::Tool => tool(
            &format!("{{description: \"d\", {entry}}}"),
            "::Text",
            "::String",
        ),
        RecordKind::Parameter if own("paramName") => {
            format!("[t:Tool {described} | ({node})==>(::String)]")
        }
        RecordKind::Parameter => tool(described, &node, "::String"),
        RecordKind::Result => tool(described, "::Text", &node),
        RecordKind::Field if own("name") => tool(
            described,
            &format!("::Object {{fields: [{{type: \"Text\", {entry}}}]}}"),
            "::Null",
        ),
        RecordKind::Field if own("type") => tool(
            described,
            &format!("::Object {{fields: [{{name: \"f\", {entry}}}]}}"),
            "::Null",
        ),
        RecordKind::Field => tool(
            described,
            &format!("::Object {{fields: [{{{named}}}]}}"),
            "::Null",
        ),
        RecordKind::Entry if own("type") => tool(
            described,
            &format!("::Object {{fields: {{f: {{{entry}}}}}}}"),
            "::Null",
        ),
        RecordKind::Entry => tool(
            described,
            &format!("::Object {{fields: {{f: {{type: \"{label}\", {entry}}}}}}}"),
            "::Null",
        ),
        RecordKind::Type if own("type") => tool(
            described,
            &format!("::Array {{elementType: {{{entry}}}}}"),
            "::Null",
        ),
        RecordKind::Type => tool(
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
            ("(a::Any {anyOf: [Bool, {type: @, ▮}]})", false),
            ("(a::Array {items: [Bool, {type: @, ▮}]})", false),
            (
                "(a::Object {fields: {b: Text}, valueType: {type: @, ▮}})",
                false,
            ),
            (
                "(a::Any {anyOf: [Bool, {type: Object, fields: [{name: \"b\", type: @, ▮}]}]})",
                false,
            ),
            (
                "(::Any {anyOf: [Bool, {type: Object, fields: {b: {type: @, ▮}}}]})",
                true,
            ),
        ] {
            if is_result_only(label) && (node.contains("type: @") || !is_result) {
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
    let kind = match is_result {
        true => RecordKind::Result,
        false => RecordKind::Parameter,
    };
    match key {
        "default" => format!("default: {value}"),
        "enum" => format!("enum: [{value}]"),
        key => KeyDoc::find(kind, key)
            .expect("the key is documented")
            .example()
            .to_owned(),
    }
}

#[test]
fn every_type_label_and_provider_is_documented_and_no_other() {
    let words = TYPE_LABELS.into_iter().chain(CONSTRUCTORS);
    assert_eq!(
        sorted(vocabulary::TYPE_WORDS.names()),
        sorted(words.collect())
    );
    for constructor in CONSTRUCTORS {
        let type_of = |text: &str| Type::from_expression(&format!("{constructor} {text}"));
        assert!(
            type_of("Text").is_ok() && type_of("").is_err(),
            "{constructor}"
        );
    }
    for label in ["Agent", "Tool", "ToolSpecification", "Catalog", "Model"] {
        assert!(label_markdown(label).is_some(), "{label}");
    }
    for provider in PROVIDERS {
        assert!(provider_markdown(provider).is_some(), "{provider}");
    }
    for name in vocabulary::PROVIDERS.names() {
        assert!(PROVIDERS.contains(&name), "{name}");
    }
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
