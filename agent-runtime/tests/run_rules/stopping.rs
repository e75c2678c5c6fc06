//! Runs that are stopped.

use crate::run_rules::play::{Play, approving, awaiting, boom};
use crate::support::{agent, config, library, spec};
use agent_runtime::run::{Decision, MAX_BAD_CALLS};

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

/// A call that was not made may be made again; one that was begun may have done something.
#[test]
fn a_call_that_was_not_begun_is_answered_as_not_made() {
    let mut play = approving();
    play.calls(&[
        ("a", "risky", "{}"),
        ("b", "sayHello", "{}"),
        ("c", "risky", "{}"),
    ]);
    play.run.approve("a", Decision::Approve).expect("it waits");
    let check = |play: &Play, words: [&str; 3]| {
        for ((id, text, is_error), words) in play.results().iter().zip(words) {
            assert!(*is_error && text.starts_with(words), "{id}: {text}");
        }
    };
    // While a person is asked, nothing is made.
    check(&play, ["not made"; 3]);
    play.run.approve("c", Decision::Approve).expect("it waits");
    // The driver may have begun the calls that it got.
    check(&play, ["cancelled"; 3]);
    play.run.cancel();
    check(&play, ["cancelled"; 3]);

    let alone = config("alone").sequential(true);
    let alone = alone.build(|_| async { Ok(1.into()) }).expect("a tool");
    let mut play = Play::new(&agent([spec("alone")]), &library([alone]));
    play.calls(&[
        ("a", "alone", "{}"),
        ("b", "alone", "{}"),
        ("c", "alone", "{}"),
    ]);
    play.run.cancel();
    check(&play, ["cancelled", "not made", "not made"]);
}

#[test]
fn calls_after_too_many_bad_calls_are_answered_as_not_made() {
    let alone = config("alone").sequential(true);
    let alone = alone.build(|_| async { Ok(1.into()) }).expect("a tool");
    let mut play = Play::new(&agent([spec("alone")]), &library([alone]));
    let mut list = vec![("", "invented", "{}"); MAX_BAD_CALLS as usize - 1];
    list.extend([("a", "alone", "{}"), ("b", "alone", "{}")]);
    play.calls(&list);
    play.finish("a", Err(boom()));
    assert!(play.failure().is_limit());
    let text = play.failure().to_string();
    assert!(text.ends_with("made 10 bad calls in a row"), "{text}");
    assert!(play.last_result().starts_with("not made"));
}
