use agent_runtime::agent;

#[expect(non_snake_case)]
mod Clocks {
    /// Says what time it is
    #[agent_runtime::tool]
    pub fn get_time() -> String {
        "noon".to_owned()
    }
}

fn main() {
    let _ = agent! {
        tools: [Clocks::get_time],
        [clock:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime]
    };
}
