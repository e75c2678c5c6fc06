use agent_runtime::{agent, tool};

/// Sends a parcel
#[tool]
fn send_parcel() -> String {
    "sent".to_owned()
}

/// Says how the weather is
#[tool]
fn weather() -> String {
    "sunny".to_owned()
}

fn main() {
    let _ = agent! {
        tools: [send_parcel, wether],
        [clerk:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } | sendParcel, weather]
    };
}
