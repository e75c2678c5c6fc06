//! Renaming: edits, errors, and the same diagnostics before and after.

use super::{analysis, tools};
use crate::language::analysis::Analysis;
use crate::language::rename::{DocumentEdits, check_renamable, rename};
use crate::language::resolve::Document;
use agent_spec::ToolSpec;
use agent_spec::check::{Options, check};
use proptest::prelude::*;

/// The name of a document, its text, and whether it was given with `--tools`.
type Text = (&'static str, String, bool);

/// Returns the tools of the shared documents, and a built-in one.
fn known(texts: &[Text]) -> Vec<ToolSpec> {
    let shared = texts.iter().filter(|(_, _, shared)| *shared);
    let mut known: Vec<ToolSpec> = shared
        .flat_map(|(_, text, _)| check(text, Options::default()).tools)
        .map(|node| node.spec.clone())
        .collect();
    known.extend(tools(
        "[builtin:Tool {description: \"b\"} | ()==>(::String)]",
    ));
    known
}

fn with_documents<T>(
    texts: &[Text],
    then: impl FnOnce(&[Document<'_, &'static str>], &[ToolSpec]) -> T,
) -> T {
    let known = known(texts);
    let read: Vec<Analysis> = texts
        .iter()
        .map(|(_, text, _)| analysis(text, &known))
        .collect();
    let documents: Vec<_> = (texts.iter().zip(&read))
        .map(|((id, text, shared), analysis)| Document {
            id: *id,
            display_name: id,
            text,
            analysis,
            is_shared: *shared,
        })
        .collect();
    then(&documents, &known)
}

fn edits(
    texts: &[Text],
    here: &'static str,
    from: &str,
    to: &str,
) -> Result<Vec<DocumentEdits<&'static str>>, String> {
    with_documents(texts, |documents, known| {
        rename(documents, &here, (from, to), known)
    })
}

/// Returns the documents after the edits.
fn edited(texts: &[Text], edits: &[DocumentEdits<&'static str>]) -> Vec<Text> {
    let mut texts = texts.to_vec();
    for (id, edits) in edits {
        let text = texts
            .iter_mut()
            .find(|text| text.0 == *id)
            .expect("the document exists");
        for edit in edits.iter().rev() {
            text.1
                .replace_range(edit.span.start..edit.span.end, &edit.text);
        }
    }
    texts
}

fn one(text: &str) -> Vec<Text> {
    vec![("one", text.to_owned(), false)]
}

const TOOL: &str = "[old:Tool {description: \"d\"} | ()==>(::Null)]";

#[test]
fn renames_every_occurrence_of_the_name() {
    for (before, after) in [
        (
            "[old:Tool {name: \"old\", description: \"old\"} | (old::Text)==>(::Null)]",
            "[new:Tool {name: \"new\", description: \"old\"} | (old::Text)==>(::Null)]",
        ),
        (
            "[old:Tool {name: 'other'} | ()==>(::Null)]",
            "[new:Tool {name: 'other'} | ()==>(::Null)]",
        ),
        (
            "[a:Agent {toolChoice: 'old', instruction: \"use old\"} | old, (old), `old`, t]\n[old:Tool | ()]",
            "[a:Agent {toolChoice: \"new\", instruction: \"use old\"} | new, (new), new, t]\n[new:Tool | ()]",
        ),
        (
            "[a:Agent {toolChoice: 'old'} | old, [b:Agent | old]]\n[old:Agent {name: \"old\"} | (old::Text)==>(::Null), old]",
            "[a:Agent {toolChoice: \"new\"} | new, [b:Agent | new]]\n[new:Agent {name: \"new\"} | (old::Text)==>(::Null), new]",
        ),
        (
            "@@old:Tool @description(\"d\") ()==>(::Null)",
            "@@new:Tool @description(\"d\") ()==>(::Null)",
        ),
        (
            "@@`old`:Tool @description(\"d\") ()",
            "@@new:Tool @description(\"d\") ()",
        ),
        ("[`old` :Tool | ()]", "[new :Tool | ()]"),
        (
            "[old:Tool | ()] [old:Tool | (a::Int)] [x | old]",
            "[new:Tool | ()] [new:Tool | (a::Int)] [x | old]",
        ),
        // With syntax errors.
        (
            "[old:Tool {description: \"d\n[a:Agent | old",
            "[new:Tool {description: \"d\n[a:Agent | new",
        ),
        ("[a:Agent | old, [old:Tool", "[a:Agent | new, [new:Tool"),
    ] {
        let texts = one(before);
        let edits =
            edits(&texts, "one", "old", "new").unwrap_or_else(|error| panic!("{error}: {before}"));
        assert_eq!(edited(&texts, &edits)[0].1, after);
    }
}

#[test]
fn uses_backticks_only_where_needed() {
    // `@@1@k(2)` is named 1, but `@@a@k(2)` is named `a@k`.
    let texts = one("@@1@description(\"d\") ()==>(::Null)\n@@`x y`@description(\"d\") (a)");
    assert!(edits(&texts, "one", "1", "new").is_err(), "not a tool");
    let texts = one("[a:Agent | 1]\n[1:Tool {description: \"d\"} | ()==>(::Null)]");
    let edits = edits(&texts, "one", "1", "new").expect("it can be renamed");
    assert_eq!(
        edited(&texts, &edits)[0].1,
        "[a:Agent | new]\n[new:Tool {description: \"d\"} | ()==>(::Null)]"
    );
}

#[test]
fn renames_the_same_tool_in_other_documents() {
    let agent = "[a:Agent {instruction: \"i\", model: \"Offline/m\"} | old]";
    let other = TOOL.replace("()", "(a::Int)");
    let texts = |shared: bool| {
        vec![
            ("own", format!("{agent}\n{TOOL}"), false),
            ("equal", format!("{TOOL} // the same"), false),
            ("different", format!("{agent} {other}"), false),
            ("refers", agent.to_owned(), false),
            ("tools", TOOL.to_owned(), shared),
        ]
    };
    for (shared, here, expected) in [
        (false, "own", Some(&["own", "equal", "tools"][..])),
        (false, "different", Some(&["different"])),
        (false, "refers", None),
        (true, "own", Some(&["own", "equal", "tools", "refers"])),
        (true, "refers", Some(&["own", "equal", "tools", "refers"])),
        (true, "different", Some(&["different"])),
    ] {
        let found = edits(&texts(shared), here, "old", "new");
        let found = found.map(|edits| edits.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        assert_eq!(found.ok().as_deref(), expected, "{shared} {here}");
    }
}

#[test]
fn refuses_invalid_and_taken_names_with_the_reason() {
    let agent = "[a:Agent {toolChoice: \"old\"} | old, taken, builtin, missing]";
    let texts = vec![
        ("own", format!("{agent}\n{TOOL}"), false),
        (
            "tools",
            "[shared:Tool {description: \"d\"} | ()==>(::Null)]".to_owned(),
            true,
        ),
        ("other", "[b:Agent | shared, elsewhere]".to_owned(), false),
    ];
    for (here, from, to, reason) in [
        ("own", "old", "a b", "a letter or `_`, then letters"),
        ("own", "old", "1a", "a letter or `_`, then letters"),
        ("own", "old", "", "a letter or `_`, then letters"),
        ("own", "old", "taken", "`taken` is taken: `own`"),
        ("own", "old", "missing", "`missing` is taken"),
        ("own", "old", "builtin", "`builtin` is taken"),
        ("own", "old", "none", "means something else there"),
        ("own", "builtin", "x", "is built in"),
        ("own", "taken", "x", "no definition of `taken` is in reach"),
        (
            "tools",
            "shared",
            "elsewhere",
            "`elsewhere` is taken: `other`",
        ),
        ("other", "shared", "builtin", "`builtin` is taken: `own`"),
    ] {
        let error = edits(&texts, here, from, to).expect_err(to);
        assert!(error.contains(reason), "{from} {to}: {error}");
    }
    // Tools of the same name in other documents do not matter.
    assert!(edits(&texts, "own", "old", "shared").is_ok());
    assert!(edits(&texts, "own", "old", "elsewhere").is_ok());
    assert_eq!(edits(&texts, "own", "old", "old"), Ok(Vec::new()));
    with_documents(&texts, |documents, known| {
        assert!(check_renamable(documents, &"own", "old", known).is_ok());
        assert!(check_renamable(documents, &"own", "builtin", known).is_err());
    });
}

#[test]
fn refuses_a_name_with_unclosed_quotes() {
    let texts = one("[a:Agent | `old\n[old:Tool | ()]");
    let error = edits(&texts, "one", "old", "new").expect_err("the quotes are not closed");
    assert!(error.contains("close them first"), "{error}");
}

const NAMES: [&str; 5] = ["old", "t", "u-1", "builtin", "missing"];

/// Returns a tool in one of its forms, or an agent with elements in all of their forms.
fn declaration() -> impl Strategy<Value = String> {
    let name = || prop::sample::select(&NAMES[..]);
    let result = prop::sample::select(&["Null", "String", "Nope"][..]);
    let definition = (name(), result, any::<bool>()).prop_map(|(name, result, says)| {
        let more = if says {
            format!(", name: \"{name}\"")
        } else {
            String::new()
        };
        format!("[{name}:Tool {{description: \"d\"{more}}} | (a::Text)==>(::{result})]")
    });
    let annotated =
        name().prop_map(|name| format!("@@{name}:Tool @description(\"d\") ()==>(::Null)"));
    let agent = (
        prop::collection::vec((name(), 0..3_u8), 0..4),
        prop::option::of(name()),
    )
        .prop_map(|(elements, choice)| {
            let elements = elements.iter().map(|(name, form)| match form {
                0 => (*name).to_owned(),
                1 => format!("`{name}`"),
                _ => format!("({name})"),
            });
            let elements: Vec<String> = elements.collect();
            let choice = choice.map(|name| format!(", toolChoice: '{name}'"));
            let bar = if elements.is_empty() { "" } else { " | " };
            format!(
                "[a:Agent {{instruction: \"use old\", model: \"Offline/m\"{}}}{bar}{}]",
                choice.unwrap_or_default(),
                elements.join(", ")
            )
        });
    prop_oneof![definition, annotated, agent]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(declaration(), 0..5).prop_map(|parts| parts.join("\n"))
}

/// Returns the codes and messages of the diagnostics of a document, without spans, which change.
fn messages(text: &str, known: &[ToolSpec]) -> Vec<String> {
    let options = Options {
        known_tools: known,
        ..Options::default()
    };
    let found = check(text, options).diagnostics.into_iter();
    let mut messages: Vec<String> = found
        .map(|found| format!("{} {}", found.code(), found.message()))
        .collect();
    messages.sort_unstable();
    messages
}

proptest! {
    #[test]
    fn diagnostics_are_the_same_after_a_rename(own in text(), other in text(), tools in text(), here in 0..3_usize) {
        let texts = vec![("own", own, false), ("other", other, false), ("tools", tools, true)];
        let here = texts[here].0;
        // No document or message contains this name.
        let to = "zq-renamed";
        if let Ok(edits) = edits(&texts, here, "old", to) {
            let after = edited(&texts, &edits);
            for edits in &edits {
                prop_assert!(!edits.1.is_empty());
            }
            let (known_before, known_after) = (known(&texts), known(&after));
            for (before, after) in texts.iter().zip(&after) {
                let is_edited = edits.iter().any(|(id, _)| *id == before.0);
                let expected: Vec<String> = messages(&before.1, &known_before)
                    .into_iter()
                    .map(|found| if is_edited { found.replace("old", to) } else { found })
                    .collect();
                let mut expected = expected;
                expected.sort_unstable();
                prop_assert_eq!(messages(&after.1, &known_after), expected, "{:?}", after);
            }
        }
    }
}

#[test]
fn check_renamable_does_not_check_documents() {
    let text = "[old:Tool | ()==>(::Null)] [a:Agent | old, other]";
    let analysis = Analysis::new(text, || panic!("the document was checked"));
    let documents = [Document {
        id: (),
        display_name: "it",
        text,
        analysis: &analysis,
        is_shared: false,
    }];
    assert_eq!(check_renamable(&documents, &(), "old", &[]), Ok(()));
    let refused = check_renamable(&documents, &(), "other", &[]);
    assert!(refused.is_err_and(|why| why.contains("no definition of `other`")));
}
