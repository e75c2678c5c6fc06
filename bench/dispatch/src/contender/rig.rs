//! rig's set of tools, as its documentation has it.

use super::{Failure, NAME, TEXT};
use bench_shared::time::per_call;
use rig::rig_tool;
use rig::tool::{ToolContext, ToolExecutionError, ToolSet};
use std::hint::black_box;

/// Adds two numbers
#[rig_tool(params(a = "The first.", b = "The second."))]
fn add(a: i64, b: i64) -> Result<i64, ToolExecutionError> {
    Ok(a + b)
}

pub(super) async fn execute(calls: u32) -> Result<f64, Failure> {
    let tools = ToolSet::from_tools(vec![Add]);
    let mut context = ToolContext::new();
    let first = tools.execute(NAME, TEXT, &mut context).await;
    if first.is_error() {
        return Err(format!("{first:?}").into());
    }
    per_call(calls, async || {
        black_box(
            tools
                .execute(black_box(NAME), black_box(TEXT), &mut context)
                .await,
        );
        Ok(())
    })
    .await
}
