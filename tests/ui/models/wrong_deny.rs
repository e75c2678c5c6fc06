use agent_runtime::agent;

fn main() {
    let _ = agent! {
        deny: ["retired-models", "warnings"],
        [writer:Agent {instruction: "Write.", model: "Offline/any"}]
    };
    let _ = agent! {
        deny: ["retired-model", "retired-model"],
        [writer:Agent {instruction: "Write.", model: "Offline/any"}]
    };
    let _ = agent! {
        deny: [],
        [writer:Agent {instruction: "Write.", model: "Offline/any"}]
    };
    let _ = agent! {
        deny: "retired-model",
        [writer:Agent {instruction: "Write.", model: "Offline/any"}]
    };
}
