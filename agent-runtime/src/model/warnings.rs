//! The warnings about settings that a request was sent without, or with another value.

use agent_spec::vocabulary::Setting;

/// The warnings about a request: the settings that it was sent without, or with another value.
#[derive(Debug, Default)]
pub(super) struct Warnings(Vec<(Setting, String)>);

impl Warnings {
    /// Adds a setting that was not sent, and why.
    pub(super) fn not_sent(&mut self, setting: Setting, why: impl AsRef<str>) {
        let text = format!("`{}` was not sent: {}", setting.key(), why.as_ref());
        self.0.push((setting, text));
    }

    /// Adds a setting that the format of a provider has no member for.
    pub(super) fn unsupported(&mut self, setting: Setting, provider: &str) {
        self.not_sent(setting, format!("{provider} has no such setting"));
    }

    /// Adds a setting that was sent with another value.
    pub(super) fn changed(&mut self, setting: Setting, text: String) {
        self.0.push((setting, text));
    }

    /// Logs the warnings in the order in which settings are written, and returns their texts.
    pub(super) fn reported(mut self, provider: &str) -> Vec<String> {
        self.0
            .sort_by_key(|(setting, _)| Setting::ALL.iter().position(|known| known == setting));
        for (setting, text) in &self.0 {
            tracing::warn!(provider, setting = setting.key(), "{text}");
        }
        self.0.into_iter().map(|(_, text)| text).collect()
    }
}
