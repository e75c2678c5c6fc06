use agent_runtime::agent;

const GREETER: &str = "[greeter:Agent {instruction: \"Greet.\", model: \"OpenAI/m\"}]";

fn main() {
    let _ = agent! {
        GREETER
    };
}
