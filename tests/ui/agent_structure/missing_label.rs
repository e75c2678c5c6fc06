use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter { instruction: "Greet.", model: "OpenAI/m" } | [t:Tool { description: "d" } | ()==>(::String)]]
    };
}
