//! Failures, and when there were too many.

use crate::run_rules::play::{Play, approving, bind, boom};
use crate::support::{agent, calls, config, greeter, hello_tool, library, spec};
use agent_runtime::ToolError;
use agent_runtime::model::{FinishReason, ModelReply};
use agent_runtime::run::{Decision, Run};

const NOT_MADE: &str = "not made: no attempts are left, so do not call `sayHello` again";

#[test]
fn the_third_failure_in_a_row_uses_up_the_attempts() {
    let mut play = Play::greeter();
    for attempt in 1..=3 {
        play.calls(&[("", "sayHello", "{}")]);
        let id = play.pending_ids().remove(0);
        play.finish(&id, Err(boom()));
        assert_eq!(play.last_result().contains("no attempts"), attempt == 3);
    }
    play.calls(&[("", "sayHello", "{}")]);
    assert_eq!(play.last_result(), NOT_MADE);
    play.reply(ModelReply::text("Sorry."));
    let used = play.done().tools_used;
    assert_eq!(
        used.iter().map(|used| used.attempt).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    assert!(used[..3].iter().all(|used| used.result == Err(boom())));
    assert_eq!(used[3].result, Err(ToolError::execution(NOT_MADE)));
}

/// The record of a call that was not made says so also after the run was saved and read again.
#[test]
fn a_call_that_was_not_made_is_recorded_as_not_made_in_a_saved_run() {
    let mut play = Play::greeter();
    for _ in 0..3 {
        play.calls(&[("", "sayHello", "{}")]);
        let id = play.pending_ids().remove(0);
        play.finish(&id, Err(boom()));
    }
    let tools = bind(&greeter(), &library([hello_tool()]));
    play.run = Run::from_json(&play.run.to_json(), &tools).expect("its own form");
    play.calls(&[("", "sayHello", "{}")]);
    assert_eq!(play.last_result(), NOT_MADE);
}

/// A failure is a whole sentence or a clause, and reads well either way.
#[test]
fn the_last_failure_is_continued_without_a_second_mark() {
    for (failure, expected) in [
        (
            "The database cannot be reached. Check the variable DB_URL.",
            "The database cannot be reached. Check the variable DB_URL; no attempts are left: do \
             not call `once` again",
        ),
        (
            "boom",
            "boom; no attempts are left: do not call `once` again",
        ),
    ] {
        let tool = config("once").retryable(false);
        let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
        let mut play = Play::new(&agent([spec("once")]), &library([tool]));
        play.calls(&[("a", "once", "{}")]);
        play.finish("a", Err(ToolError::execution(failure)));
        assert_eq!(play.last_result(), expected);
    }
}

#[test]
fn bad_arguments_use_up_attempts_too() {
    let mut play = Play::greeter();
    for _ in 0..3 {
        play.calls(&[("", "sayHello", "[]")]);
    }
    assert!(play.last_result().contains("no attempts"));
    play.calls(&[("", "sayHello", "{}")]);
    assert!(play.last_result().contains("no attempts"));
}

#[test]
fn a_success_gives_all_attempts_back() {
    let mut play = Play::greeter();
    for result in [
        Err(boom()),
        Err(boom()),
        Ok("x"),
        Err(boom()),
        Err(boom()),
        Ok("y"),
    ] {
        play.calls(&[("", "sayHello", "{}")]);
        let id = play.pending_ids().remove(0);
        play.finish(&id, result);
    }
    play.reply(ModelReply::text("Done."));
    let used = play.done().tools_used;
    assert_eq!(
        used.iter().map(|used| used.attempt).collect::<Vec<_>>(),
        [1, 2, 3, 1, 2, 3]
    );
}

#[test]
fn a_tool_that_is_not_retryable_has_one_attempt() {
    let tool = config("once").retryable(false);
    let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
    let mut play = Play::new(&agent([spec("once")]), &library([tool]));
    // The tool was never called, so it may be called again.
    play.calls(&[("a", "once", "[]")]);
    assert!(!play.last_result().contains("no attempts"));
    play.calls(&[("b", "once", "{}")]);
    play.finish("b", Err(ToolError::Timeout));
    assert!(play.last_result().contains("no attempts"));
    play.calls(&[("c", "once", "{}")]);
    assert!(play.last_result().starts_with("not made: no attempts"));
    let not_made = &play.run.invocations()[2].result;
    assert!(
        matches!(not_made, Err(ToolError::Execution(_))),
        "{not_made:?}"
    );
}

#[test]
fn calls_that_run_at_the_same_time_are_counted_in_call_order() {
    let mut play = Play::greeter();
    let four: Vec<_> = ["a", "b", "c", "d"].map(|id| (id, "sayHello", "{}")).into();
    play.calls(&four);
    for id in ["d", "c", "b"] {
        play.finish(id, Err(boom()));
    }
    play.finish("a", Ok("x"));
    let spent: Vec<_> = play
        .results()
        .iter()
        .map(|(_, text, _)| text.contains("no attempts"))
        .collect();
    assert_eq!(spent, [false, false, false, true]);
}

#[test]
fn ten_bad_calls_in_a_row_of_any_tools_end_the_run() {
    let mut play = Play::greeter();
    let names: Vec<String> = (0..12).map(|n| format!("invented{n}")).collect();
    let list: Vec<_> = names.iter().map(|name| ("", name.as_str(), "{}")).collect();
    play.calls(&list);
    assert!(play.failure().is_limit());
    assert_eq!(play.results().len(), 12);
}

#[test]
fn nine_bad_calls_and_a_good_one_do_not_end_the_run() {
    let mut play = Play::greeter();
    let mut list = vec![("", "invented", "{}"); 9];
    list.push(("good", "sayHello", "{}"));
    list.extend(vec![("", "invented", "{}"); 9]);
    play.calls(&list);
    play.finish("good", Ok("x"));
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().tools_used.len(), 19);
}

#[test]
fn denied_and_cut_off_calls_are_not_bad_calls() {
    let mut play = approving();
    let ids: Vec<String> = (0..12).map(|n| format!("id{n}")).collect();
    let list: Vec<_> = ids.iter().map(|id| (id.as_str(), "risky", "{}")).collect();
    play.calls(&list);
    for id in &ids {
        let decision = Decision::Deny { reason: None };
        play.run.approve(id, decision).expect("it waits");
    }
    let cut = calls(&vec![("", "sayHello", "{}"); 12]);
    play.reply(cut.with_finish_reason(FinishReason::Length));
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().tools_used.len(), 24);
}

/// Another failure would be the last of this tool.
#[test]
fn a_tool_may_ask_for_other_arguments_without_having_failed() {
    let tool = config("once").retryable(false);
    let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
    let mut play = Play::new(&agent([spec("once")]), &library([tool]));
    for id in ["a", "b"] {
        play.calls(&[(id, "once", "{}")]);
        play.finish(id, Err(ToolError::retry("give a town")));
        assert_eq!(play.last_result(), "give a town");
    }
    play.calls(&[("c", "once", "{}")]);
    play.finish("c", Err(ToolError::retry("give a town")));
    assert!(
        play.last_result().contains("no attempts"),
        "{}",
        play.last_result()
    );
    let attempts = play.run.invocations().iter().map(|call| call.attempt);
    assert_eq!(attempts.collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn a_call_beside_the_last_attempt_keeps_its_own_failure() {
    let tool = config("once").retryable(false);
    let tool = tool.build(|_| async { Ok(1.into()) }).expect("a tool");
    let mut play = Play::new(&agent([spec("once")]), &library([tool]));
    play.calls(&[("a", "once", "{}"), ("b", "once", "{}")]);
    play.finish("a", Err(ToolError::Execution("bad".into())));
    play.finish("b", Err(ToolError::retry("give a town")));
    let texts: Vec<String> = play
        .results()
        .into_iter()
        .map(|(_, text, _)| text)
        .collect();
    for (text, words) in texts
        .iter()
        .zip(["bad; no attempts", "give a town; no attempts"])
    {
        assert!(text.starts_with(words), "{text}");
    }
}
