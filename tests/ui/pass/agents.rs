use agent_runtime::{Agent, agent, tool};

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    format!("Hello, {person_name}!")
}

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

const TOOL_FREE: Agent = agent! { [chatter:Agent {instruction: "Chat.", model: "Anthropic/claude"}] };

static EVERYTHING: Agent = agent! {
    tools: [say_hello, get_time],
    /// A doc comment, and a raw string.
    [everything:Agent {
        description: r#"Says "everything""#,
        instruction: "First line
second line",
        model: "Google/models/gemini", temperature: 0.5, topP: 1, seed: -3, maxTokens: 100,
        stop: ["x", 'y'], maxIterations: 3, toolTimeout: 1500ms, baseUrl: "http://127.0.0.1:1/v1",
        fallback: ["OpenAI/m"], team-name.of@us: some-thing.x@y, range: 1..10, half: 2..., hex: 0xff
    } |
        [sayHello:ToolSpecification { description: "Returns a friendly greeting message
for the given name", timeout: 5s, requiresApproval: true, cost: -1.5 } |
            (::String)<==(personName:Text)
        ],
        getTime
    ]
};

fn main() {
    assert!(TOOL_FREE.tools().is_empty());
    assert_eq!(EVERYTHING.description(), Some("Says \"everything\""));
    assert_eq!(EVERYTHING.instruction(), "First line\nsecond line");
    assert!(EVERYTHING.settings().stop.iter().eq(["x", "y"]));
    assert_eq!(EVERYTHING.extra().len(), 4);
    assert_eq!(EVERYTHING.tools()[1].description(), "Says what time it is");
    // What is built in a const is what is read at run time.
    let read = Agent::parse(&EVERYTHING.to_gram(), None, Default::default()).expect("it is correct");
    assert_eq!(read, EVERYTHING);
}
