//! One mistake, one finding: on the place that must change.

mod agents;
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
        ("[a:Agnet {instruction: \"i\"}]", "Agnet"),
        ("[t:tool {description: \"d\"} | ()==>(::String)]", "tool"),
    ] {
        one_finding(source, "agent::nothing-declared", at, "");
    }
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
