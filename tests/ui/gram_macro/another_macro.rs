use agent_runtime::gram;

fn main() {
    let _ = gram! {
        include_str!("a.gram")
    };
}
