//! The features of an agent that every model must support, and their runs.

use crate::vendors::accounts::{AZURE, Account, BEDROCK, VERTEX, Vendors};
use crate::vendors::said::{HELLO, HELLO_TOOL};
use crate::vendors::{anthropic, google, openai};
use agent_runtime::catalog::ReasoningEffort;
use agent_runtime::conversation::{Compaction, Retention};
use agent_runtime::gram::value::Decimal;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::serde::Deserialize;
use agent_runtime::spec::{Settings, ToolChoice};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{
    Agent, AgentResponse, Conversation, GramType, Model, Runtime, ToolLibrary, ToolSpec,
};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

const SIGNATURE: &str = "(personName::Text)==>(::String)";

/// The estimated tokens of a request above which the conversation is summarised. It is a few times more than the
/// instruction and the tool.
const COMPACT_ABOVE: usize = 400;

/// The time after which a run is taken to hang.
const HUNG: Duration = Duration::from_secs(40);

#[derive(Debug, Deserialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
struct Greeting {
    greeting: String,
}

/// A feature of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Feature {
    Tools,
    TypedAnswer,
    TypedAnswerWithTools,
    Effort(ReasoningEffort),
    TemperatureAndTopP,
    Stop,
    Seed,
    MaxTokens,
    ThinkingBudget,
    AllSettings,
    RequiredCall,
    NamedCall,
    Retention,
    Compaction,
    Fallback,
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effort(effort) => write!(f, "effort {effort}"),
            other => write!(f, "{other:?}"),
        }
    }
}

impl Feature {
    pub(crate) fn all() -> Vec<Self> {
        use ReasoningEffort::{High, Low, Max, Medium, Minimal, None, XHigh};
        let efforts = [None, Minimal, Low, Medium, High, XHigh, Max];
        let mut all = vec![
            Self::Tools,
            Self::TypedAnswer,
            Self::TypedAnswerWithTools,
            Self::TemperatureAndTopP,
            Self::Stop,
            Self::Seed,
            Self::MaxTokens,
            Self::ThinkingBudget,
            Self::AllSettings,
            Self::RequiredCall,
            Self::NamedCall,
            Self::Retention,
            Self::Compaction,
            Self::Fallback,
        ];
        all.extend(efforts.map(Self::Effort));
        all
    }

    /// Whether the vendor of the model is down in a turn.
    fn is_down(self, turn: usize) -> bool {
        self == Self::Fallback && turn % 2 == 1
    }

    fn has_tools(self) -> bool {
        self != Self::TypedAnswer
    }

    fn is_typed(self) -> bool {
        matches!(self, Self::TypedAnswer | Self::TypedAnswerWithTools)
    }

    fn turns(self) -> usize {
        match self {
            Self::Retention | Self::Compaction => 10,
            Self::Fallback => 5,
            _ => 1,
        }
    }

    /// The settings, which are set in code, where no checker compares them with the model.
    fn settings(self, provider: &str) -> Settings {
        let mut settings = Settings::NONE;
        let is = |feature| self == feature || self == Self::AllSettings;
        if is(Self::TemperatureAndTopP) {
            settings.temperature = Some(Decimal::from_static(0.2, "0.2"));
            settings.top_p = Some(Decimal::from_static(0.9, "0.9"));
        }
        if is(Self::Stop) {
            settings.stop = vec!["END".into()].into();
        }
        if is(Self::Seed) {
            settings.seed = Some(7);
        }
        if is(Self::MaxTokens) {
            settings.max_tokens = Some(10_000_000);
        }
        if is(Self::ThinkingBudget) {
            settings.thinking_budget = Some(2_048);
        }
        match self {
            Self::Effort(effort) => settings.reasoning_effort = Some(effort),
            Self::RequiredCall => settings.tool_choice = Some(ToolChoice::Required),
            Self::NamedCall => settings.tool_choice = Some(ToolChoice::Tool(HELLO_TOOL.into())),
            Self::Fallback => {
                let other = Model::parse(other_vendor(provider)).expect("a model");
                settings.fallback = vec![other].into();
            }
            _ => {}
        }
        settings
    }
}

/// Returns a model of another vendor.
fn other_vendor(provider: &str) -> &'static str {
    match provider {
        "OpenAI" | "OpenAIChat" => "Anthropic/claude-opus-5-5",
        "Anthropic" => "Google/gemini-3.8-flash",
        _ => "OpenAI/gpt-6-luna",
    }
}

fn host(provider: &str) -> &'static str {
    match provider {
        "OpenAI" | "OpenAIChat" => openai::HOST,
        "Anthropic" => anthropic::HOST,
        "Azure" => AZURE.host,
        "Bedrock" => BEDROCK.host,
        "Vertex" => VERTEX.host,
        _ => google::HOST,
    }
}

/// A model, and a feature of an agent with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) provider: &'static str,
    pub(crate) model: &'static str,
    pub(crate) feature: Feature,
    pub(crate) is_streamed: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.is_streamed { " (streamed)" } else { "" };
        let chat = match self.provider {
            "OpenAIChat" => " in chat completions",
            _ => "",
        };
        write!(f, "{}{chat}, {}{form}", self.model, self.feature)
    }
}

impl Case {
    pub(crate) fn agent(&self) -> Agent {
        let model = format!("{}/{}", self.provider, self.model);
        let agent = Agent::new("greeter", model.as_str(), "Greet people.").expect("an agent");
        let settings = self.feature.settings(self.provider);
        let agent = match self.feature.has_tools() {
            true => {
                let spec = ToolSpec::new(HELLO_TOOL, "Greets", SIGNATURE).expect("a spec");
                agent.with_tool(spec).expect("a tool")
            }
            false => agent,
        };
        agent.with_settings(settings).expect("settings")
    }

    /// Returns the problem if the last request of a turn shows that the feature was not in use.
    fn problem_of_last_request(&self, account: &Account, turn: usize) -> Option<String> {
        let requests = account.requests();
        let (model, body) = requests.last()?;
        let is_own = model == self.model;
        match self.feature {
            Feature::Fallback if is_own == self.feature.is_down(turn) => {
                Some(format!("{model} was asked in turn {turn}"))
            }
            Feature::Retention | Feature::Compaction
                if turn == 9 && body.to_string().contains("for the 0. time") =>
            {
                Some("the beginning of the conversation is still sent".to_owned())
            }
            _ => None,
        }
    }
}

/// One run.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The response, or the reason why there is no good one.
    pub(crate) response: Result<AgentResponse, String>,
    /// The models and the texts of the refusals.
    pub(crate) refusals: Vec<(String, String)>,
}

fn library() -> ToolLibrary {
    let mut library = ToolLibrary::new();
    let tool = ToolConfig::with_signature(HELLO_TOOL, "Greets", SIGNATURE)
        .build(|args| async move { Ok(format!("Hello, {}!", args["personName"]).into()) });
    library.add(tool.expect("a tool")).expect("a good name");
    library
}

/// Runs a case: one or more runs of one conversation.
pub(crate) async fn turns(case: &Case, account: &Account, runtime: &Runtime) -> Vec<Turn> {
    let (agent, library) = (case.agent(), library());
    let mut conversation = Conversation::new();
    let mut turns = Vec::new();
    for number in 0..case.feature.turns() {
        let is_down = case.feature.is_down(number);
        account.set_down(is_down.then(|| host(case.provider)));
        let before = account.refusals().len();
        let words = format!("Hello, I'm Ada, for the {number}. time");
        let asked = ask(case, runtime, &agent, &library, &mut conversation, words);
        let mut response = match tokio::time::timeout(HUNG, asked).await {
            Ok(response) => response,
            Err(_) => Err("the run hangs".to_owned()),
        };
        if let Some(problem) = case.problem_of_last_request(account, number) {
            response = response.and(Err(problem));
        }
        let refusals = account.refusals().split_off(before);
        let has_failed = response.is_err();
        turns.push(Turn { response, refusals });
        if has_failed {
            break;
        }
    }
    turns
}

async fn ask(
    case: &Case,
    runtime: &Runtime,
    agent: &Agent,
    library: &ToolLibrary,
    conversation: &mut Conversation,
    words: String,
) -> Result<AgentResponse, String> {
    let mut run = runtime
        .run(agent, words)
        .tools(library)
        .conversation(conversation);
    if case.is_streamed {
        run = run.streaming();
    }
    match case.feature {
        Feature::Retention => run = run.retention(Retention::new().last_turns(4)),
        Feature::Compaction => run = run.compaction(Compaction::above(COMPACT_ABOVE)),
        _ => {}
    }
    let (response, greeting) = if case.feature.is_typed() {
        let typed = run.output::<Greeting>().await;
        let typed = typed.map_err(|error| error.to_string())?;
        (typed.response, typed.value.greeting)
    } else {
        let response = run.await.map_err(|error| error.to_string())?;
        let content = response.content.clone();
        (response, content)
    };
    if greeting != HELLO {
        return Err(format!("the answer is {greeting:?}"));
    }
    let calls = response.tools_used.len();
    if calls != usize::from(case.feature.has_tools()) {
        return Err(format!("the run made {calls} calls"));
    }
    Ok(response)
}

/// Runs groups of cases at the same time, and returns the problems that `problems` finds, as lines. The cases of a group share
/// an account and a runtime, because a runtime needs long to read the certificates of the system. `runtime` changes the
/// runtime of a group, whose first case it gets.
pub(crate) async fn problems(
    groups: impl IntoIterator<Item = Vec<Case>>,
    runtime: impl Fn(&Case, RuntimeBuilder) -> RuntimeBuilder,
    problems: fn(&[Turn]) -> Vec<String>,
) -> Vec<String> {
    let vendors = Vendors::open();
    let permits = Arc::new(Semaphore::new(16));
    let mut running = Vec::new();
    for cases in groups {
        let account = vendors.account();
        let runtime = runtime(&cases[0], account.runtime());
        let permits = Arc::clone(&permits);
        running.push(tokio::spawn(async move {
            let _permit = permits.acquire().await.expect("an open semaphore");
            let runtime = runtime.build().expect("a runtime");
            let mut lines = Vec::new();
            for case in cases {
                let found = problems(&turns(&case, &account, &runtime).await);
                lines.extend(found.into_iter().map(|text| format!("{case}: {text}")));
            }
            lines
        }));
    }
    let mut lines = Vec::new();
    for run in running {
        lines.extend(run.await.expect("no panic"));
    }
    lines
}
