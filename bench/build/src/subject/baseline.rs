//! Tools without a library: a struct of arguments with derives for each, which is what the other
//! macros make or ask for, and a table of functions by hand.

use std::fmt::Write as _;

pub(super) fn dependencies() -> String {
    "schemars = \"1\"
serde = { version = \"1\", features = [\"derive\"] }
serde_json = \"1\"
"
    .to_owned()
}

pub(super) fn tools(tools: usize) -> String {
    let mut out =
        String::from("use schemars::{JsonSchema, Schema, schema_for};\nuse serde::Deserialize;\n");
    for tool in 0..tools {
        let _ = write!(
            out,
            "
/// Does thing {tool}.
#[derive(Deserialize, JsonSchema)]
struct Args{tool} {{
    /// The first.
    a: i64,
    /// The second.
    b: String,
    /// The third.
    c: Option<u32>,
}}

fn tool_{tool}(text: &str) -> Result<String, serde_json::Error> {{
    let Args{tool} {{ a, b, c }} = serde_json::from_str(text)?;
    Ok(format!(\"{{a}} {{b}} {{c:?}}\"))
}}
"
        );
    }
    out.push_str(
        "
type Call = fn(&str) -> Result<String, serde_json::Error>;

fn main() {
    let tools: Vec<(&str, fn() -> Schema, Call)> = vec![
",
    );
    for tool in 0..tools {
        let _ = writeln!(
            out,
            "        (\"tool{tool}\", || schema_for!(Args{tool}), tool_{tool}),"
        );
    }
    out.push_str("    ];\n    println!(\"{}\", tools.len());\n}\n");
    out
}
