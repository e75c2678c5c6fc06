//! The most requests, calls and dollars that one message to an agent can cause.
//!
//! The bounds count what an agent states and what every run has. They do not count retries of a failed request, answers that a
//! provider pauses, the summaries of `compactAbove`, messages that are sent during a run, and agents that the bodies of tools
//! call.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

/// The maximum number of turns that call tools, unless the agent sets `maxIterations`.
pub const DEFAULT_ITERATIONS: u32 = 10;

/// The number of agents below the first that may call each other, unless the agent sets `maxDepth`.
pub const DEFAULT_DEPTH: u32 = 8;

/// The maximum number of calls in one answer. A model can write thousands of calls, each of which would be made.
pub const MAX_CALLS: usize = 256;

/// The number of failures of one tool, or of an answer of a type, in a row after which there are no attempts left. A
/// model that repeats a mistake would spend money to no end.
pub const MAX_FAILURES: u32 = 3;

/// The facts about an agent on which its bounds depend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundedAgent {
    /// Its `maxIterations`, if it states that.
    pub max_iterations: Option<u32>,
    /// Its `maxDepth`, if it states that.
    pub max_depth: Option<u32>,
    /// Whether it has tools, or agents that it can call.
    pub has_tools: bool,
    /// Whether it answers with a value of a type. A value that does not fit is asked for again.
    pub is_typed: bool,
    /// The number of its `fallback` models.
    pub fallbacks: usize,
    /// The indexes of the agents that it can call.
    pub calls: Vec<usize>,
    /// The dollars of its largest possible request, if that is known.
    pub request_dollars: Option<f64>,
}

/// The most that one message to an agent can cause, by its settings and by the defaults of those that are not stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageBound {
    /// The requests to models, including those of the agents that it calls.
    pub requests: u64,
    /// The calls of tools and agents.
    pub calls: u64,
    /// The dollars of the requests; none if a price is not known.
    pub dollars: Option<f64>,
    /// The setting without which the requests and calls count as unbounded.
    pub missing: Option<MissingSetting>,
    /// The index of the nearest agent whose requests have no price, if there is one.
    pub unpriced: Option<usize>,
}

/// A setting that an agent does not state. Its default may change, and whoever reads the document does not see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingSetting {
    /// `maxIterations` of the agent with this index.
    Iterations(usize),
    /// `maxDepth` of the agent with this index, which can call agents in a circle.
    Depth(usize),
}

impl MessageBound {
    /// Whether something is not bounded by what the agents state.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        self.missing.is_some() || self.unpriced.is_some()
    }
}

/// The requests, the calls and the dollars of a run.
type Caused = (u64, u64, f64);

/// The maximum value of `maxDepth`.
const MAX_DEPTH: usize = 16;

/// Returns the bound of each agent.
#[must_use]
pub fn bounds_of(agents: &[BoundedAgent]) -> Vec<MessageBound> {
    let caused = caused(agents);
    let lacks_iterations = |agent: &BoundedAgent| agent.has_tools && agent.max_iterations.is_none();
    let iterations = nearest(agents, lacks_iterations);
    let unpriced = nearest(agents, |agent| agent.request_dollars.is_none());
    let is_circular = circular(agents);
    (0..agents.len())
        .map(|at| {
            let (requests, calls, dollars) = caused[at];
            let depth = is_circular[at].then_some(MissingSetting::Depth(at));
            MessageBound {
                requests,
                calls,
                dollars: unpriced[at].is_none().then_some(dollars),
                missing: iterations[at].map(MissingSetting::Iterations).or(depth),
                unpriced: unpriced[at],
            }
        })
        .collect()
}

impl BoundedAgent {
    /// The maximum number of turns that call tools.
    fn turns(&self) -> u64 {
        match self.has_tools {
            true => u64::from(self.max_iterations.unwrap_or(DEFAULT_ITERATIONS)),
            false => 0,
        }
    }

    /// The maximum number of requests of one run, without those of agents that it calls. An answer ends each turn, one more
    /// ends the run, and refused values of a type cost further answers. An empty answer is asked for once more. A fallback
    /// model gets the request that another one did not answer.
    fn requests(&self) -> u64 {
        let refused = match self.is_typed {
            true => u64::from(MAX_FAILURES - 1),
            false => 0,
        };
        2 * (self.turns() + 1 + refused) + self.fallbacks as u64
    }

    fn calls(&self) -> u64 {
        self.turns().saturating_mul(MAX_CALLS as u64)
    }

    fn depth(&self) -> usize {
        let depth = self.max_depth.unwrap_or(DEFAULT_DEPTH);
        usize::try_from(depth).map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH))
    }
}

/// Returns what a run of each agent causes. Each call of an agent that may call others counts as a call of the one that causes
/// the most.
fn caused(agents: &[BoundedAgent]) -> Vec<Caused> {
    let alone = |agent: &BoundedAgent| {
        let requests = agent.requests();
        let dollars = agent.request_dollars.unwrap_or_default();
        (requests, agent.calls(), requests as f64 * dollars)
    };
    // A level has the runs that may call agents this deep. The first level calls none.
    let mut levels: Vec<Vec<Caused>> = vec![agents.iter().map(alone).collect()];
    let deepest = agents.iter().map(BoundedAgent::depth).max().unwrap_or(0);
    for depth in 1..=deepest {
        let level = agents.iter().map(|agent| {
            let called = agent.calls.iter().map(|called| {
                let below = agents[*called].depth().min(depth - 1);
                levels[below][*called]
            });
            let most = called.fold((0, 0, 0.0), |most: Caused, one| {
                (most.0.max(one.0), most.1.max(one.1), most.2.max(one.2))
            });
            let (own, calls) = (alone(agent), agent.calls());
            (
                own.0.saturating_add(calls.saturating_mul(most.0)),
                own.1.saturating_add(calls.saturating_mul(most.1)),
                own.2 + calls as f64 * most.2,
            )
        });
        let level = level.collect();
        levels.push(level);
    }
    let agents = agents.iter().enumerate();
    agents
        .map(|(at, agent)| levels[agent.depth()][at])
        .collect()
}

/// Returns for each agent the nearest one of a kind among the agent and those that it can call, itself or through others.
fn nearest(
    agents: &[BoundedAgent],
    is_meant: impl Fn(&BoundedAgent) -> bool,
) -> Vec<Option<usize>> {
    let callers = callers(agents);
    let mut found = vec![None; agents.len()];
    let meant = (0..agents.len()).filter(|at| is_meant(&agents[*at]));
    let mut queue: VecDeque<usize> = meant.collect();
    for at in &queue {
        found[*at] = Some(*at);
    }
    while let Some(at) = queue.pop_front() {
        for caller in &callers[at] {
            if found[*caller].is_none() {
                found[*caller] = found[at];
                queue.push_back(*caller);
            }
        }
    }
    found
}

fn callers(agents: &[BoundedAgent]) -> Vec<Vec<usize>> {
    let mut callers = vec![Vec::new(); agents.len()];
    for (at, agent) in agents.iter().enumerate() {
        for called in &agent.calls {
            callers[*called].push(at);
        }
    }
    callers
}

/// Whether each agent can call agents in a circle, with no agent on the way that states `maxDepth`. Agents are taken away as
/// long as one has no call to an agent that is left.
fn circular(agents: &[BoundedAgent]) -> Vec<bool> {
    let callers = callers(agents);
    let mut is_left: Vec<bool> = agents.iter().map(|one| one.max_depth.is_none()).collect();
    let mut calls: Vec<usize> = agents
        .iter()
        .map(|agent| {
            agent
                .calls
                .iter()
                .filter(|called| is_left[**called])
                .count()
        })
        .collect();
    let ended = (0..agents.len()).filter(|at| is_left[*at] && calls[*at] == 0);
    let mut queue: Vec<usize> = ended.collect();
    while let Some(at) = queue.pop() {
        is_left[at] = false;
        for caller in &callers[at] {
            calls[*caller] -= 1;
            if is_left[*caller] && calls[*caller] == 0 {
                queue.push(*caller);
            }
        }
    }
    is_left
}

/// Returns a number with separators of thousands, or `trillions of`, because nobody compares such numbers.
#[must_use]
pub fn count_text(count: u64) -> String {
    const MOST: u64 = 1_000_000_000_000;
    if count > MOST {
        return "trillions of".to_owned();
    }
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns an amount of dollars, rounded up to cents.
#[must_use]
pub fn dollars_text(dollars: f64) -> String {
    let cents = (dollars * 100.0).ceil();
    if cents > 1e14 {
        return "trillions of dollars".to_owned();
    }
    // Within the range of `u64`, because prices are not negative.
    let cents = cents as u64;
    format!("${}.{:02}", count_text(cents / 100), cents % 100)
}
