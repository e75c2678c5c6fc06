//! A dependency under another name, which the macros read from the manifest of this package.

use rt::serde::Deserialize;
use rt::{Agent, GramType, Tool, ToolContext, agent, tool, toolbox, tools};

#[derive(Deserialize, GramType)]
#[serde(crate = "rt::serde")]
struct Row {
    text: String,
}

/// Counts the letters of a row
#[tool]
fn count(row: Row) -> usize {
    row.text.chars().count()
}

struct Db;

#[toolbox]
impl Db {
    /// Repeats a row
    #[tool]
    async fn repeat(&self, row: Row) -> String {
        row.text.repeat(2)
    }
}

static AGENT: Agent = agent! {
    tools: [count, ..Db],
    [a:Agent {instruction: "i", model: "OpenAI/m"} | count, repeat]
};

#[tokio::test]
async fn macros_find_the_renamed_dependency() {
    let here = ToolContext::detached();
    let counted = count {}.call(r#"{"row": {"text": "abc"}}"#, &here).await;
    assert_eq!(counted, Ok(3.into()));
    assert_eq!(tools![count, ..Db].len(), AGENT.tools().len());
}
