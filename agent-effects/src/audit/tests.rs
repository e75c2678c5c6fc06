//! Audits in names.

use super::*;
use crate::{Effect, Effects};

fn agent<'a>(name: &'a str, tools: &[(&'a str, Effects)]) -> AuditedAgent<'a> {
    let has_tools = !tools.is_empty();
    let tools = tools.iter().map(|(name, effects)| FlowTool {
        name,
        effects: *effects,
        is_inert: false,
        requires_approval: false,
    });
    AuditedAgent {
        name,
        tools: tools.collect(),
        when_tainted: WhenTainted::Allow,
        bounded: BoundedAgent {
            has_tools,
            max_iterations: Some(1),
            request_dollars: Some(0.1),
            ..BoundedAgent::default()
        },
        unpriced: None,
    }
}

const CALL: FlowCall = FlowCall {
    caller: 0,
    called: 1,
    has_params: true,
    is_inert: false,
};

#[test]
fn names_the_chains_and_the_cuts() {
    let reads = Effects::NONE
        .with(Effect::ReadsPrivate, true)
        .with(Effect::Untrusted, true);
    let sends = Effects::NONE.with(Effect::Sends, true);
    let agents = [
        agent("desk", &[("sendMail", sends)]),
        agent("reader", &[("readMail", reads)]),
    ];
    let found = audit(&agents, &[CALL]);
    let leak = found[0].open_leak().expect("a leak");
    assert_eq!(leak.private, ["readMail", "reader", "desk"]);
    assert_eq!(leak.words, ["readMail", "reader", "desk"]);
    assert_eq!(leak.way_out, "sendMail");
    assert_eq!(
        leak.cuts,
        [
            "write `whenTainted: \"approve\"` in `desk`",
            "give `reader` a result of a type without words"
        ]
    );
    assert_eq!(found[1].leak, None);
    assert!(found.iter().all(|found| found.unbounded.is_empty()));
}

#[test]
fn names_the_settings_that_would_bound_a_message() {
    let unknown = agent("reader", &[("foo", Effects::NONE)]);
    let reader = AuditedAgent {
        bounded: BoundedAgent {
            has_tools: true,
            ..BoundedAgent::default()
        },
        unpriced: Some("the catalogue has no price for `Acme/m`".to_owned()),
        ..unknown
    };
    let found = audit(&[agent("desk", &[]), reader], &[CALL]);
    assert_eq!(
        found[0].unbounded,
        [
            "`reader` does not state `maxIterations`; with its default of 10, a message causes at most 5,636 requests \
             and 655,616 calls",
            "the dollars are not known: the catalogue has no price for `Acme/m`"
        ]
    );
    assert_eq!(found[1].unknown, ["foo"]);
    assert_eq!(found[1].destructive.len(), 1);
    let circle = FlowCall {
        caller: 1,
        called: 0,
        ..CALL
    };
    let found = audit(&[agent("a", &[]), agent("b", &[])], &[CALL, circle]);
    assert!(
        found[0].unbounded[0]
            .starts_with("`a` does not state `maxDepth`, and agents call each other")
    );
}
