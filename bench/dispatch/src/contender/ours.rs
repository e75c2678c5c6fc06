//! This project's library, called as the runtime calls it.

use super::{Failure, NAME, TEXT};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{ToolContext, ToolLibrary, tool, tools};
use bench_shared::time::per_call;
use serde_json::{Value, json};
use std::hint::black_box;

/// Adds two numbers
#[tool(inline)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

pub(super) fn library() -> ToolLibrary {
    tools![add]
}

pub(super) async fn typed(calls: u32) -> Result<f64, Failure> {
    called(library(), calls).await
}

/// Calls the tool of a library, and nothing more.
pub(super) async fn called(library: ToolLibrary, calls: u32) -> Result<f64, Failure> {
    let context = ToolContext::detached();
    per_call(calls, async || {
        let tool = library.lookup(black_box(NAME)).ok_or("no such tool")?;
        black_box(tool.call(black_box(TEXT), &context).await?);
        Ok(())
    })
    .await
}

/// The agent's signature is read from gram, and the tool's own says which integers it holds.
pub(super) async fn validated(calls: u32) -> Result<f64, Failure> {
    let library = library();
    let context = ToolContext::detached();
    let signature = agent_runtime::spec::parse_signature("(a::Int)==>(b::Int)==>(::Int)")?;
    per_call(calls, async || {
        let tool = library.lookup(black_box(NAME)).ok_or("no such tool")?;
        let own = tool.descriptor().signature();
        let arguments = signature.check_arguments(black_box(TEXT), own)?;
        black_box(tool.call(arguments.text(), &context).await?);
        Ok(())
    })
    .await
}

pub(super) async fn json_schema(calls: u32) -> Result<f64, Failure> {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    });
    let tool =
        ToolConfig::with_schema(NAME, "Adds two numbers", schema).build(async |arguments| {
            let number = |name: &str| arguments[name].as_i64().unwrap_or_default();
            Ok(Value::from(number("a") + number("b")))
        })?;
    let mut library = ToolLibrary::new();
    library.add(tool)?;
    called(library, calls).await
}
