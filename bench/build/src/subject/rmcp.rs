//! Tools of rmcp: methods of one server, each with a struct of its arguments.

use std::fmt::Write as _;

pub(super) fn dependencies() -> String {
    "rmcp = { version = \"=3.9\", default-features = false, features = [\"server\", \"macros\"] }
schemars = \"1\"
serde = { version = \"1\", features = [\"derive\"] }
"
    .to_owned()
}

pub(super) fn tools(tools: usize) -> String {
    let mut out = String::from(
        "use rmcp::{ServerHandler, handler::server::wrapper::Parameters, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
",
    );
    for tool in 0..tools {
        let _ = write!(
            out,
            "
#[derive(Deserialize, JsonSchema)]
struct Args{tool} {{
    /// The first.
    a: i64,
    /// The second.
    b: String,
    /// The third.
    c: Option<u32>,
}}
"
        );
    }
    out.push_str("\nstruct Server;\n\n#[tool_router]\nimpl Server {");
    for tool in 0..tools {
        let _ = write!(
            out,
            "
    /// Does thing {tool}.
    #[tool]
    fn tool_{tool}(&self, Parameters(Args{tool} {{ a, b, c }}): Parameters<Args{tool}>) -> String {{
        format!(\"{{a}} {{b}} {{c:?}}\")
    }}
"
        );
    }
    out.push_str(
        "}

#[tool_handler]
impl ServerHandler for Server {}

fn main() {
    println!(\"{} {}\", Server::tool_router().list_all().len(), Server.get_info().server_info.name);
}
",
    );
    out
}
