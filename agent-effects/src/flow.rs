//! The ways on which private data, words of strangers and a tool that sends come together in the agents of a document.
//!
//! The rules follow the labels of tools and the types of results. They do not look at what a tool does.
//!
//! - Private data is in an agent's conversation if a tool of the agent reads it, if an agent that it calls has it, or if an
//!   agent that calls it has it and the call has parameters.
//! - Words of strangers are there if a tool of the agent returns them in a type with words, if an agent that it calls has them
//!   and answers with a type with words, or if any agent that calls it has them.
//! - `whenTainted` of an agent is the stricter of its own value and of the least strict chain of callers.
//!
//! The functions need no memory beyond what they are given, so that a `const` can run them. They take steps in proportion to
//! the agents and the calls between them, in circles, too.

#[cfg(test)]
mod brute_force;
mod message;
#[cfg(test)]
mod tests;

pub use message::{check_destructive, check_leak, destructive_text, leak_text};

use crate::labels::{Effect, Effects};
use crate::taint::WhenTainted;

/// A tool of an agent, as far as flows depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowTool<'a> {
    /// The name.
    pub name: &'a str,
    /// The statements about its effects.
    pub effects: Effects,
    /// Whether its result is of a type without words.
    pub is_inert: bool,
    /// Whether a person must approve each call.
    pub requires_approval: bool,
}

impl<'a> FlowTool<'a> {
    /// A parameter of an agent whose value has words of strangers. It brings them in as the result of a tool does.
    #[must_use]
    pub const fn of_parameter(name: &'a str) -> Self {
        Self {
            name,
            effects: Effects::NONE.with(Effect::Untrusted, true),
            is_inert: false,
            requires_approval: false,
        }
    }
}

impl FlowTool<'_> {
    /// Whether its result brings private data into the conversation.
    const fn reads_private(&self) -> bool {
        self.effects.has(Effect::ReadsPrivate)
    }

    /// Whether its result brings words of strangers into the conversation.
    const fn has_words(&self) -> bool {
        self.effects.has(Effect::Untrusted) && !self.is_inert
    }

    /// Whether it sends its arguments to others, and nobody must approve that.
    const fn sends_freely(&self) -> bool {
        self.effects.has(Effect::Sends) && !self.requires_approval
    }

    /// Whether it may do what cannot be undone, and nobody must approve that. `whenTainted` does not count, because it does
    /// not guard the calls of a clean conversation.
    #[must_use]
    pub const fn destroys_freely(&self) -> bool {
        self.effects.has(Effect::Destructive) && !self.requires_approval
    }
}

/// A step of data from one agent to another: the arguments of a call, or its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowStep {
    /// The index of the agent that gets the data.
    pub to: usize,
    /// Whether the data are the arguments of a call, and not a result.
    pub is_call: bool,
    /// Whether private data can be among them.
    pub has_private: bool,
    /// Whether the other agent is tainted when this one is.
    pub has_words: bool,
}

/// A call of one agent by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowCall {
    /// The index of the agent that calls.
    pub caller: usize,
    /// The index of the agent that is called.
    pub called: usize,
    /// Whether the called agent has parameters.
    pub has_params: bool,
    /// Whether its result is of a type without words.
    pub is_inert: bool,
}

/// An agent, with the steps of data from it to others.
#[derive(Clone, Copy, Debug)]
pub struct FlowAgent<'a> {
    /// The name.
    pub name: &'a str,
    /// Its own tools.
    pub tools: &'a [FlowTool<'a>],
    /// The steps from this agent: the arguments of its calls, and its results to its callers. See [`steps_of`].
    pub steps: &'a [FlowStep],
    /// Its own `whenTainted`.
    pub when_tainted: WhenTainted,
    /// Whether the host runs the agent itself, although others may call it. An agent that nobody calls is run by the host
    /// anyway.
    pub is_first: bool,
}

/// Returns the steps from each agent, from the calls between them.
#[must_use]
pub fn steps_of(agents: usize, calls: &[FlowCall]) -> Vec<Vec<FlowStep>> {
    let mut steps = vec![Vec::new(); agents];
    for call in calls {
        steps[call.caller].push(FlowStep {
            to: call.called,
            is_call: true,
            has_private: call.has_params,
            // A called agent is tainted when its caller is.
            has_words: true,
        });
        steps[call.called].push(FlowStep {
            to: call.caller,
            is_call: false,
            // Numbers can be private.
            has_private: true,
            has_words: !call.is_inert,
        });
    }
    steps
}

/// The kind of data that flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// Private data.
    Private,
    /// Words of strangers.
    Words,
}

/// The shortest way on which data comes into the conversation of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrival {
    /// The number of steps from the agent whose tool returns the data.
    steps: usize,
    /// The index of that tool among the tools of its agent.
    tool: usize,
    /// The index of the agent before the last step; the agent itself if its own tool returns the data.
    from: usize,
    /// Whether the last step is the arguments of a call.
    is_call: bool,
}

/// The data that can be in the conversation of an agent, and the treatment of its calls then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentFlow {
    private: Option<Arrival>,
    words: Option<Arrival>,
    /// Whether the host runs the agent itself.
    is_root: bool,
    when_tainted: Option<WhenTainted>,
}

impl AgentFlow {
    /// The flow of an agent before anything is known.
    pub const NONE: Self = Self {
        private: None,
        words: None,
        is_root: false,
        when_tainted: None,
    };

    /// Whether data of a kind can be in the conversation.
    #[must_use]
    pub const fn has(&self, kind: FlowKind) -> bool {
        self.arrival(kind).is_some()
    }

    /// The `whenTainted` that holds in every run of the agent.
    #[must_use]
    pub const fn when_tainted(&self) -> WhenTainted {
        match self.when_tainted {
            Some(when) => when,
            None => WhenTainted::Allow,
        }
    }

    const fn arrival(&self, kind: FlowKind) -> Option<Arrival> {
        match kind {
            FlowKind::Private => self.private,
            FlowKind::Words => self.words,
        }
    }

    const fn arrive(&mut self, kind: FlowKind, arrival: Arrival) {
        match kind {
            FlowKind::Private => self.private = Some(arrival),
            FlowKind::Words => self.words = Some(arrival),
        }
    }
}

/// Returns the flow of each agent, for a `const`.
#[must_use]
pub const fn flows<const N: usize>(agents: &[FlowAgent<'_>; N]) -> [AgentFlow; N] {
    let mut flows = [AgentFlow::NONE; N];
    let mut queue = [0; N];
    find_flows(agents, &mut flows, &mut queue);
    flows
}

/// Returns the flow of each agent.
#[must_use]
pub fn flows_of(agents: &[FlowAgent<'_>]) -> Vec<AgentFlow> {
    let mut flows = vec![AgentFlow::NONE; agents.len()];
    let mut queue = vec![0; agents.len()];
    find_flows(agents, &mut flows, &mut queue);
    flows
}

/// Finds the flow of each agent. `queue` is memory for one index of each agent.
const fn find_flows(agents: &[FlowAgent<'_>], flows: &mut [AgentFlow], queue: &mut [usize]) {
    spread(agents, flows, queue, FlowKind::Private);
    spread(agents, flows, queue, FlowKind::Words);
    find_roots(agents, flows, queue);
    // The least strict chain to an agent is found first.
    reach(agents, flows, queue, WhenTainted::Allow);
    reach(agents, flows, queue, WhenTainted::Approve);
    reach(agents, flows, queue, WhenTainted::Deny);
}

/// Finds the shortest way of a kind of data to each agent. Each agent enters the queue once.
const fn spread(
    agents: &[FlowAgent<'_>],
    flows: &mut [AgentFlow],
    queue: &mut [usize],
    kind: FlowKind,
) {
    let (mut next, mut end, mut at) = (0, 0, 0);
    while at < agents.len() {
        if let Some(tool) = source(agents[at].tools, kind) {
            let arrival = Arrival {
                steps: 0,
                tool,
                from: at,
                is_call: false,
            };
            flows[at].arrive(kind, arrival);
            queue[end] = at;
            end += 1;
        }
        at += 1;
    }
    while next < end {
        let from = queue[next];
        next += 1;
        let Some(before) = flows[from].arrival(kind) else {
            continue;
        };
        let mut at = 0;
        while at < agents[from].steps.len() {
            let step = agents[from].steps[at];
            at += 1;
            let carries = match kind {
                FlowKind::Private => step.has_private,
                FlowKind::Words => step.has_words,
            };
            if carries && !flows[step.to].has(kind) {
                let arrival = Arrival {
                    steps: before.steps + 1,
                    tool: before.tool,
                    from,
                    is_call: step.is_call,
                };
                flows[step.to].arrive(kind, arrival);
                queue[end] = step.to;
                end += 1;
            }
        }
    }
}

/// Returns the first tool that returns data of a kind. A tool that says so comes before a tool that says nothing.
const fn source(tools: &[FlowTool<'_>], kind: FlowKind) -> Option<usize> {
    let (mut unknown, mut at) = (None, 0);
    while at < tools.len() {
        let tool = &tools[at];
        let is_source = match kind {
            FlowKind::Private => tool.reads_private(),
            FlowKind::Words => tool.has_words(),
        };
        if is_source && !tool.effects.is_unknown() {
            return Some(at);
        }
        if is_source && unknown.is_none() {
            unknown = Some(at);
        }
        at += 1;
    }
    unknown
}

/// Finds the agents that the host runs itself: those that nobody else calls. Agents that only call each other in a circle, and
/// the agents that can only be reached from there, count as such, too.
const fn find_roots(agents: &[FlowAgent<'_>], flows: &mut [AgentFlow], queue: &mut [usize]) {
    let mut at = 0;
    while at < agents.len() {
        flows[at].is_root = true;
        at += 1;
    }
    let mut at = 0;
    while at < agents.len() {
        let mut step = 0;
        while step < agents[at].steps.len() {
            let FlowStep { to, is_call, .. } = agents[at].steps[step];
            if is_call && to != at && !agents[to].is_first {
                flows[to].is_root = false;
            }
            step += 1;
        }
        at += 1;
    }
    reach(agents, flows, queue, WhenTainted::Deny);
    let mut at = 0;
    while at < agents.len() {
        if flows[at].when_tainted.is_none() {
            flows[at].is_root = true;
        }
        flows[at].when_tainted = None;
        at += 1;
    }
}

/// Gives `whenTainted` to the agents without a value that a chain of calls reaches from an agent of the host, if no agent of
/// the chain is stricter than this value.
const fn reach(
    agents: &[FlowAgent<'_>],
    flows: &mut [AgentFlow],
    queue: &mut [usize],
    most: WhenTainted,
) {
    let (mut next, mut end, mut at) = (0, 0, 0);
    while at < agents.len() {
        let is_within = agents[at].when_tainted as u8 <= most as u8;
        if flows[at].is_root && flows[at].when_tainted.is_none() && is_within {
            flows[at].when_tainted = Some(most);
            queue[end] = at;
            end += 1;
        }
        at += 1;
    }
    // The agents that less strict chains reach lead on, too.
    let mut at = 0;
    while at < agents.len() {
        if let Some(when) = flows[at].when_tainted
            && (when as u8) < most as u8
        {
            queue[end] = at;
            end += 1;
        }
        at += 1;
    }
    while next < end {
        let from = queue[next];
        next += 1;
        let mut at = 0;
        while at < agents[from].steps.len() {
            let FlowStep { to, is_call, .. } = agents[from].steps[at];
            at += 1;
            let is_within = agents[to].when_tainted as u8 <= most as u8;
            if is_call && is_within && flows[to].when_tainted.is_none() {
                flows[to].when_tainted = Some(most);
                queue[end] = to;
                end += 1;
            }
        }
    }
}

/// An agent in whose conversation private data and words of strangers come together, and whose tool sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The index of the agent.
    pub agent: usize,
    /// The index of the tool that sends, among the tools of the agent.
    pub way_out: usize,
    /// The number of steps between agents on which private data and words of strangers come to this one.
    pub steps: usize,
    /// The `whenTainted` that closes the way; `Allow` for a leak that is open.
    pub closed_by: WhenTainted,
}

impl Leak {
    /// Whether nothing closes the way.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.closed_by, WhenTainted::Allow)
    }
}

/// Returns the leak of an agent, if there is one that no approval closes. `flows` are the flows of all agents.
#[must_use]
pub const fn leak_of(agents: &[FlowAgent<'_>], flows: &[AgentFlow], agent: usize) -> Option<Leak> {
    let flow = &flows[agent];
    let (Some(private), Some(words), Some(way_out)) =
        (flow.private, flow.words, way_out(agents[agent].tools))
    else {
        return None;
    };
    Some(Leak {
        agent,
        way_out,
        steps: private.steps + words.steps,
        closed_by: flow.when_tainted(),
    })
}

/// Returns the first tool that sends without approval. A tool that says so comes before a tool that says nothing.
const fn way_out(tools: &[FlowTool<'_>]) -> Option<usize> {
    let (mut unknown, mut at) = (None, 0);
    while at < tools.len() {
        if tools[at].sends_freely() && !tools[at].effects.is_unknown() {
            return Some(at);
        }
        if tools[at].sends_freely() && unknown.is_none() {
            unknown = Some(at);
        }
        at += 1;
    }
    unknown
}

/// The way on which data comes into the conversation of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowChain {
    /// The indexes of the agents, from the one whose tool returns the data.
    pub agents: Vec<usize>,
    /// The index of that tool among the tools of the first agent.
    pub tool: usize,
}

/// Returns the shortest way on which data of a kind comes into the conversation of an agent.
#[must_use]
pub fn chain_of(flows: &[AgentFlow], agent: usize, kind: FlowKind) -> Option<FlowChain> {
    let tool = flows[agent].arrival(kind)?.tool;
    let steps = flows[agent].arrival(kind)?.steps;
    let agents = (0..=steps).rev();
    let agents = agents
        .map(|back| before(flows, agent, kind, back))
        .collect();
    Some(FlowChain { agents, tool })
}

/// Returns the agent that is a number of steps before an agent on the way of data to it.
const fn before(flows: &[AgentFlow], agent: usize, kind: FlowKind, steps: usize) -> usize {
    let (mut found, mut left) = (agent, steps);
    while left > 0 {
        if let Some(arrival) = flows[found].arrival(kind) {
            found = arrival.from;
        }
        left -= 1;
    }
    found
}

/// A change of a document that cuts a leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// `whenTainted: "approve"` of the agent with this index.
    WhenTainted(usize),
    /// A result without words of the agent with this index.
    InertResult(usize),
    /// An agent between: it reads the tool, and answers with a type without words.
    ReadByAgent {
        /// The index of the agent that has the tool.
        agent: usize,
        /// The index of the tool among the tools of the agent.
        tool: usize,
    },
}

/// Returns the change beside `whenTainted` that keeps the words of strangers of a leak away from its agent.
#[must_use]
pub const fn cut_of(flows: &[AgentFlow], leak: &Leak) -> Cut {
    let mut agent = leak.agent;
    while let Some(arrival) = flows[agent].words {
        if arrival.steps == 0 {
            return Cut::ReadByAgent {
                agent,
                tool: arrival.tool,
            };
        }
        if !arrival.is_call {
            return Cut::InertResult(arrival.from);
        }
        agent = arrival.from;
    }
    Cut::WhenTainted(leak.agent)
}
