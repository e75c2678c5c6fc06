use agent_runtime::gram;

fn main() {
    let _ = gram! {
        (a)-[:KNOWS]-(b {age 3})
    };
}
