//! Whether the model is to call a tool, and which.

use agent_gram::value::Text;
use std::fmt;

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
