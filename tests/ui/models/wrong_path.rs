use agent_runtime::agent;

fn main() {
    let _ = agent! {
        models: "good_model.gram",
        [writer:Agent {instruction: "Write.", model: "Offline/any"}]
    };
    let _ = agent! {
        models: "greeter.gram",
        [writer:Agent {instruction: "Write.", model: "Offline/any"}]
    };
    let _ = agent! {
        models: ["models.gram"],
        [writer:Agent {instruction: "Write.", model: "Offline/any"}]
    };
}
