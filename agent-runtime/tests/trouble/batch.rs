//! Ten calls at the same time, with one that hangs, one that panics, and one that returns 50 MB.

use crate::support::{agent, calls, config, library, results, spec, tool};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::MAX_RESULT_TEXT;
use agent_runtime::{Conversation, Runtime, ToolError, ToolLibrary};
use std::time::Duration;
use tokio::time::Instant;

fn tools() -> ToolLibrary {
    let hangs = config("hangs").timeout(Duration::from_secs(300));
    library([
        tool("works", |_| async { Ok("fine".into()) }),
        hangs.build(|_| std::future::pending()).expect("a tool"),
        tool("panics", |_| async { panic!("out of paper") }),
        tool("floods", |_| async { Ok("x".repeat(50_000_000).into()) }),
    ])
}

// The clock is the test's own, so a busy machine makes no difference.
#[tokio::test(start_paused = true)]
async fn every_call_of_ten_has_its_result() {
    let names = [
        "works", "hangs", "works", "panics", "works", "floods", "works", "works", "works", "works",
    ];
    let ids: Vec<String> = (0..names.len()).map(|at| format!("c{at}")).collect();
    let list: Vec<_> = ids
        .iter()
        .zip(names)
        .map(|(id, name)| (id.as_str(), name, "{}"))
        .collect();
    let agent = agent(["works", "hangs", "panics", "floods"].map(spec));
    let runtime = Runtime::with_model(Scripted::new([calls(&list), ModelReply::text("Done.")]));
    let (tools, mut conversation) = (tools(), Conversation::new());
    let before = Instant::now();
    let response = runtime
        .execute(&agent, "Go", &mut conversation, &tools)
        .await;
    let response = response.expect("an answer");
    assert_eq!(before.elapsed(), Duration::from_secs(300));
    conversation.check().expect("a valid history");

    let results = results(&conversation);
    let answered: Vec<&str> = results.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(answered, ids);
    for ((name, used), (_, text, is_error)) in names.iter().zip(&response.tools_used).zip(&results)
    {
        match *name {
            "hangs" => assert_eq!(used.result, Err(ToolError::Timeout)),
            "panics" => assert!(text.contains("out of paper") && *is_error, "{text}"),
            "floods" => {
                assert!(
                    text.len() < MAX_RESULT_TEXT + 100
                        && text.contains("[cut: the result has 50000000 bytes")
                );
                assert!(used.result.as_ref().is_ok_and(|whole| {
                    whole.as_str().is_some_and(|text| text.len() == 50_000_000)
                }));
            }
            _ => assert_eq!(text, "fine"),
        }
    }
}

#[tokio::test]
async fn a_model_that_alternates_two_bad_calls_is_stopped() {
    let bad = (0..100).map(|at| match at % 2 {
        0 => calls(&[("", "invented", "{}")]),
        _ => calls(&[("", "works", "not JSON")]),
    });
    let mut settings = agent_runtime::spec::Settings::NONE;
    settings.max_iterations = Some(1_000);
    let agent = agent([spec("works")])
        .with_settings(settings)
        .expect("they are right");
    let model = Scripted::new(bad);
    let runtime = Runtime::with_model(model.clone());
    let (tools, mut conversation) = (tools(), Conversation::new());
    let error = runtime
        .execute(&agent, "Go", &mut conversation, &tools)
        .await;
    let error = error.expect_err("it is stopped");
    assert!(
        error.is_limit() && error.to_string().contains("10 bad calls"),
        "{error}"
    );
    assert_eq!(model.requests().len(), 10);
    conversation.check().expect("a valid history");
}
