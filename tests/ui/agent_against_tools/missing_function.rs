use agent_runtime::agent;

fn main() {
    let _ = agent! {
        tools: [get_time],
        [clock:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime]
    };
}
