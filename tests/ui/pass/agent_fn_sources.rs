use agent_runtime::{Error, GramType, Runtime, agent_fn};

#[agent_fn(gram = [tell:Agent {instruction: "Tell.", model: "OpenAI/m"}])]
async fn tell(runtime: &Runtime, message: &str) -> Result<String, Error>;

#[agent_fn(gram = "[tell-a-story:Agent {instruction: \"Tell.\", model: \"OpenAI/m\"} | (what::Text)==>(::String)]")]
async fn tell_a_story(runtime: &Runtime, what: &str) -> Result<String, Error>;

// The agent of the function's name, among several.
#[agent_fn(gram = {
    [first:Agent {description: "Begins", instruction: "Begin.", model: "OpenAI/m"} | secondPart]
    [secondPart:Agent {description: "Ends", instruction: "End.", model: "OpenAI/m"} | (end::Int)==>(::Int), first]
})]
async fn second_part(runtime: &Runtime, end: i64) -> Result<i64, Error>;

// One that is chosen, of a provider of the program.
#[agent_fn(
    providers = ["Acme"],
    agent = "b",
    gram = {
        [a:Agent {instruction: "Help.", model: "Acme/m"}]
        [b:Agent {instruction: "Help.", model: "Acme/m"}]
    },
)]
async fn chosen(runtime: &Runtime, message: String) -> Result<String, Error>;

#[derive(serde::Serialize, GramType)]
#[serde(rename_all = "lowercase")]
enum Language {
    De,
    It,
}

#[derive(serde::Deserialize, GramType)]
struct Text {
    text: String,
}

/// Interprets a text
#[agent_fn(file = "gram/interpreter.gram")]
async fn interpret(runtime: &Runtime, language: Language, text: &str) -> Result<Text, Error>;

pub fn main() {
    assert_eq!(tell::AGENT.name(), "tell");
    assert_eq!(tell_a_story::AGENT.name(), "tell-a-story");
    assert_eq!(second_part::AGENT.name(), "secondPart");
    assert_eq!(second_part::AGENT.agents().len(), 2);
    assert_eq!(chosen::AGENT.name(), "b");
    assert_eq!(interpret::AGENT.signature().params().len(), 2);
    assert!(interpret::GRAM.starts_with("[interpret:Agent {\n"));
    let runtime = Runtime::offline();
    drop((
        tell(&runtime, "x"),
        tell_a_story(&runtime, "x"),
        second_part(&runtime, 1),
        chosen(&runtime, "x".to_owned()),
        interpret(&runtime, Language::De, "x"),
        interpret(&runtime, Language::It, "x"),
        Text { text: String::new() }.text,
    ));
}
