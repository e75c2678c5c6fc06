//! Tools of rig: functions with an attribute, which must return a `Result`.

use std::fmt::Write as _;

pub(super) fn core() -> String {
    dependencies(
        "rig-core = { version = \"0.44\", default-features = false, features = [\"derive\"] }",
    )
}

pub(super) fn defaults() -> String {
    dependencies("rig = \"0.44\"")
}

/// What the code of the macro names must be dependencies of the user, too.
fn dependencies(rig: &str) -> String {
    format!(
        "{rig}\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\nschemars = \"1\"\n"
    )
}

pub(super) fn core_tools(tools: usize) -> String {
    let mut out = functions("rig_core", tools);
    out.push_str(
        "\nfn main() {\n    let tools: Vec<Box<dyn rig_core::tool::ErasedTool>> = vec![\n",
    );
    for tool in 0..tools {
        let _ = writeln!(out, "        Box::new(Tool{tool}),");
    }
    out.push_str("    ];\n    println!(\"{}\", tools.len());\n}\n");
    out
}

pub(super) fn tools(tools: usize) -> String {
    let mut out = functions("rig", tools);
    out.push_str("\nfn main() {\n    let mut tools = rig::tool::ToolSet::default();\n");
    for tool in 0..tools {
        let _ = writeln!(out, "    tools.add_tool(Tool{tool});");
    }
    out.push_str("    println!(\"{}\", tools.len());\n}\n");
    out
}

fn functions(krate: &str, tools: usize) -> String {
    let mut out = format!("use {krate}::{{rig_tool, tool::ToolExecutionError}};\n");
    for tool in 0..tools {
        let _ = write!(
            out,
            "
/// Does thing {tool}.
#[rig_tool(params(a = \"The first.\", b = \"The second.\", c = \"The third.\"))]
fn tool_{tool}(a: i64, b: String, c: Option<u32>) -> Result<String, ToolExecutionError> {{
    Ok(format!(\"{{a}} {{b}} {{c:?}}\"))
}}
"
        );
    }
    out
}
