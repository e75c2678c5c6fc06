//! Documents at the limits of what can be compared.

use super::witness_check::{assert_shown, assert_shown_or_missing};
use super::{changes, read, tool};
use crate::candidates::candidates;
use crate::{Change, Evidence, Verdict, compare};

/// Returns the one change between two parameters of these types.
fn change(old: &str, new: &str) -> Change {
    let typed = |of: &str| tool(&format!("(a::{of})==>(::Null)"));
    let mut found = changes(&typed(old), &typed(new));
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

fn is_unproven(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Breaking(Evidence::Missing(_)))
}

#[test]
fn undecided_changes_are_breaking_without_witness() {
    for (old, new) in [
        // Patterns are compared by their texts, and every text that is tried fits both or neither.
        (
            "Text {pattern: \"^(?i)ab$\"}",
            "Text {pattern: \"^(?i)(ab)$\"}",
        ),
        (
            "Text {pattern: \"\\\\bab\"}",
            "Text {pattern: \"(\\\\b)ab\"}",
        ),
        // The text that makes the difference is too long to read.
        ("Text {minLength: 100000}", "Text {minLength: 100001}"),
        (
            "Array {maxItems: 1000000000}",
            "Array {maxItems: 999999999}",
        ),
    ] {
        assert!(is_unproven(&change(old, new).caller), "{old} {new}");
    }
}

#[test]
fn empty_types_have_no_witness() {
    for contradiction in [
        "Text {pattern: \"^aaa$\", maxLength: 2}",
        "Text {pattern: \"^x$\", format: \"date\"}",
        "Int {minimum: 1, maximum: 4, multipleOf: 5}",
        "Array {minItems: 1, elementType: {type: \"Text\", pattern: \"b\", maxLength: 0}}",
    ] {
        for other in [
            "Bool",
            "Text",
            "Array {minItems: 3}",
            "Object {fields: {x: \"Int\"}}",
        ] {
            // The old document accepts no call, so that no call can show that callers are broken.
            let found = change(contradiction, other);
            let shows = matches!(&found.caller, Verdict::Breaking(Evidence::Witness(_)));
            assert!(!shows, "{contradiction} {other}");
            change(other, contradiction);
        }
    }
}

#[test]
fn numbers_at_the_limits_are_compared_without_rounding() {
    for (old, new) in [
        (
            "Int {minimum: -170141183460469231731687303715884105728}",
            "Int {minimum: 0}",
        ),
        (
            "Int {maximum: 9007199254740993}",
            "Int {maximum: 9007199254740992}",
        ),
        (
            "Double {maximum: 9007199254740995}",
            "Double {maximum: 9007199254740992.0}",
        ),
        (
            "Double",
            "Double {minimum: 170141183460469231731687303715884105727}",
        ),
        ("Int", "Int {maximum: 18446744073709551615}"),
        (
            "Double {enum: [1, 2.5, 9007199254740993]}",
            "Double {enum: [2.5, 1.0, 3, 9007199254740992.0]}",
        ),
    ] {
        let typed = |of: &str| tool(&format!("(a::{of})==>(::Null)"));
        let (old, new) = (read(&typed(old)), read(&typed(new)));
        let found = compare(&old, &new);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].caller.is_breaking(), "{found:#?}");
        assert_shown(&found[0], &old, &new);
    }
}

#[test]
fn near_misspellings_are_different_parameters() {
    let old = tool("(userName::Int)==>(user_name2::Int)==>(::Null)");
    let new = tool("(user_name::Text)==>(userName2::Text)==>(::Null)");
    let (old, new) = (read(&old), read(&new));
    let found = compare(&old, &new);
    assert_eq!(found.len(), 4, "{found:#?}");
    for change in &found {
        assert_shown(change, &old, &new);
    }
}

#[test]
fn compares_types_nested_to_the_limit() {
    let deep = |leaf: &str| {
        let mut ty = format!("\"{leaf}\"");
        for at in 0..20 {
            ty = match at % 3 {
                0 => format!("{{type: \"Array\", elementType: {ty}, minItems: 1}}"),
                1 => format!("{{type: \"Object\", valueType: {ty}}}"),
                _ => format!("{{type: \"Object\", fields: [{{name: \"x\", type: {ty}}}]}}"),
            };
        }
        tool(&format!("(a::Array {{elementType: {ty}}})==>(::Null)"))
    };
    let (old, new) = (read(&deep("Int")), read(&deep("Text")));
    let found = compare(&old, &new);
    assert_eq!(found.len(), 1);
    assert_shown(&found[0], &old, &new);
}

#[test]
fn compares_a_thousand_parameters() {
    let signature = |label: &str, letter: &str| {
        let params: Vec<String> = (0..1_000)
            .map(|at| format!("({letter}{at:04}::{label})==>"))
            .collect();
        tool(&format!("{}(::Null)", params.concat()))
    };
    let base = signature("Int", "p");
    for (other, count) in [
        (signature("Text", "p"), 1_000),
        (signature("Int", "q"), 1_000),
        (signature("Text", "q"), 2_000),
    ] {
        assert_eq!(changes(&base, &other).len(), count);
    }
    let other = read(&signature("Text", "p"));
    let base = read(&base);
    let found = compare(&base, &other);
    // Each witness has a thousand values, so that not all of them are kept.
    for change in found.iter().take(200).step_by(33) {
        assert_shown(change, &base, &other);
    }
    for change in &found {
        assert_shown_or_missing(change, &base, &other);
    }
}

#[test]
fn compares_long_lists_in_another_order_in_linear_time() {
    let joined = |items: Vec<String>, between: &str| items.join(between);
    let params = |items: Vec<String>| format!("{}==>(::Null)", joined(items, "==>"));
    let record = |items: Vec<String>| format!("Object {{fields: {{{}}}}}", joined(items, ", "));
    let listed = |items: Vec<String>| format!("Text {{enum: [{}]}}", joined(items, ", "));
    let result = |ty: String| format!("(a::Text)==>(::{ty})");
    let argument = |ty: String| format!("(a::{ty})==>(::Null)");
    let param = |at: usize| format!("(param{at}::Int)");
    let field = |at: usize| format!("field{at}: \"Int\"");
    let value = |at: usize| format!("\"value {at}\"");
    type Item<'a> = &'a dyn Fn(usize) -> String;
    type Whole<'a> = &'a dyn Fn(Vec<String>) -> String;
    let cases: [(Item<'_>, Whole<'_>); 5] = [
        (&param, &params),
        (&field, &|items| result(record(items))),
        (&field, &|items| argument(record(items))),
        (&value, &|items| result(listed(items))),
        (&value, &|items| argument(listed(items))),
    ];
    const COUNT: usize = 10_000;
    // The factor has no divisor in common with the count.
    let shuffled = |at: usize| at * 7_919 % COUNT;
    for (at, (item, whole)) in cases.into_iter().enumerate() {
        let in_order = tool(&whole((0..COUNT).map(item).collect()));
        let in_other = tool(&whole((0..COUNT).map(shuffled).map(item).collect()));
        // The order of parameters is reported.
        assert_eq!(changes(&in_order, &in_other).len(), usize::from(at == 0));
        let other_end = (1..COUNT).map(shuffled).chain([COUNT]);
        let other_end = tool(&whole(other_end.map(item).collect()));
        assert!(!changes(&in_order, &other_end).is_empty());
        assert!(!changes(&other_end, &in_order).is_empty());
    }
}

#[test]
fn the_witnesses_of_a_comparison_have_a_limited_number_of_values() {
    let signature = |label: &str, letter: &str| {
        let params: Vec<String> = (0..3_000)
            .map(|at| format!("({letter}{at:04}::{label})==>"))
            .collect();
        tool(&format!("{}(::Null)", params.concat()))
    };
    let found = changes(&signature("Text", "p"), &signature("Int", "q"));
    assert_eq!(found.len(), 6_000);
    let verdicts = || {
        let both = found
            .iter()
            .map(|change| [&change.implementation, &change.caller]);
        both.flatten()
    };
    let values = verdicts().filter_map(|verdict| match verdict {
        Verdict::Breaking(Evidence::Witness(witness)) => Some(witness.args.len()),
        _ => None,
    });
    let values: usize = values.sum();
    assert!((400_000..=510_000).contains(&values), "{values}");
    let is_remarked = |verdict: &Verdict| match verdict {
        Verdict::Breaking(Evidence::Missing(remark)) => remark.contains("no more are kept"),
        _ => false,
    };
    assert!(verdicts().any(is_remarked));
}

#[test]
fn compares_many_renamed_fields_with_long_names() {
    let record = |end: &str| {
        let long = "abcdefghijklmnopqrstuvwxyz".repeat(2);
        let name = |at: usize| format!("{}{at}{}{end}", &long[at % 26..], &long[..at % 26]);
        let fields: Vec<String> = (0..500)
            .map(|at| format!("{}: \"Int\"", name(at)))
            .collect();
        tool(&format!(
            "(a::Object {{fields: {{{}}}}})==>(::Null)",
            fields.join(", ")
        ))
    };
    let (old, new) = (read(&record("")), read(&record("z")));
    let found = compare(&old, &new);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_shown(&found[0], &old, &new);
}

/// Returns a type expression of unions inside of unions, each of `width` types.
fn unions_in_unions(depth: usize, width: usize, leaf: &str) -> String {
    if depth == 0 {
        return leaf.to_owned();
    }
    let inner = unions_in_unions(depth - 1, width, leaf);
    let records: Vec<String> = (0..width).map(|at| format!("{{a{at}: {inner}}}")).collect();
    format!("({})", records.join(" | "))
}

#[test]
fn compares_unions_inside_of_unions() {
    let typed = |leaf: &str| {
        let union = unions_in_unions(4, 6, leaf);
        tool(&format!(
            "(a::Any {{anyOf: [\"Text\", \"{union}\"]}})==>(::Null)"
        ))
    };
    let (old, new) = (read(&typed("Double")), read(&typed("Int")));
    let found = compare(&old, &new);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_shown(&found[0], &old, &new);
}

#[test]
fn unions_inside_of_unions_have_a_limited_number_of_candidates() {
    let union = unions_in_unions(4, 6, "Int");
    let document = tool(&format!(
        "(a::Any {{anyOf: [\"Text\", \"{union}\"]}})==>(::Null)"
    ));
    let checked = read(&document);
    let ty = checked.tools[0].spec.signature().params()[0].ty();
    let found = candidates(ty, 24);
    assert!(
        (24..=240).contains(&found.values.len()),
        "{}",
        found.values.len()
    );
    assert!(!found.are_all);
}

#[test]
fn compares_an_enum_of_many_objects() {
    let listed = |count: usize, last: &str| {
        let objects: Vec<String> = (0..count)
            .map(|at| format!("{{a: [{at}, {{b: {at}}}]}}"))
            .collect();
        tool(&format!(
            "(a::Any {{enum: [{}, {last}]}})==>(::Null)",
            objects.join(", ")
        ))
    };
    let (old, new) = (
        read(&listed(2_500, "\"old\"")),
        read(&listed(2_500, "\"new\"")),
    );
    let found = compare(&old, &new);
    assert_eq!(found.len(), 1, "{found:#?}");
    // The value that makes the difference is the last of the list.
    assert_shown(&found[0], &old, &new);
    assert!(found[0].caller.is_breaking());
    assert!(compare(&old, &old).is_empty());
}
