use agent_runtime::{agent, tool};

/// Reads a mail
#[tool(untrusted)]
fn read_mail(id: String) -> String {
    id
}

fn main() {
    let _ = agent! { tools: [read_mail], file: "effect_that_is_taken_back.gram" };
}
