//! One mistake, one finding: on the place that must change.

use super::findings;
use agent_spec::check::{Options, check};

/// An agent whose parts can be replaced.
fn agent(record: &str, elements: &str) -> String {
    format!("[a:Agent {{{record}}}{elements}]")
}

const GOOD: &str = r#"instruction: "i", model: "OpenAI/m""#;

fn tool(record: &str, signature: &str) -> String {
    format!("[t:Tool {{{record}}} | {signature}]")
}

#[test]
fn agents() {
    let deep = r#"[t:Tool {description: "d"} | ()==>(::String)]"#;
    for (source, code, at, help) in [
        (
            agent(r#"model: "OpenAI/m""#, ""),
            "agent::missing-instruction",
            "a:Agent",
            "instruction:",
        ),
        (
            agent(r#"instruction: "", model: "OpenAI/m""#, ""),
            "agent::missing-instruction",
            r#""""#,
            "",
        ),
        (
            agent(r#"instruction: "i""#, ""),
            "agent::missing-model",
            "a:Agent",
            "model:",
        ),
        (
            agent(r#"instruction: "i", model: "m""#, ""),
            "agent::bad-model",
            r#""m""#,
            "",
        ),
        (
            agent(r#"instruction: "i", model: "/m""#, ""),
            "agent::bad-model",
            r#""/m""#,
            "",
        ),
        (
            agent(r#"instruction: "i", model: "openai/m""#, ""),
            "agent::unknown-provider",
            r#""openai/m""#,
            "`OpenAI/m`",
        ),
        (
            agent(r#"instruction: "i", model: "Acme/m""#, ""),
            "agent::unknown-provider",
            r#""Acme/m""#,
            "`--provider Acme=URL`",
        ),
        (
            agent(r#"instruction: i, model: "OpenAI/m""#, ""),
            "agent::bad-value",
            "i",
            "quote it",
        ),
        (
            agent(r#"instruction: "i", modle: "OpenAI/m""#, ""),
            "agent::missing-model",
            "a:Agent",
            "did you mean `model` by `modle`?",
        ),
        (
            agent(r#"instruction: "i", colour: "red""#, ""),
            "agent::missing-model",
            "a:Agent",
            "add `model: ",
        ),
        (
            agent(r#"instructon: "i", model: "OpenAI/m""#, ""),
            "agent::unknown-property",
            "instructon",
            "`instruction`",
        ),
        (
            agent(&format!("{GOOD}, max_tokens: 5"), ""),
            "agent::unknown-property",
            "max_tokens",
            "`maxTokens`",
        ),
        (
            agent(&format!("{GOOD}, model: \"OpenAI/n\""), ""),
            "agent::duplicate-key",
            "model",
            "keep one",
        ),
        (
            agent(&format!("{GOOD}, name: \"b\""), ""),
            "agent::bad-name",
            r#""b""#,
            "remove `name`",
        ),
        (
            agent(&format!("{GOOD}, temperature: 3"), ""),
            "agent::bad-value",
            "3",
            "",
        ),
        (
            agent(&format!("{GOOD}, topP: \"x\""), ""),
            "agent::bad-value",
            r#""x""#,
            "",
        ),
        (
            agent(&format!("{GOOD}, reasoningEffort: \"hihg\""), ""),
            "agent::bad-value",
            r#""hihg""#,
            "did you mean \"high\"?",
        ),
        (
            agent(&format!("{GOOD}, reasoningEffort: \"none\""), ""),
            "agent::bad-value",
            r#""none""#,
            "goes into `extra`",
        ),
        (
            agent(&format!("{GOOD}, reasoning_effort: \"high\""), ""),
            "agent::unknown-property",
            "reasoning_effort",
            "`reasoningEffort`",
        ),
        (
            agent(&format!("{GOOD}, maxIterations: 0"), ""),
            "agent::bad-value",
            "0",
            "",
        ),
        (
            agent(&format!("{GOOD}, toolTimeout: 10"), ""),
            "agent::bad-value",
            "10",
            "",
        ),
        (
            agent(&format!("{GOOD}, toolTimeout: 0s"), ""),
            "agent::bad-value",
            "0s",
            "",
        ),
        (
            agent(&format!("{GOOD}, baseUrl: \"localhost\""), ""),
            "agent::bad-value",
            r#""localhost""#,
            "",
        ),
        (
            agent(&format!("{GOOD}, baseUrl: \"http://user:password@h\""), ""),
            "agent::bad-value",
            r#""http://user:password@h""#,
            "",
        ),
        (
            agent(&format!("{GOOD}, fallback: [\"Opena/m\"]"), ""),
            "agent::unknown-provider",
            r#""Opena/m""#,
            "`OpenAI/m`",
        ),
        (
            agent(&format!("{GOOD}, stop: [1]"), ""),
            "agent::bad-value",
            "1",
            "",
        ),
        (
            agent(GOOD, " | (x)-->(y)"),
            "agent::not-a-tool",
            "(x)-->(y)",
            "",
        ),
        (
            agent(GOOD, " | [t:Tol {description: \"d\"} | ()==>(::String)]"),
            "agent::not-a-tool",
            "Tol",
            "`Tool`",
        ),
        (
            agent(GOOD, " | nowhere"),
            "agent::unknown-tool",
            "nowhere",
            "define it",
        ),
        (
            agent(GOOD, &format!(" | {deep}, t")),
            "agent::duplicate-tool",
            "t",
            "remove",
        ),
        (
            format!("[:Agent {{{GOOD}}}]"),
            "agent::missing-name",
            ":Agent",
            "name before the label",
        ),
        (
            format!("{0}\n{0}", agent(GOOD, "")),
            "agent::duplicate-agent",
            "a",
            "rename",
        ),
    ] {
        one_finding(&source, code, at, help);
    }
}

#[test]
fn tools() {
    const D: &str = r#"description: "d""#;
    const S: &str = "()==>(::String)";
    for (source, code, at, help) in [
        (
            tool("", S),
            "agent::missing-description",
            "t:Tool",
            "description:",
        ),
        (
            tool(r#"description: " ""#, S),
            "agent::missing-description",
            r#"" ""#,
            "",
        ),
        (tool("description: 1", S), "agent::bad-value", "1", ""),
        (
            tool(r#"desciption: "d""#, S),
            "agent::unknown-property",
            "desciption",
            "`description`",
        ),
        (
            tool(r#"descr: "d""#, S),
            "agent::missing-description",
            "t:Tool",
            "did you mean `description` by `descr`?",
        ),
        (
            tool(&format!("{D}, timeout: 5"), S),
            "agent::bad-value",
            "5",
            "",
        ),
        (
            tool(&format!("{D}, requires_approval: true"), S),
            "agent::unknown-property",
            "requires_approval",
            "`requiresApproval`",
        ),
        (
            format!("[t:Tool {{{D}}}]"),
            "agent::missing-signature",
            "t:Tool",
            "",
        ),
        (
            tool(D, "()==>(::String), ()==>(::Int)"),
            "agent::missing-signature",
            "()==>(::Int)",
            "",
        ),
        (
            format!("[:Tool {{{D}}} | {S}]"),
            "agent::missing-name",
            ":Tool",
            "",
        ),
        (
            format!("[a.b:Tool {{{D}}} | {S}]"),
            "agent::bad-name",
            "a.b",
            "letter",
        ),
        (
            format!("[1:Tool {{{D}}} | {S}]"),
            "agent::bad-name",
            "1",
            "letter",
        ),
        (
            format!("{}\n[t:Tool {{description: \"other\"}} | {S}]", tool(D, S)),
            "agent::conflicting-tools",
            "t",
            "make them equal",
        ),
    ] {
        one_finding(&source, code, at, help);
    }
}

#[test]
fn signatures() {
    for (signature, code, at, help) in [
        (
            "(a::Text)",
            "agent::not-a-signature",
            "(a::Text)",
            "then the result",
        ),
        ("x", "agent::not-a-signature", "x", ""),
        ("(a::Text)==>()", "agent::missing-type", "()", "::Null"),
        ("(a)==>(::String)", "agent::missing-type", "a", "(a::Text)"),
        (
            "()==>(a::Text)==>(::String)",
            "agent::missing-type",
            "()",
            "",
        ),
        (
            "(a::Text::Int)==>(::String)",
            "agent::several-types",
            "::Int",
            "keep one",
        ),
        (
            "(a::Txt)==>(::String)",
            "agent::unknown-type",
            "Txt",
            "`Text`",
        ),
        (
            "(a::text)==>(::String)",
            "agent::unknown-type",
            "text",
            "`Text`",
        ),
        (
            "(a::Banana)==>(::String)",
            "agent::unknown-type",
            "Banana",
            "the types are",
        ),
        (
            "(a::Null)==>(::String)",
            "agent::misplaced-type",
            "Null",
            "optional",
        ),
        (
            "(a::Object {fields: {x: Null}})==>(::String)",
            "agent::misplaced-type",
            "Null",
            "optional",
        ),
        (
            "(a::Object {fields: {x: 'Null'}})==>(::String)",
            "agent::misplaced-type",
            "'Null'",
            "optional",
        ),
        (
            "(a::Array {elementType: Null})==>(::String)",
            "agent::misplaced-type",
            "Null",
            "optional",
        ),
        (
            "()==>(::Object {valueType: Null})",
            "agent::misplaced-type",
            "Null",
            "optional",
        ),
        (
            "(a::Text)==>(a::Text)==>(::String)",
            "agent::duplicate-parameter",
            "a",
            "rename",
        ),
        (
            "(a::Text {paramName: \"b\"})==>(::String)",
            "agent::bad-name",
            "\"b\"",
            "remove",
        ),
        (
            "(`a b`::Text)==>(::String)",
            "agent::bad-parameter-name",
            "`a b`",
            "letters, digits, `_`, `-` or `.`",
        ),
        (
            "(a@b::Text)==>(::String)",
            "agent::bad-parameter-name",
            "a@b",
            "outside ASCII",
        ),
        (
            "(::Text {paramName: \"größe\"})==>(::String)",
            "agent::bad-parameter-name",
            "\"größe\"",
            "outside ASCII",
        ),
        (
            "(::Text {paramName: \"\"})==>(::String)",
            "agent::bad-parameter-name",
            "\"\"",
            "at most 64",
        ),
        (
            "(a23456789_123456789_123456789_123456789_123456789_123456789_12345::Text)==>(::String)",
            "agent::bad-parameter-name",
            "a23456789_123456789_123456789_123456789_123456789_123456789_12345",
            "at most 64",
        ),
        (
            "(a::Text)<==>(::String)",
            "agent::bad-direction",
            "<==>",
            "`==>`",
        ),
        (
            "(a::Text)==>(b::Text)<==(::String)",
            "agent::bad-direction",
            "<==",
            "`==>`",
        ),
        (
            "(a::Text {defalt: \"x\"})==>(::String)",
            "agent::unknown-property",
            "defalt",
            "`default`",
        ),
        (
            "(a::Text {default: 1})==>(::String)",
            "agent::bad-default",
            "1",
            "",
        ),
        (
            "(a::Int {default: 1.5})==>(::String)",
            "agent::bad-default",
            "1.5",
            "",
        ),
        (
            "(a::Text {default: null})==>(::String)",
            "agent::bad-default",
            "null",
            "optional: true",
        ),
        (
            "(a::Text {default: x})==>(::String)",
            "agent::bad-default",
            "x",
            "quote it",
        ),
        (
            "(a::Int {minimum: 2, default: 1})==>(::String)",
            "agent::bad-default",
            "1",
            "",
        ),
        (
            "(a::Text {enum: [\"x\"], default: \"y\"})==>(::String)",
            "agent::bad-default",
            "\"y\"",
            "",
        ),
        (
            "(a::Text {enum: []})==>(::String)",
            "agent::bad-value",
            "[]",
            "",
        ),
        (
            "(a::Text {enum: [1]})==>(::String)",
            "agent::bad-default",
            "1",
            "",
        ),
        (
            "(a::Text {optional: 1})==>(::String)",
            "agent::bad-value",
            "1",
            "",
        ),
        (
            "(a::Text {minimum: 1})==>(::String)",
            "agent::misplaced-keyword",
            "1",
            "",
        ),
        (
            "(a::Int {elementType: \"Text\"})==>(::String)",
            "agent::misplaced-keyword",
            "\"Text\"",
            "",
        ),
        (
            "(a::Text {pattern: \"(\"})==>(::String)",
            "agent::bad-value",
            "\"(\"",
            "",
        ),
        (
            "(a::Text {minLength: -1})==>(::String)",
            "agent::bad-value",
            "-1",
            "",
        ),
        (
            "(a::Int {maximum: 1, minimum: 5})==>(::String)",
            "agent::bad-value",
            "5",
            "",
        ),
        (
            "(a::Text)==>(::String {default: \"x\"})",
            "agent::misplaced-keyword",
            "default",
            "optional",
        ),
        (
            "(a::Array {elementType: \"Txt\"})==>(::String)",
            "agent::unknown-type",
            "\"Txt\"",
            "`Text`",
        ),
        (
            "(a::Object {fields: [{type: \"Text\"}]})==>(::String)",
            "agent::missing-name",
            "{type: \"Text\"}",
            "",
        ),
        (
            "(a::Object {fields: [{nmae: \"x\", type: \"Text\"}]})==>(::String)",
            "agent::unknown-property",
            "nmae",
            "`name`",
        ),
        (
            "(a::Object {fields: [{name: \"x\", tipe: \"Text\"}]})==>(::String)",
            "agent::unknown-property",
            "tipe",
            "`type`",
        ),
        (
            "(a::Object {fields: {x: {typ: \"Text\"}}})==>(::String)",
            "agent::unknown-property",
            "typ",
            "`type`",
        ),
        (
            "(a::Object {fields: [{name: \"x\"}]})==>(::String)",
            "agent::missing-type",
            "{name: \"x\"}",
            "",
        ),
        (
            "(a::Object {fields: [1]})==>(::String)",
            "agent::bad-value",
            "1",
            "",
        ),
        (
            "(a::Object {fields: {x: \"Txt\"}})==>(::String)",
            "agent::unknown-type",
            "\"Txt\"",
            "`Text`",
        ),
        (
            "(a::Object {fields: [{name: \"x\", type: \"Text\"}, {name: \"x\", type: \"Text\"}]})==>(::String)",
            "agent::duplicate-parameter",
            "\"x\"",
            "rename",
        ),
        (
            "(a::Object {fields: {x: \"Text\"}, valueType: \"Text\"})==>(::String)",
            "agent::misplaced-keyword",
            "\"Text\"",
            "any key",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", minLength: 1}, minLength: 2}})==>(::Any)",
            "agent::misplaced-keyword",
            "2",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", minLength: 4}, maxLength: 3}})==>(::Any)",
            "agent::bad-value",
            "3",
            "",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", enum: [\"ab\"]}, enum: [\"c\"]}})==>(::Any)",
            "agent::misplaced-keyword",
            "[\"c\"]",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: {type: \"Text\", enum: [\"a\", \"abc\"]}, maxLength: 2}})==>(::Any)",
            "agent::bad-default",
            "2",
            "fewer values",
        ),
        (
            "(a::Array {elementType: {type: \"{a: Text}\", fields: {b: \"Int\"}}})==>(::Any)",
            "agent::misplaced-keyword",
            "{b: \"Int\"}",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: \"Map Int\", fields: {b: \"Int\"}}})==>(::Any)",
            "agent::misplaced-keyword",
            "{b: \"Int\"}",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: \"[Text]\", elementType: \"Int\"}})==>(::Any)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: \"[Maybe Any]\", elementType: \"Int\"}})==>(::Any)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Object {valueType: {type: \"Map Text\", valueType: \"Int\"}})==>(::Any)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Object {fields: [{name: \"b\", type: \"{a: Text}\", valueType: \"Int\"}]})==>(::Any)",
            "agent::misplaced-keyword",
            "\"Int\"",
            "keep one",
        ),
        (
            "(a::Array {elementType: {type: \"Text\", description: \"d\"}})==>(::Any)",
            "agent::misplaced-keyword",
            "description",
            "a field",
        ),
        (
            "(a::Object {fields: [{name: \"b\", type: {type: \"Text\", description: \"d\"}}]})==>(::Any)",
            "agent::misplaced-keyword",
            "description",
            "a field",
        ),
        (
            "(a::Object {fields: {b: {type: {type: \"Text\", description: \"d\"}}}})==>(::Any)",
            "agent::misplaced-keyword",
            "description",
            "a field",
        ),
        (
            "(a::Object {fields: {b: {type: \"Int\", default: \"x\"}}})==>(::Any)",
            "agent::bad-default",
            "\"x\"",
            "",
        ),
        (
            "(a::Object {fields: {b: {optional: true}}})==>(::Any)",
            "agent::missing-type",
            "{optional: true}",
            "",
        ),
        (
            "(a::Object {fields: {b: {name: \"b\", type: \"Int\"}}})==>(::Any)",
            "agent::unknown-property",
            "name",
            "",
        ),
        (
            "(a::Array {elementType: {type: \"Int\", default: 1}})==>(::Any)",
            "agent::unknown-property",
            "default",
            "",
        ),
    ] {
        one_finding(&tool(r#"description: "d""#, signature), code, at, help);
    }
}

#[track_caller]
pub(super) fn one_finding(source: &str, code: &str, at: &str, help: &str) {
    let found = check(source, Options::default()).diagnostics;
    let [found] = found.as_slice() else {
        panic!("{source}\n{:#?}", findings(source));
    };
    assert_eq!(found.code().as_str(), code, "{source}\n{}", found.message());
    assert_eq!(
        found.span().text(source),
        at,
        "{source}\n{}",
        found.message()
    );
    let given = found.help().unwrap_or_default();
    assert!(
        given.contains(help),
        "{source}\n{}\nhelp: {given}",
        found.message()
    );
}

#[test]
fn an_empty_document_declares_nothing() {
    for (source, at) in [
        ("", ""),
        ("  \n", ""),
        ("// only a comment\n", "// only a comment"),
        ("(a)-->(b)\n(c)", "(a)-->(b)"),
        ("{header: 1}", "{header: 1}"),
        ("[a:Agnet {instruction: \"i\"}]", "Agnet"),
        ("[t:tool {description: \"d\"} | ()==>(::String)]", "tool"),
    ] {
        one_finding(source, "agent::nothing-declared", at, "");
    }
}

#[test]
fn mistakes_in_one_document_come_in_order_without_cascade() {
    let source = r#"[a:Agent {instruction: "", model: "OpenAI/m", temperature: "hot"} |
  [t:Tool {description: "d"} | (x::Txt)==>(::String)],
  [u:Tool | (x::Text)==>(::String)],
  [v:Tool {description "d"} | (x::Text)==>(::String)],
  t, u, v
]
[b:Agent {instruction: "i"}]
"#;
    let codes: Vec<String> = findings(source)
        .iter()
        .map(|found| found.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        codes,
        [
            "1:24 agent::missing-instruction",
            "1:60 agent::bad-value",
            "2:36 agent::unknown-type",
            "3:4 agent::missing-description",
            "4:24 gram::unexpected",
            "7:2 agent::missing-model",
        ]
    );
}

#[test]
fn a_syntax_error_between_elements_hides_neither_more_nor_less_than_it_must() {
    let source = r#"[a:Agent {instruction: "x", model: "openai/x"} | @@r:Tool @description("d") (v::Any)==>(::Any), t]
[t:Tool {description: "d"} | (x::Int {descripton: "q"})<==>(::Text)]
"#;
    let codes: Vec<String> = findings(source)
        .iter()
        .map(|found| found.split(' ').nth(1).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        codes,
        [
            "agent::unknown-provider",
            "gram::unexpected",
            "agent::unknown-property",
            "agent::bad-direction",
        ]
    );
}

/// The places of both, since either may be the one to change.
#[test]
fn what_is_said_twice_is_shown_in_both_places() {
    for (signature, places) in [
        (
            "(a::Array {elementType: {type: \"[Text]\", elementType: \"Int\"}})==>(::Any)",
            ["\"Int\"", "\"[Text]\""],
        ),
        (
            "(a::Array {elementType: {type: {type: \"Int\", minimum: 1}, minimum: 2}})==>(::Any)",
            ["2", "{type: \"Int\", minimum: 1}"],
        ),
    ] {
        let source = tool(r#"description: "d""#, signature);
        let found = check(&source, Options::default()).diagnostics;
        let labels = found[0].labels().map(|(span, _)| span);
        let shown: Vec<&str> = [found[0].span()]
            .into_iter()
            .chain(labels)
            .map(|span| span.text(&source))
            .collect();
        assert_eq!(shown, places, "{signature}");
    }
}
