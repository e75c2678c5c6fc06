//! Finds the part in which two types differ.

use crate::compare::{defaults_agree, find_field, wider_keyword};
use crate::text::same_text;
use crate::types::{Field, Kind, Shape, Type, fields_of};
use crate::vocabulary::{FIELD, Keyword};
use agent_gram::print::writer::Trail;

/// A difference of two types, and its position in each. Every value of the `inner` type must be allowed
/// by the `outer` type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) how: DifferenceKind,
    pub(super) inner: Trail,
    pub(super) outer: Trail,
}

/// The kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DifferenceKind {
    /// The labels differ.
    Label,
    /// The shapes differ: a map, any object, or an object with fields.
    Shape,
    /// The inner type has a field that the outer one has not.
    Unknown,
    /// The outer type requires a field that the inner one has not.
    Missing,
    /// One of the two types is optional and the other is not.
    Optional,
    /// The defaults differ.
    Default,
    /// The descriptions differ.
    Description,
    /// The inner one is narrowed less by a keyword.
    Keyword,
    /// The inner one is narrowed more by a keyword, where they should be equal.
    NarrowerKeyword,
}

/// Returns the first difference of two types, apart from being optional at the top. `None` when every
/// value of the `inner` type means the same to the `outer` type; with `exact`, when the types are equal.
pub(super) const fn difference(inner: &Type, outer: &Type, exact: bool) -> Option<Difference> {
    of_types(inner, outer, exact, (Trail::EMPTY, Trail::EMPTY))
}

type Trails = (Trail, Trail);

const fn found(how: DifferenceKind, at: Trails) -> Option<Difference> {
    Some(Difference {
        how,
        inner: at.0,
        outer: at.1,
    })
}

const fn then(at: Trails, keyword: Keyword) -> Trails {
    (at.0.then(keyword.step()), at.1.then(keyword.step()))
}

const fn of_types(inner: &Type, outer: &Type, exact: bool, at: Trails) -> Option<Difference> {
    if !same_text(inner.label(), outer.label()) {
        return found(DifferenceKind::Label, then(at, Keyword::Type));
    }
    let nested = match (inner.kind(), outer.kind()) {
        (Kind::Array(a), Kind::Array(b)) => {
            of_nested(a.get(), b.get(), exact, then(at, Keyword::ElementType))
        }
        (Kind::Object(Shape::Map(a)), Kind::Object(Shape::Map(b))) => {
            of_nested(a.get(), b.get(), exact, then(at, Keyword::ValueType))
        }
        (Kind::Object(Shape::Fields(a)), Kind::Object(Shape::Fields(b))) => {
            of_fields(fields_of(a), fields_of(b), exact, then(at, Keyword::Fields))
        }
        (Kind::Object(Shape::Open), Kind::Object(Shape::Open)) => None,
        (Kind::Object(_), Kind::Object(_)) => found(DifferenceKind::Shape, at),
        _ => None,
    };
    if nested.is_some() {
        return nested;
    }
    let (ours, theirs) = (inner.constraints(), outer.constraints());
    if let Some(keyword) = wider_keyword(ours, theirs) {
        return found(DifferenceKind::Keyword, then(at, keyword));
    }
    match wider_keyword(theirs, ours) {
        Some(keyword) if exact => found(DifferenceKind::NarrowerKeyword, then(at, keyword)),
        _ => None,
    }
}

const fn of_nested(inner: &Type, outer: &Type, exact: bool, at: Trails) -> Option<Difference> {
    if differ_in_optional(inner.is_optional(), outer.is_optional(), exact) {
        return found(DifferenceKind::Optional, then(at, Keyword::Optional));
    }
    of_types(inner, outer, exact, at)
}

const fn differ_in_optional(inner: bool, outer: bool, exact: bool) -> bool {
    if exact {
        inner != outer
    } else {
        inner && !outer
    }
}

const fn of_fields(
    inner: &[Field],
    outer: &[Field],
    exact: bool,
    at: Trails,
) -> Option<Difference> {
    let mut index = 0;
    while index < inner.len() {
        let place = at.0.then(FIELD + index as u16);
        match find_field(outer, inner[index].name()) {
            None => return found(DifferenceKind::Unknown, (place, at.1)),
            Some(other) => {
                let places = (place, at.1.then(FIELD + other as u16));
                let difference = of_field(&inner[index], &outer[other], exact, places);
                if difference.is_some() {
                    return difference;
                }
            }
        }
        index += 1;
    }
    index = 0;
    while index < outer.len() {
        let is_required = exact || !outer[index].is_optional();
        if is_required && find_field(inner, outer[index].name()).is_none() {
            return found(
                DifferenceKind::Missing,
                (at.0, at.1.then(FIELD + index as u16)),
            );
        }
        index += 1;
    }
    None
}

const fn of_field(inner: &Field, outer: &Field, exact: bool, at: Trails) -> Option<Difference> {
    // With a wrong type, a right default would look wrong.
    if same_text(inner.ty().label(), outer.ty().label()) {
        if differ_in_optional(inner.is_optional(), outer.is_optional(), exact) {
            return found(DifferenceKind::Optional, then(at, Keyword::Optional));
        }
        let same_presence = inner.default().is_some() == outer.default().is_some();
        if !defaults_agree(inner, outer) || (exact && !same_presence) {
            return found(DifferenceKind::Default, then(at, Keyword::Default));
        }
    }
    let difference = of_types(inner.ty(), outer.ty(), exact, at);
    if difference.is_none() && exact {
        let same = match (inner.description(), outer.description()) {
            (None, None) => true,
            (Some(a), Some(b)) => same_text(a, b),
            _ => false,
        };
        if !same {
            return found(DifferenceKind::Description, then(at, Keyword::Description));
        }
    }
    difference
}

#[cfg(all(test, feature = "pattern"))]
mod tests {
    use super::*;
    use crate::binding::{Message, Mismatch, Policy, mismatches};
    use crate::compare::{fits, same_required};
    use crate::signature::Signature;

    /// Types that all differ from each other, as parameters.
    const TYPES: [&str; 24] = [
        "Text",
        "Int",
        "Int {minimum: 1}",
        "Int {minimum: 1, maximum: 9}",
        "Text {maxLength: 5}",
        "Text {enum: [\"a\", \"b\"]}",
        "Text {enum: [\"a\"]}",
        "Text {pattern: \"a\"}",
        "Text {format: \"date\"}",
        "Array",
        "Array {elementType: \"Int\"}",
        "Array {elementType: {type: \"Int\", optional: true}}",
        "Array {elementType: \"Int\", minItems: 2}",
        "Array {elementType: {type: \"Array\", elementType: \"Text\"}}",
        "Object",
        "Object {valueType: \"Int\"}",
        "Object {valueType: {type: \"Int\", maximum: 3}}",
        "Object {fields: [{name: \"a\", type: \"Int\"}]}",
        "Object {fields: [{name: \"a\", type: \"Int\", default: 1}]}",
        "Object {fields: [{name: \"a\", type: \"Int\", default: 2}]}",
        "Object {fields: [{name: \"a\", type: \"Int\", description: \"d\"}]}",
        "Object {fields: [{name: \"a\", type: \"Text\"}]}",
        "Object {fields: [{name: \"a\", type: \"Int\"}, {name: \"b\", type: \"Text\"}]}",
        "Object {fields: [{name: \"a\", type: \"Object\", fields: [{name: \"b\", type: \"Text\"}]}]}",
    ];

    fn types() -> Vec<Type> {
        let read = |ty: &&str| {
            let signature =
                Signature::parse(&format!("(p::{ty})==>(::String)")).expect("it is correct");
            signature.params()[0].ty().clone()
        };
        TYPES.iter().map(read).collect()
    }

    #[test]
    fn finds_a_difference_exactly_when_types_do_not_match() {
        let types = types();
        for inner in &types {
            for outer in &types {
                let found = difference(inner, outer, false).is_none();
                assert_eq!(found, fits(inner, outer), "{inner:?} in {outer:?}");
                let found = difference(inner, outer, true).is_none();
                assert_eq!(found, same_required(inner, outer), "{inner:?} = {outer:?}");
            }
        }
    }

    /// The message about two signatures that differ in one thing, up to the signatures, and what is
    /// marked in each.
    fn message(spec: &str, tool: &str, policy: Policy) -> (String, Vec<String>) {
        let parse = |text| Signature::parse(text).expect("it is correct");
        let (spec, tool) = (parse(spec), parse(tool));
        let found = mismatches(("d", &spec), ("d", &tool), policy);
        let [mismatch] = found.as_slice() else {
            panic!("not one mismatch: {found:?}");
        };
        assert!(matches!(
            mismatch,
            Mismatch::ParamDetails { .. } | Mismatch::Returns
        ));
        let text = Message {
            name: "t",
            spec: ("d", &spec),
            tool: ("d", &tool),
            mismatch: *mismatch,
        }
        .text();
        let lines: Vec<&str> = text.lines().collect();
        let marked = |at: usize| {
            let marks = lines[at + 1].chars().enumerate();
            let columns = marks.filter(|(_, c)| *c == '^').map(|(column, _)| column);
            let line: Vec<char> = lines[at].chars().collect();
            columns.map(|column| line[column]).collect::<String>()
        };
        let summary = lines[0].trim_start_matches("tool `t`: ").to_owned();
        (summary, vec![marked(1), marked(3)])
    }

    #[test]
    fn messages_name_and_mark_the_differing_part() {
        let fields = |zip: &str| {
            format!(
                "(user::Object {{fields: [{{name: \"address\", type: \"Object\", \
                 fields: [{{name: \"zip\", {zip}}}]}}]}})==>(::String)"
            )
        };
        for (spec, tool, summary, ours, theirs) in [
            (
                fields("type: \"Int\""),
                fields("type: \"Text\""),
                "the field `user.address.zip` is `Int` in the agent, but the function takes `Text`",
                "\"Int\"",
                "\"Text\"",
            ),
            (
                fields("type: \"Text\", default: \"a\""),
                fields("type: \"Text\", default: \"b\""),
                "the field `user.address.zip` has the default `\"a\"` in the agent, but `\"b\"` in the \
                 function",
                "\"a\"",
                "\"b\"",
            ),
            (
                fields("type: \"Text\", optional: true"),
                fields("type: \"Text\""),
                "the field `user.address.zip` is optional in the agent, but the function requires it",
                "optional: true",
                "{name: \"zip\", type: \"Text\"}",
            ),
            (
                fields("type: \"Text\"").replace("zip", "zap"),
                fields("type: \"Text\", optional: true"),
                "the field `user.address.zap` is unknown to the function",
                "{name: \"zap\", type: \"Text\"}",
                "[{name: \"zip\", type: \"Text\", optional: true}]",
            ),
            (
                "(a::Int {maximum: 9})==>(::String)".to_owned(),
                "(a::Int {minimum: 1, maximum: 5})==>(::String)".to_owned(),
                "parameter `a` has another `minimum` in the function: the agent allows values that the \
                 function does not take",
                "(a::Int {maximum: 9})",
                "minimum: 1",
            ),
            (
                "(a::Int {enum: [1, 2]})==>(::String)".to_owned(),
                "(a::Int {minimum: 1, maximum: 9})==>(::String)".to_owned(),
                "parameter `a` has no `minimum` in the agent, but one in the function: keywords are \
                 compared one by one",
                "(a::Int {enum: [1, 2]})",
                "minimum: 1",
            ),
            (
                "(a::Text {pattern: \"^[ab]$\"})==>(::String)".to_owned(),
                "(a::Text {pattern: \"^(a|b)$\"})==>(::String)".to_owned(),
                "parameter `a` has another `pattern` in the function: what is written is compared, \
                 keyword by keyword",
                "pattern: \"^[ab]$\"",
                "pattern: \"^(a|b)$\"",
            ),
            (
                "()==>(::Any {enum: [\"a\"]})".to_owned(),
                "()==>(::Any {enum: [\"b\"]})".to_owned(),
                "the result has another `enum` in the function, which may return what the agent does \
                 not allow",
                "enum: [\"a\"]",
                "enum: [\"b\"]",
            ),
            (
                "()==>(::Int {minimum: 1, maximum: 9})".to_owned(),
                "()==>(::Int {enum: [1, 2]})".to_owned(),
                "the result has no `minimum` in the function, but one in the agent: keywords are \
                 compared one by one",
                "minimum: 1",
                "(::Int {enum: [1, 2]})",
            ),
            (
                "(a::Object {valueType: \"[Int]\"})==>(::String)".to_owned(),
                "(a::Object {valueType: \"[Text]\"})==>(::String)".to_owned(),
                "the elements of `a.*` are `Int` in the agent, but the function takes `Text`",
                "\"Int\"",
                "\"Text\"",
            ),
            (
                "()==>(::Object {fields: {a: \"Int\", b: \"Int\"}})".to_owned(),
                "()==>(::Object {fields: {a: \"Int\"}})".to_owned(),
                "the field `b` of the result is not returned by the function",
                "{name: \"b\", type: \"Int\"}",
                "[{name: \"a\", type: \"Int\"}]",
            ),
            (
                "()==>(::Object {fields: {a: \"Int\"}})".to_owned(),
                "()==>(::Object {fields: {a: \"Int\", b: \"Int\"}})".to_owned(),
                "the field `b` of the result is returned by the function, but unknown to the agent",
                "[{name: \"a\", type: \"Int\"}]",
                "{name: \"b\", type: \"Int\"}",
            ),
            (
                "()==>(::Int {maximum: 3})".to_owned(),
                "()==>(::Int)".to_owned(),
                "the result has another `maximum` in the function, which may return what the agent does \
                 not allow",
                "maximum: 3",
                "(::Int)",
            ),
        ] {
            let (found, marked) = message(&spec, &tool, Policy::Compatible);
            assert_eq!(found, summary);
            assert_eq!(marked, [ours, theirs], "{summary}");
        }
    }

    #[test]
    fn exact_policy_has_its_own_messages() {
        let spec = "(a::Array {elementType: {type: \"Int\", maximum: 3}})==>(::String)";
        let tool = "(a::Array {elementType: \"Int\"})==>(::String)";
        let (summary, marked) = message(spec, tool, Policy::Exact);
        assert_eq!(
            summary,
            "the elements of parameter `a` have another `maximum` in the function"
        );
        assert_eq!(marked, ["maximum: 3", "\"Int\""]);
    }
}
