//! A model and settings that a person tries, in place of those of a document.

use crate::documents::DocumentAgent;
use crate::problem::Problem;
use agent_gram::{Pattern, Subject};
use agent_runtime::Agent;
use agent_spec::check::Checked;
use agent_spec::json::{json_to_value, value_to_json};
use agent_spec::vocabulary::Setting;
use agent_spec::{Diagnostic, Severity};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Checks a text as if the document of this name had it.
pub(crate) type Check = dyn Fn(&str, &str) -> Result<Checked, String> + Send + Sync;

/// The settings that a person can try. The others, such as grants and addresses, are not for trying.
pub(crate) const TRIED: [Setting; 11] = [
    Setting::Temperature,
    Setting::TopP,
    Setting::MaxTokens,
    Setting::ReasoningEffort,
    Setting::Thinking,
    Setting::ThinkingBudget,
    Setting::Seed,
    Setting::Stop,
    Setting::ToolChoice,
    Setting::Cache,
    Setting::MaxIterations,
];

/// A model, and all settings of [`TRIED`] that are set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trial {
    model: String,
    #[serde(default)]
    settings: Map<String, Value>,
}

impl Trial {
    /// Checks an agent with this model and these settings. Returns the findings, and the agent if there is no error.
    pub(crate) fn apply(
        &self,
        check: &Check,
        agent: &DocumentAgent,
    ) -> Result<(Vec<Diagnostic>, Option<Agent>), Problem> {
        let text = self.text(&agent.agent)?;
        let checked = check(&agent.document, &text);
        let Checked {
            agents,
            diagnostics,
            ..
        } = checked.map_err(Problem::bad_request)?;
        let mut agents = agents.into_iter().map(|node| node.agent);
        let changed = agents.find(|changed| changed.name() == agent.agent.name());
        let has_errors = diagnostics.iter().any(is_error);
        Ok((diagnostics, changed.filter(|_| !has_errors)))
    }

    /// Returns the text of a document with the agent.
    fn text(&self, agent: &Agent) -> Result<String, Problem> {
        let (mut subject, elements) = agent.to_pattern().as_pattern().clone().into_parts();
        let properties = &mut subject.properties;
        for setting in TRIED {
            properties.remove(setting.key());
        }
        let mut set = |key: &str, value: &Value| {
            let value = json_to_value(value).ok_or_else(|| {
                Problem::bad_request(format_args!("the value of `{key}` is no value of gram"))
            })?;
            let set = properties.insert(key.to_owned(), value);
            set.map(drop).map_err(Problem::bad_request)
        };
        set("model", &Value::from(self.model.as_str()))?;
        for (key, value) in self.settings.iter().filter(|(_, value)| !value.is_null()) {
            if !TRIED.iter().any(|setting| setting.key() == key) {
                let text = format_args!("`{key}` is no setting that can be tried here");
                return Err(Problem::bad_request(text));
            }
            set(key, value)?;
        }
        let pattern = Pattern::new(subject, elements).map_err(Problem::bad_request)?;
        Ok(agent_gram::print::print_with_references(&pattern))
    }
}

/// Returns the settings of an agent that can be tried.
pub(crate) fn settings_of(agent: &Agent) -> Value {
    let pattern = agent.to_pattern();
    let Subject { properties, .. } = pattern.as_pattern().subject();
    let settings = TRIED.iter().filter_map(|setting| {
        let value = properties.get(setting.key()).and_then(value_to_json)?;
        Some((setting.key().to_owned(), value))
    });
    Value::Object(settings.collect())
}

/// Whether a finding keeps an agent from running.
pub(crate) fn is_error(finding: &Diagnostic) -> bool {
    finding.severity() == Severity::Error
}
