//! Runs of each kind, killed at each commit, in memory.

use super::scenarios::table::{self, Scenario};
use agent_runtime::journal::{MemoryJournal, RunFilter};

/// The requests that the records lead to are those that were sent, and the same agent makes the same ones, also
/// without the tools.
async fn check_replay(scenario: &Scenario, journal: &MemoryJournal, place: &str) {
    use super::scenarios::table::tools;
    use agent_runtime::ToolLibrary;
    use agent_runtime::journal::Journal;
    use agent_runtime::testing::Replay;
    use serde_json::Value;
    for run in journal.list(&RunFilter::new()).await.expect("a list") {
        let stored = journal.read(&run.run).await.expect("a run").expect("a run");
        let answered = stored.records.iter().filter(|record| {
            let record: Value = serde_json::from_str(&record.json()).expect("JSON");
            record["requestDigest"].is_string()
        });
        let answered = answered.count();
        for library in [tools(), ToolLibrary::new()] {
            let replay = Replay::new(stored.clone()).tools(&library);
            let rebuilt = replay.compare();
            let rebuilt = rebuilt.unwrap_or_else(|error| panic!("{place}: {error:?}"));
            assert_eq!(rebuilt.sent_otherwise, [0; 0], "{place}");
            assert_eq!(rebuilt.requests, answered, "{place}");
            let same = replay.with_agent(&scenario.agent).compare();
            let same = same.unwrap_or_else(|error| panic!("{place}: {error:?}"));
            assert!(same.is_same(), "{place}: {same}");
            assert!(same.requests >= answered, "{place}");
        }
    }
}

async fn check(scenario: &Scenario) {
    super::scenarios::check(scenario, async || MemoryJournal::new(), check_replay).await;
}

#[tokio::test]
async fn a_fallback_model() {
    check(&table::a_fallback_model()).await;
}

#[tokio::test]
async fn a_model_that_fails() {
    check(&table::a_model_that_fails()).await;
}

#[tokio::test]
async fn tools_that_fail_and_calls_that_are_wrong() {
    check(&table::tools_that_fail_and_calls_that_are_wrong()).await;
}

#[tokio::test]
async fn tools_that_run_alone() {
    check(&table::tools_that_run_alone()).await;
}

#[tokio::test]
async fn answers_that_are_empty_cut_off_or_paused() {
    check(&table::answers_that_are_empty_cut_off_or_paused()).await;
}

#[tokio::test]
async fn decisions_of_a_person() {
    check(&table::decisions_of_a_person()).await;
}

#[tokio::test]
async fn tools_that_are_searched() {
    check(&table::tools_that_are_searched()).await;
}

#[tokio::test]
async fn a_limit_of_turns_that_is_reached() {
    check(&table::a_limit_of_turns_that_is_reached()).await;
}

#[tokio::test]
async fn a_limit_of_tokens_that_is_reached() {
    check(&table::a_limit_of_tokens_that_is_reached()).await;
}

#[tokio::test]
async fn summaries() {
    check(&table::summaries()).await;
}

#[tokio::test]
async fn agents_that_call_agents() {
    check(&table::agents_that_call_agents()).await;
}

#[tokio::test]
async fn hooks_around_tools_and_agents() {
    check(&table::hooks_around_tools_and_agents()).await;
}

#[test]
fn each_scenario_of_the_table_is_here() {
    assert_eq!(table::all().len(), 12);
}
