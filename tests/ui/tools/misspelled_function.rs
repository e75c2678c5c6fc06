use agent_runtime::{tool, tools};

mod places {
    /// Says where we are
    #[agent_runtime::tool]
    pub fn get_place() -> String {
        "here".to_owned()
    }
}

/// Says how the weather is
#[tool]
fn weather() -> String {
    "sunny".to_owned()
}

fn main() {
    let _ = tools![weather, wether];
    let _ = tools![places::get_plase];
    let _ = agent_runtime::agent! {
        tools: GREETERS,
        [a:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } | weather]
    };
}

agent_runtime::tool_set! { GREETERS = [wether] }
