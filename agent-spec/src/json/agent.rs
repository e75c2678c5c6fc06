//! Agents as JSON.

use super::ordered::{Members, Ordered, serialize_members};
use super::property::property;
use super::tool::{add_extra, tool_to_ordered};
use crate::agent::{AGENT_KEYS, Agent, Settings};
use crate::duration::duration_text;
use agent_gram::Value;
use agent_gram::value::{Decimal, Text};
use serde_core::ser::{Serialize, Serializer};

/// The member that lists an agent's tools.
pub(super) const TOOLS: &str = "tools";

impl Agent {
    /// The JSON form: `{"name", "description"?, "model", "instruction", "tools"}`, then the
    /// settings that are set, then further properties in the form of [`super::pattern_to_json`].
    ///
    /// A further property that has the name of one of these members is left out, since it would be
    /// read as that member.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        Ordered::Object(members(self)).to_value()
    }
}

fn members(agent: &Agent) -> Vec<(Text, Ordered)> {
    let tools = agent.tools().iter().map(tool_to_ordered).collect();
    let mut members = Members::default();
    members.add_text("name", agent.name());
    if let Some(description) = agent.description() {
        members.add_text("description", description);
    }
    members.add("model", Ordered::text(agent.model().to_string()));
    members.add_text("instruction", agent.instruction());
    members.add(TOOLS, Ordered::Array(tools));
    add_settings(&mut members, agent.settings());
    let known: Vec<_> = AGENT_KEYS.into_iter().chain([TOOLS]).collect();
    add_extra(&mut members, agent.extra(), &known);
    members.into_vec()
}

fn add_settings(members: &mut Members, settings: &Settings) {
    let decimal = |value: &Decimal| Ordered::Number(value.value());
    let whole = |value: u32| Ordered::Integer(value.into());
    members.add_some("temperature", settings.temperature.as_ref().map(decimal));
    members.add_some("topP", settings.top_p.as_ref().map(decimal));
    let seed = settings.seed.map(|seed| Ordered::Integer(seed.into()));
    members.add_some("seed", seed);
    members.add_some("maxTokens", settings.max_tokens.map(whole));
    if !settings.stop.is_empty() {
        let stop = settings.stop.iter().cloned().map(Ordered::Text).collect();
        members.add("stop", Ordered::Array(stop));
    }
    let effort = settings.reasoning_effort;
    members.add_some(
        "reasoningEffort",
        effort.map(|effort| Ordered::text(effort.as_str())),
    );
    let choice = settings.tool_choice.as_ref();
    let choice = choice.map(|choice| Ordered::text(choice.as_str().to_owned()));
    members.add_some("toolChoice", choice);
    members.add_some("maxIterations", settings.max_iterations.map(whole));
    let timeout = settings.tool_timeout.map(duration_text);
    members.add_some("toolTimeout", timeout.map(Ordered::text));
    members.add_some("baseUrl", settings.base_url.clone().map(Ordered::Text));
    if !settings.fallback.is_empty() {
        let models = settings.fallback.iter();
        let models = models.map(|model| Ordered::text(model.to_string()));
        members.add("fallback", Ordered::Array(models.collect()));
    }
    if let Some(grants) = &settings.grants {
        let parts = grants.parts().into_iter();
        let parts = parts.filter(|(_, list)| !list.is_empty());
        let list = |list: &[Text]| list.iter().cloned().map(Ordered::Text).collect();
        let parts = parts.map(|(key, part)| (Text::from_static(key), Ordered::Array(list(part))));
        members.add("grants", Ordered::Object(parts.collect()));
    }
    if !settings.extra.is_empty() {
        members.add("extra", property(&Value::Map(settings.extra.clone())));
    }
}

impl Settings {
    /// The settings that are set, as members of a JSON object.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let mut members = Members::default();
        add_settings(&mut members, self);
        Ordered::Object(members.into_vec()).to_value()
    }
}

impl Serialize for Agent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_members(&members(self), serializer)
    }
}
