use agent_runtime::tool;

/// Reads a note
#[tool(read_only, writes, reads = "public", untrusted = "no")]
fn read_note(name: String) -> String {
    name
}

fn main() {}
