//! The audit of the agents of a document: what a message can cause, leaks, and destructive tools.
//!
//! An audit reads labels, types and settings. It does not look at what tools do.

#[cfg(test)]
mod tests;

use crate::bounds::{
    BoundedAgent, DEFAULT_DEPTH, DEFAULT_ITERATIONS, MessageBound, MissingSetting, bounds_of,
    count_text,
};
use crate::flow::{
    Cut, FlowAgent, FlowCall, FlowKind, FlowTool, Leak, chain_of, cut_of, destructive_text,
    flows_of, leak_of, leak_text, steps_of,
};
use crate::taint::WhenTainted;

/// An agent that is audited.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditedAgent<'a> {
    /// The name.
    pub name: &'a str,
    /// Its own tools, and its parameters with words of strangers.
    pub tools: Vec<FlowTool<'a>>,
    /// Its own `whenTainted`.
    pub when_tainted: WhenTainted,
    /// The facts on which its bounds depend. [`audit`] fills in `calls`.
    pub bounded: BoundedAgent,
    /// The reason why the price of its requests is not known, and what would make it known.
    pub unpriced: Option<String>,
}

/// The audit of one agent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentAudit {
    /// The name.
    pub name: String,
    /// The most that one message to the agent can cause.
    pub bound: MessageBound,
    /// The reasons why requests and calls, or dollars, count as unbounded, each with the setting that would bound them.
    pub unbounded: Vec<String>,
    /// The leak, if private data, words of strangers and a tool that sends come together in the agent.
    pub leak: Option<AuditedLeak>,
    /// The tools that are destructive and whose calls nobody must approve, each with a text.
    pub destructive: Vec<(String, String)>,
    /// The tools that say nothing of their effects.
    pub unknown: Vec<String>,
    /// The `whenTainted` that holds in every run of the agent, because of its own and of those of the agents that call it.
    pub when_tainted: WhenTainted,
}

/// A leak, in names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditedLeak {
    /// The leak.
    pub leak: Leak,
    /// The tool that reads the private data, and the agents that the data passes, this one last.
    pub private: Vec<String>,
    /// The tool that returns the words of strangers, and the agents that the words pass, this one last.
    pub words: Vec<String>,
    /// The tool that sends.
    pub way_out: String,
    /// The changes that would cut an open leak, each as the end of a sentence that begins with "To cut this, ".
    pub cuts: Vec<String>,
    /// All of this in one text.
    pub text: String,
}

impl AgentAudit {
    /// Returns the leak, if nothing closes it.
    #[must_use]
    pub fn open_leak(&self) -> Option<&AuditedLeak> {
        self.leak.as_ref().filter(|found| found.leak.is_open())
    }
}

/// Audits the agents of a document. The agents that nobody calls are those that the host runs.
#[must_use]
pub fn audit(agents: &[AuditedAgent<'_>], calls: &[FlowCall]) -> Vec<AgentAudit> {
    let steps = steps_of(agents.len(), calls);
    let graph: Vec<FlowAgent<'_>> = agents
        .iter()
        .zip(&steps)
        .map(|(agent, steps)| FlowAgent {
            name: agent.name,
            tools: &agent.tools,
            steps,
            when_tainted: agent.when_tainted,
            is_first: false,
        })
        .collect();
    let flows = flows_of(&graph);
    let bounds = bounds_of(&bounded(agents, calls));
    let audits = agents.iter().zip(bounds).enumerate();
    audits
        .map(|(at, (agent, bound))| {
            let tools = agent.tools.iter();
            let destructive = tools.clone().filter(|tool| tool.destroys_freely());
            let unknown = tools.filter(|tool| tool.effects.is_unknown());
            let leak = leak_of(&graph, &flows, at).map(|leak| {
                let chain = |kind| named_chain(&graph, &flows, at, kind);
                AuditedLeak {
                    private: chain(FlowKind::Private),
                    words: chain(FlowKind::Words),
                    way_out: agent.tools[leak.way_out].name.to_owned(),
                    cuts: cuts(&graph, &leak, cut_of(&flows, &leak)),
                    text: leak_text(&graph, &flows, &leak),
                    leak,
                }
            });
            AgentAudit {
                name: agent.name.to_owned(),
                unbounded: unbounded(agents, &bound),
                bound,
                leak,
                destructive: destructive
                    .map(|tool| (tool.name.to_owned(), destructive_text(agent.name, tool)))
                    .collect(),
                unknown: unknown.map(|tool| tool.name.to_owned()).collect(),
                when_tainted: flows[at].when_tainted(),
            }
        })
        .collect()
}

fn bounded(agents: &[AuditedAgent<'_>], calls: &[FlowCall]) -> Vec<BoundedAgent> {
    let mut bounded: Vec<BoundedAgent> = agents.iter().map(|one| one.bounded.clone()).collect();
    for call in calls {
        bounded[call.caller].calls.push(call.called);
    }
    for bounded in &mut bounded {
        bounded.has_tools |= !bounded.calls.is_empty();
    }
    bounded
}

/// Returns the name of the tool from which data comes, and the names of the agents on its way.
fn named_chain(
    agents: &[FlowAgent<'_>],
    flows: &[crate::flow::AgentFlow],
    at: usize,
    kind: FlowKind,
) -> Vec<String> {
    let Some(chain) = chain_of(flows, at, kind) else {
        return Vec::new();
    };
    let tool = agents[chain.agents[0]].tools[chain.tool].name;
    let passed = chain.agents.iter().map(|at| agents[*at].name);
    std::iter::once(tool)
        .chain(passed)
        .map(str::to_owned)
        .collect()
}

fn cuts(agents: &[FlowAgent<'_>], leak: &Leak, cut: Cut) -> Vec<String> {
    let name = agents[leak.agent].name;
    let mut cuts = vec![format!("write `whenTainted: \"approve\"` in `{name}`")];
    match cut {
        Cut::WhenTainted(_) => {}
        Cut::InertResult(agent) => cuts.push(format!(
            "give `{}` a result of a type without words",
            agents[agent].name
        )),
        Cut::ReadByAgent { agent, tool } => cuts.push(format!(
            "let an agent read `{}` and answer with a type without words",
            agents[agent].tools[tool].name
        )),
    }
    cuts
}

fn unbounded(agents: &[AuditedAgent<'_>], bound: &MessageBound) -> Vec<String> {
    let counts = || {
        let (requests, calls) = (count_text(bound.requests), count_text(bound.calls));
        format!("at most {requests} requests and {calls} calls")
    };
    let missing = bound.missing.map(|missing| match missing {
        MissingSetting::Iterations(at) => format!(
            "`{}` does not state `maxIterations`; with its default of {DEFAULT_ITERATIONS}, a message causes {}",
            agents[at].name,
            counts()
        ),
        MissingSetting::Depth(at) => format!(
            "`{}` does not state `maxDepth`, and agents call each other in a circle; with its default of \
             {DEFAULT_DEPTH}, a message causes {}",
            agents[at].name,
            counts()
        ),
    });
    let unpriced = bound.unpriced.map(|at| {
        let reason = agents[at].unpriced.as_deref();
        let reason = reason.unwrap_or("no price is known");
        format!("the dollars are not known: {reason}")
    });
    missing.into_iter().chain(unpriced).collect()
}
