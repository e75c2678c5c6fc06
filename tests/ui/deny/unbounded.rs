use agent_runtime::{agent, tool};

/// Says hello
#[tool]
fn say_hello() -> String {
    String::new()
}

fn main() {
    let _ = agent! {
        tools: [say_hello],
        deny: ["unbounded"],
        [greeter:Agent {instruction: "Greet.", model: "Offline/any"} | sayHello]
    };
    let _ = agent! {
        providers: ["Acme"],
        deny: ["unbounded"],
        [writer:Agent {instruction: "Write.", model: "Acme/large"}]
    };
    let _ = agent! {
        deny: ["unbounded"],
        [one:Agent {description: "One", instruction: "Help.", model: "Offline/any", maxIterations: 1} | one]
    };
}
