use agent_runtime::agent;

mod places {
    /// Says where we are
    #[agent_runtime::tool]
    fn get_place() -> String {
        "here".to_owned()
    }
}

use places::*;

fn main() {
    let _ = agent! {
        tools: [get_place],
        [guide:Agent { instruction: "Say where we are.", model: "OpenAI/gpt-6-luna" } | getPlace]
    };
    let _ = agent_runtime::tools![get_place];
}
