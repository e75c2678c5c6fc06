//! The keys of tools.

use super::Key;
use agent_spec::check::Place;

const TOOL: &[Place] = &[Place::Tool];

pub(super) const KEYS: &[Key] = &[
    Key {
        places: TOOL,
        name: "description",
        value: "text, required",
        meaning: "What the tool does. It is how the model knows when to call it.",
        example: "description: \"Returns a friendly greeting\"",
    },
    Key {
        places: TOOL,
        name: "timeout",
        value: "length of time",
        meaning: "How long a call may take. It can be less than what the function says of itself, \
                  never more. Written without quotes, with a unit: `500ms`, `10s`, `2min`, `1h`.",
        example: "timeout: 5s",
    },
    Key {
        places: TOOL,
        name: "requiresApproval",
        value: "`true` or `false`",
        meaning: "Whether a person must approve each call before it is made.",
        example: "requiresApproval: true",
    },
];
