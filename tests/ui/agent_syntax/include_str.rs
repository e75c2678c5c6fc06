use agent_runtime::agent;

fn main() {
    let _ = agent! {
        include_str!("greeter.gram")
    };
}
