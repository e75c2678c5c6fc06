//! Documentation of the keys of records, for hover and completion.
//!
//! [`Place::keys`] decides which keys there are; a test compares it with this table.

use agent_spec::check::Place;

/// The documentation of a key.
#[derive(Debug)]
pub(crate) struct KeyDoc {
    /// The records in which the key has this documentation.
    pub(crate) places: &'static [Place],
    /// The key.
    pub(crate) name: &'static str,
    /// The values that it takes, in a few words.
    pub(crate) value: &'static str,
    /// The meaning, in Markdown.
    pub(crate) meaning: &'static str,
    /// The key with a value.
    pub(crate) example: &'static str,
}

impl KeyDoc {
    /// Returns the documentation of a key.
    pub(crate) fn find(place: Place, name: &str) -> Option<&'static Self> {
        KEYS.iter()
            .find(|key| key.name == name && key.places.contains(&place))
    }

    /// Returns whether the value is a text in quotes.
    pub(crate) fn is_text(&self) -> bool {
        let value = self.example.split_once(": ");
        value.is_some_and(|(_, value)| value.starts_with('"'))
    }

    /// Returns name, values, meaning and example, in Markdown.
    pub(crate) fn markdown(&self) -> String {
        format!(
            "**`{}`**: {}\n\n{}\n\n```gram\n{}\n```\n",
            self.name, self.value, self.meaning, self.example
        )
    }
}

const AGENT: &[Place] = &[Place::Agent];
const GRANTS: &[Place] = &[Place::Grants];
const TOOL: &[Place] = &[Place::Tool];
/// Everything that has a type.
const ALL_TYPED: &[Place] = &[
    Place::Parameter,
    Place::Result,
    Place::Field,
    Place::Entry,
    Place::Type,
];
const DESCRIBED: &[Place] = &[Place::Parameter, Place::Result, Place::Field, Place::Entry];
/// Everything that a caller gives a value for.
const INPUTS: &[Place] = &[Place::Parameter, Place::Field, Place::Entry];
/// Everything whose type is a key, and not a label.
const WITH_TYPE_KEY: &[Place] = &[Place::Field, Place::Entry, Place::Type];

/// The documentation of all keys.
pub(crate) const KEYS: &[KeyDoc] = &[
    KeyDoc {
        places: AGENT,
        name: "name",
        value: "text",
        meaning: "The agent's name once more. The name before the label is the one that counts: this \
                  must be equal to it, and is best left out.",
        example: "name: \"greeter\"",
    },
    KeyDoc {
        places: AGENT,
        name: "description",
        value: "text",
        meaning: "What the agent is for.",
        example: "description: \"Greets people by their names\"",
    },
    KeyDoc {
        places: AGENT,
        name: "instruction",
        value: "text, required",
        meaning: "What the model is told before every conversation: who it is, what to do, when to \
                  use which tool. `{{name}}` is filled in from the variables of a run. A long text is \
                  best written as a fence, between lines of three backticks.",
        example: "instruction: \"You are a friendly assistant.\"",
    },
    KeyDoc {
        places: AGENT,
        name: "model",
        value: "`Provider/model-id`, required",
        meaning: "The model that the agent runs on: who offers it, a `/`, and what the provider \
                  calls it. `agent run --model` chooses another one without a change of the file.",
        example: "model: \"OpenAI/gpt-4o-mini\"",
    },
    KeyDoc {
        places: AGENT,
        name: "temperature",
        value: "number from 0 to 2",
        meaning: "How freely the model chooses its words: the lower, the more alike its answers.",
        example: "temperature: 0.2",
    },
    KeyDoc {
        places: AGENT,
        name: "topP",
        value: "number from 0 to 1",
        meaning: "How much of the probability the model chooses its words from.",
        example: "topP: 0.9",
    },
    KeyDoc {
        places: AGENT,
        name: "seed",
        value: "whole number of 64 bits",
        meaning: "Makes the model's choices repeatable, where the provider has that.",
        example: "seed: 42",
    },
    KeyDoc {
        places: AGENT,
        name: "maxTokens",
        value: "whole number, 1 or more",
        meaning: "The most tokens of one answer.",
        example: "maxTokens: 1000",
    },
    KeyDoc {
        places: AGENT,
        name: "stop",
        value: "text, or a list of texts",
        meaning: "Texts at which the model stops.",
        example: "stop: [\"END\"]",
    },
    KeyDoc {
        places: AGENT,
        name: "reasoningEffort",
        value: "`\"minimal\"`, `\"low\"`, `\"medium\"` or `\"high\"`",
        meaning: "How much the model thinks before it answers. What one provider has besides these \
                  goes into `extra`.",
        example: "reasoningEffort: \"low\"",
    },
    KeyDoc {
        places: AGENT,
        name: "toolChoice",
        value: "`\"auto\"`, `\"required\"`, `\"none\"`, or the name of one of the agent's tools",
        meaning: "Whether the model is to call a tool: it decides, it must, it must not, or it must \
                  call the tool of this name. A call that is demanded is demanded until the model has \
                  made one.",
        example: "toolChoice: \"auto\"",
    },
    KeyDoc {
        places: AGENT,
        name: "maxIterations",
        value: "whole number, 1 or more",
        meaning: "The most turns of a run that call tools; 10 when it is left out.",
        example: "maxIterations: 5",
    },
    KeyDoc {
        places: AGENT,
        name: "toolTimeout",
        value: "length of time",
        meaning: "How long one call of a tool may take, unless the tool's own `timeout` says less; 10 \
                  seconds when it is left out. Written without quotes, with a unit: `500ms`, `10s`, \
                  `2min`, `1h`.",
        example: "toolTimeout: 10s",
    },
    KeyDoc {
        places: AGENT,
        name: "baseUrl",
        value: "`http` or `https` address",
        meaning: "Where the provider is reached, in the form that the vendor's own SDK takes: with \
                  `/v1` for OpenAI, the bare host for Anthropic and Ollama, with `/v1beta` for Google. \
                  No key is sent there unless whoever runs the agent allows the host.",
        example: "baseUrl: \"http://localhost:8080/v1\"",
    },
    KeyDoc {
        places: AGENT,
        name: "fallback",
        value: "`Provider/model-id`, or a list of these",
        meaning: "Further models, tried in turn when a provider is down.",
        example: "fallback: [\"Anthropic/claude-haiku-4-5\"]",
    },
    KeyDoc {
        places: AGENT,
        name: "grants",
        value: "record of `read`, `write`, `network`, `environment`",
        meaning: "What the agent's tools may touch at most, of what whoever runs the agent grants: it \
                  narrows that, and never widens it. Without `grants` they may touch all of it, with \
                  `{}` nothing.",
        example: "grants: {read: [\"docs\"]}",
    },
    KeyDoc {
        places: AGENT,
        name: "extra",
        value: "record",
        meaning: "Members that the provider is sent as they stand, for what only this one has. It \
                  cannot say `model`, `messages`, `tools` or `stream`.",
        example: "extra: {parallel_tool_calls: false}",
    },
    KeyDoc {
        places: GRANTS,
        name: "read",
        value: "path of a folder, or a list of these",
        meaning: "Folders whose files may be read and listed, with all that is in them.",
        example: "read: [\"docs\"]",
    },
    KeyDoc {
        places: GRANTS,
        name: "write",
        value: "path of a folder, or a list of these",
        meaning: "Folders in which files may be written.",
        example: "write: [\"out\"]",
    },
    KeyDoc {
        places: GRANTS,
        name: "network",
        value: "host, or a list of these",
        meaning: "Hosts that may be contacted.",
        example: "network: [\"api.example.org\"]",
    },
    KeyDoc {
        places: GRANTS,
        name: "environment",
        value: "name of a variable, or a list of these",
        meaning: "Variables of the environment that may be read.",
        example: "environment: [\"LANG\"]",
    },
    KeyDoc {
        places: TOOL,
        name: "description",
        value: "text, required",
        meaning: "What the tool does. It is how the model knows when to call it.",
        example: "description: \"Returns a friendly greeting\"",
    },
    KeyDoc {
        places: TOOL,
        name: "timeout",
        value: "length of time",
        meaning: "How long a call may take. It can be less than what the function says of itself, \
                  never more. Written without quotes, with a unit: `500ms`, `10s`, `2min`, `1h`.",
        example: "timeout: 5s",
    },
    KeyDoc {
        places: TOOL,
        name: "requiresApproval",
        value: "`true` or `false`",
        meaning: "Whether a person must approve each call before it is made.",
        example: "requiresApproval: true",
    },
    KeyDoc {
        places: &[Place::Parameter],
        name: "paramName",
        value: "text",
        meaning: "The parameter's name, in the older form where the node has none. \
                  `(personName::Text)` says the same as `(::Text {paramName: \"personName\"})`.",
        example: "paramName: \"personName\"",
    },
    KeyDoc {
        places: &[Place::Field],
        name: "name",
        value: "text, required",
        meaning: "The name of the field.",
        example: "name: \"age\"",
    },
    KeyDoc {
        places: WITH_TYPE_KEY,
        name: "type",
        value: "type, required",
        meaning: "The type: a label such as `\"Text\"`, a type expression such as `\"[Maybe Int]\"`, \
                  or a record `{type: …, …}`.",
        example: "type: \"Int\"",
    },
    KeyDoc {
        places: INPUTS,
        name: "default",
        value: "value of the type",
        meaning: "The value when none is given, which makes it optional.",
        example: "default: \"world\"",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "optional",
        value: "`true` or `false`",
        meaning: "Whether the value may be missing.",
        example: "optional: true",
    },
    KeyDoc {
        places: DESCRIBED,
        name: "description",
        value: "text",
        meaning: "What it is for. The model is told.",
        example: "description: \"The name of the person\"",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "elementType",
        value: "type",
        meaning: "For `Array`: the type of each element.",
        example: "elementType: \"Text\"",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "valueType",
        value: "type",
        meaning: "For `Object`: the type of each value, under any keys.",
        example: "valueType: \"Int\"",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "fields",
        value: "list of `{name, type, …}`, or record from name to type",
        meaning: "For `Object`: its fields.",
        example: "fields: {name: \"Text\", age: \"Maybe Int\"}",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "enum",
        value: "list of values of the type",
        meaning: "The only values allowed.",
        example: "enum: [\"celsius\", \"fahrenheit\"]",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "format",
        value: "text",
        meaning: "For `Text`: the form of the text. `date-time`, `date`, `time`, `email`, `uri`, \
                  `uuid`, `ipv4` and `ipv6` are asserted; any other is a remark to the model.",
        example: "format: \"date\"",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "minimum",
        value: "number",
        meaning: "For `Int` and `Double`: the smallest number allowed.",
        example: "minimum: 0",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "maximum",
        value: "number",
        meaning: "For `Int` and `Double`: the greatest number allowed.",
        example: "maximum: 100",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "minLength",
        value: "whole number, 0 or more",
        meaning: "For `Text`: the least number of characters.",
        example: "minLength: 1",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "maxLength",
        value: "whole number, 0 or more",
        meaning: "For `Text`: the greatest number of characters.",
        example: "maxLength: 80",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "pattern",
        value: "regular expression",
        meaning: "For `Text`: what the text must match somewhere. Classes such as `\\\\d` are ASCII, \
                  and there is no look-around.",
        example: "pattern: \"^[A-Z]{3}$\"",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "minItems",
        value: "whole number, 0 or more",
        meaning: "For `Array`: the least number of items.",
        example: "minItems: 1",
    },
    KeyDoc {
        places: ALL_TYPED,
        name: "maxItems",
        value: "whole number, 0 or more",
        meaning: "For `Array`: the greatest number of items.",
        example: "maxItems: 10",
    },
];
