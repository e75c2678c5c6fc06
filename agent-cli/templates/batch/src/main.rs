//! Runs the agent of `agents/support.gram` on each line of `questions.jsonl`, several at a time, and writes a line for each
//! answer to `answers.jsonl`. With `--offline` it needs no key and no network.

mod tools;

use agent_runtime::{Agent, Runtime, agent, tools};
use serde_json::json;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use tools::{find_order, list_orders};

/// The agent. `cargo check` compares its file with the functions.
static SUPPORT: Agent = agent! {
    tools: [find_order, list_orders],
    file: "agents/support.gram"
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let is_offline = std::env::args().any(|word| word == "--offline");
    let runtime = match is_offline {
        true => Runtime::offline(),
        false => Runtime::from_env()?,
    };
    let failed = answer_all(
        &runtime,
        "questions.jsonl".as_ref(),
        "answers.jsonl".as_ref(),
    )
    .await?;
    println!("The answers are in answers.jsonl; {failed} failed.");
    Ok(())
}

/// Writes a line for each line of `questions` to `answers`, in the order in which the answers arrive. Returns how many failed.
async fn answer_all(
    runtime: &Runtime,
    questions: &Path,
    answers: &Path,
) -> Result<usize, Box<dyn Error>> {
    let questions = fs::read_to_string(questions)?;
    let questions: Vec<String> = questions
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let mut file = File::create(answers)?;
    let mut failed = 0;
    let library = tools![find_order, list_orders];
    let mut batch = runtime
        .batch(&SUPPORT, questions.iter().map(String::as_str))
        .tools(&library)
        .concurrency(8)
        .stream();
    while let Some((index, result)) = batch.next().await {
        let line = match result {
            Ok(response) => json!({"question": questions[index], "answer": response.content}),
            Err(error) => {
                failed += 1;
                json!({"question": questions[index], "error": error.to_string()})
            }
        };
        writeln!(file, "{line}")?;
    }
    Ok(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_question_has_an_answer() -> Result<(), Box<dyn Error>> {
        let answers = std::env::temp_dir().join(format!("__NAME__-{}.jsonl", std::process::id()));
        let failed = answer_all(&Runtime::offline(), "questions.jsonl".as_ref(), &answers).await?;
        assert_eq!(failed, 0);
        let text = fs::read_to_string(&answers)?;
        assert_eq!(text.lines().count(), 3);
        assert!(text.contains("Order 1042 was sent on Monday."), "{text}");
        fs::remove_file(answers)?;
        Ok(())
    }
}
