//! Results for any text and any offset are within the text.

use super::{KNOWN, analysis, tools};
use crate::language::completion::{complete, complete_project};
use crate::language::hover::{hover, hover_project};
use crate::language::occurrences::{occurrence_at, occurrences};
use crate::language::rename::rename;
use crate::language::resolve::{Document, definitions, references};
use crate::language::symbols::{Symbol, symbols};
use agent_gram::Span;
use proptest::prelude::*;

/// Documents with everything that has hover, completion or references.
const EXAMPLES: [&str; 6] = [
    include_str!("../../../../examples/agents/hello_and_goodbye.gram"),
    "@@greet:Tool @description(\"Grüßt — 👋🏽\") @name(\"greet\")\r\n(who::Text {default: 'Welt'})==>(::String)\r\n\
     [ä:Agent {instruction: ```md\r\nUse `greet`.\r\n```, model: \"OpenAI/m\", toolChoice: \"greet\",\r\n\
     grants: {read: [\"a\"]}} | greet, getTime, (greet), // é\r\n [`x`:Tool | (a::Object {fields: [{name: \"b\", \
     type: \"{é: [Maybe Int]}\"}, {type: Text}]})==>(::Array {elementType: {type: \"Int\", minimum: 1}})]]",
    "[t:Tool | (a::Any {anyOf: [\"Text | (Int, {é: Int, *: Bool})\", {type: Object, fields: [{name: \"n\", type: Int, \
     exclusiveMinimum: 0}], valueType: {type: \"Double\", const: 1}}]})==>(::Array {items: [Text, {type: \"[Int]\"}]})]",
    "{tools: [\"é/*.gram\"], style: \"portable\", providers: [\"Acme\"]}",
    "[é:Catalog {made: \"2026-11-28\", apis: [\"chat\"], format: \"OpenAI\"} | [m:Model {efforts: [\"none\", \"é\"],\r\n\
     price: {input: 1, longContext: {above: 2}}, temperature: \"effort none\", stop: true}], [n]] [b:Catalog]",
    "(u)=[a:Agent {model: \"m\", extra: {b: [1..2, 3s]}}]=>(t:Tool) [x | [t:Tool | (::R)<==(a::Text)], t]",
];

/// Returns a text to insert.
fn piece() -> impl Strategy<Value = String> {
    let tokens = [
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "|",
        ":",
        "::",
        ",",
        "\"",
        "'",
        "`",
        "```",
        "@",
        "@@",
        "//",
        "/**",
        "==>",
        "<--",
        "\n",
        "\r\n",
        "\r",
        "\"\nOpen",
        "é",
        "👋🏽",
        "old",
        "Tool",
        "Agent",
        "type: ",
        "model: ",
        "fields: [{",
        "\\",
        "1",
        "-",
        "\u{feff}",
        "\0",
    ];
    prop::sample::select(tokens.to_vec()).prop_map(str::to_owned)
}

/// Replaces a part of a text. Bytes that are no longer UTF-8 become U+FFFD.
fn edit(text: &str, at: usize, length: usize, piece: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let start = at % (bytes.len() + 1);
    let end = (start + length).min(bytes.len());
    bytes.splice(start..end, piece.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_inside(source: &str, span: Span) -> bool {
    span.start <= span.end && source.get(span.start..span.end).is_some()
}

#[track_caller]
fn check_symbols(source: &str, symbols: &[Symbol]) {
    for symbol in symbols {
        assert!(!symbol.name.is_empty());
        assert!(is_inside(source, symbol.span), "{symbol:?}");
        assert!(is_inside(source, symbol.name_span), "{symbol:?}");
        assert!(contains(symbol.span, symbol.name_span), "{symbol:?}");
        for child in &symbol.children {
            assert!(contains(symbol.span, child.span), "{symbol:?}");
        }
        check_symbols(source, &symbol.children);
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

proptest! {
    #[test]
    fn results_for_any_text_are_within_it(
        example in 0..EXAMPLES.len(),
        changes in prop::collection::vec((any::<usize>(), 0..40_usize, piece()), 0..6),
        offsets in prop::collection::vec(any::<usize>(), 8),
    ) {
        let mut source = EXAMPLES[example].to_owned();
        for (at, length, piece) in &changes {
            source = edit(&source, *at, *length, piece);
        }
        let known = tools(KNOWN);
        let analysis = analysis(&source, &known);
        check_symbols(&source, &symbols(&analysis));
        for occurrence in occurrences(analysis.outline()) {
            prop_assert!(is_inside(&source, occurrence.span));
        }
        let documents = [Document { id: (), display_name: "it", text: &source, analysis: &analysis, is_shared: true }];
        for offset in offsets {
            let offset = offset % (source.len() + 2);
            let hovers = [
                hover(&source, &analysis, offset, &known, &|_| String::new()),
                hover_project(&source, offset),
            ];
            for hover in hovers.into_iter().flatten() {
                prop_assert!(is_inside(&source, hover.span));
                prop_assert!(hover.span.start <= offset && offset <= hover.span.end);
            }
            let completions = [complete(&source, offset, &known), complete_project(&source, offset)];
            for completion in completions.into_iter().flatten() {
                let span = completion.span;
                prop_assert!(is_inside(&source, span));
                prop_assert!(!span.text(&source).contains(['\n', '\r']), "{:?}", span.text(&source));
                let offset = source.floor_char_boundary(offset);
                prop_assert!(span.start <= offset && offset <= span.end);
            }
            if let Some(occurrence) = occurrence_at(analysis.outline(), offset) {
                let name = occurrence.name;
                for (_, span) in definitions(&documents, &(), name) {
                    prop_assert!(is_inside(&source, span));
                }
                prop_assert!(!references(&documents, name, true).is_empty() || occurrence.role.is_definition());
                for (_, edits) in rename(&documents, &(), (name, "zq"), &known).unwrap_or_default() {
                    let mut end = 0;
                    for edit in edits {
                        prop_assert!(is_inside(&source, edit.span) && end <= edit.span.start);
                        end = edit.span.end;
                    }
                }
            }
        }
    }
}
