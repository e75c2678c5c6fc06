use agent_runtime::agent;

macro_rules! greeter {
    ($name:ident, $model:literal) => {
        agent! { [$name:Agent { instruction: "Greet.", model: $model }] }
    };
}

fn main() {
    let _ = greeter!(greeter, "OpenAi/gpt-6-luna");
}
