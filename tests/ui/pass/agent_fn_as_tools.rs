use agent_runtime::tool::{StaticTool, Tool};
use agent_runtime::{Agent, Error, Runtime, agent, agent_fn, tool_set, tools};

/// Plans a journey
#[agent_fn(model = "OpenAI/m", instruction = "Plan.", tools = [book, plan])]
async fn plan(runtime: &Runtime, to: &str) -> Result<String, Error>;

/// Books a room
#[agent_fn(
    gram = [book:Agent {description: "Books a room", instruction: "Book.", model: "OpenAI/m", timeout: 30s, requiresApproval: true} |
        (nights::Int)==>(::Bool), plan],
    tools = [plan],
)]
async fn book(runtime: &Runtime, nights: u8) -> Result<bool, Error>;

tool_set! { TRAVEL = [plan, book] }

static GUIDE: Agent = agent! {
    tools: TRAVEL,
    [guide:Agent {instruction: "Guide.", model: "OpenAI/m"} |
        plan,
        [book:Tool {description: "Books a room"} | (nights::Int)==>(::Bool)]
    ]
};

#[agent_fn(model = "OpenAI/m", instruction = "Travel.", tools = TRAVEL)]
async fn travel(runtime: &Runtime, to: &str) -> Result<String, Error>;

pub fn main() {
    assert_eq!(GUIDE.tools().len(), 2);
    assert_eq!(travel::AGENT.tools().len(), 2);
    assert_eq!(tools![plan, book].len(), 2);
    // Agents that call each other are found when they are called.
    let plan = (plan {}).agent().expect("an agent");
    let book_again = plan.tools()[0].agent().expect("an agent");
    assert_eq!(book_again.agent(), &book::AGENT);
    let settings = book::DESCRIPTOR.settings();
    assert!(settings.requires_approval);
    assert_eq!(settings.timeout.map(|timeout| timeout.as_secs()), Some(30));
    let runtime = Runtime::offline();
    drop((self::plan(&runtime, "x"), book(&runtime, 1), travel(&runtime, "x")));
}
