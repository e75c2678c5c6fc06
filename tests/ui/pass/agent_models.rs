//! A document of models that lets a setting pass, and travels with the agent and the agents that it can call.

use agent_runtime::{Agent, agent};

agent! {
    static WRITER, models: "gram/models.gram", deny: ["retired-model"],
    [writer:Agent {instruction: "Write.", model: "Anthropic/claude-sonnet-5", temperature: 0.5} |
        [editor:Agent {
            description: "Corrects a text",
            instruction: "Correct it.",
            model: "Anthropic/claude-sonnet-5",
            temperature: 0
        }]
    ]
}

const RETIRED: Agent = agent! {
    [writer:Agent {instruction: "Write.", model: "Anthropic/claude-mythos-preview"}]
};

pub fn main() {
    let models = include_str!("../gram/models.gram");
    assert_eq!(WRITER.catalog(), Some(models));
    let editor = WRITER.agent("editor").expect("it is called");
    assert_eq!(editor.catalog(), Some(models));
    assert_eq!(RETIRED.catalog(), None);
    // It is no part of the gram.
    let gram = WRITER.to_gram();
    let read = Agent::parse(&gram, Some("writer"), Default::default()).expect("no mistake");
    assert_eq!(read, WRITER);
    assert_eq!(read.catalog(), None);
    let changed = WRITER.clone().with_settings(WRITER.settings().clone());
    assert_eq!(changed.expect("no mistake").catalog(), Some(models));
}
