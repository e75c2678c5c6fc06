//! Agents that call agents, as `agent!` writes them.

use agent_runtime::{Agent, agent, tool};

/// Looks a word up
#[tool]
fn look_up(word: &str) -> String {
    word.to_uppercase()
}

static SUPPORT: Agent = agent! {
    tools: [look_up],
    [support:Agent {instruction: "Help.", model: "OpenAI/m"} | billing, lookUp,
        [research:Agent {
            description: "Finds things out",
            instruction: "Search in {{language}}, today, {{today}}.",
            model: "OpenAI/m",
            prompt: "Find {{what}}",
            variables: ["today"],
            timeout: 90s
        } |
            (what::Text)==>(language::Text {enum: ["de", "fr"]})==>(::Object {fields: {text: "Text"}}),
            lookUp, billing
        ]
    ]
    [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "OpenAI/m"} |
        (question::Text)==>(::String),
        [lookUp:Tool {description: "Looks a word up"} | (word::Text)==>(::String)]
    ]
};

static VIEWER: Agent = agent! {
    [viewer:Agent {instruction: "Help.", model: "OpenAI/m", maxDepth: 2} |
        (photo::Image)==>(more::Parts {optional: true})==>(question::Text)==>(::String),
        [look:Agent {description: "Looks", instruction: "Look.", model: "OpenAI/m"} | (photo::Image)==>(::String)]
    ]
};

#[test]
fn a_const_agent_has_parameters_that_are_media() {
    assert_eq!(VIEWER.settings().max_depth, Some(2));
    let labels = VIEWER.signature().params().iter();
    let labels: Vec<&str> = labels.map(|param| param.ty().label()).collect();
    assert_eq!(labels, ["Image", "Parts", "Text"]);
    let text = VIEWER.to_gram();
    let read = Agent::parse(&text, None, Default::default());
    assert_eq!(read.as_ref(), Ok(&VIEWER), "{text}");
}

#[test]
fn a_const_agent_equals_the_agent_of_its_text() {
    assert_eq!(SUPPORT.name(), "support");
    let text = SUPPORT.to_gram();
    assert_eq!(
        Agent::parse(&text, None, Default::default()).as_ref(),
        Ok(&SUPPORT),
        "{text}"
    );
    let research = SUPPORT.agent("research").expect("an agent");
    assert_eq!(research.signature().params().len(), 2);
    assert_eq!(
        research.timeout().map(|timeout| timeout.as_secs()),
        Some(90)
    );
    assert_eq!(research.host_variables().map(<[_]>::len), Some(1));
    let names = |agent: &Agent| {
        agent
            .tools()
            .iter()
            .map(|tool| tool.name().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&SUPPORT), ["billing", "lookUp", "research"]);
    assert_eq!(names(&research), ["lookUp", "billing"]);
}
