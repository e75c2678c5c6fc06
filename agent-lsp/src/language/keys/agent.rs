//! The keys of agents and of their grants.

use super::Key;
use agent_spec::check::Place;

const AGENT: &[Place] = &[Place::Agent];
const GRANTS: &[Place] = &[Place::Grants];

pub(super) const KEYS: &[Key] = &[
    Key {
        places: AGENT,
        name: "name",
        value: "text",
        meaning: "The agent's name once more. The name before the label is the one that counts: this \
                  must be equal to it, and is best left out.",
        example: "name: \"greeter\"",
    },
    Key {
        places: AGENT,
        name: "description",
        value: "text",
        meaning: "What the agent is for.",
        example: "description: \"Greets people by their names\"",
    },
    Key {
        places: AGENT,
        name: "instruction",
        value: "text, required",
        meaning: "What the model is told before every conversation: who it is, what to do, when to \
                  use which tool. `{{name}}` is filled in from the variables of a run. A long text is \
                  best written as a fence, between lines of three backticks.",
        example: "instruction: \"You are a friendly assistant.\"",
    },
    Key {
        places: AGENT,
        name: "model",
        value: "`Provider/model-id`, required",
        meaning: "The model that the agent runs on: who offers it, a `/`, and what the provider \
                  calls it. `agent run --model` chooses another one without a change of the file.",
        example: "model: \"OpenAI/gpt-4o-mini\"",
    },
    Key {
        places: AGENT,
        name: "temperature",
        value: "number from 0 to 2",
        meaning: "How freely the model chooses its words: the lower, the more alike its answers.",
        example: "temperature: 0.2",
    },
    Key {
        places: AGENT,
        name: "topP",
        value: "number from 0 to 1",
        meaning: "How much of the probability the model chooses its words from.",
        example: "topP: 0.9",
    },
    Key {
        places: AGENT,
        name: "seed",
        value: "whole number of 64 bits",
        meaning: "Makes the model's choices repeatable, where the provider has that.",
        example: "seed: 42",
    },
    Key {
        places: AGENT,
        name: "maxTokens",
        value: "whole number, 1 or more",
        meaning: "The most tokens of one answer.",
        example: "maxTokens: 1000",
    },
    Key {
        places: AGENT,
        name: "stop",
        value: "text, or a list of texts",
        meaning: "Texts at which the model stops.",
        example: "stop: [\"END\"]",
    },
    Key {
        places: AGENT,
        name: "reasoningEffort",
        value: "`\"minimal\"`, `\"low\"`, `\"medium\"` or `\"high\"`",
        meaning: "How much the model thinks before it answers. What one provider has besides these \
                  goes into `extra`.",
        example: "reasoningEffort: \"low\"",
    },
    Key {
        places: AGENT,
        name: "toolChoice",
        value: "`\"auto\"`, `\"required\"`, `\"none\"`, or the name of one of the agent's tools",
        meaning: "Whether the model is to call a tool: it decides, it must, it must not, or it must \
                  call the tool of this name. A call that is demanded is demanded until the model has \
                  made one.",
        example: "toolChoice: \"auto\"",
    },
    Key {
        places: AGENT,
        name: "maxIterations",
        value: "whole number, 1 or more",
        meaning: "The most turns of a run that call tools; 10 when it is left out.",
        example: "maxIterations: 5",
    },
    Key {
        places: AGENT,
        name: "toolTimeout",
        value: "length of time",
        meaning: "How long one call of a tool may take, unless the tool's own `timeout` says less; 10 \
                  seconds when it is left out. Written without quotes, with a unit: `500ms`, `10s`, \
                  `2min`, `1h`.",
        example: "toolTimeout: 10s",
    },
    Key {
        places: AGENT,
        name: "baseUrl",
        value: "`http` or `https` address",
        meaning: "Where the provider is reached, in the form that the vendor's own SDK takes: with \
                  `/v1` for OpenAI, the bare host for Anthropic and Ollama, with `/v1beta` for Google. \
                  No key is sent there unless whoever runs the agent allows the host.",
        example: "baseUrl: \"http://localhost:8080/v1\"",
    },
    Key {
        places: AGENT,
        name: "fallback",
        value: "`Provider/model-id`, or a list of these",
        meaning: "Further models, tried in turn when a provider is down.",
        example: "fallback: [\"Anthropic/claude-haiku-4-5\"]",
    },
    Key {
        places: AGENT,
        name: "grants",
        value: "record of `read`, `write`, `network`, `environment`",
        meaning: "What the agent's tools may touch at most, of what whoever runs the agent grants: it \
                  narrows that, and never widens it. Without `grants` they may touch all of it, with \
                  `{}` nothing.",
        example: "grants: {read: [\"docs\"]}",
    },
    Key {
        places: AGENT,
        name: "extra",
        value: "record",
        meaning: "Members that the provider is sent as they stand, for what only this one has. It \
                  cannot say `model`, `messages`, `tools` or `stream`.",
        example: "extra: {parallel_tool_calls: false}",
    },
    Key {
        places: GRANTS,
        name: "read",
        value: "path of a folder, or a list of these",
        meaning: "Folders whose files may be read and listed, with all that is in them.",
        example: "read: [\"docs\"]",
    },
    Key {
        places: GRANTS,
        name: "write",
        value: "path of a folder, or a list of these",
        meaning: "Folders in which files may be written.",
        example: "write: [\"out\"]",
    },
    Key {
        places: GRANTS,
        name: "network",
        value: "host, or a list of these",
        meaning: "Hosts that may be contacted.",
        example: "network: [\"api.example.org\"]",
    },
    Key {
        places: GRANTS,
        name: "environment",
        value: "name of a variable, or a list of these",
        meaning: "Variables of the environment that may be read.",
        example: "environment: [\"LANG\"]",
    },
];
