use agent_runtime::{Agent, Error, GramType, Runtime, agent_fn, tool};

/// Looks a word up
#[tool]
fn look_up(word: &str) -> String {
    word.to_owned()
}

#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize, GramType)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Polite,
    Rude,
}

/// Answers a letter
///
/// # Arguments
/// * `letter` - The letter
#[agent_fn(
    name = "answer_letter",
    model = "Google/gemini-3.5-flash",
    instruction = "Answer in the tone {{tone}}, on {{today}}.\nWrite {{'{{'}} as it is.",
    prompt = r#"The letter: "{{letter}}", {{pages}} pages, {{ limit }}"#,
    variables = ["today"],
    tools = [look_up],
    tool_choice = "lookUp",
    temperature = 0.5,
    max_tokens = 500,
    tool_timeout = "5s",
    stop = ["END"],
    fallback = ["Anthropic/claude-haiku-5-5"],
    grants = {read: "letters"},
    extra = {user: "a"},
    timeout = "2min",
    requires_approval,
)]
pub(crate) async fn answer(
    runtime: &Runtime,
    letter: &str,
    #[agent_fn(default = Tone::Polite)] tone: Tone,
    #[agent_fn(description = "How many", minimum = 1)] pages: u8,
    limit: Option<u32>,
) -> Result<String, Error>;

#[doc = include_str!("described_from_elsewhere.md")]
#[agent_fn(model = "OpenAI/m", instruction = "Help with {{what}}.")]
async fn described(runtime: &Runtime, what: &str) -> Result<String, Error>;

#[agent_fn(model = "OpenAI/m", instruction = "Say anything.", description = "Says anything")]
async fn say(runtime: &Runtime) -> Result<Vec<String>, Error>;

fn parsed(gram: &str) -> Agent {
    Agent::parse(gram, None, Default::default()).unwrap_or_else(|error| panic!("{error}\n{gram}"))
}

pub fn main() {
    let agent = answer::AGENT;
    assert_eq!(agent.name(), "answer_letter");
    assert!(agent.requires_approval());
    assert_eq!(agent.timeout().map(|timeout| timeout.as_secs()), Some(120));
    assert_eq!(parsed(answer::GRAM).to_gram(), agent.to_gram());
    assert_eq!(parsed(described::GRAM), described::AGENT);
    assert_eq!(parsed(say::GRAM), say::AGENT);
    assert_eq!(say::AGENT.signature().params().len(), 0);
    let runtime = Runtime::offline();
    drop((
        answer(&runtime, "x", Tone::Rude, 1, None),
        described(&runtime, "x"),
        say(&runtime),
    ));
}
