use agent_runtime::{tools};

struct Clock;

fn main() {
    let _ = tools![Clock::get_time];
}
