//! The keywords of types.
//!
//! A keyword that narrows types is one row of `constraint_rows!`. The rows define [`Keyword`] and
//! [`Constraints`](crate::Constraints). The checker, the writers, the JSON forms, the macros, `agent new-tools` and the language
//! server use the names, words and kinds of values in the rows. Two things are elsewhere: the rule of a keyword, in
//! [`validate`](crate::validate) and, for defaults in a `const`, in `compare`; and the meanings and examples that editors show,
//! which are Markdown in `agent-lsp/src/language/vocabulary/`.

use crate::text::same_text;

/// Calls a macro with a row for each keyword that narrows types: field of `Constraints`, variant, name
/// in gram and JSON Schema, word in Rust attributes, kind of value, types it applies to, and the
/// comparison of two values of the keyword.
macro_rules! constraint_rows {
    ($make:ident) => {
        $make! {
            enumeration Enum "enum" "enum" Values Any (Side::OneOf)
                "The allowed values; empty when all are allowed.";
            format Format "format" "format" Text Text (Side::Exact)
                "The form of a text, such as `date-time`.";
            minimum Minimum "minimum" "minimum" Number Number (Side::Least(Keyword::Maximum))
                "The smallest allowed number.";
            maximum Maximum "maximum" "maximum" Number Number (Side::Greatest(Keyword::Minimum))
                "The largest allowed number.";
            exclusive_minimum ExclusiveMinimum "exclusiveMinimum" "exclusive_minimum" Number Number
                (Side::Least(Keyword::ExclusiveMaximum))
                "The number that every allowed number is above.";
            exclusive_maximum ExclusiveMaximum "exclusiveMaximum" "exclusive_maximum" Number Number
                (Side::Greatest(Keyword::ExclusiveMinimum))
                "The number that every allowed number is below.";
            multiple_of MultipleOf "multipleOf" "multiple_of" Number Number (Side::Multiple)
                "The number that every allowed number is a multiple of.";
            min_length MinLength "minLength" "min_length" Count Text (Side::Least(Keyword::MaxLength))
                "The minimum number of characters.";
            max_length MaxLength "maxLength" "max_length" Count Text (Side::Greatest(Keyword::MinLength))
                "The maximum number of characters.";
            pattern Pattern "pattern" "pattern" Pattern Text (Side::Exact)
                "A regular expression that matches somewhere in a text.";
            min_items MinItems "minItems" "min_items" Count Array (Side::Least(Keyword::MaxItems))
                "The minimum number of items.";
            max_items MaxItems "maxItems" "max_items" Count Array (Side::Greatest(Keyword::MinItems))
                "The maximum number of items.";
            schema Schema "schema" "schema" Schema Union (Side::Exact)
                "A JSON Schema that the values of an `Any` satisfy, in the form of \
                 [`canonical_schema`](crate::schema::canonical_schema), which is compared.";
        }
    };
}

pub(crate) use constraint_rows;

/// The types that a keyword applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeFamily {
    /// All types that have values.
    Any,
    /// `Text`.
    Text,
    /// `Int` and `Double`.
    Number,
    /// `Array`.
    Array,
    /// `Object`.
    Object,
    /// `Any`, whose values may be of several types.
    Union,
}

impl TypeFamily {
    /// The labels of the types, for messages.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            TypeFamily::Any => "`Text`, numbers, `Bool` and `Array`",
            TypeFamily::Text => "`Text`",
            TypeFamily::Number => "`Int` and `Double`",
            TypeFamily::Array => "`Array`",
            TypeFamily::Object => "`Object`",
            TypeFamily::Union => "`Any`",
        }
    }
}

/// The kind of value that a keyword has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeywordValue {
    /// A part of the type itself: a name, a type, fields, a default.
    Part,
    /// A list of values of the type.
    Values,
    /// A text.
    Text,
    /// A text that is a regular expression.
    Pattern,
    /// A number.
    Number,
    /// A whole number, 0 or more.
    Count,
    /// A text that is a JSON Schema.
    Schema,
}

/// The comparison of two values of one keyword: which of them allows more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Another value is another constraint; which one allows more is not decided.
    Exact,
    /// A list that holds the other list allows more.
    OneOf,
    /// A lower value allows more; the keyword is that of the upper end.
    Least(Keyword),
    /// A higher value allows more; the keyword is that of the lower end.
    Greatest(Keyword),
    /// A divisor of the other value allows more.
    Multiple,
}

macro_rules! define_keywords {
    ($($field:ident $Keyword:ident $name:literal $word:literal $value:ident $family:ident ($side:expr) $doc:literal;)+) => {
        /// A key of the record that describes a type: of a parameter, a result, a field or a nested type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum Keyword {
            /// The name of a field.
            Name,
            /// The label or expression of the type.
            Type,
            /// The value of a missing argument or field.
            Default,
            /// `true` when the value may be missing.
            Optional,
            /// The description for the model.
            Description,
            /// The name of a parameter or field at the MCP server, if that name differs.
            Remote,
            /// The type of the elements of an `Array`.
            ElementType,
            /// The types of the elements of an `Array`, one for each.
            Items,
            /// The fields of an `Object`.
            Fields,
            /// The type of the values of an `Object`: of all, or of those beside the fields.
            ValueType,
            /// The types of the values of an `Any`.
            AnyOf,
            $(#[doc = $doc] $Keyword,)+
        }

        impl Keyword {
            /// All keywords, in the order in which they are written.
            pub const ALL: &'static [Keyword] = &[
                Keyword::Name,
                Keyword::Type,
                Keyword::Default,
                Keyword::Optional,
                Keyword::Description,
                Keyword::Remote,
                Keyword::ElementType,
                Keyword::Items,
                Keyword::Fields,
                Keyword::ValueType,
                Keyword::AnyOf,
                $(Keyword::$Keyword,)+
            ];

            /// The keywords that narrow types, in the order in which they are written.
            pub const CONSTRAINTS: &'static [Keyword] = &[$(Keyword::$Keyword,)+];

            /// The name in gram, and in JSON Schema where it is a constraint.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    Keyword::Name => "name",
                    Keyword::Type => "type",
                    Keyword::Default => "default",
                    Keyword::Optional => "optional",
                    Keyword::Description => "description",
                    Keyword::Remote => "remote",
                    Keyword::ElementType => "elementType",
                    Keyword::Items => "items",
                    Keyword::Fields => "fields",
                    Keyword::ValueType => "valueType",
                    Keyword::AnyOf => "anyOf",
                    $(Keyword::$Keyword => $name,)+
                }
            }

            /// The word in attributes of Rust; the name in gram for a keyword that no attribute has.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Keyword::$Keyword => $word,)+
                    other => other.name(),
                }
            }

            /// The kind of value.
            #[must_use]
            pub const fn value(self) -> KeywordValue {
                match self {
                    $(Keyword::$Keyword => KeywordValue::$value,)+
                    _ => KeywordValue::Part,
                }
            }

            /// Returns the types that the keyword applies to.
            #[must_use]
            pub const fn family(self) -> TypeFamily {
                match self {
                    Keyword::ElementType | Keyword::Items => TypeFamily::Array,
                    Keyword::ValueType | Keyword::Fields => TypeFamily::Object,
                    Keyword::AnyOf => TypeFamily::Union,
                    $(Keyword::$Keyword => TypeFamily::$family,)+
                    _ => TypeFamily::Any,
                }
            }

            /// The comparison of two values of the keyword.
            #[must_use]
            pub const fn side(self) -> Side {
                match self {
                    $(Keyword::$Keyword => $side,)+
                    _ => Side::Exact,
                }
            }
        }
    };
}

constraint_rows!(define_keywords);

impl Keyword {
    /// The keyword with a name in gram.
    #[must_use]
    pub const fn from_name(name: &str) -> Option<Keyword> {
        let mut at = 0;
        while at < Self::ALL.len() {
            if same_text(Self::ALL[at].name(), name) {
                return Some(Self::ALL[at]);
            }
            at += 1;
        }
        None
    }

    /// The keywords that narrow types and have a word in attributes of Rust: all but `schema`, because a
    /// Rust type brings its own JSON Schema.
    pub fn in_attributes() -> impl Iterator<Item = Keyword> + Clone {
        let all = Self::CONSTRAINTS.iter().copied();
        all.filter(|keyword| !matches!(keyword.value(), KeywordValue::Schema))
    }

    /// The keyword with a word in attributes of Rust.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Keyword> {
        let mut keywords = Self::in_attributes();
        keywords.find(|keyword| keyword.word() == word)
    }

    /// Whether the keyword is a bound that is not itself allowed.
    #[must_use]
    pub const fn is_exclusive(self) -> bool {
        matches!(self, Keyword::ExclusiveMinimum | Keyword::ExclusiveMaximum)
    }

    /// Whether this is the same keyword, in a `const` too.
    #[must_use]
    pub const fn is(self, other: Keyword) -> bool {
        self as u16 == other as u16
    }

    /// The keyword of a step of a trail, see [`Keyword::step`].
    pub const fn of_step(step: u16) -> Option<Keyword> {
        if (step as usize) < Self::ALL.len() {
            Some(Self::ALL[step as usize])
        } else {
            None
        }
    }

    /// The number of the keyword in a trail to a part of a type.
    pub const fn step(self) -> u16 {
        self as u16
    }

    /// Whether the part of a keyword is its value alone. The part of a constraint includes the key,
    /// because a value such as `3` alone explains nothing.
    pub const fn starts_after_key(self) -> bool {
        self.step() <= Keyword::AnyOf.step() && !self.is(Keyword::Optional)
    }
}

/// The step of a trail to the first field of `fields`, or to the first type of `items` or `anyOf`; the
/// others follow.
pub const FIELD: u16 = 64;

/// The first step of a trail in a signature to its parameters. The next step, from [`FIELD`] on, leads to one
/// of them.
pub const PARAMS: u16 = 62;

/// The first step of a trail in a signature to its result.
pub const RESULT: u16 = 63;

/// A key of types with one value. It means an [`enum`](Keyword::Enum) of this value and is written so.
pub const CONST: &str = "const";
