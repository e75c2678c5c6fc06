//! The words of agent documents: the keywords of types, the settings of agents, the keys of other
//! records.
//!
//! A keyword that narrows types is one row of `constraint_rows!`, a setting of agents one row of
//! `setting_rows!`. The rows define [`Keyword`], [`Setting`], [`Constraints`](crate::Constraints) and
//! [`Settings`](crate::Settings). The checker, the writers, the JSON forms, the macros,
//! `agent new-tools` and the language server use the names, words and kinds of values in the rows. Three
//! things are elsewhere: the rule of a keyword, in [`validate`](crate::validate) and, for defaults in a
//! `const`, in [`binding`](crate::binding); the member of a provider's request for a setting; and the
//! meanings and examples that editors show, which are Markdown in `agent-lsp/src/language/vocabulary/`.

use crate::text::same_text;
use agent_catalog::{LongContextPrice, ModelRow, Price, ProviderRow};

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

/// Calls a macro with a row for each setting of an agent: field of `Settings`, setter of
/// `AgentPattern`, variant, key, and kind of value.
macro_rules! setting_rows {
    ($make:ident) => {
        $make! {
            temperature set_temperature Temperature "temperature" Number (2.0)
                "How freely the model chooses its words, 0 to 2.";
            top_p set_top_p TopP "topP" Number (1.0)
                "The share of the probability that the model chooses from, 0 to 1.";
            seed set_seed Seed "seed" Integer ()
                "The seed that makes the model's choices repeatable, where the provider supports it.";
            max_tokens set_max_tokens MaxTokens "maxTokens" Count (u32::MAX)
                "The maximum number of tokens of one answer.";
            stop set_stop Stop "stop" Texts ()
                "The texts at which the model stops.";
            reasoning_effort set_reasoning_effort ReasoningEffort "reasoningEffort" Effort ()
                "How much the model thinks before it answers.";
            thinking set_thinking Thinking "thinking" Flag ()
                "Whether the model thinks before it answers, where that can be chosen.";
            thinking_budget set_thinking_budget ThinkingBudget "thinkingBudget" Count (u32::MAX)
                "The maximum number of tokens of the model's thoughts before an answer, where the provider has \
                 such a limit.";
            cache set_cache Cache "cache" Cache ()
                "How long the provider keeps the beginning of a request, which the next request repeats, \
                 where the request can say so.";
            tool_choice set_tool_choice ToolChoice "toolChoice" Choice ()
                "Whether the model must call a tool, and which.";
            tool_search set_tool_search ToolSearch "toolSearch" Flag ()
                "Whether the model searches for the tools that it needs, instead of getting the definitions of all.";
            max_iterations set_max_iterations MaxIterations "maxIterations" Count (u32::MAX)
                "The maximum number of turns that call tools.";
            max_depth set_max_depth MaxDepth "maxDepth" Count (16)
                "The number of agents below the first agent of a run that may call each other.";
            compact_above set_compact_above CompactAbove "compactAbove" CompactAbove ()
                "The estimated tokens of a request above which the oldest messages are replaced by a summary.";
            tool_timeout set_tool_timeout ToolTimeout "toolTimeout" Duration ()
                "The time limit of one call of a tool, unless the tool's spec has a shorter limit. A \
                 measurement is a float, so that nanoseconds of a limit above a week may be lost.";
            base_url set_base_url BaseUrl "baseUrl" Url ()
                "The address of the provider, in the form that the vendor's own SDK accepts.";
            fallback set_fallback Fallback "fallback" Models ()
                "The models tried in turn when a provider is down.";
            grants set_grants Grants "grants" Grants ()
                "The most that the agent's tools may access, of what the host granted. Without this they \
                 may access all of it; with [`Grants::NONE`](crate::Grants::NONE), nothing.";
            extra set_extra Extra "extra" Record ()
                "Members that the request to the provider of the agent's model gets as they are. Not to \
                 be confused with [`Agent::extra`](crate::Agent::extra), the properties without meaning.";
        }
    };
}

pub(crate) use {constraint_rows, setting_rows};

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
    pub(crate) const fn of_step(step: u16) -> Option<Keyword> {
        if (step as usize) < Self::ALL.len() {
            Some(Self::ALL[step as usize])
        } else {
            None
        }
    }

    /// The number of the keyword in a trail to a part of a type.
    pub(crate) const fn step(self) -> u16 {
        self as u16
    }

    /// Whether the part of a keyword is its value alone. The part of a constraint includes the key,
    /// because a value such as `3` alone explains nothing.
    pub(crate) const fn starts_after_key(self) -> bool {
        self.step() <= Keyword::AnyOf.step() && !self.is(Keyword::Optional)
    }
}

/// The step of a trail to the first field of `fields`, or to the first type of `items` or `anyOf`; the
/// others follow.
pub(crate) const FIELD: u16 = 64;

/// The kind of value that a setting has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// A number from 0 to this one.
    Number(f64),
    /// A whole number of 64 bits.
    Integer,
    /// A whole number from 1 to this one.
    Count(u32),
    /// A text, or a list of texts.
    Texts,
    /// A word of [`ReasoningEffort`](crate::ReasoningEffort).
    Effort,
    /// A word of [`PromptCache`](crate::PromptCache).
    Cache,
    /// A whole number from 1, or `"auto"`: [`CompactAbove`](crate::CompactAbove).
    CompactAbove,
    /// A text of [`ToolChoice`](crate::ToolChoice).
    Choice,
    /// `true` or `false`.
    Flag,
    /// A length of time.
    Duration,
    /// An `http` or `https` address.
    Url,
    /// A model, or a list of models.
    Models,
    /// A record of [`Grants`](crate::Grants).
    Grants,
    /// A record.
    Record,
}

macro_rules! define_settings {
    ($($field:ident $set:ident $Setting:ident $key:literal $kind:ident ($($most:expr)?) $doc:literal;)+) => {
        /// A setting of an agent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Setting {
            $(#[doc = $doc] $Setting,)+
        }

        impl Setting {
            /// All settings, in the order in which they are written.
            pub const ALL: &'static [Setting] = &[$(Setting::$Setting,)+];

            /// The key in the agent's record.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self {
                    $(Setting::$Setting => $key,)+
                }
            }

            /// The kind of value.
            #[must_use]
            pub const fn kind(self) -> SettingKind {
                match self {
                    $(Setting::$Setting => SettingKind::$kind $(($most))?,)+
                }
            }
        }

        /// The keys of an agent's record that have a meaning, in the order in which they are written.
        pub(crate) const AGENT_KEYS: &[&str] = &["name", "description", "instruction", "prompt", "variables", "model", $($key,)+ "timeout", "requiresApproval"];
    };
}

setting_rows!(define_settings);

impl Setting {
    /// The setting with a key.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Setting> {
        let mut settings = Self::ALL.iter().copied();
        settings.find(|setting| setting.key() == key)
    }
}

/// The label of an agent.
pub(crate) const AGENT_LABEL: &str = "Agent";

/// The labels of a tool; the first is the one that is written.
pub(crate) const TOOL_LABELS: [&str; 2] = ["Tool", "ToolSpecification"];

/// The label of an MCP server.
pub(crate) const MCP_LABEL: &str = "Mcp";

/// The keys of the record of an MCP server, in the order in which they are written.
pub(crate) const MCP_KEYS: &[&str] = &["command", "env", "url", "headers", "version", "protocol"];

/// The key of a tool's name at its MCP server.
pub(crate) const REMOTE: &str = "remote";

/// The keys of a tool's record that have a meaning.
pub(crate) const TOOL_KEYS: &[&str] = &["description", "timeout", "requiresApproval"];

/// The settings of a project file.
pub(crate) const PROJECT_KEYS: [&str; 4] = ["tools", "style", "providers", "models"];

/// A key of types with one value. It means an [`enum`](Keyword::Enum) of this value and is written so.
pub const CONST: &str = "const";

/// The keys of `grants`, in the order in which they are written.
pub(crate) const GRANT_KEYS: [&str; 4] = ["read", "write", "network", "environment"];

/// The kind of a record, which decides what its keys can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// The record of an agent.
    Agent,
    /// `grants` of an agent.
    Grants,
    /// The record of a tool.
    Tool,
    /// The record of a parameter.
    Parameter,
    /// The record of a result.
    Result,
    /// A field in a list of fields: `fields: [{name: "age", …}]`.
    Field,
    /// A field in a map of fields, whose key is the name: `fields: {age: {type: "Int", …}}`.
    Entry,
    /// A nested type: `elementType: {type: "Object", …}`.
    Type,
    /// The record of a project file.
    Project,
    /// The record of a provider in a catalogue of models.
    Catalog,
    /// The record of a model in a catalogue.
    Model,
    /// `price` of a model.
    Price,
    /// `longContext` of a price.
    LongContext,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [RecordKind; 13] = [
        Self::Agent,
        Self::Grants,
        Self::Tool,
        Self::Parameter,
        Self::Result,
        Self::Field,
        Self::Entry,
        Self::Type,
        Self::Project,
        Self::Catalog,
        Self::Model,
        Self::Price,
        Self::LongContext,
    ];

    /// The keys that have a meaning in the record, in the order in which they are written. An agent and
    /// a tool keep other keys as well.
    pub fn keys(self) -> impl Iterator<Item = &'static str> + Clone {
        let own: &[&str] = match self {
            RecordKind::Agent => AGENT_KEYS,
            RecordKind::Grants => &GRANT_KEYS,
            RecordKind::Tool => TOOL_KEYS,
            RecordKind::Parameter => &["paramName"],
            RecordKind::Project => &PROJECT_KEYS,
            RecordKind::Catalog => ProviderRow::KEYS,
            RecordKind::Model => ModelRow::KEYS,
            RecordKind::Price => Price::KEYS,
            RecordKind::LongContext => LongContextPrice::KEYS,
            _ => &[],
        };
        let keywords = Keyword::ALL
            .iter()
            .filter(move |keyword| self.has(**keyword));
        own.iter()
            .copied()
            .chain(keywords.map(|keyword| keyword.name()))
    }

    /// Whether a keyword of types is a key of the record.
    #[must_use]
    pub const fn has(self, keyword: Keyword) -> bool {
        match self {
            RecordKind::Agent
            | RecordKind::Grants
            | RecordKind::Tool
            | RecordKind::Project
            | RecordKind::Catalog
            | RecordKind::Model
            | RecordKind::Price
            | RecordKind::LongContext => false,
            // The name and the type of a node come before its record.
            RecordKind::Parameter => !matches!(keyword, Keyword::Name | Keyword::Type),
            RecordKind::Result => {
                !matches!(keyword, Keyword::Name | Keyword::Type | Keyword::Default)
            }
            RecordKind::Field => true,
            RecordKind::Entry => !matches!(keyword, Keyword::Name),
            RecordKind::Type => !matches!(
                keyword,
                Keyword::Name | Keyword::Default | Keyword::Description
            ),
        }
    }

    /// The owner of the record, for messages.
    #[must_use]
    pub const fn owner(self) -> &'static str {
        match self {
            RecordKind::Agent => "an agent",
            RecordKind::Grants => "`grants`",
            RecordKind::Tool => "a tool",
            RecordKind::Parameter => "a parameter",
            RecordKind::Result => "a result",
            RecordKind::Field | RecordKind::Entry => "a field",
            RecordKind::Type => "a type",
            RecordKind::Project => "a project file",
            RecordKind::Catalog => "a provider",
            RecordKind::Model => "a model",
            RecordKind::Price => "`price`",
            RecordKind::LongContext => "`longContext`",
        }
    }
}
