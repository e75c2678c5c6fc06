//! The words of agent documents: the settings of agents and the keys of records. The words of types are
//! [`Keyword`]s.
//!
//! A setting of agents is one row of `setting_rows!`. The rows define [`Setting`] and
//! [`Settings`](crate::Settings). `MEMBERS` has the settings that requests have as they are, and [`Setting::changes_answers`]
//! those that matter to recorded answers. Elsewhere is what acts by the setting: a request that writes it in another way, or the
//! run. The meaning and examples that editors and the book show are Markdown in `agent-lsp/src/language/vocabulary/`.

use agent_catalog::{LongContextPrice, ModelRow, Price, ProviderRow};
pub use agent_types::Keyword;
pub use agent_types::keyword::{CONST, KeywordValue, Side, TypeFamily};

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
            untrusted set_untrusted Untrusted "untrusted" Texts ()
                "The parameters whose values have words of strangers, such as the text of a mail.";
            when_tainted set_when_tainted WhenTainted "whenTainted" WhenTainted ()
                "What happens to calls that send, write or destroy, once words of strangers are in the conversation.";
            extra set_extra Extra "extra" Record ()
                "Members that the request to the provider of the agent's model gets as they are. Not to \
                 be confused with [`Agent::extra`](crate::Agent::extra), the properties without meaning.";
        }
    };
}

pub(crate) use setting_rows;

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
    /// A word of [`WhenTainted`](crate::WhenTainted).
    WhenTainted,
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

            /// Returns what the setting decides, in a sentence.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Setting::$Setting => $doc,)+
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

/// The members of requests that have a setting as it is, in the order of
/// [`RequestForm`](crate::misfit::RequestForm): chat completions, Responses, Anthropic, Google, Ollama. A form without a member does
/// not have the setting. A setting that is not here is written by each provider in its own way.
#[rustfmt::skip]
pub(crate) const MEMBERS: [(Setting, [Option<&str>; 5]); 5] = [
    (Setting::Temperature, [Some("temperature"), Some("temperature"), Some("temperature"), Some("temperature"), Some("temperature")]),
    (Setting::TopP, [Some("top_p"), Some("top_p"), Some("top_p"), Some("topP"), Some("top_p")]),
    (Setting::Seed, [Some("seed"), None, None, Some("seed"), Some("seed")]),
    (Setting::MaxTokens, [Some("max_tokens"), Some("max_output_tokens"), Some("max_tokens"), Some("maxOutputTokens"), Some("num_predict")]),
    (Setting::Stop, [Some("stop"), None, Some("stop_sequences"), Some("stopSequences"), Some("stop")]),
];

impl Setting {
    /// The settings that decide how a model chooses its words. Models that think often refuse them.
    pub const SAMPLING: [Self; 2] = [Self::Temperature, Self::TopP];

    /// Whether a model may answer otherwise because of the setting. When only other settings change, recorded answers stay
    /// valid.
    #[must_use]
    pub const fn changes_answers(self) -> bool {
        match self {
            Self::Temperature
            | Self::TopP
            | Self::Seed
            | Self::MaxTokens
            | Self::Stop
            | Self::ReasoningEffort
            | Self::Thinking
            | Self::ThinkingBudget
            | Self::ToolChoice
            | Self::ToolSearch
            | Self::Extra => true,
            Self::Cache
            | Self::MaxIterations
            | Self::MaxDepth
            | Self::CompactAbove
            | Self::ToolTimeout
            | Self::BaseUrl
            | Self::Fallback
            | Self::Grants
            | Self::Untrusted
            | Self::WhenTainted => false,
        }
    }

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
pub(crate) const TOOL_KEYS: &[&str] = &[
    "description",
    "timeout",
    "requiresApproval",
    "reads",
    "untrusted",
    "sends",
    "writes",
    "destructive",
    "readOnly",
];

/// The settings of a project file.
pub(crate) const PROJECT_KEYS: [&str; 4] = ["tools", "style", "providers", "models"];

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
            RecordKind::Result => !matches!(
                keyword,
                Keyword::Name | Keyword::Type | Keyword::Default | Keyword::Remote
            ),
            RecordKind::Field => true,
            RecordKind::Entry => !matches!(keyword, Keyword::Name),
            RecordKind::Type => !matches!(
                keyword,
                Keyword::Name | Keyword::Default | Keyword::Description | Keyword::Remote
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
