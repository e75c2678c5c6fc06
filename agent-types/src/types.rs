//! The types of parameters, fields and results.

pub use crate::constraints::{Bound, Constraint, Constraints};
use crate::host::{Host, IntRange};
use crate::keyword::TypeFamily;

use crate::media::MediaKind;
use agent_gram::Value;
use agent_gram::value::{Nest, Text};
use std::borrow::Cow;
use std::collections::HashMap;

/// The type of a value: its kind, whether it may be missing, and its constraints.
///
/// A `const` (the output of `#[tool]`) and run time (types read from gram) use the same type.
#[derive(Clone, Debug)]
pub struct Type {
    kind: Kind,
    optional: bool,
    /// Whether the implementation reads `null` as a value, although the type is optional.
    null_kept: bool,
    /// Whether the implementation refuses keys of a record that are no fields.
    closed: bool,
    /// Boxed, because constraints are large and most types have none.
    constraints: Nest<Constraints>,
    host: Option<Host>,
    checked: bool,
}

/// No constraints.
const UNCONSTRAINED: &Constraints = &Constraints::NONE;

/// The kinds of types gram has labels for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Any JSON value.
    Any,
    /// Only `null`, which a function without a result returns.
    Null,
    /// Text.
    Text,
    /// A whole number of any width.
    Int,
    /// A number.
    Double,
    /// `true` or `false`.
    Bool,
    /// A list of values of one type.
    Array(Nest<Type>),
    /// A list of exactly these elements, each of a type of its own.
    Tuple(Cow<'static, [Type]>),
    /// A JSON object.
    Object(Shape),
    /// A value of one of several types, at least two. [`Type::any_of`] makes one: without `Null`, without
    /// optional types, and without equal types.
    Union(Cow<'static, [Type]>),
    /// An image, audio, a document or a list of parts: only the whole result of a tool.
    Media(MediaKind),
}

/// The known properties of an object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// Nothing: any keys and values.
    Open,
    /// These fields; further keys are ignored.
    Fields(Cow<'static, [Field]>),
    /// Any keys, values of one type.
    Map(Nest<Type>),
    /// These fields, and further keys with values of one type.
    Extended(Cow<'static, [Field]>, Nest<Type>),
}

/// The maximum number of types in a union. A value is tried with each type, and unions inside of unions multiply, so
/// that a document or a schema of somebody else would take hours.
pub const MOST_ALTERNATIVES: usize = 64;

impl Type {
    /// Any JSON value.
    pub const ANY: &'static Type = &Type::new(Kind::Any);

    /// The type of a Rust type that the derive has refused; see [`Host::Refused`].
    #[doc(hidden)]
    pub const REFUSED: &'static Type = &Type::new(Kind::Any).with_host(Host::Refused);

    /// Creates a required type of this kind without constraints.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self {
            checked: kind.is_checked(),
            kind,
            optional: false,
            null_kept: false,
            closed: false,
            constraints: Nest::from_static(UNCONSTRAINED),
            host: None,
        }
    }

    /// A whole number that the implementation holds in an integer of this range. The range is not
    /// part of the type in gram: an integer that does not fit is refused with a message that names the
    /// bounds.
    #[doc(hidden)]
    #[must_use]
    pub const fn int_in(range: &'static IntRange) -> Self {
        Self::new(Kind::Int).with_host(Host::Range(range))
    }

    /// A type for a `const`. Its constraints are checked at every call.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(
        kind: Kind,
        optional: bool,
        constraints: &'static Constraints,
    ) -> Self {
        Self {
            checked: kind.is_checked() || !constraints.is_none(),
            kind,
            optional,
            null_kept: false,
            closed: false,
            constraints: Nest::from_static(constraints),
            host: None,
        }
    }

    /// Creates a type that the implementation enforces itself: it reads no value that the constraints
    /// forbid, as a Rust `char` reads only texts of one character.
    #[doc(hidden)]
    #[must_use]
    pub const fn kept(kind: Kind, constraints: &'static Constraints) -> Self {
        Self {
            checked: kind.is_checked(),
            kind,
            optional: false,
            null_kept: false,
            closed: false,
            constraints: Nest::from_static(constraints),
            host: None,
        }
    }

    /// Returns the same type with a property of the implementation.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_host(mut self, host: Host) -> Self {
        self.checked |= matches!(host, Host::Text(_));
        self.host = Some(host);
        self
    }

    /// Copies a `'static` type and replaces its constraints, for a `const`. [`Constraints::over`] keeps
    /// the constraints that the type had before. [`check_keyword`](crate::attribute::check_keyword) has
    /// checked that they apply to the type.
    #[doc(hidden)]
    #[must_use]
    pub const fn narrowed(of: &'static Type, by: &'static Constraints) -> Self {
        Self {
            kind: of.kind.borrowed(),
            optional: of.optional,
            null_kept: of.null_kept,
            closed: of.closed,
            constraints: Nest::from_static(by),
            host: of.host,
            checked: true,
        }
    }

    /// Copies a `'static` type that an attribute states for a Rust type. The Rust type may read other
    /// values, too, so every call is checked.
    #[doc(hidden)]
    #[must_use]
    pub const fn stated(of: &'static Type) -> Self {
        let mut copy = Self::borrowed(of);
        copy.checked = true;
        copy
    }

    /// Returns the same type narrowed by constraints.
    #[must_use]
    pub fn with_constraints(mut self, constraints: Constraints) -> Self {
        self.constraints = if constraints.is_none() {
            Nest::from_static(UNCONSTRAINED)
        } else {
            self.checked = true;
            Nest::new(constraints)
        };
        self
    }

    /// Returns the same type with other parts: in another order, or with more information about the
    /// implementation.
    pub(crate) fn with_parts(&self, kind: Kind, constraints: Constraints) -> Self {
        Self {
            kind,
            constraints: Nest::new(constraints),
            ..*self
        }
    }

    /// Returns the same type, marked with whether the implementation reads `null` as a value although the
    /// type is optional. One variant of an enum may require a field of any value that the other variants do
    /// not have.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_null_kept(mut self, kept: bool) -> Self {
        self.null_kept = kept;
        self
    }

    /// Whether `null` is a value of an optional type, and is not removed as a missing value.
    #[doc(hidden)]
    #[must_use]
    pub const fn keeps_null(&self) -> bool {
        self.null_kept
    }

    /// Returns the same record, marked so that the implementation refuses keys that are no fields.
    #[doc(hidden)]
    #[must_use]
    pub const fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// Whether the implementation refuses keys of a record that are no fields.
    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns the same type, optional or not.
    #[must_use]
    pub const fn with_optional(mut self, optional: bool) -> Self {
        self.optional = optional;
        self
    }

    /// Copies a `'static` type as an optional type, for a `const`.
    #[doc(hidden)]
    #[must_use]
    pub const fn optional_of(of: &'static Type) -> Self {
        let mut copy = Self::borrowed(of);
        copy.optional = true;
        copy
    }

    /// Copies a `'static` type and borrows all its parts.
    #[doc(hidden)]
    #[must_use]
    pub const fn borrowed(of: &'static Type) -> Self {
        Self {
            kind: of.kind.borrowed(),
            optional: of.optional,
            null_kept: of.null_kept,
            closed: of.closed,
            constraints: Nest::from_static(of.constraints.get()),
            host: of.host,
            checked: of.checked,
        }
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Whether the value may be missing or `null`.
    #[must_use]
    pub const fn is_optional(&self) -> bool {
        self.optional
    }

    /// Returns the constraints.
    #[must_use]
    pub const fn constraints(&self) -> &Constraints {
        self.constraints.get()
    }

    /// The integers that the implementation can hold, when this is known.
    #[doc(hidden)]
    #[must_use]
    pub const fn host_range(&self) -> Option<&'static IntRange> {
        match self.host {
            Some(Host::Range(range)) => Some(range),
            _ => None,
        }
    }

    /// Returns the property of the implementation that gram cannot express.
    #[doc(hidden)]
    #[must_use]
    pub const fn host(&self) -> Option<Host> {
        self.host
    }

    /// Whether an error is reported for the Rust type already.
    pub const fn is_refused(&self) -> bool {
        matches!(self.host, Some(Host::Refused))
    }

    /// Whether a value must be checked against the type before the implementation reads it, because the
    /// implementation would accept a value that this type, or a type in it, forbids, or would read
    /// another form of the value.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_checked(&self) -> bool {
        self.checked
    }

    /// Whether the implementation reads exactly the values of the type, in the same way: a text, a boolean, a number, or a
    /// list of these, without anything that narrows it. Serde reads other types in more forms than the type
    /// allows, such as a list for a struct, and does not report a key that is given twice or misspelled.
    pub(crate) const fn is_plain(&self) -> bool {
        let plain_kind = match &self.kind {
            Kind::Text | Kind::Bool | Kind::Double => self.host.is_none(),
            // For `u128`, serde reads larger integers than gram has.
            Kind::Int => match self.host {
                Some(Host::Range(&(lowest, highest))) => lowest < 0 || highest != i128::MAX,
                _ => false,
            },
            Kind::Array(of) => self.host.is_none() && of.get().is_plain(),
            _ => false,
        };
        plain_kind && !self.checked && self.constraints().is_none()
    }

    /// The label this type is written with, in the place of a parameter.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match &self.kind {
            Kind::Any => "Any",
            Kind::Null => "Null",
            Kind::Text => "Text",
            Kind::Int => "Int",
            Kind::Double => "Double",
            Kind::Bool => "Bool",
            Kind::Array(_) | Kind::Tuple(_) => "Array",
            Kind::Object(_) => "Object",
            // Gram has no label for a union; `anyOf` names its types.
            Kind::Union(_) => "Any",
            Kind::Media(media) => media.label(),
        }
    }

    /// Creates the type of the values of several types.
    ///
    /// A type that is a union already counts as its types, unless it is narrowed. Equal types count
    /// once. `Null`, or an optional type, makes the whole type optional. If one type remains, it is the
    /// result itself. Returns `None` for no types and for more than [`MOST_ALTERNATIVES`].
    ///
    /// ```
    /// use agent_types::{Kind, Type};
    ///
    /// let ty = Type::any_of([Type::new(Kind::Text), Type::new(Kind::Int), Type::new(Kind::Null)]);
    /// let ty = ty.expect("three types");
    /// assert!(ty.is_optional());
    /// assert_eq!(ty.schema().to_string(), r#"{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}"#);
    /// ```
    #[must_use]
    pub fn any_of(types: impl IntoIterator<Item = Type>) -> Option<Type> {
        let mut alternatives = Alternatives::default();
        for ty in types {
            alternatives.add(&ty);
            if alternatives.types.len() > MOST_ALTERNATIVES {
                return None;
            }
        }
        alternatives.into_type()
    }
}

/// The different types of a union.
#[derive(Default)]
struct Alternatives {
    types: Vec<Type>,
    optional: bool,
}

impl Alternatives {
    fn add(&mut self, ty: &Type) {
        self.optional |= ty.is_optional();
        match ty.kind() {
            Kind::Null => self.optional = true,
            // A constraint of a union narrows all its types, so a narrowed union counts as one type.
            Kind::Union(types) if ty.constraints().is_none() => {
                for inner in types_of(types).iter().take(MOST_ALTERNATIVES + 1) {
                    self.add(inner);
                }
            }
            _ => {
                let required = ty.clone().with_optional(false);
                if !self.types.contains(&required) {
                    self.types.push(required);
                }
            }
        }
    }

    fn into_type(mut self) -> Option<Type> {
        Some(match (self.types.pop(), self.types.is_empty()) {
            (None, _) if self.optional => Type::new(Kind::Null),
            (None, _) => return None,
            (Some(only), true) => only.with_optional(self.optional),
            (Some(last), false) => {
                self.types.push(last);
                Type::new(Kind::Union(Cow::Owned(self.types))).with_optional(self.optional)
            }
        })
    }
}

impl Type {
    /// Whether the label alone describes the type.
    pub const fn is_label_only(&self) -> bool {
        let plain_kind = match self.kind() {
            Kind::Array(element) => element.get().is_plain_any(),
            Kind::Object(shape) => matches!(shape, Shape::Open),
            Kind::Tuple(_) | Kind::Union(_) => false,
            _ => true,
        };
        plain_kind && !self.is_optional() && self.constraints().is_none()
    }

    /// Whether the type is media or has a part that is media.
    #[doc(hidden)]
    #[must_use]
    pub const fn holds_media(&self) -> bool {
        match self.kind() {
            Kind::Media(_) => true,
            Kind::Array(inner) => inner.get().holds_media(),
            Kind::Tuple(types) | Kind::Union(types) => {
                let types = types_of(types);
                let mut at = 0;
                while at < types.len() {
                    if types[at].holds_media() {
                        return true;
                    }
                    at += 1;
                }
                false
            }
            Kind::Object(shape) => {
                if let Some(values) = shape.values()
                    && values.holds_media()
                {
                    return true;
                }
                let fields = shape.fields();
                let mut at = 0;
                while at < fields.len() {
                    if fields[at].ty().holds_media() {
                        return true;
                    }
                    at += 1;
                }
                false
            }
            _ => false,
        }
    }

    /// Whether the type is `Any` without anything that narrows it.
    pub const fn is_plain_any(&self) -> bool {
        matches!(self.kind(), Kind::Any) && !self.is_optional() && self.constraints().is_none()
    }
}

impl Kind {
    /// Whether the types of this kind are in a family.
    #[must_use]
    pub const fn is_in(&self, family: TypeFamily) -> bool {
        match family {
            TypeFamily::Any => true,
            TypeFamily::Text => matches!(self, Kind::Text),
            TypeFamily::Number => matches!(self, Kind::Int | Kind::Double),
            TypeFamily::Array => matches!(self, Kind::Array(_) | Kind::Tuple(_)),
            TypeFamily::Object => matches!(self, Kind::Object(_)),
            TypeFamily::Union => matches!(self, Kind::Any | Kind::Union(_)),
        }
    }

    /// Whether values of this kind are only whole results of tools: `Null`, and the types of media.
    #[must_use]
    pub const fn is_result_only(&self) -> bool {
        matches!(self, Kind::Null | Kind::Media(_))
    }

    /// The kind for a type label of either vocabulary; case counts.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Kind> {
        Some(match label {
            "Any" => Kind::Any,
            "Null" => Kind::Null,
            "Text" | "String" => Kind::Text,
            "Int" | "Integer" => Kind::Int,
            "Double" | "Number" => Kind::Double,
            "Bool" | "Boolean" => Kind::Bool,
            "Array" => Kind::Array(Nest::from_static(Type::ANY)),
            "Object" => Kind::Object(Shape::Open),
            "Image" => Kind::Media(MediaKind::Image),
            "Audio" => Kind::Media(MediaKind::Audio),
            "Document" => Kind::Media(MediaKind::Document),
            "Parts" => Kind::Media(MediaKind::Parts),
            _ => return None,
        })
    }

    const fn is_checked(&self) -> bool {
        match self {
            Kind::Array(inner) | Kind::Object(Shape::Map(inner)) => inner.get().checked,
            Kind::Object(Shape::Fields(fields)) => are_checked(fields_of(fields)),
            Kind::Object(Shape::Extended(fields, values)) => {
                values.get().checked || are_checked(fields_of(fields))
            }
            Kind::Tuple(types) | Kind::Union(types) => {
                let types = types_of(types);
                let mut at = 0;
                while at < types.len() {
                    if types[at].checked {
                        return true;
                    }
                    at += 1;
                }
                false
            }
            _ => false,
        }
    }

    const fn borrowed(&'static self) -> Kind {
        match self {
            Kind::Any => Kind::Any,
            Kind::Null => Kind::Null,
            Kind::Text => Kind::Text,
            Kind::Int => Kind::Int,
            Kind::Double => Kind::Double,
            Kind::Bool => Kind::Bool,
            Kind::Array(element) => Kind::Array(Nest::from_static(element.get())),
            Kind::Object(Shape::Open) => Kind::Object(Shape::Open),
            Kind::Object(Shape::Fields(fields)) => {
                Kind::Object(Shape::Fields(Cow::Borrowed(fields_of(fields))))
            }
            Kind::Object(Shape::Map(value)) => {
                Kind::Object(Shape::Map(Nest::from_static(value.get())))
            }
            Kind::Object(Shape::Extended(fields, values)) => Kind::Object(Shape::Extended(
                Cow::Borrowed(fields_of(fields)),
                Nest::from_static(values.get()),
            )),
            Kind::Tuple(types) => Kind::Tuple(Cow::Borrowed(types_of(types))),
            Kind::Union(types) => Kind::Union(Cow::Borrowed(types_of(types))),
            Kind::Media(media) => Kind::Media(*media),
        }
    }
}

/// Returns the type that has the values of `ty` among the types of an implementation: `host` itself, or,
/// where `host` is a union, its only type of the same label. `None` where several have that label.
pub(crate) fn alternative_like<'t>(host: &'t Type, ty: &Type) -> Option<&'t Type> {
    let Kind::Union(types) = host.kind() else {
        return Some(host);
    };
    if matches!(ty.kind(), Kind::Union(_)) {
        return Some(host);
    }
    let mut alike = types_of(types)
        .iter()
        .filter(|host| host.label() == ty.label());
    let only = alike.next()?;
    alike.next().is_none().then_some(only)
}

/// Whether a field of a record must be checked before the implementation reads it.
const fn are_checked(fields: &[Field]) -> bool {
    let mut at = 0;
    while at < fields.len() {
        // The implementation may have another default than the one written here.
        if fields[at].ty().checked || fields[at].default().is_some() {
            return true;
        }
        at += 1;
    }
    false
}

/// The types of a union or a tuple, in a `const` too.
#[must_use]
#[expect(clippy::ptr_arg, reason = "a `const` cannot dereference a `Cow`")]
pub const fn types_of<'a>(types: &'a Cow<'static, [Type]>) -> &'a [Type] {
    match types {
        Cow::Borrowed(types) => types,
        Cow::Owned(types) => types.as_slice(),
    }
}

impl Shape {
    /// The declared fields; none for an object without declared fields.
    #[must_use]
    pub const fn fields(&self) -> &[Field] {
        match self {
            Shape::Fields(fields) | Shape::Extended(fields, _) => fields_of(fields),
            Shape::Open | Shape::Map(_) => &[],
        }
    }

    /// The type of the values of keys that are not fields, if it is declared.
    #[must_use]
    pub const fn values(&self) -> Option<&Type> {
        match self {
            Shape::Map(values) | Shape::Extended(_, values) => Some(values.get()),
            Shape::Open | Shape::Fields(_) => None,
        }
    }
}

/// The fields of a record, in a `const` too.
#[must_use]
#[expect(clippy::ptr_arg, reason = "a `const` cannot dereference a `Cow`")]
pub const fn fields_of<'a>(fields: &'a Cow<'static, [Field]>) -> &'a [Field] {
    match fields {
        Cow::Borrowed(fields) => fields,
        Cow::Owned(fields) => fields.as_slice(),
    }
}

/// All type labels. The labels that [`Type::label`] returns come first.
pub const TYPE_LABELS: [&str; 16] = [
    "Text", "Int", "Double", "Bool", "Object", "Array", "Any", "Null", "Image", "Audio",
    "Document", "Parts", "String", "Integer", "Number", "Boolean",
];

/// A named part of a record.
#[derive(Clone, Debug)]
pub struct Field {
    name: Text,
    ty: Nest<Type>,
    default: Option<Value>,
    description: Option<Text>,
    /// The name at the MCP server, if that name differs.
    remote: Option<Text>,
    /// The further names under which the implementation reads the field.
    aliases: &'static [&'static str],
}

/// A parameter of a tool: a field of the object that a model sends as arguments.
pub type Param = Field;

impl Field {
    /// A field of this name and type.
    #[must_use]
    pub fn new(name: impl Into<Text>, ty: Type) -> Self {
        Self {
            name: name.into(),
            ty: Nest::new(ty),
            default: None,
            description: None,
            remote: None,
            aliases: &[],
        }
    }

    /// Returns the same field with another name.
    pub(crate) fn with_name(mut self, name: impl Into<Text>) -> Self {
        self.name = name.into();
        self
    }

    /// Returns the same field with another type.
    pub(crate) fn with_type(&self, ty: Type) -> Self {
        Self {
            ty: Nest::new(ty),
            ..self.clone()
        }
    }

    /// A field for a `const`.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(
        name: &'static str,
        ty: &'static Type,
        default: Option<&'static Value>,
        description: Option<&'static str>,
    ) -> Self {
        Self {
            name: Text::from_static(name),
            ty: Nest::from_static(ty),
            default: match default {
                Some(value) => Some(borrowed_value(value)),
                None => None,
            },
            description: match description {
                Some(text) => Some(Text::from_static(text)),
                None => None,
            },
            remote: None,
            aliases: &[],
        }
    }

    /// Copies a `'static` field and borrows all its parts.
    #[doc(hidden)]
    #[must_use]
    pub const fn borrowed(of: &'static Field) -> Self {
        let copy = Self::from_static(of.name(), of.ty(), of.default(), of.description())
            .with_aliases(of.aliases);
        match of.remote() {
            Some(remote) => copy.with_static_remote(remote),
            None => copy,
        }
    }

    /// Returns the same field, which the implementation also reads under other names. They are accepted in
    /// arguments, and are no part of the type in gram.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Returns the further names under which the implementation reads the field.
    pub(crate) const fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// Returns the names besides its own under which the field is read in arguments: the aliases, and the name at the
    /// MCP server, which the descriptions of the server use.
    pub(crate) fn other_names(&self) -> impl Iterator<Item = &str> + Clone {
        let aliases = self.aliases.iter().copied();
        aliases.chain(self.remote())
    }

    /// Returns the same field with its name at the MCP server, for a field of a `const`, which has none yet.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_static_remote(mut self, remote: &'static str) -> Self {
        // A `const` cannot drop the previous value.
        std::mem::forget(self.remote.replace(Text::from_static(remote)));
        self
    }

    /// Returns the same field with its name at the MCP server, for a name that gram or a provider does not
    /// accept.
    #[must_use]
    pub fn with_remote(mut self, remote: impl Into<Text>) -> Self {
        self.remote = Some(remote.into());
        self
    }

    /// Returns the same field with a default, which makes it optional.
    #[must_use]
    pub fn with_default(mut self, default: Value) -> Self {
        self.default = Some(default);
        self
    }

    /// Returns the same field with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Text>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Whether the field has this name. It compares bytes, which is faster than creating a `&str`.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name.as_bytes() == name.as_bytes()
    }

    /// Whether another field has the same name.
    pub(crate) fn has_name_of(&self, other: &Field) -> bool {
        self.name == other.name
    }

    /// The type.
    #[must_use]
    pub const fn ty(&self) -> &Type {
        self.ty.get()
    }

    /// The value of the field when it is missing.
    #[must_use]
    pub const fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// Returns the description.
    #[must_use]
    pub const fn description(&self) -> Option<&str> {
        match &self.description {
            Some(text) => Some(text.as_str()),
            None => None,
        }
    }

    /// Returns the name at the MCP server, if that name differs.
    #[must_use]
    pub const fn remote(&self) -> Option<&str> {
        match &self.remote {
            Some(text) => Some(text.as_str()),
            None => None,
        }
    }

    /// Whether a parameter stands for all arguments that no other parameter names. A call may have no such
    /// arguments.
    #[must_use]
    pub const fn is_further(&self) -> bool {
        crate::text::same_text(self.name(), crate::names::FURTHER)
    }

    /// Whether a call may leave a parameter out: it is optional, or stands for all further arguments.
    #[must_use]
    pub const fn may_be_missing(&self) -> bool {
        self.is_optional() || self.is_further()
    }

    /// Whether the field may be missing: it has a default, or its type is optional.
    #[must_use]
    pub const fn is_optional(&self) -> bool {
        self.default.is_some() || self.ty().is_optional()
    }
}

/// Copies a `'static` value and borrows all its parts.
pub(crate) const fn borrowed_value(value: &'static Value) -> Value {
    use agent_gram::value::{Array, Decimal, Record, Symbol};
    match value {
        Value::Integer(value) => Value::Integer(*value),
        Value::Decimal(value) => Value::Decimal(Decimal::from_static(value.value(), value.text())),
        Value::Boolean(value) => Value::Boolean(*value),
        Value::String(text) => Value::String(Text::from_static(text.as_str())),
        Value::Symbol(symbol) => Value::Symbol(Symbol::from_static(symbol.as_str())),
        Value::Tagged(tagged) => Value::Tagged(Nest::from_static(tagged.get())),
        Value::Array(array) => Value::Array(Array::from_static(array.as_slice())),
        Value::Map(record) => Value::Map(Record::from_static(record.entries())),
        Value::Range(range) => Value::Range(Nest::from_static(range.get())),
        Value::Measurement(value) => Value::Measurement(Nest::from_static(value.get())),
    }
}

/// Finds fields by name or alias. A record with few fields is searched. A record with many has an index, because an
/// object from a model can have as many keys.
pub(crate) struct ByName<'f> {
    fields: &'f [Field],
    index: Option<HashMap<&'f str, &'f Field>>,
}

/// A record with at least this many fields has an index.
const MANY_FIELDS: usize = 32;

impl<'f> ByName<'f> {
    pub(crate) fn new(fields: &'f [Field]) -> Self {
        let named = || fields.iter().map(|field| (field.name(), field));
        let aliased = |field: &'f Field| field.other_names().map(move |name| (name, field));
        // A name comes after the aliases, because it takes the place of an equal alias.
        let all = || fields.iter().flat_map(aliased).chain(named());
        let index = (fields.len() >= MANY_FIELDS).then(|| all().collect());
        Self { fields, index }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'f Field> {
        match &self.index {
            None => {
                let mut fields = self.fields.iter();
                let named = fields.clone().find(|field| field.is_named(name));
                named
                    .or_else(|| fields.find(|field| field.other_names().any(|other| other == name)))
            }
            Some(index) => index.get(name).copied(),
        }
    }
}
