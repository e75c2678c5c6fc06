//! The flows of random documents, compared with a search that follows each way by itself.
//!
//! The search keeps no state of agents: a token of data stands on an agent, and a depth-first search moves it along calls and
//! results, on each simple way. `whenTainted` is searched along each simple chain of calls.

use super::{FlowAgent, FlowCall, FlowKind, FlowTool, chain_of, flows_of, leak_of, steps_of};
use crate::{Effect, Effects, WhenTainted};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::Cell;

/// A document: its agents with their tools, and the calls between them.
#[derive(Clone, Debug)]
struct Drawn {
    agents: Vec<(WhenTainted, Vec<FlowTool<'static>>)>,
    calls: Vec<FlowCall>,
}

/// A token of data on an agent, with the agents that it has been on.
struct Token<'a> {
    drawn: &'a Drawn,
    kind: FlowKind,
    passed: Vec<usize>,
    /// The fewest steps to each agent.
    fewest: Vec<Option<usize>>,
}

impl Token<'_> {
    fn walk(&mut self, at: usize) {
        let steps = self.passed.len();
        self.fewest[at] = Some(self.fewest[at].map_or(steps, |other| other.min(steps)));
        self.passed.push(at);
        for call in &self.drawn.calls {
            // The arguments of a call.
            if call.caller == at
                && (self.kind == FlowKind::Words || call.has_params)
                && !self.passed.contains(&call.called)
            {
                self.walk(call.called);
            }
            // Its result.
            if call.called == at
                && (self.kind == FlowKind::Private || !call.is_inert)
                && !self.passed.contains(&call.caller)
            {
                self.walk(call.caller);
            }
        }
        self.passed.pop();
    }
}

impl Drawn {
    fn fewest_steps(&self, kind: FlowKind) -> Vec<Option<usize>> {
        let mut token = Token {
            drawn: self,
            kind,
            passed: Vec::new(),
            fewest: vec![None; self.agents.len()],
        };
        for (at, (_, tools)) in self.agents.iter().enumerate() {
            let begins = tools.iter().any(|tool| match kind {
                FlowKind::Private => tool.effects.has(Effect::ReadsPrivate),
                FlowKind::Words => tool.effects.has(Effect::Untrusted) && !tool.is_inert,
            });
            if begins {
                token.walk(at);
            }
        }
        token.fewest
    }

    /// The least of the strictest values of all simple chains that lead to each agent.
    fn when_tainted(&self) -> Vec<WhenTainted> {
        let is_called = |at: usize| {
            let mut calls = self.calls.iter();
            calls.any(|call| call.called == at && call.caller != at)
        };
        let mut least = vec![None; self.agents.len()];
        for at in (0..self.agents.len()).filter(|at| !is_called(*at)) {
            self.descend(at, WhenTainted::Allow, &mut Vec::new(), &mut least);
        }
        let missed: Vec<usize> = (0..least.len()).filter(|at| least[*at].is_none()).collect();
        for at in missed {
            self.descend(at, WhenTainted::Allow, &mut Vec::new(), &mut least);
        }
        least.into_iter().map(Option::unwrap_or_default).collect()
    }

    fn descend(
        &self,
        at: usize,
        so_far: WhenTainted,
        passed: &mut Vec<usize>,
        least: &mut [Option<WhenTainted>],
    ) {
        let strictest = so_far.max(self.agents[at].0);
        least[at] = Some(least[at].map_or(strictest, |other| other.min(strictest)));
        passed.push(at);
        for call in self.calls.iter().filter(|call| call.caller == at) {
            if !passed.contains(&call.called) {
                self.descend(call.called, strictest, passed, least);
            }
        }
        passed.pop();
    }
}

fn tool() -> impl Strategy<Value = FlowTool<'static>> {
    let stated = vec(
        prop_oneof![3 => Just(None), 1 => Just(Some(false)), 2 => Just(Some(true))],
        6,
    );
    (stated, any::<bool>(), prop::bool::weighted(0.3)).prop_map(
        |(stated, is_inert, requires_approval)| {
            let effects = Effect::ALL.into_iter().zip(stated);
            let effects = effects.filter_map(|(effect, is)| Some((effect, is?)));
            FlowTool {
                name: "tool",
                effects: effects.fold(Effects::NONE, |all, (effect, is)| all.with(effect, is)),
                is_inert,
                requires_approval,
            }
        },
    )
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (1_usize..7).prop_flat_map(|count| {
        let when = prop_oneof![
            3 => Just(WhenTainted::Allow),
            1 => Just(WhenTainted::Approve),
            1 => Just(WhenTainted::Deny)
        ];
        let agents = vec((when, vec(tool(), 0..3)), count);
        let call = (0..count, 0..count, any::<bool>(), any::<bool>());
        let call = call.prop_map(|(caller, called, has_params, is_inert)| FlowCall {
            caller,
            called,
            has_params,
            is_inert,
        });
        (agents, vec(call, 0..10)).prop_map(|(agents, calls)| Drawn { agents, calls })
    })
}

#[test]
fn the_flows_of_ten_thousand_documents_are_those_of_a_search_of_all_ways() {
    let config = ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(19),
        ..ProptestConfig::with_cases(10_000)
    };
    let (open, closed) = (Cell::new(0), Cell::new(0));
    TestRunner::new(config)
        .run(&drawn(), |drawn| {
            let steps = steps_of(drawn.agents.len(), &drawn.calls);
            let agents: Vec<FlowAgent<'_>> = drawn
                .agents
                .iter()
                .zip(&steps)
                .map(|((when_tainted, tools), steps)| FlowAgent {
                    name: "agent",
                    tools,
                    steps,
                    when_tainted: *when_tainted,
                    is_first: false,
                })
                .collect();
            let flows = flows_of(&agents);
            for kind in [FlowKind::Private, FlowKind::Words] {
                for (at, fewest) in drawn.fewest_steps(kind).into_iter().enumerate() {
                    let chain = chain_of(&flows, at, kind);
                    prop_assert_eq!(chain.map(|chain| chain.agents.len() - 1), fewest);
                }
            }
            let when_tainted = drawn.when_tainted();
            let private = drawn.fewest_steps(FlowKind::Private);
            let words = drawn.fewest_steps(FlowKind::Words);
            for (at, agent) in agents.iter().enumerate() {
                prop_assert_eq!(flows[at].when_tainted(), when_tainted[at]);
                let sends = |tool: &FlowTool<'_>| {
                    tool.effects.has(Effect::Sends) && !tool.requires_approval
                };
                let steps = private[at].zip(words[at]);
                let steps = steps.filter(|_| agent.tools.iter().any(sends));
                let leak = leak_of(&agents, &flows, at);
                prop_assert_eq!(
                    leak.map(|leak| leak.steps),
                    steps.map(|(private, words)| private + words)
                );
                if let Some(leak) = leak {
                    prop_assert_eq!(leak.closed_by, when_tainted[at]);
                    prop_assert!(sends(&agent.tools[leak.way_out]));
                    match leak.is_open() {
                        true => open.set(open.get() + 1),
                        false => closed.set(closed.get() + 1),
                    }
                }
            }
            Ok(())
        })
        .expect("equal flows");
    // The documents show both.
    let (open, closed) = (open.get(), closed.get());
    assert!(
        open > 1_000 && closed > 1_000,
        "{open} open, {closed} closed"
    );
}
