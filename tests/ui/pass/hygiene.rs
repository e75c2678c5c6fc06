// Names that generated code might trip over.
#![allow(dead_code, unused_imports, non_snake_case, non_camel_case_types)]

use agent_runtime::{Agent, agent, tool, tools};
use std::io::Result;

type Option = ();
type Some = ();
type String = std::string::String;
struct Box;
struct Vec;

/// Has a keyword for a name
#[tool]
fn r#match(r#type: &str) -> std::string::String {
    r#type.to_owned()
}

/// Has one letter
#[tool]
fn f(x: i64) -> i64 {
    x
}

/// Is named like a constant
#[tool]
fn SHOUT(context: &str, arguments: &str, text: &str) -> std::string::String {
    format!("{context}{arguments}{text}")
}

/// Uses an alias of a Result from elsewhere
#[tool]
fn read() -> Result<std::string::String> {
    Ok("read".to_owned())
}

mod inner {
    use agent_runtime::tool;

    /// Is in a module
    #[tool]
    pub(crate) fn hidden() {}

    /// Is not there
    #[cfg(any())]
    #[tool]
    pub(crate) fn absent(missing: Missing) {}
}

macro_rules! make {
    ($name:ident, $ty:ty) => {
        /// Is made by a macro
        #[tool]
        fn $name(value: $ty) -> $ty {
            value
        }
    };
}

make!(made, bool);

/// Has another type name, since a module has its own
#[tool(type_name = ListTool, name = "list")]
fn list() -> u8 {
    1
}

mod list {}

const AGENT: Agent = agent! {
    tools: [r#match, f, SHOUT, read, inner::hidden, made, ListTool],
    [a:Agent {instruction: "i", model: "OpenAI/m"} | match, f, sHOUT, read, hidden, made, list]
};

pub(crate) fn main() {
    /// Is in a function
    #[tool]
    fn local() {}

    assert_eq!(AGENT.tools().len(), 7);
    let library = tools![r#match, f, SHOUT, read, inner::hidden, made, ListTool, local];
    assert_eq!(library.len(), 8);
}
