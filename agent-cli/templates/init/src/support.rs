//! The agent of `agents/support.gram`, and its tools.

use agent_runtime::{Agent, Error, Runtime, agent, tool, tools};

const ORDERS: [(u32, &str); 2] = [(1042, "was sent on Monday"), (1043, "is being packed")];

/// Finds an order by its number
#[tool]
fn find_order(number: u32) -> Result<String, String> {
    let order = ORDERS.iter().find(|(known, _)| *known == number);
    // The model reads the error, and may correct the call.
    let missing = || format!("there is no order {number}; `listOrders` has their numbers");
    order
        .map(|(number, state)| format!("Order {number} {state}."))
        .ok_or_else(missing)
}

/// Lists the numbers of all orders
#[tool]
fn list_orders() -> Vec<u32> {
    ORDERS.iter().map(|(number, _)| *number).collect()
}

/// The agent. `cargo check` compares its file with the functions.
static SUPPORT: Agent = agent! {
    tools: [find_order, list_orders],
    file: "agents/support.gram"
};

/// Answers a message.
///
/// # Errors
/// Returns an error if the model cannot be asked.
pub async fn answer(runtime: &Runtime, message: &str) -> Result<String, Error> {
    let library = tools![find_order, list_orders];
    let response = runtime.run(&SUPPORT, message).tools(&library).await?;
    Ok(response.content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_runtime::model::{ModelReply, Scripted};

    /// Plays the part of the model, so that the test needs no key and always has the same result.
    #[tokio::test]
    async fn an_order_is_looked_up_before_the_answer() -> Result<(), Error> {
        let model = Scripted::new([ModelReply::call("findOrder", r#"{"number": 1042}"#)])
            .then_with(|request| {
                let result = request.messages.last().expect("the result of the call");
                assert_eq!(result.content(), "Order 1042 was sent on Monday.");
                Ok(ModelReply::text("It was sent on Monday."))
            });
        let runtime = Runtime::with_model(model.clone());
        let answer = answer(&runtime, "Where is order 1042?").await?;
        assert_eq!(answer, "It was sent on Monday.");
        model.assert_complete();
        Ok(())
    }
}
