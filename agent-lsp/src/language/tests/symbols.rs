//! The symbols of a document.

use super::analysis;
use crate::language::symbols::{Symbol, SymbolKind, declarations, symbols};

fn format_symbols(symbols: &[Symbol]) -> String {
    let one = |symbol: &Symbol| {
        let kind = match symbol.kind {
            SymbolKind::Agent => "agent",
            SymbolKind::Tool => "tool",
            SymbolKind::Reference => "ref",
            SymbolKind::Parameter => "param",
        };
        let children = match symbol.children.as_slice() {
            [] => String::new(),
            children => format!("[{}]", format_symbols(children)),
        };
        format!("{kind} {}{children}", symbol.name)
    };
    symbols.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn agents_contain_tools_and_tools_contain_parameters() {
    for (source, expected) in [
        ("", ""),
        (
            "[t:Tool | (a::Text)==>(b::Int)==>(::Null)] [a:Agent | t, [u:Tool | ()==>(::Null)]]",
            "tool t[param a, param b], agent a[ref t, tool u]",
        ),
        (
            "@@t:Tool @description(\"d\") (::Text)==>(::Null)",
            "tool t[param (parameter without a name)]",
        ),
        (
            "[:Agent | [:Tool",
            "agent (agent without a name)[tool (tool without a name)]",
        ),
        ("[` `:Tool {", "tool (tool without a name)"),
    ] {
        assert_eq!(
            format_symbols(&symbols(&analysis(source, &[]))),
            expected,
            "{source}"
        );
    }
}

#[test]
fn the_detail_is_the_type() {
    let found = symbols(&analysis("[t:Tool | (a::Text)==>(::Null)]", &[]));
    assert_eq!(found[0].detail.as_deref(), Some("→ Null"));
    assert_eq!(found[0].children[0].detail.as_deref(), Some("Text"));
}

#[test]
fn a_long_name_is_cut() {
    let long = "n".repeat(1_000_000);
    let source = format!("[{long}:Tool | ({long}::{long})==>(::{long})]");
    let found = symbols(&analysis(&source, &[]));
    let expected = format!("{}…", "n".repeat(200));
    assert_eq!(found[0].name, expected);
    assert_eq!(found[0].detail, Some(format!("→ {expected}")));
    assert_eq!(found[0].children[0].name, expected);
    assert_eq!(found[0].children[0].detail, Some(expected));
}

#[test]
fn declarations_have_the_agent_that_contains_them() {
    let source = "[t:Tool | ()==>(::Null)] [a:Agent | t, [u:Tool | ()==>(::Null)], [b:Agent | t]]";
    let analysis = analysis(source, &[]);
    let found = declarations(&analysis).map(|found| (found.name, found.container));
    let found: Vec<_> = found.collect();
    assert_eq!(
        found,
        [("a", None), ("b", Some("a")), ("t", None), ("u", Some("a"))]
    );
}
