//! The support agent of a shop, with rig: one tool reads, the other one needs approval.

use futures::StreamExt;
use rig::agent::{AgentHook, DispatchAction, DispatchEvent, HookContext, MultiTurnStreamItem};
use rig::completion::PromptError;
use rig::operation::Completion;
use rig::prelude::*;
use rig::providers::openai::OpenAI;
use rig::rig_tool;
use rig::streaming::{Item, StreamEvent};
use rig::tool::ToolExecutionError;
use std::error::Error;
use std::io;

/// Finds an order by its number
#[rig_tool]
fn find_order(number: u32) -> Result<String, ToolExecutionError> {
    match number {
        17 => Ok("Order 17 was sent on Monday.".to_owned()),
        _ => Err(ToolExecutionError::not_found(format!(
            "There is no order {number}."
        ))),
    }
}

/// Refunds an order
#[rig_tool]
fn refund_order(number: u32) -> Result<String, ToolExecutionError> {
    Ok(format!("Order {number} is refunded."))
}

/// Lets a function decide on each refund.
struct Ask<F>(F);

impl<F: Fn(&str) -> bool + Send + Sync> AgentHook for Ask<F> {
    async fn on_dispatch(&self, _: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.tool_name() {
            Some("refund_order") if !self.0(event.tool_args().unwrap_or_default()) => {
                DispatchAction::skip("Not today.")
            }
            _ => DispatchAction::proceed(),
        }
    }
}

/// Asks the person at the terminal.
fn ask(arguments: &str) -> bool {
    println!("refund_order {arguments} (yes/no)?");
    let mut line = String::new();
    io::stdin().read_line(&mut line).is_ok() && line.trim() == "yes"
}

fn support(
    model: impl Into<DynModel<Completion>>,
    approve: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> Agent {
    AgentBuilder::new(model)
        .preamble("Help the customer with orders.")
        .tool(FindOrder)
        .tool(RefundOrder)
        .add_hook(Ask(approve))
        .default_max_turns(10)
        .build()
}

/// Prints the answer while it arrives, and returns it.
async fn stream(agent: &Agent, question: &str) -> Result<String, PromptError> {
    let mut items = agent.prompt(question).stream();
    let mut answer = String::new();
    while let Some(item) = items.next().await {
        if let MultiTurnStreamItem::StreamAssistantItem(Item::Event(StreamEvent::Text {
            text,
            ..
        })) = item?
        {
            print!("{text}");
            answer += &text;
        }
    }
    println!();
    Ok(answer)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let question = std::env::args().nth(1).ok_or("a question is missing")?;
    let model = OpenAI::from_env()?.completion("gpt-6-luna");
    stream(&support(model, ask), &question).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
