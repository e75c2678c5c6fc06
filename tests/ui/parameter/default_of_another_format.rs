use agent_runtime::tool;
use std::net::Ipv4Addr;

/// Takes something
#[tool]
fn take(#[tool(default = "300.1.1.1")] x: Ipv4Addr) {
    let _ = x;
}

fn main() {}
