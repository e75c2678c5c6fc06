//! Bounds of messages.

use super::*;

fn agent(max_iterations: u32, calls: &[usize]) -> BoundedAgent {
    BoundedAgent {
        max_iterations: Some(max_iterations),
        has_tools: true,
        calls: calls.to_vec(),
        request_dollars: Some(0.5),
        ..BoundedAgent::default()
    }
}

#[test]
fn one_agent_has_an_answer_for_each_turn_and_one_more() {
    let plain = BoundedAgent {
        request_dollars: Some(0.25),
        ..BoundedAgent::default()
    };
    let typed = BoundedAgent {
        is_typed: true,
        ..plain.clone()
    };
    let fallbacks = BoundedAgent {
        fallbacks: 2,
        ..agent(4, &[])
    };
    // Each answer may be empty and asked for once more.
    for (agent, requests, calls, dollars) in [
        (plain, 2, 0, 0.5),
        (typed, 6, 0, 1.5),
        (agent(4, &[]), 10, 1_024, 5.0),
        (fallbacks, 12, 1_024, 6.0),
    ] {
        let bound = bounds_of(&[agent])[0];
        assert_eq!((bound.requests, bound.calls), (requests, calls));
        assert_eq!(bound.dollars, Some(dollars));
        assert!(!bound.is_unbounded());
    }
}

#[test]
fn calls_of_agents_multiply() {
    let bounds = bounds_of(&[agent(1, &[1, 2]), agent(2, &[]), agent(1, &[])]);
    assert_eq!(bounds[1].requests, 6);
    // Each of 256 calls may call the agent that causes the most.
    assert_eq!(bounds[0].requests, 4 + 256 * 6);
    assert_eq!(bounds[0].calls, 256 + 256 * 512);
    assert_eq!(bounds[0].dollars, Some(0.5 * (4.0 + 256.0 * 6.0)));
    let deep = bounds_of(&[
        agent(u32::MAX, &[1]),
        agent(u32::MAX, &[2]),
        agent(u32::MAX, &[]),
    ]);
    assert_eq!(deep[0].requests, u64::MAX);
}

#[test]
fn a_setting_that_is_not_stated_is_named_and_its_default_counts() {
    let open = BoundedAgent {
        max_iterations: None,
        ..agent(1, &[])
    };
    let bounds = bounds_of(&[agent(1, &[1]), open]);
    assert_eq!(bounds[1].missing, Some(MissingSetting::Iterations(1)));
    assert_eq!(bounds[1].requests, 2 * 11);
    assert_eq!(bounds[0].missing, Some(MissingSetting::Iterations(1)));
    assert_eq!(bounds[0].requests, 4 + 256 * 22);
}

#[test]
fn a_circle_is_bounded_by_a_stated_depth() {
    let depth = |agent: BoundedAgent, depth| BoundedAgent {
        max_depth: Some(depth),
        ..agent
    };
    let circle = bounds_of(&[agent(1, &[1]), agent(1, &[1])]);
    assert_eq!(circle[0].missing, Some(MissingSetting::Depth(0)));
    assert_eq!(circle[1].missing, Some(MissingSetting::Depth(1)));
    let above = bounds_of(&[depth(agent(1, &[1]), 1), agent(1, &[1])]);
    assert_eq!(above[0].missing, None);
    assert_eq!(above[0].requests, 4 + 256 * 4);
    assert_eq!(above[1].missing, Some(MissingSetting::Depth(1)));
    let below = bounds_of(&[agent(1, &[1]), depth(agent(1, &[1]), 2)]);
    assert_eq!(below[0].missing, None);
    assert_eq!(below[0].requests, 4 + 256 * (4 + 256 * (4 + 256 * 4)));
    // Without a circle, no depth is needed.
    assert_eq!(bounds_of(&[agent(1, &[1]), agent(1, &[])])[0].missing, None);
}

#[test]
fn dollars_need_the_price_of_all_agents_that_are_called() {
    let unpriced = BoundedAgent {
        request_dollars: None,
        ..agent(1, &[])
    };
    let bounds = bounds_of(&[agent(1, &[1]), unpriced, agent(1, &[])]);
    assert_eq!((bounds[0].unpriced, bounds[0].dollars), (Some(1), None));
    assert_eq!((bounds[1].unpriced, bounds[2].unpriced), (Some(1), None));
}

#[test]
fn a_thousand_agents_that_call_each_other_take_little_time() {
    let all: Vec<usize> = (0..1_000).collect();
    let agents = vec![agent(1, &all); 1_000];
    let began = std::time::Instant::now();
    let bounds = bounds_of(&agents);
    let taken = began.elapsed();
    assert_eq!(bounds[999].missing, Some(MissingSetting::Depth(999)));
    // Without optimization, and beside other tests.
    assert!(taken.as_secs() < 5, "{taken:?}");
}

#[test]
fn numbers_are_written_for_people() {
    for (count, text) in [
        (0, "0"),
        (999, "999"),
        (1_540, "1,540"),
        (1_000_000_000_000, "1,000,000,000,000"),
        (u64::MAX, "trillions of"),
    ] {
        assert_eq!(count_text(count), text);
    }
    for (dollars, text) in [
        (0.0, "$0.00"),
        (0.001, "$0.01"),
        (1234.5, "$1,234.50"),
        (f64::INFINITY, "trillions of dollars"),
    ] {
        assert_eq!(dollars_text(dollars), text);
    }
}
