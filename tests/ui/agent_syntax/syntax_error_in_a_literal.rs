use agent_runtime::agent;

fn main() {
    let _ = agent! {
        r#"[greeter:Agent {instruction: "Greet." model: "OpenAI/m"}]"#
    };
}
