use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [reader:Agent {
            instruction: "Read.", model: "OpenAI/gpt-6-luna",
            grants: {raed: ["docs"], network: ["https://example.org/"]}
        }]
    };
}
