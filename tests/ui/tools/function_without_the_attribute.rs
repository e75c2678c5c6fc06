use agent_runtime::tools;

fn get_time() -> String {
    "noon".to_owned()
}

fn main() {
    let _ = tools![get_time];
}
