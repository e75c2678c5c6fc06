//! Replaying recorded runs with a live model.

use crate::support::{calls, library, results};
use agent_runtime::journal::{Journal, MemoryJournal, RunFilter, StoredRun};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::Decision;
use agent_runtime::serde_json::json;
use agent_runtime::testing::{LiveReplay, Replay, ReplayAction, StepSide};
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Agent, Conversation, Message, Runtime, ToolLibrary};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const COUNTER: &str = r#"[counter:Agent {instruction: "Count.", model: "Scripted/any"} |
    [count:Tool {description: "Counts"} | (what::Text)==>(::Any)]
]"#;

fn parsed(gram: &str) -> Agent {
    Agent::parse(gram, None, Default::default()).expect("an agent")
}

/// A tool whose results are numbered, and the number of its calls.
fn counting() -> (ToolLibrary, Arc<AtomicUsize>) {
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let config = ToolConfig::with_signature("count", "Counts", "(what::Text)==>(::Any)");
    let tool = config.build(move |_| {
        let number = count.fetch_add(1, Ordering::Relaxed) + 1;
        std::future::ready(Ok(json!({ "number": number })))
    });
    (library([tool.expect("a tool")]), made)
}

fn count(id: &str, what: &str) -> ModelReply {
    let arguments = json!({ "what": what }).to_string();
    calls(&[(id, "count", &arguments)])
}

async fn recorded(gram: &str, model: Scripted, library: &ToolLibrary) -> StoredRun {
    let journal = MemoryJournal::new();
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.build().expect("a runtime");
    let run = runtime.run(parsed(gram), "Count the cats.").tools(library);
    run.await.expect("an answer");
    let run = journal
        .list(&RunFilter::new())
        .await
        .expect("a list")
        .remove(0)
        .run;
    let stored = journal.read(&run).await.expect("a journal");
    stored.expect("a run")
}

/// A run that counts cats twice and dogs once.
async fn counted() -> Replay {
    let (library, _) = counting();
    let model = Scripted::new([
        count("1", "cats"),
        count("2", "dogs"),
        count("3", "cats"),
        ModelReply::text("Three."),
    ]);
    Replay::new(recorded(COUNTER, model, &library).await).tools(&library)
}

/// The steps of both runs, one a line.
fn shown(live: &LiveReplay) -> String {
    let steps = live.steps().into_iter().map(|(side, step)| {
        let mark = match side {
            StepSide::Both => '=',
            StepSide::Recorded => '-',
            StepSide::New => '+',
        };
        let action = match &step.action {
            ReplayAction::Text(text) => text.clone(),
            ReplayAction::Call {
                tool,
                arguments,
                result,
                ..
            } => match result {
                Some(Ok(result)) => format!("{tool} {arguments} {result}"),
                Some(Err(error)) => format!("{tool} {arguments} error: {error}"),
                None => format!("{tool} {arguments}"),
            },
            _ => String::new(),
        };
        format!("{mark} {}: {action}\n", step.agent)
    });
    steps.collect()
}

#[tokio::test]
async fn equal_calls_get_their_results_in_order() {
    let replay = counted().await;
    let model = Scripted::new([
        count("x", "cats"),
        count("y", "cats"),
        count("z", "dogs"),
        ModelReply::text("Three."),
    ]);
    let live = replay.live(&Runtime::with_model(model.clone())).await;
    let live = live.expect("a replay");
    assert_eq!(
        shown(&live),
        "= counter: count {\"what\":\"cats\"} {\"number\":1}\n\
         - counter: count {\"what\":\"dogs\"} {\"number\":2}\n\
         = counter: count {\"what\":\"cats\"} {\"number\":3}\n\
         + counter: count {\"what\":\"dogs\"} {\"number\":2}\n\
         = counter: Three.\n"
    );
    assert_eq!(live.outcome.expect("an answer").content, "Three.");
    let requests = model.requests();
    assert_eq!(requests.len(), 4);
    assert_eq!(requests[0].messages[0].content(), "Count the cats.");
}

#[tokio::test]
async fn another_call_is_not_made_unless_it_may_be() {
    let (library, made) = counting();
    let model = Scripted::new([count("1", "cats"), ModelReply::text("One.")]);
    let stored = recorded(COUNTER, model, &library).await;
    assert_eq!(made.load(Ordering::Relaxed), 1);
    let replay = Replay::new(stored).tools(&library);
    for (replay, calls, is_made) in [
        (replay.clone(), 1, false),
        (replay.making_new_calls(), 2, true),
    ] {
        let model = Scripted::new([
            count("1", "birds"),
            count("2", "cats"),
            ModelReply::text("None."),
        ]);
        let live = replay.live(&Runtime::with_model(model.clone())).await;
        let live = live.expect("a replay");
        live.outcome.expect("an answer");
        assert_eq!(made.load(Ordering::Relaxed), calls);
        let requests = model.requests();
        let conversation: Conversation = requests[2].messages.iter().cloned().collect();
        let results = results(&conversation);
        assert_eq!(results[0].2, !is_made, "{results:?}");
        assert_eq!(
            results[0].1.contains("this run repeats a recorded one"),
            !is_made,
            "{results:?}"
        );
        assert_eq!(results[1].1, r#"{"number":1}"#);
    }
}

#[tokio::test]
async fn a_tool_that_is_not_here_is_replayed() {
    let replay = counted()
        .await
        .tools(&ToolLibrary::new())
        .making_new_calls();
    let model = Scripted::new([
        count("x", "dogs"),
        count("y", "birds"),
        ModelReply::text("One."),
    ]);
    let live = replay
        .live(&Runtime::with_model(model))
        .await
        .expect("a replay");
    let shown = shown(&live);
    assert!(
        shown.contains("= counter: count {\"what\":\"dogs\"} {\"number\":2}\n"),
        "{shown}"
    );
    assert!(
        shown.contains("+ counter: count {\"what\":\"birds\"} error: not made"),
        "{shown}"
    );
}

#[tokio::test]
async fn another_agent_gets_the_recorded_input() {
    let gram = COUNTER
        .replace("counter:Agent", "teller:Agent")
        .replace("\"Count.\"", "\"Tell.\"");
    let model = Scripted::new([count("x", "cats"), ModelReply::text("Three.")]);
    let replay = counted().await.with_agent(parsed(&gram));
    let live = replay
        .live(&Runtime::with_model(model.clone()))
        .await
        .expect("a replay");
    assert_eq!(model.requests()[0].instruction, "Tell.");
    assert_eq!(
        shown(&live)
            .lines()
            .filter(|line| line.starts_with('='))
            .count(),
        2,
        "{}",
        shown(&live)
    );
}

#[tokio::test]
async fn a_call_that_was_denied_is_denied_again() {
    let journal = MemoryJournal::new();
    let (library, made) = counting();
    let gram = COUNTER.replace("\"Counts\"", "\"Counts\", requiresApproval: true");
    let model = Scripted::new([
        count("1", "cats"),
        count("2", "dogs"),
        ModelReply::text("None."),
    ]);
    let runtime = Runtime::builder().model(model).journal(journal.clone());
    let runtime = runtime.approver(|call: agent_runtime::run::PendingCall| async move {
        match call.args()["what"].as_str() {
            Some("cats") => Decision::Deny {
                reason: Some("cats are shy".to_owned()),
            },
            _ => Decision::Edit {
                args: json!({"what": "birds"}),
            },
        }
    });
    let runtime = runtime.build().expect("a runtime");
    let run = runtime.run(parsed(&gram), "Count.").tools(&library);
    run.await.expect("an answer");
    let run = journal
        .list(&RunFilter::new())
        .await
        .expect("a list")
        .remove(0)
        .run;
    let stored = journal.read(&run).await.expect("a journal").expect("a run");
    let model = Scripted::new([
        count("x", "cats"),
        count("y", "dogs"),
        count("z", "fish"),
        ModelReply::text("None."),
    ]);
    let replay = Replay::new(stored).tools(&library).making_new_calls();
    let live = replay
        .live(&Runtime::with_model(model))
        .await
        .expect("a replay");
    let told = shown(&live);
    assert!(told.contains("cats are shy"), "{told}");
    // The call was made with the arguments of the person who edited it.
    let edited = "= counter: count {\"what\":\"dogs\"} {\"number\":1}\n";
    assert!(told.contains(edited), "{told}");
    // Nobody is there to approve the new call.
    assert!(
        told.contains("+ counter: count {\"what\":\"fish\"} error: "),
        "{told}"
    );
    assert_eq!(made.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn agents_that_are_called_run_anew() {
    let gram = r#"[lead:Agent {instruction: "Lead.", model: "Scripted/any"} |
        [helper:Agent {description: "Helps", instruction: "Help.", model: "Scripted/any"} |
            (what::Text)==>(::String),
            [count:Tool {description: "Counts"} | (what::Text)==>(::Any)]
        ]
    ]"#;
    let model = |answer: &str| {
        Scripted::new([
            calls(&[("a", "helper", r#"{"what": "cats"}"#)]),
            count("b", "cats"),
            ModelReply::text(answer),
            ModelReply::text("Done."),
        ])
    };
    let (library, made) = counting();
    let stored = recorded(gram, model("One."), &library).await;
    let replay = Replay::new(stored).tools(&library);
    let live = replay.live(&Runtime::with_model(model("A cat."))).await;
    let live = live.expect("a replay");
    assert_eq!(made.load(Ordering::Relaxed), 1);
    assert_eq!(
        shown(&live),
        "- lead: helper {\"what\":\"cats\"} \"One.\"\n\
         + lead: helper {\"what\":\"cats\"} \"A cat.\"\n\
         = lead/helper: count {\"what\":\"cats\"} {\"number\":1}\n\
         - lead/helper: One.\n\
         + lead/helper: A cat.\n\
         = lead: Done.\n"
    );
}

#[tokio::test]
async fn images_of_results_are_replayed() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec();
    let gram = r#"[painter:Agent {instruction: "Paint.", model: "Scripted/any"} |
        [paint:Tool {description: "Paints"} | ()==>(::Image)]
    ]"#;
    // The bytes above in base64.
    let image = json!({"type": "image", "mediaType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"});
    let config = ToolConfig::with_signature("paint", "Paints", "()==>(::Image)");
    let tool = config.build(move |_| std::future::ready(Ok(image.clone())));
    let library = library([tool.expect("a tool")]);
    let paints = || Scripted::new([calls(&[("1", "paint", "{}")]), ModelReply::text("Painted.")]);
    let stored = recorded(gram, paints(), &library).await;
    Replay::new(stored.clone())
        .with_agent(parsed(gram))
        .assert_same();
    let model = paints();
    let live = Replay::new(stored)
        .live(&Runtime::with_model(model.clone()))
        .await;
    live.expect("a replay").outcome.expect("an answer");
    let requests = model.requests();
    let result: &Message = requests[1].messages.last().expect("a result");
    let media = result.parts().iter().find_map(|part| part.media());
    assert_eq!(
        media.and_then(|media| media.bytes()),
        Some(&png[..]),
        "{result:?}"
    );
}

#[tokio::test]
async fn a_model_that_fails_ends_the_new_run() {
    let replay = counted().await;
    let model = Scripted::new([]);
    let live = replay
        .live(&Runtime::with_model(model))
        .await
        .expect("a replay");
    assert!(live.outcome.is_err());
    assert_eq!(live.recorded.len(), 4);
    assert!(live.new.is_empty());
}
