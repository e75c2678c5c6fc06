// Functions whose names mean something else, too: crates, types and functions of the language.
#![allow(non_snake_case)]

use agent_runtime::{agent, tool, tool_set, tools};

/// Is named as a crate that this package depends on
#[tool]
fn tracing() -> String {
    String::new()
}

/// Is named as a crate of the language
#[tool]
fn core() -> String {
    String::new()
}

/// Is named as a type of the language
#[tool]
fn u8() -> String {
    String::new()
}

/// Is named as a function of the prelude
#[tool]
fn drop() -> String {
    String::new()
}

/// Is named as a keyword
#[tool]
fn r#match() -> String {
    String::new()
}

tool_set! { ALL = [tracing, core, self::u8, drop, r#match] }

mod inner {
    use super::*;

    pub(super) fn check() {
        let agent = agent! {
            tools: [tracing, core, u8, super::drop, r#match],
            [a:Agent {instruction: "Help.", model: "OpenAI/m"} | tracing, core, u8, drop, match]
        };
        assert_eq!(agent.tools().len(), 5);
    }
}

pub(crate) fn main() {
    inner::check();
    let library = tools![tracing, core, self::u8, drop, crate::agent_function_names::r#match];
    assert_eq!(library.names().count(), 5);
    let agent = agent! { tools: ALL, [a:Agent {instruction: "Help.", model: "OpenAI/m"} | match] };
    assert_eq!(agent.tools().len(), 1);
}
