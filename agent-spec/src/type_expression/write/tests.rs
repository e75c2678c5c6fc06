//! What is written is read back; what cannot be written says why.

use super::{field_expression, type_expression};
use crate::type_expression::parse_type;
use crate::types::{Constraints, Field, Kind, Shape, Type};
use crate::{Nest, Signature};
use agent_gram::Value;
use proptest::collection::{hash_set, vec};
use proptest::prelude::*;
use std::borrow::Cow;

/// Any type that an expression can say.
fn sayable() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        Just(Kind::Any),
        Just(Kind::Text),
        Just(Kind::Int),
        Just(Kind::Double),
        Just(Kind::Bool),
        Just(Kind::Object(Shape::Open)),
    ];
    let leaf = (leaf, any::<bool>()).prop_map(of_kind);
    leaf.prop_recursive(8, 64, 4, |inner| {
        let fields = hash_set("[a-zA-Z0-9_]{1,6}|Maybe|Map|Text", 0..4)
            .prop_flat_map(move |names| {
                let count = names.len();
                (Just(names), vec(inner.clone(), count.max(1)))
            })
            .prop_map(|(names, types)| {
                let first = types[0].clone();
                let fields = names.into_iter().zip(types);
                let fields: Vec<Field> = fields.map(|(name, ty)| Field::new(name, ty)).collect();
                (fields, first)
            });
        (fields, 0..3_usize, any::<bool>()).prop_map(|((fields, first), form, optional)| {
            let kind = match form {
                0 => Kind::Array(Nest::new(first)),
                1 => Kind::Object(Shape::Map(Nest::new(first))),
                _ => Kind::Object(Shape::Fields(Cow::Owned(fields))),
            };
            of_kind((kind, optional))
        })
    })
}

fn of_kind((kind, optional): (Kind, bool)) -> Type {
    Type::new(kind).with_optional(optional)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn what_is_written_reads_back_equal(ty in sayable()) {
        let written = type_expression(&ty).expect("it can be said");
        let read = parse_type(&written);
        prop_assert!(read.is_ok(), "{}", written);
        let read = read.expect("it was read");
        prop_assert_eq!(&read, &ty, "{}", written);
        // The order of fields does not count for equality, but it is kept.
        prop_assert_eq!(type_expression(&read), Ok(written));
    }
}

#[test]
fn each_type_has_one_expression() {
    for (read, written) in [
        ("Text", "Text"),
        ("String", "Text"),
        ("[Any]", "Array"),
        ("[Array]", "[Array]"),
        ("[Maybe Any]", "[Maybe Any]"),
        ("{}", "{}"),
        ("Object", "Object"),
        ("(Maybe (Maybe Int))", "Maybe Int"),
        ("Map Any", "Map Any"),
        ("Map Maybe Map Int", "Map (Maybe (Map Int))"),
        ("Maybe Map [Int]", "Maybe (Map [Int])"),
        ("Map Map Int", "Map (Map Int)"),
        ("{ a:Text,b : Maybe[Int] }", "{a: Text, b: Maybe [Int]}"),
    ] {
        let ty = parse_type(read).expect(read);
        assert_eq!(type_expression(&ty).as_deref(), Ok(written), "{read}");
    }
}

#[test]
fn what_cannot_be_said_has_its_place_and_its_reason() {
    for (properties, path, reason) in [
        (
            "type: \"Text\", minLength: 1",
            "f",
            "narrowed by `minLength`",
        ),
        ("type: \"Text\", enum: [\"x\"]", "f", "narrowed by `enum`"),
        ("type: \"Text\", default: \"x\"", "f", "default"),
        ("type: \"Text\", description: \"x\"", "f", "description"),
        (
            "type: \"Object\", fields: {`a b`: \"Text\"}",
            "f.a b",
            "letters",
        ),
        ("type: \"Object\", fields: {``: \"Text\"}", "f.", "letters"),
        (
            "type: \"Array\", elementType: {type: \"Object\", valueType: {type: \"Int\", minimum: 1}}",
            "f[]{}",
            "narrowed by `minimum`",
        ),
        (
            "type: \"Array\", elementType: {type: \"Object\", fields: [{name: \"x\", type: \"Int\", default: 1}]}",
            "f[].x",
            "default",
        ),
    ] {
        let source = format!("(p::Object {{fields: [{{name: \"f\", {properties}}}]}})==>(::Any)");
        let signature = Signature::parse(&source).expect(&source);
        let Kind::Object(Shape::Fields(fields)) = signature.params()[0].ty().kind() else {
            panic!("{source}");
        };
        let error = field_expression(&fields[0]).expect_err(&source);
        assert_eq!(error.path(), Some(path), "{source}");
        assert!(error.to_string().contains(reason), "{source}: {error}");
    }
}

#[test]
fn what_no_document_can_hold_is_no_expression_either() {
    let null = Type::new(Kind::Array(Nest::new(Type::new(Kind::Null))));
    assert_eq!(type_expression(&null).expect_err("null").path(), Some("[]"));
    let narrowed = Type::new(Kind::Bool).with_constraints(Constraints {
        enumeration: Cow::Owned(vec![Value::Boolean(true)]),
        ..Constraints::NONE
    });
    assert_eq!(type_expression(&narrowed).expect_err("enum").path(), None);
    let nest = |ty: Type| Type::new(Kind::Array(Nest::new(ty))).with_optional(true);
    let deep = (0..64).fold(Type::new(Kind::Text), |inner, _| nest(inner));
    let written = type_expression(&deep);
    assert!(written.is_err_and(|error| error.to_string().contains("deep")));
    let deep = (0..63).fold(Type::new(Kind::Text), |inner, _| nest(inner));
    let written = type_expression(&deep).expect("just deep enough");
    assert_eq!(parse_type(&written).expect("it is read"), deep);
}
