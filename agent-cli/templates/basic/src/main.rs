//! Runs the agent of `agents/support.gram`. With `--offline` it needs no key and no network.

mod tools;

use agent_runtime::{Agent, Event, Runtime, agent, tools};
use tools::{find_order, list_orders};

/// The agent. `cargo check` compares its file with the functions.
static SUPPORT: Agent = agent! {
    tools: [find_order, list_orders],
    file: "agents/support.gram"
};

#[tokio::main]
async fn main() -> Result<(), agent_runtime::Error> {
    let (options, words): (Vec<_>, Vec<_>) = std::env::args()
        .skip(1)
        .partition(|word| word == "--offline");
    let message = match words.is_empty() {
        true => "Where is order 1042?".to_owned(),
        false => words.join(" "),
    };
    let runtime = match options.is_empty() {
        true => Runtime::from_env()?,
        false => Runtime::offline(),
    };

    println!("💬 {message}");
    let mut print = |event: &Event| {
        if let Event::ToolFinished { invocation, .. } = event {
            println!("🛠️ {invocation}");
        }
    };
    let reply = runtime
        .run(&SUPPORT, &message)
        .tools(&tools![find_order, list_orders])
        .observer(&mut print)
        .await?;
    println!("🤖 {}", reply.content);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::model::{ModelReply, Scripted};
    use agent_runtime::serde_json::json;
    use agent_runtime::testing::ToolCalls;

    /// Plays the part of the model, so that the test needs no key and always has the same result.
    #[tokio::test]
    async fn an_order_is_looked_up_before_the_answer() -> Result<(), agent_runtime::Error> {
        let model = Scripted::new([
            ModelReply::call("findOrder", r#"{"number": 1042}"#),
            ModelReply::text("It was sent on Monday."),
        ]);
        let response = Runtime::with_model(model.clone())
            .run(&SUPPORT, "Where is order 1042?")
            .tools(&tools![find_order, list_orders])
            .await?;
        response
            .assert_called::<find_order>()
            .once()
            .with(json!({"number": 1042}))
            .returning("Order 1042 was sent on Monday.");
        assert_eq!(response.content, "It was sent on Monday.");
        model.assert_complete();
        Ok(())
    }
}
