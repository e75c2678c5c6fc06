use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [greeter:Agent {
            instruction: "Greet.", model: "Ollama/llama3.2", extra: {keep_alive: 5m}
        }]
    };
}
