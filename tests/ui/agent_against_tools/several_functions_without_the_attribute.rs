use agent_runtime::agent;

fn get_time() -> String {
    "noon".to_owned()
}

mod places {
    pub fn get_place() -> String {
        "here".to_owned()
    }
}

fn main() {
    let _ = agent! {
        tools: [get_time, places::get_place],
        [clock:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime, getPlace]
    };
}
