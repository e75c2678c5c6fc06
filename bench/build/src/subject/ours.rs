//! Tools of this repository.

use std::fmt::Write as _;
use std::path::Path;

/// How many tools the agent of [`tools_and_agent`] has at most.
const AGENT_TOOLS: usize = 100;

pub(super) fn tool() -> String {
    dependency("tool", "")
}

pub(super) fn tool_without_defaults() -> String {
    dependency("tool", ", default-features = false")
}

/// A program, which has `agent-runtime` beside the crate of its tools.
pub(super) fn runtime() -> String {
    dependency("runtime", "") + &dependency("tool", "")
}

fn dependency(name: &str, features: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../agent-{name}"));
    format!("gramwork-{name} = {{ path = {path:?}{features} }}\n")
}

pub(super) fn tools(tools: usize) -> String {
    let mut out = String::from("use agent_tool::{tool, tools};\n");
    functions(&mut out, tools);
    let _ = write!(
        out,
        "
fn main() {{
    let library = tools![{}];
    println!(\"{{}}\", library.len());
}}
",
        names(tools)
    );
    out
}

pub(super) fn tools_and_agent(tools: usize) -> String {
    let in_agent = tools.min(AGENT_TOOLS);
    let mut out = String::from("use agent_tool::{agent, tool, tools};\n");
    functions(&mut out, tools);
    let _ = write!(
        out,
        "
fn main() {{
    let agent = agent! {{
        tools: [{}],
        [helper:Agent {{
            instruction: \"Help.\",
            model: \"OpenAI/gpt-6-luna\"
        }} |
",
        names(in_agent)
    );
    for tool in 0..in_agent {
        let end = if tool + 1 < in_agent { "," } else { "" };
        let _ = writeln!(
            out,
            "            [tool{tool}:Tool {{ description: \"Does thing {tool}.\" }} |
                (a::Int {{ description: \"The first.\" }})
                ==>(b::Text {{ description: \"The second.\" }})
                ==>(c::Int {{ optional: true, description: \"The third.\" }})
                ==>(::String)
            ]{end}"
        );
    }
    let _ = write!(
        out,
        "        ]
    }};
    let library = tools![{}];
    println!(\"{{}} {{}}\", agent.tools().len(), library.len());
}}
",
        names(tools)
    );
    out
}

fn functions(out: &mut String, tools: usize) {
    for tool in 0..tools {
        let _ = write!(
            out,
            "
/// Does thing {tool}.
#[tool]
fn tool_{tool}(
    /// The first.
    a: i64,
    /// The second.
    b: String,
    /// The third.
    c: Option<u32>,
) -> String {{
    format!(\"{{a}} {{b}} {{c:?}}\")
}}
"
        );
    }
}

fn names(tools: usize) -> String {
    let names: Vec<String> = (0..tools).map(|tool| format!("tool_{tool}")).collect();
    names.join(", ")
}
