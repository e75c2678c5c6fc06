use agent_runtime::{agent, tool};

/// Pays money back
#[tool(destructive, sends = false)]
fn refund(order: u32) -> String {
    order.to_string()
}

/// Says nothing
#[tool]
fn unlabelled() -> String {
    String::new()
}

/// Asks a person first
#[tool(destructive, sends = false, requires_approval)]
fn drop_table(name: &str) -> String {
    name.to_owned()
}

fn main() {
    let _ = agent! {
        tools: [refund, unlabelled, drop_table],
        deny: ["destructive"],
        [desk:Agent {instruction: "Help.", model: "Offline/any"} |
            refund, unlabelled, dropTable,
            [later:Agent {description: "Helps", instruction: "Help.", model: "Offline/any"} | refund]]
    };
    // Only its library knows the tool.
    let _ = agent! {
        tools: [dynamic wipe],
        deny: ["destructive"],
        [desk:Agent {instruction: "Help.", model: "Offline/any"} | wipe]
    };
    // A missing function is the only mistake.
    let _ = agent! {
        tools: [refund],
        deny: ["destructive", "leak"],
        [desk:Agent {instruction: "Help.", model: "Offline/any"} | refnd]
    };
}
