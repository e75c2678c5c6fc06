use agent_runtime::agent;

struct Clock;

impl Clock {
    fn agent(&self) -> agent_runtime::Agent {
        agent! {
            tools: [..Self],
            [clock:Agent { instruction: "Tell the time.", model: "OpenAI/gpt-6-luna" } | getTime]
        }
    }
}

fn main() {
    Clock.agent();
}
