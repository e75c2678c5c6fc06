//! The reason why a call is guarded.

use agent_effects::{Effect, Taint};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason why a call is guarded by `whenTainted`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Guarded {
    /// The state of the conversation.
    pub taint: Taint,
    /// The effect of the tool because of which its calls are guarded: `sends`, `writes` or `destructive`.
    pub effect: String,
    /// The name of the tool from whose result it came; `None` if it came with a message, or from the agent that called this
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The id of the call of that tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The argument that has a value of that result, if the conversation is only [touched](Taint::Touched): `amount`, or
    /// `items[2].price`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The reason in words, for people.
    pub reason: String,
}

impl Guarded {
    /// Creates a reason. `call` is the tool, and the id of its call, whose result brought the taint in.
    pub(super) fn new(
        taint: Taint,
        effect: Effect,
        call: Option<(&str, &str)>,
        argument: Option<String>,
    ) -> Self {
        let tool = call.map(|(tool, _)| tool.to_owned());
        let source = match &tool {
            Some(tool) => format!("the result of `{tool}`"),
            None => "a message".to_owned(),
        };
        let does = match effect {
            Effect::Sends => "it sends what it is given",
            Effect::Writes => "it stores what it is given",
            _ => "what it does cannot be undone",
        };
        Self {
            reason: match &argument {
                Some(argument) => format!(
                    "{does}, and its argument `{argument}` is a value of {source}, which a stranger may have chosen"
                ),
                None => format!("{does}, and {source} has words of strangers"),
            },
            taint,
            effect: effect.key().to_owned(),
            tool,
            call_id: call.map(|(_, id)| id.to_owned()),
            argument,
        }
    }
}

impl fmt::Display for Guarded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reason)
    }
}
