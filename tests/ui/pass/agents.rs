use agent_runtime::spec::{PromptCache, ReasoningEffort, ToolChoice};
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
        stop: ["x", 'y'], reasoningEffort: "minimal", thinkingBudget: 4096, cache: "1h", toolChoice: "getTime", toolSearch: true, maxIterations: 3, maxDepth: 2, compactAbove: 60000, toolTimeout: 1500ms, baseUrl: "http://127.0.0.1:1/v1",
        fallback: ["OpenAI/m"], grants: {read: "docs", network: ["*.example.org:443"]},
        extra: {z_first: [1, -2.5, true, {deep: "x"}], generationConfig: {topK: 40}},
        team-name.of@us: some-thing.x@y, range: 1..10, half: 2..., hex: 0xff
    } |
        [sayHello:ToolSpecification { description: "Returns a friendly greeting message
for the given name", timeout: 5s, requiresApproval: true, cost: -1.5 } |
            (::String)<==(personName:Text)
        ],
        getTime
    ]
};

const FORCED: Agent = agent! {
    tools: [get_time],
    [forced:Agent {instruction: "Tell.", model: "OpenAI/gpt-6-sol", toolChoice: "required"} | getTime]
};

const QUIET: Agent = agent! {
    [quiet:Agent {
        instruction: "Chat.", model: "OpenAI/gpt-6-sol", toolChoice: "none", reasoningEffort: "high"
    }]
};

pub(crate) fn main() {
    assert!(TOOL_FREE.tools().is_empty());
    assert_eq!(EVERYTHING.description(), Some("Says \"everything\""));
    assert_eq!(EVERYTHING.instruction(), "First line\nsecond line");
    assert!(EVERYTHING.settings().stop.iter().eq(["x", "y"]));
    assert_eq!(EVERYTHING.extra().len(), 4);
    let settings = EVERYTHING.settings();
    assert_eq!(settings.reasoning_effort, Some(ReasoningEffort::Minimal));
    assert_eq!(settings.thinking_budget, Some(4096));
    assert_eq!(settings.max_depth, Some(2));
    assert_eq!(settings.cache, Some(PromptCache::OneHour));
    assert_eq!(settings.tool_choice, Some(ToolChoice::Tool("getTime".into())));
    assert_eq!(settings.tool_search, Some(true));
    let sent: Vec<&str> = settings.extra.iter().map(|(key, _)| key).collect();
    let grants = settings.grants.as_ref().expect("some");
    assert!(grants.read.iter().eq(["docs"]) && grants.network.iter().eq(["*.example.org:443"]));
    assert!(grants.write.is_empty() && grants.environment.is_empty());
    assert_eq!(sent, ["z_first", "generationConfig"]);
    assert_eq!(FORCED.settings().tool_choice, Some(ToolChoice::Required));
    assert_eq!(QUIET.settings().tool_choice, Some(ToolChoice::None));
    assert_eq!(QUIET.settings().reasoning_effort, Some(ReasoningEffort::High));
    assert_eq!(EVERYTHING.tools()[1].description(), "Says what time it is");
    // What is built in a const is what is read at run time.
    let read = Agent::parse(&EVERYTHING.to_gram(), None, Default::default()).expect("it is correct");
    assert_eq!(read, EVERYTHING);
}
