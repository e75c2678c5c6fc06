use agent_runtime::agent;

fn main() {
    let _ = agent! {
        models: "wrong_models.gram",
        [writer:Agent {instruction: "Write.", model: "Acme/large"}]
    };
}
