//! From tokens to text and to findings. What rustc makes of the expansion is tested in the
//! workspace's `tests`.

use super::expand_agent;
use super::gram_text::GramText;
use agent_spec::__private::{FIELD, PARAMS};
use agent_spec::vocabulary::Keyword;
use proc_macro2::{Group, Span, TokenStream, TokenTree};

fn text_of(source: &str) -> String {
    GramText::of_tokens(source.parse().expect("test input lexes")).text
}

#[test]
fn joins_adjacent_pieces() {
    for (source, text) in [
        ("[a-b.c@d:Agent]", "[a-b.c@d:Agent]"),
        ("(a::Text)==>(::String)", "(a::Text)==>(::String)"),
        ("{ t : 10s , r : 1..10 }", "{ t : 10s , r : 1..10 }"),
        ("{a:-1.5}", "{a:-1.5}"),
        (
            "@@x:Tool\n@description(\"d\") ()",
            "@@x:Tool\n@description(\"d\") ()",
        ),
    ] {
        assert_eq!(text_of(source), text);
    }
}

/// The same tokens without places, as an editor has them that expands without source text.
fn without_places(tokens: TokenStream) -> TokenStream {
    let unplaced = |token| match token {
        TokenTree::Group(group) => TokenTree::Group(Group::new(
            group.delimiter(),
            without_places(group.stream()),
        )),
        mut token => {
            token.set_span(Span::call_site());
            token
        }
    };
    tokens.into_iter().map(unplaced).collect()
}

#[test]
fn joins_pieces_without_positions() {
    for (source, text) in [
        ("[a-b.c@d:Agent]", "[ a-b.c@d : Agent ]"),
        ("(a::Text)==>(::String)", "( a :: Text ) ==> ( :: String )"),
        (
            "{t: 10s, r: 1..10, half: 2..., n: -5}",
            "{ t : 10s , r : 1..10 , half : 2..., n : -5 }",
        ),
        ("(a)-[:KNOWS]->(b)", "( a ) -[ : KNOWS ]-> ( b )"),
        ("(a)<==(b)~~(c)", "( a ) <== ( b ) ~~ ( c )"),
        (
            "@@x:Tool @description(\"d\") ()==>(::String)",
            "@@x : Tool @description ( \"d\" ) () ==> ( :: String )",
        ),
        ("a-b some-thing.x@y", "a-b some-thing.x@y"),
    ] {
        let placed = source.parse().expect("test input lexes");
        let found = GramText::of_tokens(without_places(placed)).text;
        let blanks = |text: &str| text.replace(' ', "");
        assert_eq!(blanks(&found), blanks(source), "nothing is lost");
        assert_eq!(found.replace("( )", "()"), text);
    }
}

#[test]
fn reads_the_same_agent_without_positions() {
    for source in [
        "tools: [a], exact, [x-y.z:Agent {instruction: \"i\", model: \"OpenAI/m\", toolTimeout: 10s, r: -1..5}
            | [find-it:Tool {description: \"d\"} | (a-b::Text {default: 'x'})-[:T]->(c::Int)==>(::String)]]",
        "file: \"Cargo.toml\"",
        "static A, export, [x:Agent {instruction: \"i\", model: \"OpenAI/m\"} | @@t:Tool @description(\"d\") ()==>(::String)]",
        "[x:Agent {instruction: \"i\" model: \"OpenAI/m\"}]",
    ] {
        let input = format!("{{::agent_runtime}} {source}");
        let placed: TokenStream = input.parse().expect("test input lexes");
        let unplaced = without_places(placed.clone());
        assert_eq!(
            expand_agent(placed).to_string(),
            expand_agent(unplaced).to_string(),
            "{source}"
        );
    }
}

#[test]
fn compares_strings_by_value() {
    for (source, text) in [
        (r##"{a: r#"x "y" z"#}"##, r#"{a: "x \"y\" z"}"#),
        ("{a: \"one\\\n   two\"}", "{a: \"onetwo\"}"),
        ("{a: \"one\ntwo\"}", "{a: \"one\\ntwo\"}"),
        ("{a: 'x'}", "{a: \"x\"}"),
        ("{a: \"\\u{e9}\"}", "{a: \"é\"}"),
    ] {
        assert_eq!(text_of(source), text);
    }
}

#[test]
fn ignores_doc_comments() {
    let text = text_of("/// about a\n[a] /** inner */ [b]");
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["[a]", "[b]"]);
}

fn expansion(source: &str) -> String {
    let input = format!("{{::agent_runtime}} {source}");
    expand_agent(input.parse::<TokenStream>().expect("test input lexes")).to_string()
}

#[test]
fn the_head_of_an_item_ends_with_a_comma() {
    for (head, message) in [
        ("static A,", None),
        ("#[doc(hidden)] pub(crate) const A,", None),
        ("static A", Some("a comma is missing after `A`")),
        ("static A: Agent,", Some("an agent needs no type here")),
        ("static A =", Some("write a comma after the name")),
    ] {
        let agent = "[x:Agent {instruction: \"i\", model: \"OpenAI/m\"}]";
        let expanded = expansion(&format!("{head} {agent}"));
        let expected = message.unwrap_or("compile_error");
        assert_eq!(
            expanded.contains(expected),
            message.is_some(),
            "{head}: {expanded}"
        );
    }
}

#[test]
fn a_mistake_gives_one_message_and_a_skeleton() {
    for source in [
        "",
        "tools: [a]",
        "tools: (a), [x:Agent {instruction: \"i\", model: \"OpenAI/m\"}]",
        "[x:Agent {instruction: \"i\"}]",
        "[x:Agent {instruction: \"i\" model: \"OpenAI/m\"}]",
        "agent: \"y\", [x:Agent {instruction: \"i\", model: \"OpenAI/m\"}]",
        "(a)-->(b)",
    ] {
        let expanded = expansion(source);
        assert_eq!(
            expanded.matches("compile_error").count(),
            1,
            "{source}: {expanded}"
        );
        assert!(expanded.contains("BROKEN_AGENT"), "{source}: {expanded}");
    }
}

#[test]
fn a_correct_agent_is_built_without_parsing() {
    let expanded = expansion("tools: [a], [x:Agent {instruction: \"i\", model: \"OpenAI/m\"} | a]");
    assert!(!expanded.contains("compile_error"), "{expanded}");
    assert!(expanded.contains("from_static (\"x\""), "{expanded}");
    assert!(!expanded.contains("parse"), "{expanded}");
}

const AGENT: &str = "x:Agent {instruction: \"i\", model: \"OpenAI/m\"}";

#[test]
fn message_has_the_line_and_column_of_the_other_place() {
    let input = format!("{{::agent_runtime}} [{AGENT} | t, t]");
    let column = input.find("t, t").expect("it is there") + 1;
    let expanded = expand_agent(input.parse().expect("test input lexes")).to_string();
    let note = format!("first here: line 1, column {column}");
    assert!(expanded.contains(&note), "{expanded}");
}

#[test]
fn options_after_the_gram_are_refused() {
    for (options, word) in [
        ("tools: [a]", "tools"),
        ("providers: [\"Acme\"]", "providers"),
        ("exact", "exact"),
    ] {
        let expanded = expansion(&format!("[{AGENT}], {options}"));
        let message = format!("move `{word}` there");
        assert!(expanded.contains(&message), "{expanded}");
    }
}

#[test]
fn item_keeps_its_visibility() {
    for item in ["static A", "pub static A", "pub (crate) static A"] {
        let expanded = expansion(&format!("{item}, [{AGENT}]"));
        assert!(!expanded.contains("compile_error"), "{expanded}");
        assert!(expanded.contains(item), "{expanded}");
    }
}

#[test]
fn checks_each_part_of_a_parameter() {
    let expanded = expansion(&format!(
        "tools: [tools::t, tools::u], [{AGENT} | [t:Tool {{description: \"d\"}} | (a::Text {{minLength: 1}})==>(::Any)]]"
    ));
    assert!(!expanded.contains("compile_error"), "{expanded}");
    let trail = |keyword: Keyword| format!("[{PARAMS}u16 , {FIELD}u16 , {}u16]", keyword.step());
    for part in [
        "tools :: t",
        "tools :: u",
        "Signature :: from_static",
        &trail(Keyword::Name),
        &trail(Keyword::Type),
        &trail(Keyword::MinLength),
    ] {
        assert!(expanded.contains(part), "{part}: {expanded}");
    }
}

/// Returns the positions of the names by which an expansion refers to a function.
fn positions(tokens: TokenStream, name: &str, found: &mut Vec<(usize, usize)>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => positions(group.stream(), name, found),
            TokenTree::Ident(ident) if ident == name => {
                let start = ident.span().start();
                found.push((start.line, start.column));
            }
            _ => {}
        }
    }
}

/// Editors go from a token to what the tokens of its place in the expansion name.
#[test]
fn gram_names_lead_to_their_functions() {
    let input = "{rt} tools: [get_time, m::say_hello, renamed, ..Db],\n\
         [a:Agent {instruction: \"i\", model: \"OpenAI/m\"} |\n\
         getTime,\n\
         [sayHello:Tool {description: \"d\"} | ()==>(::String)], other]";
    let expanded = expand_agent(input.parse().expect("test input lexes"));
    assert!(
        !expanded.to_string().contains("compile_error"),
        "{expanded}"
    );
    for (import, path, mentioned) in [
        ("__tool_get_time", (1, 13), Some((3, 0))),
        ("__tool_m__say_hello", (1, 26), Some((4, 1))),
        ("__tool_renamed", (1, 37), None),
    ] {
        let mut found = Vec::new();
        positions(expanded.clone(), import, &mut found);
        found.sort_unstable();
        found.dedup();
        let expected: Vec<_> = [Some(path), mentioned].into_iter().flatten().collect();
        assert_eq!(found, expected, "{import}");
    }
    let names_of_paths = expanded.to_string().matches("use get_time as").count();
    assert_eq!(names_of_paths, 1);
}

#[test]
fn dynamic_tools_are_not_compared() {
    let expanded = expansion(
        "tools: [dynamic find-it], [x:Agent {instruction: \"i\", model: \"OpenAI/m\"} | \
         [find-it:Tool {description: \"d\"} | (a::Text)==>(::String)]]",
    );
    assert!(!expanded.contains("compile_error"), "{expanded}");
    assert!(
        expanded.contains("check_dynamic (\"find-it\""),
        "{expanded}"
    );
    for compared in ["check_known", "check_part", "find_tool"] {
        assert!(!expanded.contains(compared), "{compared}: {expanded}");
    }
}
