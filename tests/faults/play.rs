//! Every fault with every provider, plain and streamed, at once and after a tool was called.

use crate::faults::ask::{Asked, ask};
use crate::faults::dialect::{DIALECTS, HELLO};
use crate::faults::fault::{Fault, Outcome, Setting, faults};
use crate::faults::server::Server;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The idle timeout of a streamed answer: several times the delay of a fault, on a busy machine too.
const IDLE: Duration = Duration::from_millis(2_000);

/// The tolerance after its deadline for a run on a busy machine.
const SLACK: Duration = Duration::from_secs(5);

/// The number of concurrent runs: some have bodies of 32 MB.
const AT_ONCE: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn recovers_from_or_reports_every_fault() {
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut runs = JoinSet::new();
    for fault in faults() {
        for dialect in DIALECTS {
            for (streamed, after_a_call) in
                [(false, false), (false, true), (true, false), (true, true)]
            {
                let turns = Arc::clone(&turns);
                runs.spawn(async move {
                    let _turn = turns.acquire().await.expect("nobody closes it");
                    let thief = Server::start([]);
                    let setting = Setting {
                        dialect,
                        streamed,
                        thief: thief.port,
                    };
                    let run = tokio::spawn(play(fault, setting, after_a_call));
                    let panicked = run.await.is_err();
                    let words = format!(
                        "{} from {}, streamed: {streamed}, after a call: {after_a_call}",
                        fault.name, dialect.provider
                    );
                    let robbed = !thief.requests().is_empty();
                    (panicked || robbed).then_some(words)
                });
            }
        }
    }
    let failed: Vec<String> = runs.join_all().await.into_iter().flatten().collect();
    assert!(failed.is_empty(), "failed:\n{}", failed.join("\n"));
}

async fn play(fault: &Fault, setting: Setting, after_a_call: bool) {
    let dialect = setting.dialect;
    let mut plays = (fault.plays)(&setting);
    if after_a_call {
        plays.insert(0, dialect.reply("calls", setting.streamed));
    }
    let server = Server::start(plays);
    let runtime = dialect
        .runtime(&[])
        .base_url(dialect.base_url(server.port))
        .model_timeout(fault.deadline)
        .idle_timeout(IDLE.min(fault.deadline * 7 / 10));
    let asked = ask(runtime, &dialect.agent(), setting.streamed).await;
    let (name, calls) = (fault.name, usize::from(after_a_call));
    let Asked {
        answer,
        conversation,
        elapsed,
    } = asked;
    assert!(elapsed >= fault.at_least, "{name}: {elapsed:?}");
    assert!(elapsed < fault.deadline + SLACK, "{name}: {elapsed:?}");
    let (texts, passing) = match ((fault.outcome)(&setting), &answer) {
        (Outcome::Answer, answer) => {
            let response = answer
                .as_ref()
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(response.content, HELLO, "{name}");
            // The loop above knows nothing of further tries.
            assert_eq!(response.usage.requests, 1 + calls as u64, "{name}");
            assert_eq!(conversation.len(), 2 + 3 * calls, "{name}");
            (None, false)
        }
        (Outcome::Error(texts), _) => (Some(texts), false),
        (Outcome::Unavailable(texts), _) => (Some(texts), true),
    };
    if let Some(texts) = texts {
        let error = answer.expect_err(name);
        let text = error.to_string();
        assert!(error.is_llm(), "{name}: {error:?}");
        assert!(
            texts.iter().any(|part| text.contains(part)),
            "{name}: {text}"
        );
        // Somebody may have read the beginning of a stream; then no other model begins anew.
        assert!(
            error.is_unavailable() == passing || setting.streamed,
            "{name}: {error:?}"
        );
        // Finished work stays: the calls and their results. An unanswered message does not, unless the beginning of an
        // answer was streamed.
        assert!(conversation.len() >= 4 * calls, "{name}: {conversation:?}");
        let last = conversation.messages().last();
        let is_interrupted = last.is_some_and(|last| last.content().ends_with(" [interrupted]"));
        assert!(
            calls > 0 || conversation.is_empty() || setting.streamed && is_interrupted,
            "{name}: {conversation:?}"
        );
    }
    let requests = server.requests();
    let expected = (fault.requests)(&setting) + calls;
    assert_eq!(requests.len(), expected, "{name}");
    for request in &requests {
        let sent = request.header(dialect.key_header.0).unwrap_or_default();
        assert_eq!(sent, dialect.key_sent(), "{name}");
        let path = dialect.path(setting.streamed);
        assert!(request.line.starts_with(&format!("POST {path} ")), "{name}");
    }
    // A further try is the same request again.
    for pair in requests[calls..].windows(2) {
        assert_eq!(pair[0].json(), pair[1].json(), "{name}");
    }
}
