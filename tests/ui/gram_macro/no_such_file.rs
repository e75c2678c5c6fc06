use agent_runtime::gram;

fn main() {
    let _ = gram! {
        file: "nowhere.gram"
    };
}
