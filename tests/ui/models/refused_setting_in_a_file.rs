use agent_runtime::agent;

fn main() {
    let _ = agent! { file: "refused_setting.gram" };
}
