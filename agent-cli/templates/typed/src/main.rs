//! An agent that is called as a function: a message goes in, a struct comes out. With `--offline` a script answers in place of
//! a model.

use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Error, GramType, Runtime, agent_fn, tool};
use serde::Deserialize;

/// The topic of a message.
#[derive(Debug, Deserialize, GramType, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Topic {
    Delivery,
    Refund,
    Other,
}

/// The answer of the agent. A field that the agent does not promise is a compile error.
#[derive(Debug, Deserialize, GramType, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Sorted {
    topic: Topic,
    order: Option<u32>,
    is_urgent: bool,
}

/// Finds an order by its number
#[tool]
fn find_order(number: u32) -> String {
    format!("Order {number} was sent on Monday.")
}

/// Sorts a message of a customer
#[agent_fn(file = "agents/triage.gram", tools = [find_order])]
async fn triage(runtime: &Runtime, message: &str) -> Result<Sorted, Error>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let (options, words): (Vec<_>, Vec<_>) = std::env::args()
        .skip(1)
        .partition(|word| word == "--offline");
    let message = match words.is_empty() {
        true => "Where is order 1042? I need it today!".to_owned(),
        false => words.join(" "),
    };
    let runtime = match options.is_empty() {
        true => Runtime::from_env()?,
        false => Runtime::with_model(script()),
    };
    println!("{:?}", triage(&runtime, &message).await?);
    Ok(())
}

/// A model that calls `findOrder`, and then answers.
fn script() -> Scripted {
    let call =
        |name: &str, arguments: &str| ModelReply::calls([ToolCall::new("1", name, arguments)]);
    Scripted::new([
        call("findOrder", r#"{"number": 1042}"#),
        call(
            "finalAnswer",
            r#"{"topic": "delivery", "order": 1042, "isUrgent": true}"#,
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_is_a_value_of_the_struct() -> Result<(), Error> {
        let model = script();
        let runtime = Runtime::with_model(model.clone());
        let sorted = triage(&runtime, "Where is order 1042? I need it today!").await?;
        let expected = Sorted {
            topic: Topic::Delivery,
            order: Some(1042),
            is_urgent: true,
        };
        assert_eq!(sorted, expected);
        model.assert_complete();
        Ok(())
    }
}
