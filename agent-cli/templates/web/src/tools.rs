//! The tools of the agent. A doc comment is the description that the model reads.

use agent_runtime::{ToolContext, ToolError, tool};

/// The user of a run. `main.rs` gives it to each run.
pub(crate) struct Account(pub(crate) String);

fn account(context: &ToolContext) -> Result<&str, ToolError> {
    let account = context.extension::<Account>();
    account
        .map(|Account(user)| user.as_str())
        .ok_or_else(|| ToolError::Execution("the run has no user".into()))
}

/// Finds an order of the user
#[tool]
pub(crate) fn find_order(context: &ToolContext, number: u32) -> Result<String, ToolError> {
    let user = account(context)?;
    Ok(format!("Order {number} of {user} was sent on Monday."))
}

/// Pays the price of an order back
#[tool(requires_approval)]
pub(crate) fn refund_order(context: &ToolContext, number: u32) -> Result<String, ToolError> {
    let user = account(context)?;
    Ok(format!("Order {number} of {user} is refunded."))
}
