// The file only names its tool; the definition is the function's.
use agent_runtime::{Agent, agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

static CLOCK: Agent = agent! { file: "gram/reference.gram", tools: [get_time], };

pub(crate) fn main() {
    assert_eq!(CLOCK.tools()[0].description(), "Says what time it is");
}
