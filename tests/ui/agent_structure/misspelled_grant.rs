use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [reader:Agent {
            instruction: "Read.", model: "OpenAI/gpt-4o-mini",
            grants: {raed: ["docs"], network: ["https://example.org/"]}
        }]
    };
}
