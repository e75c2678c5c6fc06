use agent_runtime::tool_set;

fn get_time() -> String {
    "noon".to_owned()
}

tool_set! { CLOCKS = [get_time] }

fn main() {}
