use agent_runtime::agent;

fn main() {
    let _ = agent! { file: "missing_label.gram" };
}
