//! The symbols of a document.

use super::analysis;
use crate::language::symbols::{MAX_SYMBOLS, Symbol, SymbolKind, declarations, symbols};

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

/// The numbers of agents, tools, parameters and references.
fn counted(symbols: &[Symbol]) -> [usize; 4] {
    let mut all = [0; 4];
    for symbol in symbols {
        let at = match symbol.kind {
            SymbolKind::Agent => 0,
            SymbolKind::Tool => 1,
            SymbolKind::Parameter => 2,
            SymbolKind::Reference => 3,
        };
        all[at] += 1;
        let inside = counted(&symbol.children);
        for (sum, more) in all.iter_mut().zip(inside) {
            *sum += more;
        }
    }
    all
}

#[test]
fn a_document_has_a_bounded_number_of_symbols_and_references_give_way_first() {
    let tools = |count| "[t:Tool | (a::Text)==>(::Null)] ".repeat(count);
    let agent = |references| format!("[a:Agent | {}] ", vec!["r"; references].join(", "));
    for (source, expected) in [
        (tools(100) + &agent(4_799), [1, 100, 100, 4_799]),
        (tools(100) + &agent(4_800), [1, 100, 100, 0]),
        (agent(1_000_000), [1, 0, 0, 0]),
        (tools(2_600) + &agent(3), [1, 2_600, 0, 0]),
        (tools(4_999) + &agent(3) + &tools(3), [1, 4_999, 0, 0]),
    ] {
        let analysis = analysis(&source, &[]);
        let found = counted(&symbols(&analysis));
        assert_eq!(found, expected, "{}", &source[..60]);
        assert!(found.iter().sum::<usize>() <= MAX_SYMBOLS);
    }
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
