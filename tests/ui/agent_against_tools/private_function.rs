use agent_runtime::agent;

mod places {
    /// Says where we are
    #[agent_runtime::tool]
    fn get_place() -> String {
        "here".to_owned()
    }
}

fn main() {
    let _ = agent! {
        tools: [places::get_place],
        [guide:Agent { instruction: "Say where we are.", model: "OpenAI/gpt-6-luna" } | getPlace]
    };
}
