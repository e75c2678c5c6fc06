//! The optional settings of a run that an agent declares.

use crate::grants::Grants;
use crate::json::{Ordered, plain_members};
use crate::model::Model;
use agent_gram::value::{Decimal, Record, Text};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// Settings of a run. What is missing is the provider's or the runtime's choice.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// How freely the model chooses its words.
    pub temperature: Option<Decimal>,
    /// How much of the probability the model chooses from, 0 to 1.
    pub top_p: Option<Decimal>,
    /// What makes a model's choices repeatable, where the provider has it.
    pub seed: Option<i64>,
    /// The most tokens of one answer.
    pub max_tokens: Option<u32>,
    /// Texts at which the model stops.
    pub stop: Cow<'static, [Text]>,
    /// How much the model thinks before it answers.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether the model is to call a tool, and which.
    pub tool_choice: Option<ToolChoice>,
    /// The most turns that call tools.
    pub max_iterations: Option<u32>,
    /// How long one call of a tool may take, unless the tool's spec says less.
    pub tool_timeout: Option<Duration>,
    /// Where the provider is reached, in the form the vendor's own SDK takes.
    pub base_url: Option<Text>,
    /// Models tried in turn when a provider is down.
    pub fallback: Cow<'static, [Model]>,
    /// What the agent's tools may touch at most, of what the host granted. Without this they may touch
    /// all of that; with [`Grants::NONE`], nothing.
    pub grants: Option<Grants>,
    /// What the provider of the agent's model is sent as it stands, as members of the request. Not to
    /// be mixed up with [`Agent::extra`](super::Agent::extra), the properties that mean nothing.
    pub extra: Record,
}

impl Settings {
    /// Nothing set.
    pub const NONE: Settings = Settings {
        temperature: None,
        top_p: None,
        seed: None,
        max_tokens: None,
        stop: Cow::Borrowed(&[]),
        reasoning_effort: None,
        tool_choice: None,
        max_iterations: None,
        tool_timeout: None,
        base_url: None,
        fallback: Cow::Borrowed(&[]),
        grants: None,
        extra: Record::new(),
    };

    /// Settings for a `const`, in the order of the fields.
    #[must_use]
    #[expect(clippy::too_many_arguments, reason = "only `agent!` calls it")]
    pub const fn from_static(
        temperature: Option<Decimal>,
        top_p: Option<Decimal>,
        seed: Option<i64>,
        max_tokens: Option<u32>,
        stop: &'static [Text],
        reasoning_effort: Option<ReasoningEffort>,
        tool_choice: Option<ToolChoice>,
        max_iterations: Option<u32>,
        tool_timeout: Option<Duration>,
        base_url: Option<&'static str>,
        fallback: &'static [Model],
        grants: Option<Grants>,
        extra: Record,
    ) -> Self {
        Self {
            temperature,
            top_p,
            seed,
            max_tokens,
            stop: Cow::Borrowed(stop),
            reasoning_effort,
            tool_choice,
            max_iterations,
            tool_timeout,
            base_url: match base_url {
                Some(url) => Some(Text::from_static(url)),
                None => None,
            },
            fallback: Cow::Borrowed(fallback),
            grants,
            extra,
        }
    }

    /// `extra` as plain JSON, in order: tagged text becomes its content. `None` when JSON has no
    /// plain form for a part of it, which a checked agent does not have.
    #[must_use]
    pub fn extra_members(&self) -> Option<Vec<(Text, Ordered)>> {
        plain_members(&self.extra)
    }

    /// Drops what was written for the agent's own provider and says nothing to another one: `baseUrl`
    /// and `extra`.
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

/// The properties of an agent that mean something, in the order they are written.
pub const AGENT_KEYS: [&str; 17] = [
    "name",
    "description",
    "instruction",
    "model",
    "temperature",
    "topP",
    "seed",
    "maxTokens",
    "stop",
    "reasoningEffort",
    "toolChoice",
    "maxIterations",
    "toolTimeout",
    "baseUrl",
    "fallback",
    "grants",
    "extra",
];

/// What `extra` must not say, whichever the provider: with these members a request would no longer be
/// the one that the run decided on.
pub const RESERVED_EXTRAS: [&str; 4] = ["model", "messages", "tools", "stream"];

/// How much the model thinks before it answers: `reasoningEffort` of an agent.
///
/// These are the words that all vendors have, or have something near. What one of them has besides
/// goes into `extra`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ReasoningEffort {
    /// As little as the model can.
    Minimal,
    /// Little.
    Low,
    /// Neither little nor much.
    Medium,
    /// Much.
    High,
}

impl ReasoningEffort {
    /// All of them, from the least to the most.
    pub const ALL: [ReasoningEffort; 4] = [Self::Minimal, Self::Low, Self::Medium, Self::High];

    /// The effort that a word says.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effort| effort.as_str() == word)
    }

    /// The word that says it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for ReasoningEffort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Whether the model is to call a tool, and which: `toolChoice` of an agent.
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
    /// The choice that a text says.
    #[must_use]
    pub fn of(text: &str) -> Self {
        match text {
            "auto" => Self::Auto,
            "required" => Self::Required,
            "none" => Self::None,
            name => Self::Tool(Text::new(name)),
        }
    }

    /// The text that says it.
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
