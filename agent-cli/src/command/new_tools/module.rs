//! The whole module: what it uses, then the tools, each followed by the types it is the first to
//! need.

use super::function::function;
use super::identifier::Scope;
use super::types::Types;
use agent_spec::ToolSpec;
use std::collections::BTreeSet;

/// The function that stands for what is not written.
pub(super) const NOT_WRITTEN: &str = "not_written";

/// Names that a function would take away from the module: with a function, `#[tool]` makes a type
/// of the same name.
const TAKEN: [&str; 24] = [
    NOT_WRITTEN,
    "agent_runtime",
    "alloc",
    "bool",
    "char",
    "core",
    "f32",
    "f64",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "isize",
    "main",
    "std",
    "str",
    "tool",
    "u128",
    "u16",
    "u32",
    "u64",
    "u8",
    "usize",
];

const NOT_WRITTEN_ITEM: &str = "\
/// What a tool answers while it is not written.
fn not_written<T>(tool: &str) -> Result<T, ToolError> {
    Err(ToolError::Execution(format!(\"`{tool}` is not written yet\")))
}";

/// A module of skeletons.
pub(super) struct Module {
    pub(super) text: String,
    /// What it cannot say.
    pub(super) warnings: Vec<String>,
}

/// Writes the functions of these tools.
pub(super) fn module_of(tools: &[&ToolSpec]) -> Module {
    let mut types = Types::new();
    let mut names = Scope::with(&TAKEN);
    let mut items = Vec::new();
    for tool in tools {
        items.push(function(&mut types, &mut names, tool));
        items.extend(types.take_items());
    }
    items.push(NOT_WRITTEN_ITEM.to_owned());
    let uses = use_lines(&types.uses).join("\n");
    Module {
        text: format!("{uses}\n\n{}\n", items.join("\n\n")),
        warnings: types.warnings,
    }
}

fn use_lines(uses: &BTreeSet<&'static str>) -> Vec<String> {
    let mut lines = Vec::new();
    let has_types = uses.contains("derive");
    if has_types {
        lines.push("use agent_runtime::serde::{Deserialize, Serialize};".to_owned());
    }
    match (uses.contains("Map"), uses.contains("Value")) {
        (true, _) => lines.push("use agent_runtime::serde_json::{Map, Value};".to_owned()),
        (false, true) => lines.push("use agent_runtime::serde_json::Value;".to_owned()),
        (false, false) => {}
    }
    let own = if has_types { "GramType, " } else { "" };
    lines.push(format!("use agent_runtime::{{{own}ToolError, tool}};"));
    if uses.contains("BTreeMap") {
        lines.push("use std::collections::BTreeMap;".to_owned());
    }
    lines
}
