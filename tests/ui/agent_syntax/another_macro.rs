use agent_runtime::agent;

fn main() {
    let _ = agent! {
        concat!("[greeter:Agent {instruction: \"Greet.\", ", "model: \"OpenAI/m\"}]")
    };
}
