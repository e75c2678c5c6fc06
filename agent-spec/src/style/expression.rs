//! Types as expressions in text, which `agent-types` reads.

use crate::vocabulary::Keyword;
use agent_gram::MAX_DEPTH;
use agent_types::types::{fields_of, types_of};
use agent_types::{Field, Kind, Shape, Type};
use std::fmt;

/// The reason why an expression cannot contain a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inexpressible {
    /// The path to the part that an expression cannot contain: `user.tags[].name`; empty for the type
    /// itself.
    path: String,
    reason: Reason,
}

/// The part of a type that an expression cannot contain.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Narrowed(Keyword),
    Default,
    Description,
    Remote,
    Name,
    Null,
    TooDeep,
}

impl Inexpressible {
    /// Returns the path to the part, unless the part is the type itself.
    pub(crate) fn path(&self) -> Option<&str> {
        let path = self.path.strip_prefix('.').unwrap_or(&self.path);
        (!path.is_empty()).then_some(path)
    }

    /// Creates the reason for a name that cannot be the name of a field.
    pub(crate) fn name_of(field: &Field) -> Self {
        named(field, Reason::Name.into())
    }

    fn within(mut self, step: impl fmt::Display) -> Self {
        self.path = format!("{step}{}", self.path);
        self
    }
}

impl From<Reason> for Inexpressible {
    fn from(reason: Reason) -> Self {
        Self {
            path: String::new(),
            reason,
        }
    }
}

/// Writes the reason, in words that follow the name of the part.
impl fmt::Display for Inexpressible {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Narrowed(keyword) => write!(out, "is narrowed by `{}`", keyword.name()),
            Reason::Default => out.write_str("has a default"),
            Reason::Description => out.write_str("has a description"),
            Reason::Remote => out.write_str("has a `remote`"),
            Reason::Name => out.write_str("has a name of other characters than letters and digits"),
            Reason::Null => out.write_str("is `Null`"),
            Reason::TooDeep => out.write_str("nests too deep"),
        }
    }
}

/// Writes a type as an expression. [`super::parse_type`] reads an equal type from it.
///
/// # Errors
/// Returns the first part that an expression cannot contain.
pub(crate) fn type_expression(ty: &Type) -> Result<String, Inexpressible> {
    let mut out = String::new();
    write(&mut out, ty, 1)?;
    Ok(out)
}

/// Writes the type of a field as an expression.
///
/// # Errors
/// Returns the first part that an expression cannot contain, also when the field has more than a type;
/// the path begins at the field.
pub(crate) fn field_expression(field: &Field) -> Result<String, Inexpressible> {
    let mut out = String::new();
    write_field_type(&mut out, field, 1)?;
    Ok(out)
}

/// `depth` is the depth of the parser at this type.
fn write(out: &mut String, ty: &Type, depth: usize) -> Result<(), Inexpressible> {
    if depth > MAX_DEPTH {
        return Err(Reason::TooDeep.into());
    }
    if let Some((keyword, _)) = ty.constraints().iter().next() {
        return Err(Reason::Narrowed(keyword).into());
    }
    if !ty.is_optional() {
        return write_required(out, ty, depth);
    }
    out.push_str("Maybe ");
    if is_several_words(ty) {
        out.push('(');
        write_required(out, ty, depth + 2)?;
        out.push(')');
        return Ok(());
    }
    write_required(out, ty, depth + 1)
}

fn write_required(out: &mut String, ty: &Type, depth: usize) -> Result<(), Inexpressible> {
    if depth > MAX_DEPTH {
        return Err(Reason::TooDeep.into());
    }
    match ty.kind() {
        Kind::Null => return Err(Reason::Null.into()),
        Kind::Array(element) if !element.get().is_plain_any() => {
            out.push('[');
            write(out, element.get(), depth + 1).map_err(|error| error.within("[]"))?;
            out.push(']');
        }
        Kind::Object(Shape::Map(value)) => {
            out.push_str("Map ");
            let value = value.get();
            let written = if value.is_optional() || is_several_words(value) {
                out.push('(');
                let written = write(out, value, depth + 2);
                out.push(')');
                written
            } else {
                write(out, value, depth + 1)
            };
            written.map_err(|error| error.within("{}"))?;
        }
        Kind::Object(Shape::Fields(fields)) => {
            out.push('{');
            write_fields(out, fields_of(fields), depth)?;
            out.push('}');
        }
        Kind::Object(Shape::Extended(fields, values)) => {
            out.push('{');
            write_fields(out, fields_of(fields), depth)?;
            out.push_str(", *: ");
            write(out, values.get(), depth + 1).map_err(|error| error.within("{}"))?;
            out.push('}');
        }
        Kind::Tuple(items) => {
            let items = types_of(items);
            out.push('(');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                let written = write(out, item, depth + 1);
                written.map_err(|error| error.within(format_args!("[{at}]")))?;
            }
            out.push_str(if items.len() == 1 { ",)" } else { ")" });
        }
        Kind::Union(types) => {
            for (at, ty) in types_of(types).iter().enumerate() {
                if at > 0 {
                    out.push_str(" | ");
                }
                let written = write(out, ty, depth);
                written.map_err(|error| error.within(format_args!("|{}", at + 1)))?;
            }
        }
        _ => out.push_str(ty.label()),
    }
    Ok(())
}

/// Whether a type after `Maybe` or `Map` gets parentheses: a union needs them, and `Maybe Map Int` is hard
/// to read without.
fn is_several_words(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Object(Shape::Map(_)) | Kind::Union(_))
}

fn write_fields(out: &mut String, fields: &[Field], depth: usize) -> Result<(), Inexpressible> {
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        if !is_word(field.name()) {
            return Err(Inexpressible::name_of(field));
        }
        out.push_str(field.name());
        out.push_str(": ");
        write_field_type(out, field, depth + 1)?;
    }
    Ok(())
}

fn write_field_type(out: &mut String, field: &Field, depth: usize) -> Result<(), Inexpressible> {
    let more = match (field.default(), field.description(), field.remote()) {
        (Some(_), ..) => Some(Reason::Default),
        (_, Some(_), _) => Some(Reason::Description),
        (.., Some(_)) => Some(Reason::Remote),
        (None, None, None) => None,
    };
    let written = match more {
        Some(reason) => Err(reason.into()),
        None => write(out, field.ty(), depth),
    };
    written.map_err(|error| named(field, error))
}

fn named(field: &Field, error: Inexpressible) -> Inexpressible {
    error.within(format_args!(".{}", field.name()))
}

/// Whether the parser reads a name as one word.
fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::{field_expression, type_expression};
    use agent_gram::Value;
    use agent_types::__private::parse_type;
    use agent_types::{Constraints, Field, Kind, Nest, Shape, Type};
    use proptest::collection::{hash_set, vec};
    use proptest::prelude::*;
    use std::borrow::Cow;

    /// Any type that an expression can contain.
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
                    let fields: Vec<Field> =
                        fields.map(|(name, ty)| Field::new(name, ty)).collect();
                    (fields, first)
                });
            (fields, 0..6_usize, any::<bool>()).prop_map(|((fields, first), form, optional)| {
                let types = || {
                    let types = fields.iter().map(|field| field.ty().clone());
                    [first.clone()].into_iter().chain(types)
                };
                let kind = match form {
                    0 => Kind::Array(Nest::new(first)),
                    1 => Kind::Object(Shape::Map(Nest::new(first))),
                    2 => Kind::Tuple(types().collect()),
                    3 => {
                        let union = Type::any_of(types()).expect("few types");
                        let optional = optional || union.is_optional();
                        return union.with_optional(optional);
                    }
                    4 if !fields.is_empty() => {
                        Kind::Object(Shape::Extended(Cow::Owned(fields), Nest::new(first)))
                    }
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
        fn written_expressions_read_back_equal(ty in sayable()) {
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
    fn writes_one_expression_for_each_type() {
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
            ("Text|Int", "Text | Int"),
            ("Text | (Int | Bool) | Text", "Text | Int | Bool"),
            ("Text | Text", "Text"),
            ("Maybe Text | Int", "Maybe (Text | Int)"),
            ("Text | Null", "Maybe Text"),
            ("Map Text | Int", "Map Text | Int"),
            ("Map (Text | Int)", "Map (Text | Int)"),
            ("[Text | Int]", "[Text | Int]"),
            ("(Text | Int)", "Text | Int"),
            ("( Text ,Int)", "(Text, Int)"),
            ("(Text,)", "(Text,)"),
            ("(Text | Int, Maybe Bool)", "(Text | Int, Maybe Bool)"),
            ("{*: Int}", "Map Int"),
            ("{*: Int, a: Text | Bool}", "{a: Text | Bool, *: Int}"),
        ] {
            let ty = parse_type(read).expect(read);
            assert_eq!(type_expression(&ty).as_deref(), Ok(written), "{read}");
        }
    }

    #[test]
    fn inexpressible_types_have_a_path_and_a_reason() {
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
                "type: \"Any\", anyOf: [\"Int\", {type: \"Text\", minLength: 1}]",
                "f|2",
                "narrowed by `minLength`",
            ),
            (
                "type: \"Array\", items: [\"Int\", {type: \"Text\", minLength: 1}]",
                "f[1]",
                "narrowed by `minLength`",
            ),
            (
                "type: \"Array\", elementType: {type: \"Object\", fields: [{name: \"x\", type: \"Int\", default: 1}]}",
                "f[].x",
                "default",
            ),
        ] {
            let source =
                format!("(p::Object {{fields: [{{name: \"f\", {properties}}}]}})==>(::Any)");
            let signature = crate::parse_signature(&source).expect(&source);
            let Kind::Object(Shape::Fields(fields)) = signature.params()[0].ty().kind() else {
                panic!("{source}");
            };
            let error = field_expression(&fields[0]).expect_err(&source);
            assert_eq!(error.path(), Some(path), "{source}");
            assert!(error.to_string().contains(reason), "{source}: {error}");
        }
    }

    #[test]
    fn rejects_types_that_no_document_can_contain() {
        let null = Type::new(Kind::Array(Nest::new(Type::new(Kind::Null))));
        assert_eq!(type_expression(&null).expect_err("null").path(), Some("[]"));
        let mut constraints = Constraints::NONE;
        constraints.enumeration = Cow::Owned(vec![Value::Boolean(true)]);
        let narrowed = Type::new(Kind::Bool).with_constraints(constraints);
        assert_eq!(type_expression(&narrowed).expect_err("enum").path(), None);
        let nest = |ty: Type| Type::new(Kind::Array(Nest::new(ty))).with_optional(true);
        let deep = (0..64).fold(Type::new(Kind::Text), |inner, _| nest(inner));
        let written = type_expression(&deep);
        assert!(written.is_err_and(|error| error.to_string().contains("deep")));
        let deep = (0..63).fold(Type::new(Kind::Text), |inner, _| nest(inner));
        let written = type_expression(&deep).expect("just deep enough");
        assert_eq!(parse_type(&written).expect("it is read"), deep);
    }
}
