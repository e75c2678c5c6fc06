use agent_runtime::agent;

fn main() {
    let _ = agent! {
        [guide:Agent { instruction: "Guide {{user}} through {{home town}}.", model: "OpenAI/m" }]
    };
}
