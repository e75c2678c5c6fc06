//! One mistake, one finding: on the place that must change.

mod agents;
mod foreign_notations;
mod schemas;
mod signatures;
mod tools;
mod types;

use super::findings;
use agent_spec::check::{Options, check};

fn tool(record: &str, signature: &str) -> String {
    format!("[t:Tool {{{record}}} | {signature}]")
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
fn reports_a_document_without_declarations() {
    for (source, at) in [
        ("", ""),
        ("  \n", ""),
        ("// only a comment\n", "// only a comment"),
        ("(a)-->(b)\n(c)", "(a)-->(b)"),
        ("{header: 1}", "{header: 1}"),
        ("[a:Agnet {x: 1}]", "Agnet"),
        ("[t:tool {description: \"d\"} | ()==>(::String)]", "tool"),
    ] {
        one_finding(source, "agent::nothing-declared", at, "");
    }
}

/// The text is that of the design documents.
#[test]
fn reports_a_pattern_that_lacks_the_label_of_an_agent() {
    const BOTH: &str = "instruction: \"i\", model: \"OpenAI/m\"";
    let tool = "[t:Tool {description: \"d\"} | ()==>(::String)]";
    for (source, at, help) in [
        (format!("[a {{{BOTH}}}]"), "a", "`[a:Agent {…}]`"),
        (format!("[{{{BOTH}}}]"), "[", "`[name:Agent {…}]`"),
        ("[a {model: \"OpenAI/m\"}]".to_owned(), "a", "a:Agent"),
        (
            format!("[Agent:greet {{{BOTH}}}]"),
            "Agent:greet",
            "`[greet:Agent {…}]`",
        ),
        (
            "[a:Agnet {instruction: \"i\"}]".to_owned(),
            "a:Agnet",
            "did you mean `Agent`?",
        ),
        (format!("[a {{{BOTH}}} | {tool}]"), "a", "a:Agent"),
        (
            format!("{tool} [a:Helper {{{BOTH}}}]"),
            "a:Helper",
            "a:Agent",
        ),
        (
            format!("[a:Agent {{{BOTH}}}] [b {{{BOTH}}}]"),
            "b",
            "b:Agent",
        ),
    ] {
        one_finding(&source, "agent::missing-label", at, help);
        let found = check(&source, Options::default()).diagnostics;
        assert_eq!(found[0].message(), "Pattern must have Agent label");
    }
    one_finding(
        "[a:Agent {system: \"s\", model: \"OpenAI/m\"}]",
        "agent::missing-instruction",
        "a:Agent",
        "the system message is the property `instruction`",
    );
    // Other patterns may have such properties.
    for source in [
        format!("{tool} [a {{model: \"OpenAI/m\"}}]"),
        format!("[a:Agent {{{BOTH}}}] [b:Prompt {{{BOTH}}}]"),
    ] {
        assert_eq!(findings(&source), [] as [&str; 0], "{source}");
    }
}

#[test]
fn reports_double_braces_that_are_no_variable() {
    let agent = |instruction: &str| {
        format!("[a:Agent {{instruction: {instruction}, model: \"OpenAI/m\"}}]")
    };
    for (instruction, at) in [
        ("\"Greet {{a b}}.\"", "{{a b}}"),
        ("\"{{a}} and {{}}\"", "{{}}"),
        ("\"Greet {{user\"", "{{user"),
        ("\"Greet {{user} here.\"", "{{user}"),
        ("'\\n {{a\\'b}}'", "'\\n {{a\\'b}}'"),
    ] {
        one_finding(
            &agent(instruction),
            "agent::bad-variable",
            at,
            "write `{{name}}`",
        );
    }
    for instruction in [
        "\"{{a}} {{ b-c.d_1 }} {{{e}}} {} } }}\"",
        "\"Write {{'{{'}}name}} or {{'{{name}}'}}.\"",
    ] {
        assert_eq!(
            findings(&agent(instruction)),
            [] as [&str; 0],
            "{instruction}"
        );
    }
}

#[test]
fn reports_a_variable_that_nobody_fills() {
    let source =
        "[a:Agent {instruction: \"The user {{user}} lives in {{ citi }}.\", model: \"OpenAI/m\"}]";
    let found = |variables| {
        let options = Options {
            variables,
            ..Options::default()
        };
        let found = check(source, options).diagnostics;
        let line = |found: &agent_spec::Diagnostic| {
            format!(
                "{} {}: {}; {}",
                found.code(),
                found.span().start,
                found.message(),
                found.help().unwrap_or_default()
            )
        };
        found.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(found(None), [] as [&str; 0]);
    assert_eq!(found(Some(&["user", "citi"])), [] as [&str; 0]);
    assert_eq!(
        found(Some(&["user", "city"])),
        ["agent::unfilled-variable 54: nobody fills the variable `citi`; did you mean `city`?"],
    );
    assert_eq!(
        found(Some(&[])),
        [
            "agent::unfilled-variable 35: nobody fills the variable `user`; no variables are filled here",
            "agent::unfilled-variable 54: nobody fills the variable `citi`; no variables are filled here",
        ],
    );
}

#[test]
fn reports_mistakes_in_order_without_follow_up_errors() {
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
fn a_syntax_error_hides_only_its_own_element() {
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
