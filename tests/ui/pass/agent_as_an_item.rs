use agent_runtime::{Agent, agent, tool};

/// Says what time it is
#[tool]
pub fn get_time() -> String {
    "noon".to_owned()
}

agent! {
    /// Tells the time.
    #[allow(dead_code)]
    pub static CLOCK, tools: [get_time],
    [clock:Agent {instruction: "Tell the time.", model: "OpenAI/m"} | getTime]
}

agent! { const CHATTER, "[chatter:Agent {instruction: 'Chat.', model: 'OpenAI/m'}]" }

agent! { pub(crate) static IN_A_FILE, export: "gram", tools: [say_hello], file: "gram/good.gram" }

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(#[tool(default = "world")] person_name: String) -> String {
    person_name
}

pub(crate) fn main() {
    agent! { static INSIDE, [inside:Agent {instruction: "Chat.", model: "OpenAI/m"}] }
    let agents: [&'static Agent; 4] = [&CLOCK, &IN_A_FILE, &INSIDE, const { &CHATTER }];
    assert_eq!(agents.map(|agent| agent.tools().len()), [1, 1, 0, 0]);
}
