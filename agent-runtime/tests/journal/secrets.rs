//! Keys stand in no record.

use super::Crashing;
use crate::support::{agent, library};
use agent_runtime::conversation::{Part, ToolCall};
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{Decision, RunOutcome};
use agent_runtime::runtime::OnDrop;
use agent_runtime::spec::ToolSpec;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Runtime, ToolContext, ToolError};
use serde_json::json;
use std::sync::atomic::Ordering;

const KEY: &str = "sk-0123456789abcdef";

const SIGNATURE: &str = "(text::Text)==>(::String)";

fn spec() -> ToolSpec {
    ToolSpec::new("act", "Does something.", SIGNATURE).expect("a spec")
}

fn config() -> ToolConfig {
    ToolConfig::with_signature("act", "Does something.", SIGNATURE)
}

fn call(text: &str) -> ModelReply {
    let arguments = json!({"text": text}).to_string();
    let mut reply = ModelReply::calls([ToolCall::new("x", "act", arguments)]);
    reply.parts = vec![Part::Text(format!("I use {text}."))];
    reply
}

async fn assert_without_key(journal: &MemoryJournal) {
    let runs = journal.list(&RunFilter::new()).await.expect("a list");
    let stored = journal.read(&runs[0].run).await.expect("a run");
    let stored = stored.expect("a run");
    stored.verify().expect("whole records");
    for record in &stored.records {
        assert!(!record.json().contains(KEY), "{}", record.json());
    }
}

#[tokio::test]
async fn model_tools_and_journal_see_the_same_text_without_keys() {
    for is_error in [false, true] {
        let journal = MemoryJournal::new();
        let tool = config().build(move |args| async move {
            assert_eq!(args["text"], "[key]");
            let text = format!("it is {KEY}");
            match is_error {
                true => Err(ToolError::execution(text)),
                false => Ok(text.into()),
            }
        });
        let library = library([tool.expect("a tool")]);
        let model = Scripted::new([call(KEY), ModelReply::text(format!("It was {KEY}."))]);
        let runtime = Runtime::builder()
            .model(model.clone())
            .secret(KEY)
            .journal(journal.clone())
            .build()
            .expect("a runtime");
        let run = runtime.run(agent([spec()]), "Act.").tools(&library);
        let response = run.await.expect("an answer");
        assert_eq!(response.content, "It was [key].");
        let request = format!("{:?}", model.requests()[1].messages);
        assert!(!request.contains(KEY), "{request}");
        assert!(request.contains("I use [key]."), "{request}");
        assert!(request.contains("it is [key]"), "{request}");
        assert_without_key(&journal).await;
    }
}

#[tokio::test]
async fn parts_beside_a_result_are_recorded_without_keys() {
    let journal = MemoryJournal::new();
    let tool = config().build_with_context(async |_, context: ToolContext| {
        context.keep_beside([Part::Text(format!("beside {KEY}"))]);
        Ok("a result".into())
    });
    let library = library([tool.expect("a tool")]);
    let model = Scripted::new([call("a text"), ModelReply::text("Done.")]);
    let builder = Runtime::builder().model(model.clone()).secret(KEY);
    let runtime = builder.journal(journal.clone()).build().expect("one");
    let run = runtime.run(agent([spec()]), "Act.").tools(&library);
    run.await.expect("an answer");
    let requests = model.requests();
    let result = requests[1].messages.last().expect("the result");
    let expected = ["a result", "beside [key]"].map(|text| Part::Text(text.to_owned()));
    assert_eq!(result.parts(), expected);
    assert_without_key(&journal).await;
}

#[tokio::test]
async fn nothing_is_masked_without_a_journal() {
    let tool = config().build(|_| async { Ok(KEY.into()) });
    let library = library([tool.expect("a tool")]);
    let model = Scripted::new([call("a text"), ModelReply::text(KEY)]);
    let runtime = Runtime::builder().model(model).secret(KEY);
    let runtime = runtime.build().expect("a runtime");
    let run = runtime.run(agent([spec()]), "Act.").tools(&library);
    assert_eq!(run.await.expect("an answer").content, KEY);
}

#[tokio::test]
async fn a_call_whose_arguments_cannot_be_recorded_is_in_doubt() {
    let journal = Crashing::after(2);
    let runtime = |model| {
        let builder = Runtime::builder().model(model).secret(KEY);
        builder.journal(journal.clone())
    };
    let tool = config()
        .idempotent(true)
        .requires_approval(true)
        .build(|args| async move { Ok(args["text"].clone()) });
    let library = library([tool.expect("a tool")]);
    let first = runtime(Scripted::new([call("a text")]))
        .approver(|_| async {
            Decision::Edit {
                args: json!({"text": KEY}),
            }
        })
        .build()
        .expect("a runtime");
    let run = first.run(agent([spec()]), "Act.").tools(&library);
    journal.left.store(3, Ordering::Relaxed);
    assert!(
        !journal
            .drive(run.on_drop(OnDrop::LEAVE).into_future())
            .await
    );
    assert_without_key(&journal.inner).await;

    journal.left.store(1_000, Ordering::Relaxed);
    let next = runtime(Scripted::new([])).build().expect("one");
    let runs = next.recover(&library).await.expect("a journal");
    let Ok(RunOutcome::AwaitingApproval(calls)) = &runs[0].outcome else {
        panic!("{runs:?}");
    };
    assert!(calls[0].in_doubt);
    assert_eq!(calls[0].args(), json!({"text": "[key]"}));
}
