//! Reads the image of a receipt into a struct, and checks its sum.
//!
//! `cargo run -q -p receipts` reads `receipt.png` of this folder without a key and without a network: a script
//! answers in place of a model. `--model Anthropic/claude-haiku-5-5`, with `ANTHROPIC_API_KEY` set, sends the image to
//! a real model, and so does `--model Ollama/gemma3` to a local one. Other images, and PDF files, need a model.

mod options;
#[cfg(test)]
mod tests;

use agent_runtime::conversation::{Part, ToolCall};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::runtime::Input;
use agent_runtime::{Agent, Error, GramType, Model, Runtime, agent};
use options::{Options, read_options};
use serde::Deserialize;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// A receipt. Its type is in the request, so that the model answers with these fields.
#[derive(Debug, Deserialize, GramType, PartialEq)]
struct Receipt {
    shop: String,
    /// The date in the form 2026-11-23, if the receipt has one.
    date: Option<String>,
    items: Vec<Item>,
    total: f64,
}

#[derive(Debug, Deserialize, GramType, PartialEq)]
struct Item {
    name: String,
    quantity: u32,
    /// The price of all of them.
    price: f64,
}

const READER: Agent = agent! {
    [receiptReader:Agent {
        description: "Reads the images of receipts",
        instruction: "Read the receipt. Copy names and prices as they are printed, and do not compute any. If the image is no receipt, answer with an empty shop and no items.",
        model: "Anthropic/claude-haiku-5-5"
    }]
};

/// The receipt that is read by default.
const SAMPLE: &[u8] = include_bytes!("../receipt.png");

/// The answer to `SAMPLE` without a model.
const SAMPLE_ANSWER: &str = r#"{"shop": "CORNER BAKERY", "date": "2026-11-23", "items": [
    {"name": "Rye bread", "quantity": 1, "price": 4.20},
    {"name": "Croissant", "quantity": 3, "price": 5.40},
    {"name": "Coffee", "quantity": 2, "price": 6.00}], "total": 15.60}"#;

#[tokio::main]
async fn main() -> ExitCode {
    let options = match read_options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    match run(&options).await {
        Ok(receipt) => {
            println!("{receipt}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the receipt that the options name.
async fn run(options: &Options) -> Result<Receipt, Error> {
    let mut agent = READER;
    let runtime = match &options.model {
        Some(model) => {
            let model = Model::parse(model);
            agent =
                agent.with_model(model.map_err(|error| Error::configuration(error.to_string()))?);
            let runtime = Runtime::builder();
            match &options.base_url {
                Some(url) => runtime.base_url(url).build()?,
                None => runtime.build()?,
            }
        }
        None => {
            let answer = ToolCall::new("1", "finalAnswer", SAMPLE_ANSWER);
            Runtime::with_model(Scripted::new([ModelReply::calls([answer])]))
        }
    };
    let image = match &options.file {
        Some(file) => attachment(file)?,
        None => Part::from_file("receipt.png", SAMPLE)
            .map_err(|error| Error::validation(error.to_string()))?,
    };
    read(&runtime, &agent, image).await
}

/// Reads a file as a part of a message.
fn attachment(file: &str) -> Result<Part, Error> {
    let fail = |problem: &dyn fmt::Display| Error::validation(format!("`{file}`: {problem}"));
    let bytes = std::fs::read(file).map_err(|error| fail(&error))?;
    let name = Path::new(file).file_name().unwrap_or_default();
    Part::from_file(name.to_string_lossy(), bytes).map_err(|error| fail(&error))
}

/// Asks the agent for the receipt on an image.
async fn read(runtime: &Runtime, agent: &Agent, image: Part) -> Result<Receipt, Error> {
    let input = Input::new("Read this receipt.").part(image);
    let answer = runtime.run(agent, input).output::<Receipt>().await?;
    Ok(answer.value)
}

impl Receipt {
    /// The sum of the items, in cents, because sums of prices are not exact.
    fn cents(&self) -> i64 {
        self.items.iter().map(|item| cents(item.price)).sum()
    }
}

fn cents(price: f64) -> i64 {
    (price * 100.0).round() as i64
}

/// Prints the receipt, and a warning if its items do not add up: a model may misread a digit.
impl fmt::Display for Receipt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.date.as_deref().unwrap_or("no date");
        writeln!(out, "{}, {date}", self.shop)?;
        for item in &self.items {
            writeln!(
                out,
                "{:>3} × {:<20} {:>8.2}",
                item.quantity, item.name, item.price
            )?;
        }
        write!(out, "      {:<20} {:>8.2}", "total", self.total)?;
        if self.cents() != cents(self.total) {
            let sum = self.cents() as f64 / 100.0;
            write!(
                out,
                "\nwarning: the items add up to {sum:.2}; look at the receipt"
            )?;
        }
        Ok(())
    }
}
