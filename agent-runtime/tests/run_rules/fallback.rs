//! Providers that are down.

use crate::run_rules::play::Play;
use crate::support::agent;
use agent_runtime::model::ModelReply;
use agent_runtime::run::Step;
use agent_runtime::spec::Settings;
use agent_runtime::{Error, ToolLibrary};

#[test]
fn a_provider_that_is_down_is_replaced_by_the_next_model() {
    let mut settings = Settings::NONE;
    settings.base_url = Some("http://localhost/v1".into());
    settings.fallback = vec![
        agent_runtime::Model::parse("OpenAI/second").expect("a model"),
        agent_runtime::Model::parse("Other/third").expect("a model"),
    ]
    .into();
    let agent = agent([]).with_settings(settings).expect("they are right");
    let mut play = Play::new(&agent, &ToolLibrary::new());
    let mut seen = Vec::new();
    for _ in 0..2 {
        let Ok(Step::CallModel(request)) = play.run.next() else {
            panic!("a request is due");
        };
        seen.push((
            request.model.to_string(),
            request.settings.base_url.is_some(),
        ));
        let down = Error::llm("down").into_unavailable();
        play.run.model_failed(down).expect("a further model");
    }
    let Ok(Step::CallModel(request)) = play.run.next() else {
        panic!("a request is due");
    };
    seen.push((
        request.model.to_string(),
        request.settings.base_url.is_some(),
    ));
    assert_eq!(
        seen,
        [
            ("OpenAI/gpt-6-luna".into(), true),
            ("OpenAI/second".into(), true),
            ("Other/third".into(), false)
        ]
    );
    let error = play.run.model_failed(Error::llm("down").into_unavailable());
    assert!(error.expect_err("no model is left").is_llm());
    assert!(play.failure().is_llm());
}

/// A run of an agent with two fallback models, whose own has just failed.
fn fallen_back() -> Play {
    let mut settings = Settings::NONE;
    let models = ["Other/second", "Other/third"];
    let models = models.map(|model| agent_runtime::Model::parse(model).expect("a model"));
    settings.fallback = models.to_vec().into();
    let agent = agent([]).with_settings(settings).expect("they are right");
    let mut play = Play::new(&agent, &ToolLibrary::new());
    let down = Error::llm("the first is down").into_unavailable();
    let down = down.with_source(std::io::Error::other("why"));
    play.run.model_failed(down).expect("a further model");
    play
}

#[test]
fn skips_a_fallback_that_cannot_be_used() {
    let mut play = fallen_back();
    let no_key = Error::configuration("no key");
    play.run.model_failed(no_key).expect("a further model");
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().content, "Done.");
}

#[test]
fn returns_the_first_error_if_every_fallback_fails() {
    let mut play = fallen_back();
    let no_key = || Error::configuration("no key");
    play.run.model_failed(no_key()).expect("a further model");
    let error = play.run.model_failed(no_key()).expect_err("none is left");
    assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(error.to_string(), "the first is down");
    assert_eq!(play.failure().to_string(), "the first is down");
}

#[test]
fn skips_a_fallback_that_does_not_take_a_part_of_the_input() {
    let mut play = fallen_back();
    let no_pdf = Error::validation("it takes no PDF");
    play.run.model_failed(no_pdf).expect("a further model");
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().content, "Done.");
}
