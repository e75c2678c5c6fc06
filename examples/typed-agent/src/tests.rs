//! Tests of the agents that need no key and no network.

use crate::options::{Options, read_options};
use crate::{Language, Translation, detect, run, script, translate};
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Error, Model, Runtime};

#[tokio::test]
async fn the_text_of_the_example_is_translated() -> Result<(), Error> {
    let report = run(&Options::default(), false).await?;
    assert_eq!(report.from, Language::German);
    let expected = Translation {
        text: "Bonne fin de journée !".to_owned(),
        terms: vec!["Feierabend".to_owned()],
        certain: true,
    };
    assert_eq!(report.translation, Some(expected));
    let shown = report.to_string();
    assert!(
        shown.contains("words of the glossary: Feierabend"),
        "{shown}"
    );
    Ok(())
}

#[tokio::test]
async fn arguments_are_in_the_requests() -> Result<(), Error> {
    let model = script();
    let runtime = Runtime::with_model(model.clone());
    detect(&runtime, "Schönen Feierabend!").await?;
    translate(&runtime, "Schönen Feierabend!", Language::French).await?;
    let requests = model.requests();
    assert!(requests[1].instruction.contains("into french."));
    assert_eq!(requests[1].messages[0].content(), "Schönen Feierabend!");
    let result = requests[2].messages.last().expect("the result of the call");
    assert!(
        result.content().contains("fin de la journée"),
        "{}",
        result.content()
    );
    model.assert_complete();
    Ok(())
}

#[tokio::test]
async fn a_text_of_the_wanted_language_is_left_alone() -> Result<(), Error> {
    let answer = ToolCall::new("1", "finalAnswer", r#"{"answer": "english"}"#);
    let runtime = Runtime::with_model(Scripted::new([ModelReply::calls([answer])]));
    assert_eq!(detect(&runtime, "Good evening").await?, Language::English);
    Ok(())
}

/// A test compares an agent with a variant of it, as for an experiment.
#[tokio::test]
async fn a_variant_of_the_agent_takes_the_same_arguments() -> Result<(), Error> {
    let model = Scripted::new([ModelReply::calls([ToolCall::new(
        "1",
        "finalAnswer",
        r#"{"text": "Hello", "terms": [], "certain": false}"#,
    )])]);
    let runtime = Runtime::with_model(model.clone());
    let other = translate::AGENT.with_model(Model::parse("OpenAI/gpt-6-sol").expect("a model"));
    let tools = agent_runtime::tools![crate::look_up];
    let arguments = agent_runtime::serde_json::json!({"text": "Hallo", "language": "english"});
    let response = runtime.call(other, arguments).tools(&tools).await?;
    assert!(response.content.contains("Hello"), "{}", response.content);
    assert_eq!(model.requests()[0].model.id(), "gpt-6-sol");
    Ok(())
}

#[test]
fn wrong_options_come_with_the_usage() {
    for (arguments, words) in [
        (&["--modle", "x"][..], "there is no option `--modle`"),
        (&["--base-url"], "`--base-url` needs a value"),
        (&["french"], "give a language and one TEXT"),
        (&["latin", "Ave"], "there is no language `latin`"),
        (&["--help"], "usage: typed-agent"),
    ] {
        let arguments = arguments.iter().map(ToString::to_string);
        let error = read_options(arguments).expect_err(words);
        assert!(
            error.contains(words) && error.contains("usage: "),
            "{error}"
        );
    }
    let given = ["german", "Good evening"].map(str::to_owned).into_iter();
    let options = read_options(given).expect("a language and a text");
    assert_eq!(options.language, Language::German);
}
