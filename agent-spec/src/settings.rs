//! The settings of a run that an agent declares.

use crate::grants::Grants;
use crate::model::Model;
use crate::vocabulary::{Setting, setting_rows};
use agent_gram::value::{Decimal, Record, Text};
use agent_types::__private::plain_members;
use agent_types::json::Ordered;
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

pub use agent_catalog::ReasoningEffort;
pub use agent_effects::WhenTainted;

/// The value of one setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingValue<'a> {
    /// A number.
    Number(&'a Decimal),
    /// A whole number.
    Integer(i64),
    /// A whole number, 1 or more.
    Count(u32),
    /// Texts.
    Texts(&'a [Text]),
    /// The effort of the model's reasoning.
    Effort(ReasoningEffort),
    /// The time for which a provider keeps the beginning of a request.
    Cache(PromptCache),
    /// The tokens above which the oldest messages are replaced by a summary.
    CompactAbove(CompactAbove),
    /// A choice of a tool.
    Choice(&'a ToolChoice),
    /// `true` or `false`.
    Flag(bool),
    /// A length of time.
    Duration(Duration),
    /// An address.
    Url(&'a str),
    /// Models.
    Models(&'a [Model]),
    /// The treatment of calls that act, once words of strangers are in the conversation.
    WhenTainted(WhenTainted),
    /// Grants.
    Grants(&'a Grants),
    /// A record.
    Record(&'a Record),
}

/// The type of a field, from the kind of its value.
macro_rules! held {
    (Number) => { Option<Decimal> };
    (Integer) => { Option<i64> };
    (Count) => { Option<u32> };
    (Texts) => { Cow<'static, [Text]> };
    (Effort) => { Option<ReasoningEffort> };
    (Cache) => { Option<PromptCache> };
    (CompactAbove) => { Option<CompactAbove> };
    (Choice) => { Option<ToolChoice> };
    (Flag) => { Option<bool> };
    (Duration) => { Option<Duration> };
    (Url) => { Option<Text> };
    (Models) => { Cow<'static, [Model]> };
    (WhenTainted) => { Option<WhenTainted> };
    (Grants) => { Option<Grants> };
    (Record) => { Record };
}

/// An unset field.
macro_rules! unset {
    (Texts) => {
        Cow::Borrowed(&[])
    };
    (Models) => {
        Cow::Borrowed(&[])
    };
    (Record) => {
        Record::new()
    };
    ($kind:ident) => {
        None
    };
}

/// A field from the value in a `const`, if there is one.
macro_rules! hold {
    (Number $given:expr) => {
        match $given {
            Some(SettingValue::Number(number)) => {
                Some(Decimal::from_static(number.value(), number.text()))
            }
            _ => None,
        }
    };
    (Texts $given:expr) => {
        match $given {
            Some(SettingValue::Texts(texts)) => Cow::Borrowed(texts),
            _ => Cow::Borrowed(&[]),
        }
    };
    (Choice $given:expr) => {
        match $given {
            Some(SettingValue::Choice(choice)) => Some(choice.borrowed()),
            _ => None,
        }
    };
    (Url $given:expr) => {
        match $given {
            Some(SettingValue::Url(url)) => Some(Text::from_static(url)),
            _ => None,
        }
    };
    (Models $given:expr) => {
        match $given {
            Some(SettingValue::Models(models)) => Cow::Borrowed(models),
            _ => Cow::Borrowed(&[]),
        }
    };
    (Grants $given:expr) => {
        match $given {
            Some(SettingValue::Grants(grants)) => Some(grants.borrowed()),
            _ => None,
        }
    };
    (Record $given:expr) => {
        match $given {
            Some(SettingValue::Record(record)) => Record::from_static(record.entries()),
            _ => Record::new(),
        }
    };
    ($kind:ident $given:expr) => {
        match $given {
            Some(SettingValue::$kind(value)) => Some(value),
            _ => None,
        }
    };
}

/// The value that a field holds, if it holds one.
macro_rules! given {
    (Texts $field:expr) => {
        (!$field.is_empty()).then_some(SettingValue::Texts(&$field))
    };
    (Models $field:expr) => {
        (!$field.is_empty()).then_some(SettingValue::Models(&$field))
    };
    (Record $field:expr) => {
        (!$field.is_empty()).then_some(SettingValue::Record(&$field))
    };
    (Integer $field:expr) => {
        $field.map(SettingValue::Integer)
    };
    (Count $field:expr) => {
        $field.map(SettingValue::Count)
    };
    (Effort $field:expr) => {
        $field.map(SettingValue::Effort)
    };
    (Cache $field:expr) => {
        $field.map(SettingValue::Cache)
    };
    (CompactAbove $field:expr) => {
        $field.map(SettingValue::CompactAbove)
    };
    (WhenTainted $field:expr) => {
        $field.map(SettingValue::WhenTainted)
    };
    (Flag $field:expr) => {
        $field.map(SettingValue::Flag)
    };
    (Duration $field:expr) => {
        $field.map(SettingValue::Duration)
    };
    (Url $field:expr) => {
        $field.as_deref().map(SettingValue::Url)
    };
    ($kind:ident $field:expr) => {
        $field.as_ref().map(SettingValue::$kind)
    };
}

/// Stores a value in a field.
macro_rules! store {
    (Texts $field:expr, $value:expr) => {
        if let SettingValue::Texts(texts) = $value {
            $field = Cow::Owned(texts.to_vec());
        }
    };
    (Models $field:expr, $value:expr) => {
        if let SettingValue::Models(models) = $value {
            $field = Cow::Owned(models.to_vec());
        }
    };
    (Record $field:expr, $value:expr) => {
        if let SettingValue::Record(record) = $value {
            $field = record.clone();
        }
    };
    (Url $field:expr, $value:expr) => {
        if let SettingValue::Url(url) = $value {
            $field = Some(Text::new(url));
        }
    };
    (Number $field:expr, $value:expr) => {
        if let SettingValue::Number(number) = $value {
            $field = Some(number.clone());
        }
    };
    (Choice $field:expr, $value:expr) => {
        if let SettingValue::Choice(choice) = $value {
            $field = Some(choice.clone());
        }
    };
    (Grants $field:expr, $value:expr) => {
        if let SettingValue::Grants(grants) = $value {
            $field = Some(grants.clone());
        }
    };
    ($kind:ident $field:expr, $value:expr) => {
        if let SettingValue::$kind(value) = $value {
            $field = Some(value);
        }
    };
}

macro_rules! define_settings {
    ($($field:ident $set:ident $Setting:ident $key:literal $kind:ident ($($most:expr)?) $doc:literal;)+) => {
        /// Settings of a run. The provider or the runtime decides what is not set.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct Settings {
            $(#[doc = $doc] pub $field: held!($kind),)+
        }

        impl Settings {
            /// No settings.
            pub const NONE: Settings = Settings {
                $($field: unset!($kind),)+
            };

            /// Settings for a `const`.
            #[doc(hidden)]
            #[must_use]
            pub const fn from_static(given: &[(Setting, SettingValue<'static>)]) -> Self {
                Self {
                    $($field: hold!($kind find(given, Setting::$Setting)),)+
                }
            }

            /// The value of a setting, if it is set.
            #[must_use]
            pub fn get(&self, setting: Setting) -> Option<SettingValue<'_>> {
                match setting {
                    $(Setting::$Setting => given!($kind self.$field),)+
                }
            }

            /// Sets a setting. A value of another kind than the setting has is ignored.
            pub fn set(&mut self, setting: Setting, value: SettingValue<'_>) {
                match setting {
                    $(Setting::$Setting => store!($kind self.$field, value),)+
                }
            }

            /// Removes the value of a setting.
            pub fn unset(&mut self, setting: Setting) {
                match setting {
                    $(Setting::$Setting => self.$field = unset!($kind),)+
                }
            }
        }
    };
}

setting_rows!(define_settings);

impl Settings {
    /// The settings that are set, in the order in which they are written.
    pub fn iter(&self) -> impl Iterator<Item = (Setting, SettingValue<'_>)> {
        let mut rest = Setting::ALL.iter();
        std::iter::from_fn(move || {
            for setting in rest.by_ref() {
                if let Some(value) = self.get(*setting) {
                    return Some((*setting, value));
                }
            }
            None
        })
    }

    /// Returns `extra` as plain JSON, in order: tagged text becomes its content. `None` when JSON has no
    /// plain form for a part of it, which a checked agent does not have.
    #[must_use]
    pub fn extra_members(&self) -> Option<Vec<(Text, Ordered)>> {
        plain_members(&self.extra)
    }

    /// Drops the settings that belong to the agent's own provider: `base_url` and `extra`.
    pub fn leave_provider(&mut self) {
        self.base_url = None;
        self.extra = Record::new();
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::NONE
    }
}

const fn find(
    given: &[(Setting, SettingValue<'static>)],
    setting: Setting,
) -> Option<SettingValue<'static>> {
    let mut at = 0;
    while at < given.len() {
        if given[at].0 as u8 == setting as u8 {
            return Some(given[at].1);
        }
        at += 1;
    }
    None
}

/// The members that `extra` must not have, whichever the provider: with them a request would no longer
/// be the request that the run decided on.
pub const RESERVED_EXTRAS: [&str; 4] = ["model", "messages", "tools", "stream"];

/// The tools that the model may get in place of those that it searches: one that finds tools, and one that calls
/// them. An agent with `toolSearch` has no tools of these names.
pub const SEARCH_TOOLS: [&str; 2] = ["searchTools", "callTool"];

/// The time for which a provider keeps the beginning of a request: `cache` of an agent.
///
/// The next request of a conversation repeats this beginning, and the provider charges less for what it has
/// kept. A provider that decides by itself how long it keeps a request ignores the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PromptCache {
    /// The request asks for no cache.
    Off,
    /// Five minutes from the last use.
    #[default]
    FiveMinutes,
    /// One hour from the last use.
    OneHour,
}

impl PromptCache {
    /// All values, from the shortest time to the longest.
    pub const ALL: [PromptCache; 3] = [Self::Off, Self::FiveMinutes, Self::OneHour];

    /// Returns the value with this word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cache| cache.as_str() == word)
    }

    /// The word of the value.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::FiveMinutes => "5m",
            Self::OneHour => "1h",
        }
    }
}

/// The tokens of a request above which the oldest messages are replaced by a summary: `compactAbove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompactAbove {
    /// Four fifths of the context of the model, by the catalogue of models.
    Auto,
    /// A number of tokens, 1 or more.
    Tokens(u32),
}

impl From<u32> for CompactAbove {
    fn from(tokens: u32) -> Self {
        Self::Tokens(tokens)
    }
}

impl CompactAbove {
    /// The word for [`Auto`](Self::Auto).
    pub const AUTO: &'static str = "auto";
}

impl fmt::Display for PromptCache {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The tool that the model must call, if any: `toolChoice` of an agent.
///
/// A choice that forces a call holds for the requests of a run until the model has called a tool.
/// From then on the choice is the model's, since a run whose every answer must call tools has no
/// end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides; written `"auto"`.
    Auto,
    /// The model must call one of the tools; written `"required"`.
    Required,
    /// The model must not call a tool; written `"none"`.
    None,
    /// The model must call the tool of this name, which is how it is written. A tool whose name is
    /// one of the three words cannot be chosen: the words come first.
    Tool(Text),
}

/// The words that are choices; any other text is the name of a tool.
pub const TOOL_CHOICES: [&str; 3] = ["auto", "required", "none"];

impl ToolChoice {
    /// The choice with this text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        match text {
            "auto" => Self::Auto,
            "required" => Self::Required,
            "none" => Self::None,
            name => Self::Tool(Text::new(name)),
        }
    }

    /// A copy that borrows, for a `const`.
    const fn borrowed(&'static self) -> Self {
        match self {
            Self::Auto => Self::Auto,
            Self::Required => Self::Required,
            Self::None => Self::None,
            Self::Tool(name) => Self::Tool(Text::from_static(name.as_str())),
        }
    }

    /// The text of the choice.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
            Self::None => "none",
            Self::Tool(name) => name.as_str(),
        }
    }

    /// Whether the model must call a tool.
    #[must_use]
    pub const fn is_forced(&self) -> bool {
        matches!(self, Self::Required | Self::Tool(_))
    }
}

impl fmt::Display for ToolChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
