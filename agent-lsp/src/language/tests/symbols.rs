//! The symbols of a document.

use super::analysis;
use crate::language::symbols::{Symbol, SymbolKind, symbols};

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
