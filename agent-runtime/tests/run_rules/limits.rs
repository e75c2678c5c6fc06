//! The limits of a run.

use crate::run_rules::play::Play;
use crate::support::{calls, greeter, hello_tool, library};
use agent_runtime::conversation::ToolCall;
use agent_runtime::cost::{Price, Prices};
use agent_runtime::model::{ModelReply, Usage};
use agent_runtime::run::{MAX_CALLS, MAX_RESULT_TEXT, Step, UsageLimits};
use agent_runtime::spec::Settings;

#[test]
fn a_limit_answers_calls_that_still_run() {
    let mut play = Play::greeter();
    let mut list = vec![("", "invented", "{}"); 10];
    list.push(("slow", "sayHello", "{}"));
    play.calls(&list);
    assert!(play.failure().is_limit());
    let (id, text, is_error) = play.results().pop().expect("a result");
    assert!(id == "slow" && text.contains("cancelled") && is_error);
    assert!(play.run.tool_finished("slow", Ok(1.into())).is_err());
}

/// Plays turns that call the tool; gives the run after them.
fn play_turns(turns: usize, most: Option<u32>) -> Play {
    let mut settings = Settings::NONE;
    settings.max_iterations = most;
    let agent = greeter().with_settings(settings).expect("they are right");
    let mut play = Play::new(&agent, &library([hello_tool()]));
    for _ in 0..turns {
        play.calls(&[("", "sayHello", "{}")]);
        let id = play.pending_ids().remove(0);
        play.finish(&id, Ok("x"));
    }
    play
}

#[test]
fn the_request_after_the_last_turn_is_still_made() {
    let mut play = play_turns(10, None);
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().tools_used.len(), 10);
}

#[test]
fn calls_after_the_last_turn_end_the_run_and_have_results() {
    for (turns, most) in [(10, None), (2, Some(2)), (1, Some(1))] {
        let mut play = play_turns(turns, most);
        play.calls(&[("p", "sayHello", "{}"), ("q", "sayHello", "{}")]);
        let error = play.failure();
        assert!(error.is_limit(), "{error}");
        let more_than = format!(
            "in more than {turns} turn{}",
            if turns == 1 { ";" } else { "s;" }
        );
        assert!(error.to_string().contains(&more_than), "{error}");
        assert_eq!(play.results().len(), turns + 2);
        assert!(
            play.results()[turns..]
                .iter()
                .all(|(.., is_error)| *is_error)
        );
    }
}

#[test]
fn cuts_a_long_result_for_the_model_with_a_note() {
    let mut play = Play::greeter();
    let text = "ä".repeat(1_000_000);
    play.calls(&[("a", "sayHello", "{}")])
        .finish("a", Ok(&text));
    let (_, read, _) = play.results().remove(0);
    assert!(read.len() < MAX_RESULT_TEXT + 100);
    assert!(
        read.contains("[cut: the result has 2000000 bytes, of which these are the first 262144]")
    );
    play.reply(ModelReply::text("Done."));
    let whole = play.done().tools_used.remove(0).result.expect("a result");
    assert_eq!(whole, text.as_str());

    let mut play = Play::greeter();
    play.run = play.run.with_result_limit(3);
    play.calls(&[("a", "sayHello", "{}")]).finish("a", Ok("ää"));
    assert!(play.results()[0].1.starts_with("ä\n[cut"));
}

#[test]
fn an_answer_may_have_many_calls_and_not_any_number() {
    let calls =
        |count: usize| ModelReply::calls((0..count).map(|_| ToolCall::new("", "sayHello", "{}")));
    let mut play = Play::greeter();
    play.reply(calls(MAX_CALLS));
    let ids = play.pending_ids();
    assert_eq!(ids.len(), MAX_CALLS);
    for id in &ids {
        let done = play.run.tool_finished(id, Ok(1.into()));
        done.expect("the call waits");
    }
    play.check();

    play.reply(calls(MAX_CALLS + 1));
    let error = play.failure();
    assert!(error.is_llm(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("wants 257 calls in one answer"), "{text}");
    // Earlier results are kept.
    assert_eq!(play.results().len(), MAX_CALLS);
    play.check();
}

/// Plays a run of two turns, each of which costs 100 and 10 tokens, to its end.
fn play_limited(limits: UsageLimits) -> Play {
    let mut play = Play::greeter();
    let price = Price::per_million(1_000.0, 10_000.0).expect("a price");
    let model = play.run.agent().model().clone();
    play.run = play
        .run
        .with_usage_limits(limits)
        .with_prices(Prices::new().with(model, price));
    for (id, words) in [("a", None), ("b", None), ("", Some("Done."))] {
        if play.run.is_over() {
            break;
        }
        let mut reply = match words {
            Some(words) => ModelReply::text(words),
            None => calls(&[(id, "sayHello", "{}")]),
        };
        reply.usage = Usage::of_request(100, 10);
        play.reply(reply);
        if let Ok(Step::CallTools(_)) = play.run.next() {
            play.finish(id, Ok("x"));
        }
    }
    play
}

#[test]
fn a_reached_limit_ends_the_run_before_its_calls() {
    for (limits, words) in [
        (UsageLimits::new().requests(1), "1 of at most 1 requests"),
        (UsageLimits::new().requests(2), "2 of at most 2 requests"),
        (
            UsageLimits::new().input_tokens(100),
            "100 of at most 100 sent",
        ),
        (
            UsageLimits::new().output_tokens(15),
            "20 of at most 15 written",
        ),
        (
            UsageLimits::new().total_tokens(220),
            "220 of at most 220 tokens",
        ),
        (UsageLimits::new().cost(0.3), "$0.4000 of at most $0.3000"),
    ] {
        let play = play_limited(limits);
        let error = play.failure();
        assert!(error.is_limit(), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        let (_, text, is_error) = play.results().pop().expect("a result");
        assert!(is_error && text.starts_with("not made"), "{text}");
    }
}

#[test]
fn makes_no_call_of_an_answer_with_more_calls_than_are_left() {
    for (most, made) in [(0, 0), (1, 1), (2, 1), (3, 3)] {
        let mut play = Play::greeter();
        let limits = UsageLimits::new().tool_calls(most);
        play.run = play.run.with_usage_limits(limits);
        play.calls(&[("a", "sayHello", "{}")]);
        if most > 0 {
            play.finish("a", Ok("x"));
            play.calls(&[("b", "sayHello", "{}"), ("c", "sayHello", "{}")]);
        }
        if most > 2 {
            play.finish("b", Ok("x")).finish("c", Ok("x"));
            play.reply(ModelReply::text("Done."));
            assert_eq!(play.done().tools_used.len(), 3);
        } else {
            let error = play.failure();
            let words = format!("of at most {most}");
            assert!(error.is_limit() && error.to_string().contains(&words));
        }
        let results = play.results().into_iter();
        let succeeded = results.filter(|(.., is_error)| !is_error).count();
        assert_eq!(succeeded, made, "{most}");
    }
}

#[test]
fn keeps_an_answer_beyond_the_cost_limit() {
    for limits in [
        UsageLimits::new().requests(3),
        UsageLimits::new().total_tokens(330),
        UsageLimits::new().total_tokens(221),
        UsageLimits::new().cost(0.41),
    ] {
        let response = play_limited(limits).done();
        assert_eq!(response.content, "Done.");
        assert!((response.cost.expect("a price is known") - 0.6).abs() < 1e-9);
    }
}

#[test]
fn a_reached_limit_prevents_requesting_an_empty_answer_again() {
    let mut play = Play::greeter();
    play.run = play.run.with_usage_limits(UsageLimits::new().requests(1));
    play.reply(ModelReply::text(" "));
    assert!(play.failure().is_limit());
}

/// A limit that nobody can hold the run to is no limit, and its caller believes it is there.
#[test]
fn a_token_limit_without_token_counts_ends_the_run() {
    for (limits, words) in [
        (UsageLimits::new().input_tokens(9), "at most 9 sent tokens"),
        (
            UsageLimits::new().output_tokens(9),
            "at most 9 written tokens",
        ),
        (UsageLimits::new().total_tokens(9), "at most 9 tokens"),
        (UsageLimits::new().cost(0.3), "at most $0.3000"),
    ] {
        let mut play = Play::greeter();
        let price = Price::per_million(1_000.0, 10_000.0).expect("a price");
        let prices = Prices::new().with(play.run.agent().model().clone(), price);
        play.run = play.run.with_usage_limits(limits).with_prices(prices);
        play.calls(&[("a", "sayHello", "{}")]);
        let error = play.failure();
        let text = error.to_string();
        assert!(error.is_limit(), "{error:?}");
        for words in [words, "did not say how many tokens", "limit the requests"] {
            assert!(text.contains(words), "{text}");
        }
        // An answer in words is kept, and a further request is not made.
        let mut play = Play::greeter();
        play.run = play.run.with_usage_limits(limits);
        play.reply(ModelReply::text("Done."));
        assert_eq!(play.done().content, "Done.");
    }
    let mut play = Play::greeter();
    play.run = play.run.with_usage_limits(UsageLimits::new().requests(9));
    play.calls(&[("a", "sayHello", "{}")]).finish("a", Ok("x"));
}

#[test]
fn a_cost_limit_without_a_price_ends_the_run() {
    let mut play = Play::greeter();
    play.run = play.run.with_usage_limits(UsageLimits::new().cost(0.3));
    play.reply(calls(&[("a", "sayHello", "{}")]).with_usage(Usage::of_request(1, 1)));
    let error = play.failure();
    assert!(
        error.is_limit() && error.to_string().contains("has no price"),
        "{error}"
    );
}

#[test]
fn the_cost_is_not_known_when_the_tokens_of_one_request_are_not() {
    for (usages, uncounted, cost) in [
        (
            [Usage::of_request(100, 10), Usage::of_request(100, 10)],
            0,
            Some(0.4),
        ),
        (
            [Usage::of_request(0, 0), Usage::of_request(0, 0)],
            0,
            Some(0.0),
        ),
        ([Usage::of_request(100, 10), Usage::default()], 1, None),
        ([Usage::default(), Usage::of_request(100, 10)], 1, None),
        ([Usage::default(), Usage::default()], 2, None),
    ] {
        let mut play = Play::greeter();
        let price = Price::per_million(1_000.0, 10_000.0).expect("a price");
        let prices = Prices::new().with(play.run.agent().model().clone(), price);
        play.run = play.run.with_prices(prices);
        let [first, second] = usages;
        play.reply(calls(&[("a", "sayHello", "{}")]).with_usage(first))
            .finish("a", Ok("x"))
            .reply(ModelReply::text("Done.").with_usage(second));
        let response = play.done();
        assert_eq!(response.usage.uncounted_requests, uncounted);
        assert_eq!(response.usage.requests, 2);
        let json = response.to_json();
        match cost {
            None => assert_eq!(json["usage"]["uncountedRequests"], uncounted),
            Some(_) => assert!(json["usage"].get("uncountedRequests").is_none(), "{json}"),
        }
        let difference = response.cost.zip(cost).map(|(found, cost)| found - cost);
        assert_eq!(response.cost.is_some(), cost.is_some(), "{usages:?}");
        assert!(difference.is_none_or(|difference| difference.abs() < 1e-9));
        assert_eq!(Usage::from_json(&json["usage"]), response.usage);
    }
}

#[test]
fn the_cost_is_unknown_without_a_price() {
    let mut play = Play::greeter();
    play.reply(ModelReply::text("Done."));
    assert_eq!(play.done().cost, None);
}

#[test]
fn the_calls_of_an_answer_have_a_limited_number_of_values() {
    let arguments = |items: usize| format!("{{\"a\":[{}1]}}", "1,".repeat(items - 1));
    for calls in [
        vec![arguments(250_000)],
        vec![arguments(110_000), arguments(110_000)],
    ] {
        let mut play = Play::greeter();
        let calls = calls
            .iter()
            .map(|text| ToolCall::new("", "sayHello", text.as_str()));
        play.reply(ModelReply::calls(calls));
        let error = play.failure();
        assert!(error.is_llm(), "{error:?}");
        let text = error.to_string();
        assert!(
            text.contains("more than 200000 values in their arguments"),
            "{text}"
        );
    }
}

#[test]
fn arguments_with_too_many_values_stay_text() {
    let text = format!("[{}1]", "1,".repeat(200_000));
    assert_eq!(
        ToolCall::new("", "sayHello", text.as_str()).args(),
        text.as_str()
    );
}
