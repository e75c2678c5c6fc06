use agent_runtime::agent;

fn main() {
    let _ = agent! {
        r#"[greeter:Agent {instruction: "Greet \q.", model: "OpenAI/m"}]"#
    };
}
