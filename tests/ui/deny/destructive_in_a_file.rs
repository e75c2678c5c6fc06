use agent_runtime::{agent, tool};

/// Sends a mail
#[tool(sends)]
fn send_mail(text: &str) -> String {
    text.to_owned()
}

/// Reads a mail
#[tool]
fn read_mail(id: &str) -> String {
    id.to_owned()
}

fn main() {
    let _ = agent! {
        tools: [send_mail, read_mail],
        deny: ["destructive"],
        agent: "desk",
        file: "denied.gram"
    };
}
