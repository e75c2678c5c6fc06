//! Which call is made when, and where its result stands.

use crate::run_rules::play::{Play, boom};
use crate::support::{agent, config, library, spec, tool};
use agent_runtime::model::ModelReply;

#[test]
fn every_call_of_a_turn_gets_its_result_in_call_order() {
    let mut play = Play::greeter();
    play.calls(&[
        ("a", "sayHello", r#"{"personName": "A"}"#),
        ("b", "nope", "{}"),
        ("c", "sayHello", r#"{"personName": "C"}"#),
    ]);
    assert_eq!(play.pending_ids(), ["a", "c"]);
    play.finish("c", Ok("C!"));
    assert_eq!(play.pending_ids(), ["a"]);
    play.finish("a", Err(boom()));
    let ids: Vec<_> = play.results().into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    play.reply(ModelReply::text("Done."));
    let used = play.done().tools_used;
    assert_eq!(
        used.iter()
            .map(|used| used.call_id.as_str())
            .collect::<Vec<_>>(),
        ids
    );
}

#[test]
fn a_call_has_one_result_only() {
    let mut play = Play::greeter();
    play.calls(&[
        ("a", "sayHello", "{}"),
        ("b", "nope", "{}"),
        ("c", "sayHello", "{}"),
    ]);
    play.finish("a", Ok("1"));
    for id in ["a", "b", "zzz"] {
        let error = play.run.tool_finished(id, Ok(2.into())).expect_err(id);
        assert!(error.is_validation());
    }
    play.finish("c", Ok("3"));
    assert!(play.run.tool_finished("c", Ok(2.into())).is_err());
    assert_eq!(play.results().len(), 3);
}

#[test]
fn replaces_missing_and_duplicate_call_ids() {
    let mut play = Play::greeter();
    play.calls(&[
        ("", "sayHello", "{}"),
        ("x", "sayHello", "{}"),
        ("x", "sayHello", "{}"),
        ("call_4", "sayHello", "{}"),
    ]);
    let ids = play.pending_ids();
    assert_eq!((ids[1].as_str(), ids[3].as_str()), ("x", "call_4"));
    for id in &ids {
        play.finish(id, Ok("1"));
    }
    // The same ids again, in the next turn.
    play.calls(&[("x", "sayHello", "{}"), ("", "sayHello", "{}")]);
    for id in play.pending_ids() {
        assert!(!ids.contains(&id), "{id} of {ids:?}");
        play.finish(&id, Ok("1"));
    }
}

#[test]
fn a_sequential_tool_is_a_barrier() {
    let tools = [
        tool("fast", |_| async { Ok(1.into()) }),
        config("alone")
            .sequential(true)
            .build(|_| async { Ok(1.into()) })
            .expect("a tool"),
    ];
    let mut play = Play::new(&agent([spec("fast"), spec("alone")]), &library(tools));
    play.calls(&[
        ("a", "fast", "{}"),
        ("b", "fast", "{}"),
        ("c", "alone", "{}"),
        ("d", "alone", "{}"),
        ("e", "fast", "{}"),
    ]);
    assert_eq!(play.pending_ids(), ["a", "b"]);
    assert!(play.run.tool_finished("c", Ok(1.into())).is_err());
    play.finish("b", Ok("x")).finish("a", Ok("x"));
    assert_eq!(play.pending_ids(), ["c"]);
    play.finish("c", Ok("x"));
    assert_eq!(play.pending_ids(), ["d"]);
    play.finish("d", Ok("x"));
    assert_eq!(play.pending_ids(), ["e"]);
    play.finish("e", Ok("x"));
    play.reply(ModelReply::text("Done."));
}

#[test]
fn attempts_used_up_before_a_barrier_count_after_it() {
    let alone = config("alone").sequential(true);
    let alone = alone.build(|_| async { Ok(1.into()) }).expect("a tool");
    let mut play = Play::new(&agent([spec("alone")]), &library([alone]));
    play.calls(&[("", "alone", "{}"); 4]);
    for _ in 0..3 {
        let id = play.pending_ids().remove(0);
        play.finish(&id, Err(boom()));
    }
    assert_eq!(play.results().len(), 4);
    play.reply(ModelReply::text("Sorry."));
}
