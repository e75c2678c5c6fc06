//! Completion within documents without errors: the items include the word that is there.

use super::{KNOWN, tools};
use crate::language::completion::complete;
use agent_spec::ToolSpec;
use agent_spec::check::{Options, check};

/// A document with a known word in every context.
const ALL: &str = r#"
[a:Agent {
  description: "d", instruction: "i", model: "OpenAI/m", temperature: 1, reasoningEffort: "low",
  toolChoice: "t", grants: {read: ["a"], network: ["b.example"]}, fallback: ["Ollama/m"]
} | t, getTime, [u:ToolSpecification {description: "d", requiresApproval: true} | ()==>(::Null)]]
@@t:Tool @description("d") @timeout(2s)
(a::Text {format: "date", optional: true})==>(b::Array {elementType: "Maybe {c: Text, d: [Int]}"})
  ==>(c::Object {fields: [{name: "e", type: "Bool"}, {name: "f", type: {type: "Map Double"}}]})
  ==>(d::Object {fields: {g: "Any", h: {type: "Number", minimum: 1}}, description: "d"})==>(::String)
"#;

/// Checks that completion at every letter of a word includes the word. Returns the number of words.
fn count_completed_words(source: &str, known: &[ToolSpec]) -> usize {
    let options = Options {
        known_tools: known,
        ..Options::default()
    };
    let checked = check(source, options);
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    let mut words = std::collections::HashSet::new();
    for offset in 0..=source.len() {
        let Some(completion) = complete(source, offset, known) else {
            continue;
        };
        let word = completion.span.text(source).trim_matches('"');
        // An empty word is where another word can begin.
        if !word.is_empty() {
            let labels: Vec<_> = completion.items.iter().map(|it| &it.label).collect();
            assert!(
                labels.iter().any(|label| *label == word),
                "{word} is not one of {labels:?}"
            );
            words.insert(completion.span);
        }
    }
    words.len()
}

#[test]
fn completes_every_known_word() {
    let known = tools(KNOWN);
    // 15 in the agent, 7 in its elements, 3 before the signature, 28 in the signature.
    assert_eq!(count_completed_words(ALL, &known), 53);
    let hello = include_str!("../../../../examples/agents/hello_and_goodbye.gram");
    let known = tools(concat!(
        include_str!("../../../../examples/tools/say_hello.gram"),
        include_str!("../../../../examples/tools/say_goodbye.gram"),
    ));
    assert!(count_completed_words(hello, &known) > 5);
}
