//! JSON objects whose members keep their order.

use crate::error::Error;
use agent_gram::value::Text;
use agent_spec::Settings;
use agent_spec::json::Ordered;
use agent_spec::settings::RESERVED_EXTRAS;

/// An object being put together.
#[derive(Default)]
pub(in crate::model) struct Object(Vec<(Text, Ordered)>);

impl Object {
    pub(in crate::model) fn add(&mut self, key: &'static str, value: Ordered) {
        self.0.push((key.into(), value));
    }

    pub(in crate::model) fn text(&mut self, key: &'static str, text: impl Into<String>) {
        self.add(key, Ordered::text(text.into()));
    }

    pub(in crate::model) fn list(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = Ordered>,
    ) {
        self.add(key, Ordered::Array(items.into_iter().collect()));
    }

    /// The same object with a text.
    pub(in crate::model) fn with_text(
        mut self,
        key: &'static str,
        text: impl Into<String>,
    ) -> Self {
        self.text(key, text);
        self
    }

    /// The same object with a value.
    pub(in crate::model) fn with(mut self, key: &'static str, value: Ordered) -> Self {
        self.add(key, value);
        self
    }

    pub(in crate::model) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::model) fn into_value(self) -> Ordered {
        Ordered::Object(self.0)
    }
}

/// The text of a request with what `extra` adds: its members stand beside the others, and a record
/// in it is put together with the record of that name. Nothing that is there is replaced.
///
/// # Errors
/// Configuration when a member is there already; it names what says the same, if an agent has that.
/// Only names are told, since what is sent may be private.
pub(in crate::model) fn finished(body: Object, settings: &Settings) -> Result<String, Error> {
    let mut body = body.into_value();
    if !settings.extra.is_empty()
        && let Ordered::Object(members) = &mut body
    {
        let Some(extra) = settings.extra_members() else {
            let text = "the agent's `extra` holds something that JSON has no form for";
            return Err(Error::configuration(text));
        };
        let mut reserved = extra.iter().map(|(key, _)| key.as_str());
        let reserved = reserved.find(|key| RESERVED_EXTRAS.contains(key));
        let merged = match reserved {
            Some(key) => Err(key.to_owned()),
            None => merge(members, extra),
        };
        merged.map_err(|path| Error::configuration(refusal(&path)))?;
    }
    Ok(body.to_string())
}

/// Why a member is not added, and what says it instead.
fn refusal(path: &str) -> String {
    let refused = format!("the agent's `extra` says `{path}`, which the request has already");
    match own_word(path) {
        Some(word) => format!("{refused}; say it with the agent's own `{word}`"),
        None => format!("{refused}; `extra` can only add to a request"),
    }
}

/// What an agent has for a member that providers are sent, whatever they call it. Some are sent
/// although the agent does not say them.
fn own_word(path: &str) -> Option<&'static str> {
    Some(match path.rsplit('.').next()? {
        "max_tokens" | "max_completion_tokens" | "maxOutputTokens" | "num_predict" => "maxTokens",
        "temperature" => "temperature",
        "top_p" | "topP" => "topP",
        "seed" => "seed",
        "stop" | "stop_sequences" | "stopSequences" => "stop",
        "reasoning_effort" | "effort" | "thinkingLevel" | "think" => "reasoningEffort",
        "tool_choice" | "toolConfig" | "mode" | "allowedFunctionNames" => "toolChoice",
        "system" | "systemInstruction" => "instruction",
        "model" => "model",
        _ => return None,
    })
}

/// Adds members; fails with the path of the first that is there already.
fn merge(members: &mut Vec<(Text, Ordered)>, extra: Vec<(Text, Ordered)>) -> Result<(), String> {
    // Those of `extra` differ among themselves, so only the request's own are looked through.
    let own = members.len();
    for (key, value) in extra {
        let held = members[..own].iter_mut().find(|(held, _)| *held == key);
        match (held, value) {
            (None, value) => members.push((key, value)),
            (Some((_, Ordered::Object(held))), Ordered::Object(value)) => {
                merge(held, value).map_err(|path| format!("{key}.{path}"))?;
            }
            (Some(_), _) => return Err(key.into_string()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(extra: &str) -> Settings {
        let gram =
            format!("[a:Agent {{instruction: \"i\", model: \"Offline/m\", extra: {extra}}}]");
        let agent = agent_spec::AgentPattern::parse(&gram).expect("an agent");
        agent.to_agent().expect("an agent").settings().clone()
    }

    fn body() -> Object {
        let options = Object::default().with("top_p", Ordered::Number(0.5));
        let body = Object::default().with_text("model", "m");
        body.with("options", options.into_value())
    }

    #[test]
    fn members_are_added_in_order_at_any_depth() {
        let extra =
            "{z: 1, options: {num_ctx: 8192, a: {b: [md`x`, 1.0, true, {c: -1}]}}, b: \"x\"}";
        assert_eq!(
            finished(body(), &settings(extra)).expect("nothing is there twice"),
            r#"{"model":"m","options":{"top_p":0.5,"num_ctx":8192,"a":{"b":["x",1.0,true,{"c":-1}]}},"z":1,"b":"x"}"#
        );
        assert_eq!(
            finished(body(), &Settings::NONE).expect("nothing to add"),
            r#"{"model":"m","options":{"top_p":0.5}}"#
        );
    }

    #[test]
    fn nothing_is_replaced() {
        for (extra, path) in [
            ("{options: {top_p: 1.0}}", "`options.top_p`"),
            ("{options: 1}", "`options`"),
        ] {
            let error = finished(body(), &settings(extra)).expect_err("it is there");
            assert!(error.is_configuration());
            assert!(error.to_string().contains(path), "{error}");
        }
    }

    #[test]
    fn what_a_run_decides_is_refused_however_the_settings_were_made() {
        for key in RESERVED_EXTRAS {
            let mut settings = Settings::NONE;
            let value = agent_gram::Value::Boolean(true);
            settings.extra.insert(key, value).expect("flat");
            let error = finished(Object::default(), &settings).expect_err("it is reserved");
            assert!(error.is_configuration());
            assert!(error.to_string().contains(key), "{error}");
        }
    }
}
