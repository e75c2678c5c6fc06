// A tool with a mistake is reported once, where it stands, and not by the agents that name it.
use agent_runtime::{Agent, agent, tool, tool_set, toolbox};

/// Greets somebody
#[tool(timeot = "5s")]
fn greet(name: &str) -> String {
    name.to_owned()
}

/// Says goodbye
#[tool]
fn part(name: &str) -> String {
    name.to_owned()
}

struct Db;

#[toolbox]
impl Db {
    #[tool]
    fn find(&self) {}

    /// Counts rows
    #[tool]
    fn count(&self) {}
}

tool_set! { ALL = [greet, part, ..Db] }

static INLINE: Agent = agent! {
    tools: [greet, part, ..Db],
    [a:Agent {instruction: "i", model: "OpenAI/m"} |
        [greet:Tool {description: "Greets somebody"} | (name::Text)==>(::String)],
        part, find, count
    ]
};

static SET: Agent = agent! {
    tools: ALL,
    [a:Agent {instruction: "i", model: "OpenAI/m"} | greet, part, find]
};

fn main() {
    let _ = (INLINE.name(), SET.name());
}
