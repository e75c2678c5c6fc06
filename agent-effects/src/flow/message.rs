//! The texts about leaks and destructive tools, and the checks that `agent!` emits: each is a `const` that panics with a text.

use super::{AgentFlow, Cut, FlowAgent, FlowKind, FlowTool, Leak, before, cut_of, leak_of};
use agent_gram::print::writer::{PANIC_TEXT, Writer, to_string};
use agent_types::__private::same_text;

/// The properties that say something of the effects of a tool.
const STATEMENTS: &str = "`reads`, `untrusted`, `sends` or `writes`";

/// Panics with a text when a leak is open whose way out is a tool of an agent. `place` shows the line in a file.
///
/// # Panics
/// When there is such a leak.
#[track_caller]
pub const fn check_leak(
    agents: &[FlowAgent<'_>],
    flows: &[AgentFlow],
    agent: usize,
    tool: usize,
    place: Option<&'static str>,
) {
    let Some(leak) = leak_of(agents, flows, agent) else {
        return;
    };
    if !leak.is_open() || leak.way_out != tool {
        return;
    }
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    write_leak(&mut writer, agents, flows, &leak);
    stop(&mut writer, place)
}

/// Panics with a text when a tool of an agent is destructive and nobody must approve its calls. `place` shows the line in a
/// file.
///
/// # Panics
/// When the tool is such a tool.
#[track_caller]
pub const fn check_destructive(agent: &str, tool: &FlowTool<'_>, place: Option<&'static str>) {
    if !tool.destroys_freely() {
        return;
    }
    let mut buffer = [0; PANIC_TEXT];
    let mut writer = Writer::new(&mut buffer);
    write_destructive(&mut writer, agent, tool);
    stop(&mut writer, place)
}

#[track_caller]
const fn stop(writer: &mut Writer<'_>, place: Option<&'static str>) -> ! {
    if let Some(place) = place {
        writer.texts(&["\n", place]);
    }
    writer.panic()
}

/// Returns the text about a leak: where the data come from, the way out, and what would cut it.
#[must_use]
pub fn leak_text(agents: &[FlowAgent<'_>], flows: &[AgentFlow], leak: &Leak) -> String {
    to_string(|writer| write_leak(writer, agents, flows, leak))
}

/// Returns the text about a tool that is destructive and whose calls nobody must approve.
#[must_use]
pub fn destructive_text(agent: &str, tool: &FlowTool<'_>) -> String {
    to_string(|writer| write_destructive(writer, agent, tool))
}

const fn write_leak(
    writer: &mut Writer<'_>,
    agents: &[FlowAgent<'_>],
    flows: &[AgentFlow],
    leak: &Leak,
) {
    let (name, way_out) = (
        agents[leak.agent].name,
        &agents[leak.agent].tools[leak.way_out],
    );
    writer.texts(&[
        "private data and words of strangers come together in `",
        name,
        "`, whose tool `",
        way_out.name,
        "` sends: private data by ",
    ]);
    write_chain(writer, agents, flows, leak.agent, FlowKind::Private);
    writer.text(", words of strangers by ");
    write_chain(writer, agents, flows, leak.agent, FlowKind::Words);
    if leak.is_open() {
        writer.texts(&["; write `whenTainted: \"approve\"` in `", name, "`"]);
        write_cut(writer, agents, cut_of(flows, leak));
    } else {
        let when = leak.closed_by.as_str();
        writer.texts(&["; `whenTainted: \"", when, "\"` closes it"]);
    }
    let mut named = [way_out.name, "", ""];
    write_unknown(writer, way_out);
    let kinds = [FlowKind::Private, FlowKind::Words];
    let mut at = 0;
    while at < kinds.len() {
        if let Some(tool) = source(agents, flows, leak.agent, kinds[at])
            && !same_text(named[0], tool.name)
            && !same_text(named[1], tool.name)
        {
            named[at + 1] = tool.name;
            write_unknown(writer, tool);
        }
        at += 1;
    }
}

/// Returns the tool from which data of a kind comes into the conversation of an agent.
const fn source<'a>(
    agents: &[FlowAgent<'a>],
    flows: &[AgentFlow],
    agent: usize,
    kind: FlowKind,
) -> Option<&'a FlowTool<'a>> {
    match flows[agent].arrival(kind) {
        Some(arrival) => {
            let first = before(flows, agent, kind, arrival.steps);
            Some(&agents[first].tools[arrival.tool])
        }
        None => None,
    }
}

/// Writes the tool from which data comes, and the agents on its way.
const fn write_chain(
    writer: &mut Writer<'_>,
    agents: &[FlowAgent<'_>],
    flows: &[AgentFlow],
    agent: usize,
    kind: FlowKind,
) {
    let (Some(arrival), Some(tool)) = (
        flows[agent].arrival(kind),
        source(agents, flows, agent, kind),
    ) else {
        return;
    };
    writer.texts(&["`", tool.name, "`"]);
    let mut left = arrival.steps;
    // The agent itself is named before.
    while left > 0 {
        let passed = before(flows, agent, kind, left);
        writer.texts(&[" → `", agents[passed].name, "`"]);
        left -= 1;
    }
}

const fn write_cut(writer: &mut Writer<'_>, agents: &[FlowAgent<'_>], cut: Cut) {
    match cut {
        Cut::WhenTainted(_) => {}
        Cut::InertResult(agent) => {
            writer.texts(&[
                ", or give `",
                agents[agent].name,
                "` a result of a type without words",
            ]);
        }
        Cut::ReadByAgent { agent, tool } => {
            writer.texts(&[
                ", or let an agent read `",
                agents[agent].tools[tool].name,
                "` and answer with a type without words",
            ]);
        }
    }
}

const fn write_unknown(writer: &mut Writer<'_>, tool: &FlowTool<'_>) {
    if tool.effects.is_unknown() {
        writer.texts(&[
            "; `",
            tool.name,
            "` says nothing of its effects and counts as all of them: write ",
            STATEMENTS,
        ]);
    }
}

const fn write_destructive(writer: &mut Writer<'_>, agent: &str, tool: &FlowTool<'_>) {
    writer.texts(&["`", tool.name, "` of `", agent, "` "]);
    if tool.effects.is_unknown() {
        writer.texts(&[
            "says nothing of its effects and counts as a tool whose calls cannot be undone, and nobody must approve them; \
             write ",
            STATEMENTS,
            ", or `requiresApproval: true`",
        ]);
    } else {
        writer.text(
            "does what cannot be undone, and nobody must approve its calls; write `requiresApproval: true`",
        );
    }
}
