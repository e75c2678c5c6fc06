//! `book/src/reference/contract-diff.md` agrees with the catalogue of rules.

use crate::rule::Rule;

const PAGE: &str = include_str!("../../../book/src/reference/contract-diff.md");

/// The row of a rule on the page.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) implementation: &'static str,
    pub(super) caller: &'static str,
}

/// Reads the rows of the tables, in order.
fn rows() -> Vec<Row> {
    let lines = PAGE.lines().filter(|line| line.starts_with("| `"));
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, implementation, caller, why] = cells[..] else {
            panic!("a row has five cells: {line}");
        };
        assert!(!why.is_empty(), "every rule has its reason: {line}");
        Row {
            name: name.trim_matches('`'),
            implementation,
            caller,
        }
    };
    lines.map(row).collect()
}

/// Returns the row of a rule.
pub(super) fn row(rule: Rule) -> Row {
    let mut rows = rows().into_iter();
    rows.find(|row| row.name == rule.name())
        .expect("the page has every rule")
}

#[test]
fn page_lists_all_rules_in_order() {
    let named: Vec<&str> = rows().iter().map(|row| row.name).collect();
    let known: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(named, known);
}
