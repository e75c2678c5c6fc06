//! The audit of the agents of a document: what a message can cause, leaks, and destructive tools. The rules are in
//! [`effects::audit`](agent_effects::audit).

use crate::agent::Agent;
use crate::check::{AgentElement, AgentNode, ModelRules};
use crate::model::Model;
use crate::settings::Settings;
use crate::tool::{ToolDescriptor, ToolSpec};
use agent_catalog::Price;
use agent_effects::audit::{AgentAudit, AuditedAgent};
use agent_effects::bounds::BoundedAgent;
use agent_effects::flow::{FlowCall, FlowTool};
use agent_effects::{Effect, Effects, is_inert, is_inert_in};
use std::collections::HashMap;

/// Audits the agents of a document, in order. The prices of their models are those of `rules`; without `rules`, no price is
/// known.
///
/// ```
/// use agent_spec::audit::audit;
/// use agent_spec::check::{Options, check};
///
/// let checked = check(
///     "[mail:Agent {instruction: \"Help.\", model: \"Offline/m\", maxIterations: 4} |
///         [readMail:Tool {description: \"d\", reads: [\"private\"], untrusted: true} | ()==>(::String)],
///         [sendMail:Tool {description: \"d\", sends: true} | (text::Text)==>(::Null)]]",
///     Options::default(),
/// );
/// let audits = audit(&checked.agents, None);
/// assert_eq!(audits[0].open_leak().expect("a leak").way_out, "sendMail");
/// assert_eq!(audits[0].bound.requests, 10);
/// ```
#[must_use]
pub fn audit<'a>(
    nodes: impl IntoIterator<Item = &'a AgentNode>,
    rules: Option<&ModelRules<'_>>,
) -> Vec<AgentAudit> {
    let nodes: Vec<&AgentNode> = nodes.into_iter().collect();
    let agents: Vec<AuditedAgent<'_>> = nodes.iter().map(|node| audited(node, rules)).collect();
    agent_effects::audit::audit(&agents, &calls_of(nodes.iter().copied()))
}

/// Returns the calls between the agents of a document.
#[must_use]
pub fn calls_of<'a>(nodes: impl IntoIterator<Item = &'a AgentNode>) -> Vec<FlowCall> {
    let nodes: Vec<&AgentNode> = nodes.into_iter().collect();
    let mut places = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        places.entry(node.agent.name()).or_insert(at);
    }
    let mut calls = Vec::new();
    for (caller, node) in nodes.iter().enumerate() {
        for element in &node.elements {
            let AgentElement::Agent { name, .. } = element else {
                continue;
            };
            // An agent with errors is not among the nodes.
            let Some(called) = places.get(name.as_str()).copied() else {
                continue;
            };
            let signature = nodes[called].agent.signature();
            calls.push(FlowCall {
                caller,
                called,
                has_params: !signature.params().is_empty(),
                is_inert: is_inert(signature.returns().ty()),
            });
        }
    }
    calls
}

fn audited<'a>(node: &'a AgentNode, rules: Option<&ModelRules<'_>>) -> AuditedAgent<'a> {
    let (agent, settings) = (&node.agent, node.agent.settings());
    let tools = node.elements.iter().filter_map(|element| match element {
        AgentElement::Tool { tool, .. } => Some(FlowTool {
            name: tool.spec.name(),
            effects: tool.spec.effects(),
            is_inert: is_inert_in(tool.spec.signature().returns().ty(), tool.spec.vocabulary()),
            requires_approval: tool.spec.requires_approval(),
        }),
        AgentElement::Agent { .. } => None,
        AgentElement::Unknown { name, .. } => Some(FlowTool {
            name,
            effects: Effects::NONE,
            is_inert: false,
            requires_approval: false,
        }),
    });
    let dollars = rules.map_or_else(
        || Err("no prices are known here".to_owned()),
        |rules| request_dollars(agent, rules),
    );
    let parameters = settings.untrusted.iter();
    let parameters = parameters.map(|name| FlowTool::of_parameter(name.as_str()));
    AuditedAgent {
        name: agent.name(),
        tools: tools.chain(parameters).collect(),
        when_tainted: settings.when_tainted.unwrap_or_default(),
        bounded: BoundedAgent {
            has_tools: !node.elements.is_empty(),
            max_iterations: settings.max_iterations,
            max_depth: settings.max_depth,
            is_typed: agent.stated_output().is_some(),
            fallbacks: settings.fallback.len(),
            request_dollars: dollars.as_ref().ok().copied(),
            ..BoundedAgent::default()
        },
        unpriced: dollars.err(),
    }
}

/// Returns the dollars of the largest possible request of an agent, to the dearest of its models: a full context window, and
/// the longest answer.
///
/// # Errors
/// Returns the reason why they are not known, and what would make them known.
fn request_dollars(agent: &Agent, rules: &ModelRules<'_>) -> Result<f64, String> {
    let settings = agent.settings();
    let own = rules.instead.unwrap_or(agent.model());
    let provider = rules.catalog.provider(own.provider());
    if let Some(address) = &settings.base_url
        && !provider.is_some_and(|provider| provider.is_at(address))
    {
        return Err(format!(
            "`{}` has a `baseUrl`, and the prices of the catalogue hold at the vendor's own address",
            agent.name()
        ));
    }
    let mut models = std::iter::once(own).chain(settings.fallback.iter());
    models.try_fold(0.0, |most: f64, model| {
        Ok(most.max(model_dollars(model, settings, rules)?))
    })
}

fn model_dollars(
    model: &Model,
    settings: &Settings,
    rules: &ModelRules<'_>,
) -> Result<f64, String> {
    // Both answer without a request to a vendor.
    if matches!(model.provider(), "Offline" | "Scripted") {
        return Ok(0.0);
    }
    let unknown = |part: &str| {
        format!("the catalogue has no `{part}` of `{model}`; add a row to a catalogue of your own")
    };
    let found = rules.row_of(model).ok_or_else(|| unknown("price"))?;
    let prices = found.row.price.as_ref().and_then(|price| {
        let window = found.row.context_window.unwrap_or(u64::MAX);
        dearest(price, window)
    });
    let (input, output) = prices.ok_or_else(|| unknown("price"))?;
    let window = found.row.context_window;
    let window = window.ok_or_else(|| unknown("contextWindow"))?;
    let written = settings.max_tokens.map(u64::from);
    let written = written.or(found.row.max_output_tokens).ok_or_else(|| {
        format!("the longest answer of `{model}` is not known; write `maxTokens`")
    })?;
    Ok((window as f64 * input + written as f64 * output) / 1e6)
}

/// Returns the highest prices of a token that is sent and of one that is written, whether a cache stores it or not.
fn dearest(price: &Price, window: u64) -> Option<(f64, f64)> {
    let (input, output) = (price.input?, price.output?);
    let most = |prices: &[Option<f64>]| {
        prices
            .iter()
            .flatten()
            .fold(0.0, |most: f64, one| most.max(*one))
    };
    let sent = most(&[
        price.input,
        price.cached_input,
        price.cache_write,
        price.long_cache_write,
    ]);
    let long = price.long_context.as_ref();
    let Some(long) = long.filter(|long| long.above.is_none_or(|above| window > above)) else {
        return Some((sent, output));
    };
    // A price that a long request has no own one for grows as the price of its input.
    let grown = match input > 0.0 {
        true => sent * long.input.unwrap_or(input).max(input) / input,
        false => sent,
    };
    let sent = most(&[Some(grown), long.input, long.cached_input, long.cache_write]);
    Some((sent, most(&[Some(output), long.output])))
}

/// Returns a tool of an agent for the flows in the output of `agent!`: what the document and the function state. A tool that
/// another check reports as missing or broken counts as one without effects, so that one mistake gives one message.
#[must_use]
pub const fn flow_tool(
    spec: &'static ToolSpec,
    tool: Option<&'static ToolDescriptor>,
    is_dynamic: bool,
) -> FlowTool<'static> {
    let (effects, requires_approval) = match tool {
        Some(tool) if !tool.is_broken() => {
            let settings = tool.settings();
            (
                spec.effects().or(settings.effects),
                settings.requires_approval,
            )
        }
        None if is_dynamic => (spec.effects(), false),
        _ => (Effects::NONE.with(Effect::Untrusted, false), true),
    };
    FlowTool {
        name: spec.name(),
        effects,
        is_inert: is_inert_in(spec.signature().returns().ty(), spec.vocabulary()),
        requires_approval: requires_approval || spec.requires_approval(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Options, check};
    use agent_catalog::{Catalog, Document};

    fn audits(source: &str, models: &str) -> Vec<AgentAudit> {
        let catalog = Catalog::builtin().with(&Document::read(models));
        let catalog = catalog.expect("no mistakes");
        let checked = check(
            source,
            Options {
                providers: &["Acme"],
                ..Options::default()
            },
        );
        assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
        audit(&checked.agents, Some(&ModelRules::new(&catalog)))
    }

    const MODELS: &str = "[Acme:Catalog | [m:Model {contextWindow: 1000000, maxOutputTokens: 100000, price: {
        input: 2.0, cacheWrite: 3.0, output: 10.0, longContext: {above: 200000, input: 4.0, output: 15.0}}}],
        [bare:Model {price: {input: 1.0, output: 1.0}}],
        [short:Model {contextWindow: 1000000, price: {input: 1.0, output: 1.0}}]]";

    #[test]
    fn the_largest_request_fills_the_window_at_the_dearest_price() {
        for (settings, dollars) in [
            // Two requests of a million tokens at 6.0, which the cache stores, and 100,000 at 15.0.
            ("model: \"Acme/m\"", Some(15.0)),
            ("model: \"Acme/m\", maxTokens: 1000", Some(12.03)),
            ("model: \"Offline/m\"", Some(0.0)),
            // The dearest of all models counts, and a fallback is one more request.
            ("model: \"Offline/m\", fallback: [\"Acme/m\"]", Some(22.5)),
            ("model: \"Acme/m\", baseUrl: \"http://localhost:1\"", None),
            ("model: \"Acme/other\"", None),
            ("model: \"Acme/bare\"", None),
            ("model: \"Acme/short\"", None),
            ("model: \"Acme/short\", maxTokens: 1000", Some(2.002)),
        ] {
            let source = format!("[a:Agent {{instruction: \"i\", {settings}}}]");
            let found = audits(&source, MODELS);
            let (bound, reasons) = (found[0].bound, &found[0].unbounded);
            let cents = |dollars: f64| (dollars * 10_000.0).round();
            assert_eq!(
                bound.dollars.map(cents),
                dollars.map(cents),
                "{settings}: {reasons:?}"
            );
        }
    }

    #[test]
    fn parameters_bring_words_of_strangers_in() {
        let source = "[answers:Agent {instruction: \"i\", model: \"Offline/m\", untrusted: [\"mail\"]} |
            (mail::Text)==>(::String),
            [send:Tool {description: \"d\", sends: true, reads: [\"private\"]} | (a::Text)==>(::Null)]]";
        let found = audits(source, MODELS);
        assert_eq!(
            found[0].open_leak().expect("a leak").words,
            ["mail", "answers"]
        );
    }

    #[test]
    fn agents_call_each_other_by_their_signatures() {
        let source = "
            [desk:Agent {instruction: \"i\", model: \"Offline/m\", maxIterations: 1} | triage,
                [send:Tool {description: \"d\", sends: true} | (a::Text)==>(::Null)]]
            [triage:Agent {description: \"d\", instruction: \"i\", model: \"Offline/m\", maxIterations: 1} |
                (mail::Text)==>(::RESULT),
                [read:Tool {description: \"d\", reads: [\"private\"], untrusted: true} | ()==>(::String)]]";
        for (result, leaks) in [("String", true), ("Bool", false)] {
            let found = audits(&source.replace("RESULT", result), MODELS);
            assert_eq!(found[0].leak.is_some(), leaks, "{result}");
        }
    }
}
