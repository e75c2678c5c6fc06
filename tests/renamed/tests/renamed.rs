//! `crate = path`, for a dependency under another name.

use rt::serde::Deserialize;
use rt::{Agent, GramType, Tool, ToolContext, agent, tool, tools};

#[derive(Deserialize, GramType)]
#[serde(crate = "rt::serde")]
#[gram(crate = rt)]
enum Mood {
    Good,
    Bad,
}

/// Greets somebody
///
/// # Arguments
/// * `name` - Who it is
#[tool(crate = rt, timeout = "1s")]
async fn greet(
    name: &str,
    #[tool(default = Mood::Good)] mood: Mood,
    #[tool(default = 1, minimum = 1)] times: u8,
    context: &ToolContext,
) -> Result<String, std::fmt::Error> {
    let _ = context;
    let word = match mood {
        Mood::Good => "Hello",
        Mood::Bad => "Oh",
    };
    Ok(format!("{word}, {name}").repeat(times.into()))
}

#[doc = concat!("Is put ", "together")]
#[tool(crate = ::rt)]
fn described() {}

const AGENT: Agent = agent! {
    tools: [greet, described],
    [a:Agent {instruction: "i", model: "OpenAI/m"} | greet, described]
};

#[tokio::test]
async fn tools_work_where_the_crate_has_another_name() {
    let here = ToolContext::detached();
    let greeting = greet {}.call(r#"{"name": "Ada"}"#, &here).await;
    assert_eq!(greeting, Ok("Hello, Ada".into()));
    assert_eq!(tools![greet, described].len(), AGENT.tools().len());
    assert_eq!(AGENT.tools()[1].description(), "Is put together");
}
