use agent_runtime::{GramType, tool};
use serde::Deserialize;

#[derive(Deserialize, GramType)]
enum Color {
    Red,
    Blue,
}

#[derive(Deserialize, GramType)]
enum Sound {
    Loud,
}

/// Takes something
#[tool]
fn take(#[tool(default = Sound::Loud)] x: Color) {
    let _ = x;
}

fn main() {}
