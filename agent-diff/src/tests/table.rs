//! A table of changes: two documents, the rule, and the verdict for each side.

use super::witness_check::{assert_shown, assert_shown_or_missing};
use super::{agent, page, read, tool};
use crate::rule::Rule;
use crate::{Change, Evidence, Verdict, compare};

/// Returns the word for a verdict on the page.
const fn word(verdict: &Verdict) -> &'static str {
    if verdict.is_breaking() {
        "breaking"
    } else {
        "compatible"
    }
}

/// The need for a witness of each breaking verdict of a row.
#[derive(Clone, Copy)]
enum Witnesses {
    Required,
    /// A witness may be missing; one that is given must show what it claims.
    Optional,
}

/// Returns the one change between two documents, after checking its witnesses.
fn only_change(old: &str, new: &str, witnesses: Witnesses) -> Change {
    let (old, new) = (read(old), read(new));
    let mut found = compare(&old, &new);
    assert_eq!(found.len(), 1, "{found:#?}");
    let change = found.remove(0);
    match witnesses {
        Witnesses::Required => assert_shown(&change, &old, &new),
        Witnesses::Optional => assert_shown_or_missing(&change, &old, &new),
    }
    change
}

fn assert_change(old: &str, new: &str, expected: (Rule, &str, &str), witnesses: Witnesses) {
    let change = only_change(old, new, witnesses);
    let found = (
        change.rule,
        word(&change.implementation),
        word(&change.caller),
    );
    assert_eq!(found, expected, "{change:#?}");
    // The page agrees.
    let (rule, implementation, caller) = expected;
    let row = page::row(rule);
    let name = rule.name();
    assert!(row.implementation.contains(implementation), "{name}");
    assert!(row.caller.contains(caller), "{name}");
}

#[test]
fn the_notation_of_a_schema_is_no_change() {
    let old = tool("(a::Any {schema: '{\"type\":\"object\",\"minProperties\":1}'})==>(::Any)");
    let new =
        tool("(a::Any {schema: '{ \"minProperties\": 1.0, \"type\": \"object\" }'})==>(::Any)");
    let found = compare(&read(&old), &read(&new));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_changed_schema_has_no_witness() {
    let parameter = |least: u8| {
        let ty = format!("Any {{schema: '{{\"minProperties\":{least}}}'}}");
        tool(&format!("(a::{ty})==>(::Null)"))
    };
    let change = only_change(&parameter(1), &parameter(2), Witnesses::Optional);
    assert!(matches!(change.implementation, Verdict::Breaking(_)));
    assert!(
        matches!(change.caller, Verdict::Breaking(Evidence::Missing(_))),
        "{change:#?}"
    );
}

#[test]
fn any_object_and_a_map_of_any_values_are_no_change() {
    let old = tool("(a::Object)==>(::Object {fields: {b: \"Object\"}})");
    let any = "{type: \"Object\", valueType: \"Any\"}";
    let new = tool(&format!(
        "(a::Object {{valueType: \"Any\"}})==>(::Object {{fields: {{b: {any}}}}})"
    ));
    let found = compare(&read(&old), &read(&new));
    assert!(found.is_empty(), "{found:#?}");
}

/// Defines a test for each row: two signatures or documents, the rule, and the verdicts for an
/// implementation and for a caller.
macro_rules! rows {
    ($of:expr; $($rows:tt)+) => {
        rows! { $of, Required; $($rows)+ }
    };
    ($of:expr, $witnesses:ident; $($name:ident: $old:expr => $new:expr, $rule:ident $implementation:ident $caller:ident;)+) => {
        $(
            #[test]
            fn $name() {
                let of: fn(&str) -> String = $of;
                let words = (stringify!($implementation), stringify!($caller));
                let expected = (Rule::$rule, words.0, words.1);
                assert_change(&of($old), &of($new), expected, Witnesses::$witnesses);
            }
        )+
    };
}

mod multiples {
    use super::*;

    rows! { |ty| tool(&format!("(a::{ty})==>(::Null)"));
        multiples_of_a_whole_number_are_whole: "Double {multipleOf: 1, minimum: 0.5}" => "Int {minimum: 1}",
            ParameterTypeRestated breaking compatible;
        whole_numbers_are_multiples_of_one: "Int" => "Double {multipleOf: 1.0}",
            ParameterTypeRestated breaking compatible;
        multiples_of_four_are_multiples_of_two: "Int {multipleOf: 4}" => "Int {multipleOf: 2}",
            ParameterTypeWidened breaking compatible;
        multiples_of_a_half_are_not_whole: "Double {multipleOf: 0.5}" => "Int",
            ParameterTypeChanged breaking breaking;
    }
}

mod names_at_a_server {
    use super::*;

    // Both documents take each call.
    rows! { |ty| tool(&format!("(a::{ty})==>(::Null)")), Optional;
        it_is_another: "Int {remote: \"$a\"}" => "Int {remote: \"a$\"}",
            ParameterRemoteChanged breaking breaking;
        there_is_one_now: "Int" => "Int {remote: \"a$\"}",
            ParameterRemoteChanged compatible breaking;
        there_is_none_now: "Int {remote: \"$a\"}" => "Int",
            ParameterRemoteChanged compatible breaking;
        that_of_a_field_is_another:
            "Array {elementType: {type: \"Object\", fields: [{name: \"b\", type: \"Int\", remote: \"$b\"}]}}"
            => "Array {elementType: {type: \"Object\", fields: [{name: \"b\", type: \"Int\", remote: \"b$\"}]}}",
            ParameterRemoteChanged breaking breaking;
        that_of_a_field_beside_further_keys_is_new:
            "Object {fields: [{name: \"b\", type: \"Int\"}], valueType: \"Any\"}"
            => "Object {fields: [{name: \"b\", type: \"Int\", remote: \"b$\"}], valueType: \"Any\"}",
            ParameterRemoteChanged compatible breaking;
    }

    #[test]
    fn names_that_two_fields_exchange_are_both_shown() {
        let parameter = |first: &str, second: &str| {
            let field = |name: &str, remote: &str| {
                format!("{{name: \"{name}\", type: \"Int\", remote: \"{remote}\"}}")
            };
            let fields = [field("b", first), field("b_2", second)].join(", ");
            tool(&format!("(a::Object {{fields: [{fields}]}})==>(::Null)"))
        };
        let change = only_change(
            &parameter("b$", "b["),
            &parameter("b[", "b$"),
            Witnesses::Optional,
        );
        let Verdict::Breaking(Evidence::Missing(reason)) = change.caller else {
            panic!("{change:#?}");
        };
        let expected = "the server gets `a.b` as `b[` now, not as `b$`; \
                        the server gets `a.b_2` as `b$` now, not as `b[`";
        assert_eq!(reason, expected);
    }
}

mod parameters {
    use super::*;

    rows! { tool;
        a_required_parameter_is_added: "()==>(::Null)" => "(a::Int)==>(::Null)",
            RequiredParameterAdded breaking breaking;
        an_optional_parameter_is_added: "()==>(::Null)" => "(a::Int {optional: true})==>(::Null)",
            OptionalParameterAdded breaking compatible;
        a_parameter_with_a_default_is_added: "()==>(::Null)" => "(a::Int {default: 1})==>(::Null)",
            DefaultParameterAdded breaking compatible;
        a_required_parameter_is_removed: "(a::Int)==>(::Null)" => "()==>(::Null)",
            RequiredParameterRemoved breaking breaking;
        an_optional_parameter_is_removed: "(a::Int {optional: true})==>(::Null)" => "()==>(::Null)",
            OptionalParameterRemoved compatible breaking;
        a_parameter_with_a_default_is_removed:
            "(a::Int {default: 1})==>(::Null)"
            => "()==>(::Null)",
            OptionalParameterRemoved compatible breaking;
        a_parameter_is_renamed: "(colour::Int)==>(::Null)" => "(color::Int)==>(::Null)",
            ParameterRenamed breaking breaking;
        a_parameter_is_nearly_renamed:
            "(userName::Int)==>(::Null)"
            => "(user_name::Int)==>(::Null)",
            ParameterRenamed breaking breaking;
        an_optional_parameter_is_renamed:
            "(colour::Int {default: 1})==>(::Null)"
            => "(color::Int {default: 1})==>(::Null)",
            ParameterRenamed breaking breaking;
        a_parameter_may_be_left_out_now:
            "(a::Int)==>(::Null)"
            => "(a::Int {optional: true})==>(::Null)",
            ParameterMadeOptional breaking compatible;
        a_parameter_has_a_default_now: "(a::Int)==>(::Null)" => "(a::Int {default: 1})==>(::Null)",
            ParameterMadeOptional breaking compatible;
        a_parameter_must_be_given_now:
            "(a::Int {optional: true})==>(::Null)"
            => "(a::Int)==>(::Null)",
            ParameterMadeRequired compatible breaking;
        a_parameter_has_no_default_and_must_be_given:
            "(a::Int {default: 1})==>(::Null)"
            => "(a::Int)==>(::Null)",
            ParameterMadeRequired compatible breaking;
        a_default_is_changed:
            "(a::Int {default: 1})==>(::Null)"
            => "(a::Int {default: 2})==>(::Null)",
            ParameterDefaultChanged breaking compatible;
        a_default_is_added:
            "(a::Int {optional: true})==>(::Null)"
            => "(a::Int {default: 2})==>(::Null)",
            ParameterDefaultAdded compatible compatible;
        a_default_is_removed:
            "(a::Int {default: 1})==>(::Null)"
            => "(a::Int {optional: true})==>(::Null)",
            ParameterDefaultRemoved compatible compatible;
        a_parameter_is_described_otherwise:
            "(a::Int {description: \"A.\"})==>(::Null)"
            => "(a::Int {description: \"B.\"})==>(::Null)",
            ParameterDescriptionChanged compatible compatible;
        parameters_change_places:
            "(a::Int)==>(b::Text)==>(::Null)"
            => "(b::Text)==>(a::Int)==>(::Null)",
            ParameterOrderChanged compatible compatible;
    }
}

mod types {
    use super::*;

    /// Returns a tool with a parameter of this label and these properties.
    fn typed(of: &str) -> String {
        tool(&format!("(a::{of})==>(::Null)"))
    }

    rows! { typed;
        an_int_becomes_a_double: "Int" => "Double", ParameterTypeWidened breaking compatible;
        a_double_becomes_an_int: "Double" => "Int", ParameterTypeNarrowed breaking breaking;
        a_text_becomes_anything: "Text" => "Any", ParameterTypeWidened breaking compatible;
        anything_becomes_a_text: "Any" => "Text", ParameterTypeNarrowed breaking breaking;
        a_text_becomes_an_int: "Text" => "Int", ParameterTypeChanged breaking breaking;
        an_object_becomes_a_list: "Object" => "Array", ParameterTypeChanged breaking breaking;
        a_bool_becomes_a_choice_of_both:
            "Bool"
            => "Bool {enum: [false, true]}",
            ParameterTypeRestated compatible compatible;
        a_choice_of_both_becomes_a_bool:
            "Bool {enum: [false, true]}"
            => "Bool",
            ParameterTypeRestated breaking compatible;
        a_bool_becomes_a_choice_of_one:
            "Bool"
            => "Bool {enum: [true]}",
            ParameterTypeNarrowed compatible breaking;
        a_choice_is_added:
            "Text {enum: [\"a\"]}"
            => "Text {enum: [\"a\", \"b\"]}",
            ParameterTypeWidened breaking compatible;
        a_choice_is_removed:
            "Text {enum: [\"a\", \"b\"]}"
            => "Text {enum: [\"a\"]}",
            ParameterTypeNarrowed compatible breaking;
        choices_are_given:
            "Text"
            => "Text {enum: [\"text\"]}",
            ParameterTypeNarrowed compatible breaking;
        choices_are_taken_back:
            "Text {enum: [\"text\"]}"
            => "Text",
            ParameterTypeWidened breaking compatible;
        a_choice_of_anything_is_removed:
            "Any {enum: [1, \"a\"]}"
            => "Any {enum: [1]}",
            ParameterTypeNarrowed compatible breaking;
        a_range_becomes_its_numbers:
            "Int {minimum: 1, maximum: 3}"
            => "Int {enum: [1, 2, 3]}",
            ParameterTypeRestated breaking compatible;
        a_range_becomes_some_of_its_numbers:
            "Int {minimum: 1, maximum: 9}"
            => "Int {enum: [1, 2]}",
            ParameterTypeNarrowed breaking breaking;
        numbers_become_their_range:
            "Int {enum: [1, 2, 3]}"
            => "Int {minimum: 1, maximum: 3}",
            ParameterTypeRestated breaking compatible;
        a_minimum_is_raised:
            "Int {minimum: 1}"
            => "Int {minimum: 2}",
            ParameterTypeNarrowed compatible breaking;
        a_minimum_is_lowered:
            "Int {minimum: 2}"
            => "Int {minimum: 1}",
            ParameterTypeWidened breaking compatible;
        a_maximum_is_given:
            "Double"
            => "Double {maximum: 0.5}",
            ParameterTypeNarrowed compatible breaking;
        a_maximum_is_taken_back:
            "Double {maximum: 0.5}"
            => "Double",
            ParameterTypeWidened breaking compatible;
        a_minimum_between_whole_numbers_is_rounded:
            "Int {minimum: 0.5}"
            => "Int {minimum: 1}",
            ParameterTypeRestated compatible compatible;
        a_fraction_is_all_that_is_lost:
            "Double {minimum: 1}"
            => "Double {minimum: 1.5}",
            ParameterTypeNarrowed compatible breaking;
        a_length_is_given:
            "Text"
            => "Text {minLength: 1}",
            ParameterTypeNarrowed compatible breaking;
        a_length_is_taken_back:
            "Text {maxLength: 3}"
            => "Text",
            ParameterTypeWidened breaking compatible;
        lengths_move:
            "Text {minLength: 1, maxLength: 3}"
            => "Text {minLength: 2, maxLength: 4}",
            ParameterTypeChanged breaking breaking;
        a_pattern_is_given:
            "Text"
            => "Text {pattern: \"^a\"}",
            ParameterTypeNarrowed compatible breaking;
        a_pattern_is_taken_back:
            "Text {pattern: \"^a\"}"
            => "Text",
            ParameterTypeWidened breaking compatible;
        a_pattern_becomes_one_of_its_texts_among_anything: "Text {pattern: \"^(a|b)$\"}" => "Any {enum: [\"a\", 1]}", ParameterTypeChanged breaking breaking;
        choices_become_their_pattern:
            "Text {enum: [\"a\", \"b\"]}"
            => "Text {pattern: \"^[ab]$\"}",
            ParameterTypeWidened breaking compatible;
        choices_become_a_pattern_that_refuses_one:
            "Text {enum: [\"a\", \"b\"]}"
            => "Text {pattern: \"^[ac]$\"}",
            ParameterTypeChanged breaking breaking;
        a_format_is_given:
            "Text"
            => "Text {format: \"date\"}",
            ParameterTypeNarrowed compatible breaking;
        a_format_is_taken_back:
            "Text {format: \"date\"}"
            => "Text",
            ParameterTypeWidened breaking compatible;
        choices_become_their_format:
            "Text {enum: [\"2026-11-21\"]}"
            => "Text {format: \"date\"}",
            ParameterTypeWidened breaking compatible;
        choices_become_a_format_that_refuses_one:
            "Text {enum: [\"2026-11-21\", \"soon\"]}"
            => "Text {format: \"date\"}",
            ParameterTypeChanged breaking breaking;
        a_remark_becomes_another:
            "Text {format: \"color\"}"
            => "Text {format: \"colour\"}",
            ParameterTypeRestated breaking compatible;
        more_items_are_wanted:
            "Array {minItems: 1}"
            => "Array {minItems: 2}",
            ParameterTypeNarrowed compatible breaking;
        more_items_are_allowed:
            "Array {maxItems: 1}"
            => "Array {maxItems: 2}",
            ParameterTypeWidened breaking compatible;
        items_become_narrower:
            "Array"
            => "Array {elementType: \"Text\"}",
            ParameterTypeNarrowed breaking breaking;
        items_become_wider:
            "Array {elementType: \"Int\"}"
            => "Array {elementType: \"Double\"}",
            ParameterTypeWidened breaking compatible;
        items_may_be_missing:
            "Array {elementType: \"Int\"}"
            => "Array {elementType: \"Maybe Int\"}",
            ParameterTypeWidened breaking compatible;
        items_must_be_there:
            "Array {elementType: \"Maybe Int\"}"
            => "Array {elementType: \"Int\"}",
            ParameterTypeNarrowed compatible breaking;
        a_list_that_is_always_empty_has_any_items:
            "Array {maxItems: 0, elementType: \"Int\"}"
            => "Array {maxItems: 0, elementType: \"Text\"}",
            ParameterTypeRestated breaking compatible;
        values_become_wider:
            "Object {valueType: \"Int\"}"
            => "Object {valueType: \"Double\"}",
            ParameterTypeWidened breaking compatible;
        any_object_becomes_a_map:
            "Object"
            => "Object {valueType: \"Int\"}",
            ParameterTypeNarrowed breaking breaking;
        a_map_becomes_any_object:
            "Object {valueType: \"Int\"}"
            => "Object",
            ParameterTypeWidened breaking compatible;
        any_object_becomes_a_record:
            "Object"
            => "Object {fields: {x: \"Maybe Any\"}}",
            ParameterTypeNarrowed breaking breaking;
        a_record_becomes_any_object:
            "Object {fields: {x: \"Int\"}}"
            => "Object",
            ParameterTypeWidened breaking compatible;
        a_record_becomes_a_map:
            "Object {fields: {x: \"Int\"}}"
            => "Object {valueType: \"Int\"}",
            ParameterTypeWidened breaking compatible;
        a_record_with_a_field_to_leave_out_becomes_a_map:
            "Object {fields: {x: \"Maybe Int\"}}"
            => "Object {valueType: \"Int\"}",
            ParameterTypeChanged breaking breaking;
        a_map_becomes_a_record:
            "Object {valueType: \"Int\"}"
            => "Object {fields: {x: \"Maybe Int\"}}",
            ParameterTypeChanged breaking breaking;
        a_field_is_added:
            "Object {fields: {x: \"Int\"}}"
            => "Object {fields: {x: \"Int\", y: \"Int\"}}",
            ParameterTypeChanged breaking breaking;
        a_field_to_leave_out_is_added:
            "Object {fields: {x: \"Int\"}}"
            => "Object {fields: {x: \"Int\", y: \"Maybe Int\"}}",
            ParameterTypeWidened breaking compatible;
        a_field_is_removed:
            "Object {fields: {x: \"Int\", y: \"Int\"}}"
            => "Object {fields: {x: \"Int\"}}",
            ParameterTypeChanged breaking breaking;
        a_field_to_leave_out_is_removed:
            "Object {fields: {x: \"Int\", y: \"Maybe Int\"}}"
            => "Object {fields: {x: \"Int\"}}",
            ParameterTypeNarrowed compatible breaking;
        a_field_may_be_left_out:
            "Object {fields: {x: \"Int\"}}"
            => "Object {fields: {x: \"Maybe Int\"}}",
            ParameterTypeWidened breaking compatible;
        a_field_must_be_there:
            "Object {fields: {x: \"Maybe Int\"}}"
            => "Object {fields: {x: \"Int\"}}",
            ParameterTypeNarrowed compatible breaking;
        a_field_becomes_wider:
            "Object {fields: {x: \"[Int]\"}}"
            => "Object {fields: {x: \"[Double]\"}}",
            ParameterTypeWidened breaking compatible;
        a_field_has_another_default:
            "Object {fields: [{name: \"x\", type: \"Int\", default: 1}]}"
            => "Object {fields: [{name: \"x\", type: \"Int\", default: 2}]}",
            ParameterTypeRestated breaking compatible;
        a_field_is_described:
            "Object {fields: {x: \"Int\"}}"
            => "Object {fields: [{name: \"x\", type: \"Int\", description: \"X.\"}]}",
            ParameterDescriptionChanged compatible compatible;
    }
}

/// Changes of patterns and formats. Whether one is narrower than another is not decided, so a witness is
/// not always found.
mod undecided {
    use super::*;

    fn typed(of: &str) -> String {
        tool(&format!("(a::{of})==>(::Null)"))
    }

    rows! { typed, Optional;
        a_schema_is_changed:
            "Any {schema: '{\"minProperties\":1}'}"
            => "Any {schema: '{\"minProperties\":2}'}",
            ParameterTypeChanged breaking breaking;
        a_schema_narrows_anything:
            "Any" => "Any {schema: '{\"minProperties\":1}'}",
            ParameterTypeNarrowed compatible breaking;
        a_schema_becomes_anything:
            "Any {schema: '{\"minProperties\":1}'}" => "Any",
            ParameterTypeWidened breaking compatible;
        a_schema_becomes_a_type:
            "Any {schema: '{\"type\":\"string\",\"not\":{\"const\":\"\"}}'}" => "Text",
            ParameterTypeChanged breaking breaking;
        a_type_becomes_a_schema:
            "Text" => "Any {schema: '{\"type\":\"string\",\"not\":{\"const\":\"\"}}'}",
            ParameterTypeChanged breaking breaking;
        listed_values_become_a_schema:
            "Any {enum: [1, \"a\"]}" => "Any {schema: '{\"not\":{\"type\":\"null\"}}'}",
            ParameterTypeChanged breaking breaking;
        a_schema_in_a_record_is_changed:
            "Object {fields: {a: {type: \"Any\", schema: '{\"minProperties\":1}'}}}"
            => "Object {fields: {a: {type: \"Any\", schema: '{\"minProperties\":2}'}}}",
            ParameterTypeChanged breaking breaking;
        a_pattern_is_changed:
            "Text {pattern: \"^[a-y]+$\"}"
            => "Text {pattern: \"^[a-z]+$\"}",
            ParameterTypeChanged breaking breaking;
        a_pattern_is_written_otherwise:
            "Text {pattern: \"^(a|b)$\"}"
            => "Text {pattern: \"^[ab]$\"}",
            ParameterTypeChanged breaking breaking;
        a_pattern_becomes_its_texts:
            "Text {pattern: \"^(a|b)$\"}"
            => "Text {enum: [\"a\", \"b\"]}",
            ParameterTypeNarrowed breaking breaking;
        a_pattern_becomes_a_length:
            "Text {pattern: \"^.{2}$\"}"
            => "Text {minLength: 2, maxLength: 2}",
            ParameterTypeChanged breaking breaking;
        a_format_is_changed:
            "Text {format: \"date\"}"
            => "Text {format: \"uri\"}",
            ParameterTypeChanged breaking breaking;
        a_format_becomes_a_pattern:
            "Text {format: \"date\"}"
            => "Text {pattern: \"^[0-9-]{10}$\"}",
            ParameterTypeChanged breaking breaking;
        a_text_with_a_format_becomes_shorter:
            "Text {format: \"email\", maxLength: 254}"
            => "Text {format: \"email\", maxLength: 253}",
            ParameterTypeNarrowed compatible breaking;
        a_pattern_of_a_field_is_changed:
            "Object {fields: [{name: \"x\", type: \"Text\", pattern: \"^a\"}]}"
            => "Object {fields: [{name: \"x\", type: \"Text\", pattern: \"^a+\"}]}",
            ParameterTypeChanged breaking breaking;
    }
}

mod undecided_results {
    use super::*;

    fn returning(of: &str) -> String {
        tool(&format!("()==>(::{of})"))
    }

    rows! { returning, Optional;
        a_schema_is_changed:
            "Any {schema: '{\"minProperties\":1}'}"
            => "Any {schema: '{\"minProperties\":2}'}",
            ResultTypeChanged breaking breaking;
        a_schema_becomes_anything:
            "Any {schema: '{\"minProperties\":1}'}" => "Any",
            ResultTypeWidened compatible breaking;
        a_schema_narrows_anything:
            "Any" => "Any {schema: '{\"minProperties\":1}'}",
            ResultTypeNarrowed compatible compatible;
        a_pattern_is_changed:
            "String {pattern: \"^[a-y]+$\"}"
            => "String {pattern: \"^[a-z]+$\"}",
            ResultTypeChanged breaking breaking;
        a_format_is_changed:
            "String {format: \"date\"}"
            => "String {format: \"uri\"}",
            ResultTypeChanged breaking breaking;
        anything_becomes_an_image: "Any" => "Image", ResultTypeChanged breaking breaking;
        an_image_becomes_anything: "Image" => "Any", ResultTypeChanged breaking breaking;
    }
}

mod results {
    use super::*;

    fn returning(of: &str) -> String {
        tool(&format!("()==>(::{of})"))
    }

    rows! { returning;
        an_int_becomes_a_double: "Int" => "Double", ResultTypeWidened compatible breaking;
        a_double_becomes_an_int: "Double" => "Int", ResultTypeNarrowed breaking compatible;
        a_text_becomes_nothing: "String" => "Null", ResultTypeChanged breaking breaking;
        nothing_becomes_what_may_be_missing:
            "Null"
            => "String {optional: true}",
            ResultTypeWidened compatible breaking;
        a_text_becomes_anything: "String" => "Any", ResultTypeWidened compatible breaking;
        anything_becomes_a_text: "Any" => "String", ResultTypeNarrowed breaking compatible;
        it_may_be_missing: "Int" => "Int {optional: true}", ResultTypeWidened compatible breaking;
        anything_becomes_a_choice: "Any" => "Any {enum: [\"a\"]}", ResultTypeNarrowed compatible compatible;
        a_choice_becomes_anything: "Any {enum: [\"a\"]}" => "Any", ResultTypeWidened compatible breaking;
        a_choice_becomes_another:
            "Any {enum: [\"a\"]}"
            => "Any {enum: [\"b\"]}",
            ResultTypeChanged breaking breaking;
        it_is_always_there: "Int {optional: true}" => "Int", ResultTypeNarrowed breaking compatible;
        a_limit_is_given: "Int" => "Int {minimum: 0}", ResultTypeNarrowed breaking compatible;
        a_limit_is_taken_back: "Int {minimum: 0}" => "Int", ResultTypeWidened compatible breaking;
        a_pattern_is_given:
            "String"
            => "String {pattern: \"^a\"}",
            ResultTypeNarrowed breaking compatible;
        a_pattern_is_taken_back:
            "String {pattern: \"^a\"}"
            => "String",
            ResultTypeWidened compatible breaking;
        a_format_is_given:
            "String"
            => "String {format: \"date\"}",
            ResultTypeNarrowed breaking compatible;
        a_format_is_taken_back:
            "String {format: \"date\"}"
            => "String",
            ResultTypeWidened compatible breaking;
        an_image_becomes_a_text: "Image" => "String", ResultTypeChanged breaking breaking;
        a_text_becomes_an_image: "String" => "Image", ResultTypeChanged breaking breaking;
        an_image_becomes_audio: "Image" => "Audio", ResultTypeChanged breaking breaking;
        an_image_becomes_several: "Image" => "Parts", ResultTypeChanged breaking breaking;
        an_image_may_be_missing:
            "Image"
            => "Image {optional: true}",
            ResultTypeWidened compatible breaking;
        a_field_is_added:
            "Object {fields: {x: \"Int\"}}"
            => "Object {fields: {x: \"Int\", y: \"Int\"}}",
            ResultTypeNarrowed breaking compatible;
        a_field_is_removed:
            "Object {fields: {x: \"Int\", y: \"Int\"}}"
            => "Object {fields: {x: \"Int\"}}",
            ResultTypeWidened compatible breaking;
        a_field_to_leave_out_is_added:
            "Object {fields: {x: \"Int\"}}"
            => "Object {fields: {x: \"Int\", y: \"Maybe Int\"}}",
            ResultTypeRestated compatible compatible;
        a_field_to_leave_out_is_removed:
            "Object {fields: {x: \"Int\", y: \"Maybe Int\"}}"
            => "Object {fields: {x: \"Int\"}}",
            ResultTypeRestated compatible compatible;
        a_field_is_added_that_looks_like_a_slip:
            "Object {fields: {userName: \"Maybe Int\"}}"
            => "Object {fields: {user_name: \"Int\"}}",
            ResultTypeChanged breaking breaking;
        a_field_is_described:
            "Object {fields: {x: \"Int\"}}"
            => "Object {fields: [{name: \"x\", type: \"Int\", description: \"X.\"}]}",
            ResultDescriptionChanged compatible compatible;
        it_is_described:
            "Int"
            => "Int {description: \"It.\"}",
            ResultDescriptionChanged compatible compatible;
    }
}

mod tools {
    use super::*;

    const T: &str = "[t:Tool {description: \"Does it.\"} | (a::Int)==>(::Null)]";
    const OTHER: &str = "[u:Tool {description: \"Does other things.\"} | ()==>(::Null)]";

    rows! { str::to_owned;
        a_tool_is_added: T => &format!("{T} {OTHER}"), ToolAdded breaking compatible;
        a_tool_is_removed: &format!("{T} {OTHER}") => T, ToolRemoved compatible breaking;
        a_tool_is_renamed: T => &T.replace("t:Tool", "other:Tool"), ToolRenamed breaking breaking;
        a_tool_is_described_otherwise:
            T
            => &T.replace("it", "that"),
            ToolDescriptionChanged breaking compatible;
        calls_may_take_less_time:
            T
            => &T.replace("it.\"", "it.\", timeout: 5s"),
            ToolTimeoutChanged compatible compatible;
        calls_are_approved:
            T
            => &T.replace("it.\"", "it.\", requiresApproval: true"),
            ToolApprovalChanged compatible compatible;
        its_document_says_that_it_sends:
            T
            => &T.replace("it.\"", "it.\", sends: true"),
            ToolEffectsChanged compatible compatible;
    }
}

mod agents {
    use super::*;

    const T: &str = "[t:Tool {description: \"Does it.\"} | (a::Int)==>(::Null)]";

    /// Returns the tool beside an agent.
    fn beside(agents: &str) -> String {
        format!("{T}\n{agents}")
    }

    rows! { beside;
        an_agent_is_added: "" => &agent("t"), AgentAdded compatible compatible;
        an_agent_is_removed: &agent("t") => "", AgentRemoved compatible breaking;
        an_agent_without_tools_is_removed: &agent("") => "", AgentRemoved compatible breaking;
        an_agent_offers_a_tool: &agent("") => &agent("t"), AgentToolAdded compatible compatible;
        an_agent_offers_a_tool_no_more:
            &agent("t")
            => &agent(""),
            AgentToolRemoved compatible breaking;
        an_agent_is_described:
            &agent("t")
            => &agent("t").replace("Agent {", "Agent {description: \"d\", "),
            AgentDescriptionChanged compatible compatible;
        calls_of_an_agent_may_take_less_time:
            &agent("t")
            => &agent("t").replace("Agent {", "Agent {timeout: 3s, "),
            AgentTimeoutChanged compatible compatible;
        calls_of_an_agent_are_approved:
            &agent("t")
            => &agent("t").replace("Agent {", "Agent {requiresApproval: true, "),
            AgentApprovalChanged compatible compatible;
    }
}

/// Pairs of signatures with the same meaning.
const SAME: [(&str, &str); 8] = [
    ("(a::Text)==>(::String)", "(a::String)==>(::Text)"),
    (
        "(a::Int)==>(::Null)",
        "(::Integer {paramName: \"a\"})==>(::Null)",
    ),
    ("(arg1::Int)==>(::Null)", "(::Int)==>(::Null)"),
    (
        "(a::Int)==>(b::Int)==>(::Null)",
        "(::Null)<==(b::Int)<==(a::Int)",
    ),
    ("(a::Int)==>(::Null)", "(a::Int)-->(::Null)"),
    (
        "(a::Object {fields: {x: \"Maybe Int\"}})==>(::Null)",
        "(a::Object {fields: [{name: \"x\", type: \"Integer\", optional: true}]})==>(::Null)",
    ),
    (
        "(a::Text {minLength: 1, maxLength: 2})==>(::Null)",
        "(a::Text {maxLength: 2, minLength: 1})==>(::Null)",
    ),
    (
        "(a::Double {default: 1})==>(::Null)",
        "(a::Double {default: 1.0})==>(::Null)",
    ),
];

#[test]
fn respelling_is_no_change() {
    for (one, other) in SAME {
        for (old, new) in [(one, other), (other, one)] {
            let found = super::changes(&tool(old), &tool(new));
            assert!(found.is_empty(), "{old} {new} {found:#?}");
        }
    }
}

#[test]
fn removed_tool_of_an_agent_is_reported_once() {
    let found = super::changes(
        &agent("[t:Tool {description: \"D\"} | ()==>(::Null)]"),
        &agent(""),
    );
    let rules: Vec<Rule> = found.iter().map(|change| change.rule).collect();
    assert_eq!(rules, [Rule::ToolRemoved]);
}

#[test]
fn renamed_parameters_of_one_type_are_paired_by_name() {
    let old = tool("(from_city::Text)==>(to_city::Text)==>(::Null)");
    let new = tool("(toCity::Text)==>(fromCity::Text)==>(::Null)");
    let found = super::changes(&old, &new);
    let renamed = found
        .iter()
        .filter(|change| change.rule == Rule::ParameterRenamed);
    let names: Vec<_> = renamed
        .map(|change| {
            let new = change.new.as_ref().expect("it has a new name");
            (
                change.parameter.as_deref().unwrap_or_default(),
                new.text.as_str(),
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            ("from_city", "(fromCity::Text)"),
            ("to_city", "(toCity::Text)")
        ]
    );
}

#[test]
fn changed_default_is_noted() {
    let change = only_change(
        &tool("(a::Int {default: 1})==>(::Null)"),
        &tool("(a::Int {default: 2})==>(::Null)"),
        Witnesses::Required,
    );
    let note = change.note.as_deref();
    assert_eq!(note, Some("calls that leave `a` out now mean `2`, not `1`"));
}
