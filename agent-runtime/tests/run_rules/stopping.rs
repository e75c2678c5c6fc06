//! Runs that are stopped.

use crate::play::{approving, awaiting};
#[test]
fn cancelling_answers_what_is_open() {
    let mut play = approving();
    play.calls(&[("a", "sayHello", "{}"), ("b", "sayHello", "{}")]);
    play.finish("b", Ok("B!"));
    play.run.cancel();
    assert!(play.failure().is_cancelled());
    let results = play.results();
    assert!(results[0].2 && results[0].1.contains("cancelled"));
    assert_eq!(results[1], ("b".into(), "B!".into(), false));
}

#[test]
fn a_run_that_stops_anywhere_leaves_a_history_that_can_be_sent() {
    let mut play = approving();
    assert!(play.run.conversation().is_empty());
    play.calls(&[("a", "risky", "{}"), ("b", "sayHello", "{}")]);
    let said = play.run.conversation();
    assert_eq!(said.len(), 4);
    // Asking does not change the run.
    assert_eq!(awaiting(&play), ["a"]);
}
