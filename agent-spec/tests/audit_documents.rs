//! Leaks in random documents, found by the audit and by a search that follows each piece of data.

use agent_spec::audit::audit;
use agent_spec::check::{Options, check};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use std::collections::HashSet;
use std::fmt::Write as _;

/// An agent of a random document: which of the tools it has, which agents it calls, whether its answer has words, and the index
/// of its `whenTainted`.
#[derive(Clone, Debug)]
struct RandomAgent {
    tools: [bool; TOOLS.len()],
    calls: Vec<usize>,
    has_words: bool,
    has_params: bool,
    when: usize,
}

const TOOLS: [(&str, &str); 6] = [
    ("readBoth", "reads: [\"private\"], untrusted: true"),
    ("readOwn", "reads: [\"private\"]"),
    ("readPage", "untrusted: true"),
    ("send", "sends: true"),
    ("sendAsked", "sends: true, requiresApproval: true"),
    ("unknown", "owner: \"nobody\""),
];

const WHEN: [&str; 3] = ["allow", "approve", "deny"];

fn agents() -> impl Strategy<Value = Vec<RandomAgent>> {
    (1..5_usize).prop_flat_map(|count| {
        let agent = (
            prop::array::uniform6(prop::bool::weighted(0.25)),
            prop::collection::vec(0..count, 0..3),
            any::<bool>(),
            any::<bool>(),
            prop_oneof![4 => Just(0_usize), 1 => Just(1), 1 => Just(2)],
        );
        let agent = agent.prop_map(|(tools, calls, has_words, has_params, when)| RandomAgent {
            tools,
            calls,
            has_words,
            has_params,
            when,
        });
        prop::collection::vec(agent, count)
    })
}

fn document(agents: &[RandomAgent]) -> String {
    let mut text = String::new();
    for (name, properties) in TOOLS {
        let _ = writeln!(
            text,
            "[{name}:Tool {{description: \"d\", {properties}}} | (a::Text)==>(::String)]"
        );
    }
    for (at, agent) in agents.iter().enumerate() {
        let when = WHEN[agent.when];
        let params = if agent.has_params {
            "(q::Text)==>"
        } else {
            "()==>"
        };
        let returns = if agent.has_words {
            "(::String)"
        } else {
            "(::Bool)"
        };
        let tools = TOOLS.iter().zip(agent.tools);
        let tools = tools
            .filter(|(_, has)| *has)
            .map(|((name, _), _)| (*name).to_owned());
        let mut called: Vec<usize> = agent.calls.clone();
        called.sort_unstable();
        called.dedup();
        let called = called.iter().map(|called| format!("a{called}"));
        let elements: Vec<String> = std::iter::once(format!("{params}{returns}"))
            .chain(tools)
            .chain(called)
            .collect();
        let _ = writeln!(
            text,
            "[a{at}:Agent {{description: \"d\", instruction: \"i\", model: \"Offline/m\", maxDepth: 3, whenTainted: \"{when}\"}} | {}]",
            elements.join(", ")
        );
    }
    text
}

/// Follows a piece of data from an agent over every call, as far as it gets.
fn spread(agents: &[RandomAgent], from: usize, is_private: bool, seen: &mut HashSet<usize>) {
    if !seen.insert(from) {
        return;
    }
    for (to, other) in agents.iter().enumerate() {
        let as_argument = agents[from].calls.contains(&to) && (!is_private || other.has_params);
        let as_result = other.calls.contains(&from) && (is_private || agents[from].has_words);
        if as_argument || as_result {
            spread(agents, to, is_private, seen);
        }
    }
}

/// The agents in whose conversations data can be that a tool of one of them returns.
fn reached(agents: &[RandomAgent], is_private: bool) -> HashSet<usize> {
    let sources: &[usize] = if is_private { &[0, 1, 5] } else { &[0, 2, 5] };
    let mut all = HashSet::new();
    for (at, agent) in agents.iter().enumerate() {
        if sources.iter().any(|tool| agent.tools[*tool]) {
            let mut seen = HashSet::new();
            spread(agents, at, is_private, &mut seen);
            all.extend(seen);
        }
    }
    all
}

/// Whether a chain of calls that begins with an agent of the host reaches an agent, and none in it guards its calls.
fn is_reached_freely(agents: &[RandomAgent], target: usize) -> bool {
    let is_called = |at: usize| {
        let mut others = agents.iter().enumerate();
        others.any(|(caller, agent)| caller != at && agent.calls.contains(&at))
    };
    let reachable = |starts: Vec<usize>, is_free: &dyn Fn(usize) -> bool| {
        let mut seen = HashSet::new();
        let mut next = starts;
        while let Some(at) = next.pop() {
            if is_free(at) && seen.insert(at) {
                next.extend(&agents[at].calls);
            }
        }
        seen
    };
    let uncalled: Vec<usize> = (0..agents.len()).filter(|at| !is_called(*at)).collect();
    // Agents that only a circle reaches may be run by the host, each of them.
    let below = reachable(uncalled.clone(), &|_| true);
    let rest = (0..agents.len()).filter(|at| !below.contains(at));
    let roots: Vec<usize> = uncalled.iter().copied().chain(rest).collect();
    reachable(roots, &|at| agents[at].when == 0).contains(&target)
}

#[test]
fn the_audit_finds_the_leaks_that_following_the_data_finds() {
    let config = Config {
        cases: 10_000,
        rng_seed: RngSeed::Fixed(44),
        ..Config::default()
    };
    proptest!(config, |(agents in agents())| {
        let text = document(&agents);
        let checked = check(&text, Options::default());
        prop_assert!(!checked.has_errors(), "{text}\n{:?}", checked.diagnostics);
        let (private, words) = (reached(&agents, true), reached(&agents, false));
        for (at, found) in audit(&checked.agents, None).iter().enumerate() {
            let sends = agents[at].tools[3] || agents[at].tools[5];
            let leaks = sends && private.contains(&at) && words.contains(&at);
            prop_assert_eq!(found.leak.is_some(), leaks, "a{}\n{}", at, text);
            let is_open = leaks && is_reached_freely(&agents, at);
            prop_assert_eq!(found.open_leak().is_some(), is_open, "a{}\n{}", at, text);
        }
    });
}
