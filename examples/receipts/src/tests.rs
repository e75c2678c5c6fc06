//! Tests of the agent that need no key and no network.

use crate::options::{Options, read_options};
use crate::{Item, READER, Receipt, SAMPLE, SAMPLE_ANSWER, attachment, read, run};
use agent_runtime::conversation::{Part, ToolCall};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Error, Runtime};

fn sample() -> Part {
    Part::from_file("receipt.png", SAMPLE).expect("an image")
}

fn answer(json: &str) -> ModelReply {
    ModelReply::calls([ToolCall::new("1", "finalAnswer", json)])
}

#[tokio::test]
async fn the_receipt_of_the_example_is_a_value() -> Result<(), Error> {
    let receipt = run(&Options::default()).await?;
    let item = |name: &str, quantity, price| Item {
        name: name.to_owned(),
        quantity,
        price,
    };
    let expected = Receipt {
        shop: "CORNER BAKERY".to_owned(),
        date: Some("2026-11-23".to_owned()),
        items: vec![
            item("Rye bread", 1, 4.2),
            item("Croissant", 3, 5.4),
            item("Coffee", 2, 6.0),
        ],
        total: 15.6,
    };
    assert_eq!(receipt, expected);
    let shown = receipt.to_string();
    assert!(shown.contains("3 × Croissant"), "{shown}");
    assert!(!shown.contains("warning"), "{shown}");
    Ok(())
}

#[tokio::test]
async fn the_request_has_the_image_and_the_type() -> Result<(), Error> {
    let model = Scripted::new([answer(SAMPLE_ANSWER)]);
    read(&Runtime::with_model(model.clone()), &READER, sample()).await?;
    let request = &model.requests()[0];
    let image = request.messages[0].media().next().expect("an image");
    assert_eq!(image.media_type(), Some("image/png"));
    assert_eq!(image.bytes(), Some(SAMPLE));
    let schema = request.tools[0].schema().to_string();
    assert!(schema.contains("\"quantity\""), "{schema}");
    model.assert_complete();
    Ok(())
}

/// The runtime sends the mistake back, and the model corrects it.
#[tokio::test]
async fn an_answer_of_another_type_is_asked_for_again() -> Result<(), Error> {
    let wrong = SAMPLE_ANSWER.replace("15.60", "\"15.60 EUR\"");
    let model = Scripted::new([answer(&wrong)]).then_with(|request| {
        let result = request.messages.last().expect("the result of the call");
        assert!(result.content().contains("total"), "{}", result.content());
        Ok(answer(SAMPLE_ANSWER))
    });
    let receipt = read(&Runtime::with_model(model), &READER, sample()).await?;
    assert_eq!(receipt.total, 15.6);
    Ok(())
}

#[tokio::test]
async fn a_misread_digit_is_a_warning() -> Result<(), Error> {
    let misread = SAMPLE_ANSWER.replace("5.40", "8.40");
    let runtime = Runtime::with_model(Scripted::new([answer(&misread)]));
    let shown = read(&runtime, &READER, sample()).await?.to_string();
    assert!(
        shown.contains("warning: the items add up to 18.60"),
        "{shown}"
    );
    Ok(())
}

#[test]
fn a_file_that_is_no_receipt_is_named() {
    let this = concat!(env!("CARGO_MANIFEST_DIR"), "/receipt.jpg");
    let error = attachment(this).expect_err("there is no such file");
    assert!(error.to_string().contains("receipt.jpg"), "{error}");
    let image = concat!(env!("CARGO_MANIFEST_DIR"), "/receipt.png");
    assert_eq!(attachment(image).expect("an image"), sample());
}

#[test]
fn wrong_options_come_with_the_usage() {
    for (arguments, words) in [
        (&["--modle", "x"][..], "there is no option `--modle`"),
        (&["--model"], "`--model` needs a value"),
        (&["--base-url", "http://127.0.0.1"], "goes with `--model`"),
        (&["a.png"], "a FILE needs `--model`"),
        (&["--model", "Ollama/m", "a.png", "b.png"], "give one FILE"),
        (&["--help"], "usage: receipts"),
    ] {
        let arguments = arguments.iter().map(ToString::to_string);
        let error = read_options(arguments).expect_err(words);
        assert!(
            error.contains(words) && error.contains("usage: "),
            "{error}"
        );
    }
}
