use agent_runtime::agent;

fn main() {
    let _ = agent! { file: "/dev/zero" };
}
