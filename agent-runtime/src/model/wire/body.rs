//! The JSON body of a request: its members in order, the agent's settings, and `extra`.

use super::media_mark::replace_marks;
use agent_core::model::ModelRequest;
use agent_gram::value::Text;
use agent_spec::Settings;
use agent_spec::json::Ordered;
use agent_spec::settings::{RESERVED_EXTRAS, SettingValue};
use agent_spec::vocabulary::Setting;
use agent_tool::Error;

/// A JSON object under construction, whose members keep their order.
#[derive(Default)]
pub(in crate::model) struct Object(Vec<(Text, Ordered)>);

impl Object {
    pub(in crate::model) fn from_members(members: Vec<(Text, Ordered)>) -> Self {
        Self(members)
    }

    pub(in crate::model) fn add(&mut self, key: &'static str, value: Ordered) {
        self.0.push((key.into(), value));
    }

    pub(in crate::model) fn text(&mut self, key: &'static str, text: impl AsRef<str>) {
        self.add(key, Ordered::Text(Text::new(text.as_ref())));
    }

    pub(in crate::model) fn list(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = Ordered>,
    ) {
        self.add(key, Ordered::Array(items.into_iter().collect()));
    }

    /// Adds the settings that the provider has a plain member for. `member` returns the name of this member.
    pub(in crate::model) fn settings(
        &mut self,
        settings: &Settings,
        member: impl Fn(Setting) -> Option<&'static str>,
    ) {
        for (setting, value) in settings.iter() {
            if let (Some(key), Some(value)) = (member(setting), plain(value)) {
                self.add(key, value);
            }
        }
    }

    pub(in crate::model) fn with_text(mut self, key: &'static str, text: impl AsRef<str>) -> Self {
        self.text(key, text);
        self
    }

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

/// Returns the member of an object at a key.
pub(in crate::model) fn member_mut<'o>(
    object: &'o mut Ordered,
    key: &str,
) -> Option<&'o mut Ordered> {
    let Ordered::Object(members) = object else {
        return None;
    };
    let mut members = members.iter_mut();
    members.find_map(|(name, value)| (&**name == key).then_some(value))
}

/// Sets a member of an object. A new member is added at the end.
pub(in crate::model) fn set(object: &mut Ordered, key: &'static str, value: Ordered) {
    if let Some(member) = member_mut(object, key) {
        *member = value;
    } else if let Ordered::Object(members) = object {
        members.push((key.into(), value));
    }
}

/// Returns the JSON of a setting that all providers write alike.
fn plain(value: SettingValue<'_>) -> Option<Ordered> {
    Some(match value {
        SettingValue::Number(number) => Ordered::Number(number.value()),
        SettingValue::Integer(integer) => Ordered::Integer(integer.into()),
        SettingValue::Count(count) => Ordered::Integer(count.into()),
        SettingValue::Texts(texts) => {
            Ordered::Array(texts.iter().cloned().map(Ordered::Text).collect())
        }
        SettingValue::Effort(effort) => Ordered::text(effort.as_str().to_owned()),
        _ => return None,
    })
}

/// Returns the text of a request with the members of the agent's `extra`. A record in `extra` is merged with
/// the request's record of the same name; no other member is replaced. The marks of media are replaced by their
/// base64. `member` returns the provider's names of settings, for errors.
///
/// # Errors
/// Configuration when `extra` has a member that the request has already. The error has names only, because
/// the values may be private.
pub(in crate::model) fn finish_body(
    body: Object,
    request: &ModelRequest,
    member: impl Fn(Setting) -> Option<&'static str>,
) -> Result<String, Error> {
    let settings = &request.settings;
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
        merged.map_err(|path| Error::configuration(conflict(&path, member)))?;
    }
    // Not `Display`, which would copy the text once more.
    let text = serde_json::to_string(&body).map_err(|error| {
        Error::configuration("the request cannot be written as JSON").with_source(error)
    })?;
    Ok(replace_marks(text, &request.messages))
}

/// The message about a member of `extra` that the request has already.
fn conflict(path: &str, member: impl Fn(Setting) -> Option<&'static str>) -> String {
    let refused = format!("the agent's `extra` has `{path}`, which the request has already");
    match agent_key(path, member) {
        Some(key) => format!("{refused}; set the agent's own `{key}`"),
        None => format!("{refused}; `extra` can only add to a request"),
    }
}

/// Returns the agent's key for a member of a request.
fn agent_key(path: &str, member: impl Fn(Setting) -> Option<&'static str>) -> Option<&'static str> {
    if path == "thinking" || path.starts_with("thinking.") {
        return Some(Setting::ThinkingBudget.key());
    }
    let name = path.rsplit('.').next()?;
    let named = |setting: &&Setting| member(**setting) == Some(name);
    if let Some(setting) = Setting::ALL.iter().find(named) {
        return Some(setting.key());
    }
    // The members of settings in another form. Some are sent although the agent does not set them.
    Some(match name {
        "max_tokens" => Setting::MaxTokens.key(),
        "effort" | "thinkingLevel" | "think" => Setting::ReasoningEffort.key(),
        "thinkingBudget" | "budget_tokens" => Setting::ThinkingBudget.key(),
        "cache_control" => Setting::Cache.key(),
        "tool_choice" | "toolConfig" | "mode" | "allowedFunctionNames" => Setting::ToolChoice.key(),
        "system" | "systemInstruction" | "instructions" => "instruction",
        "model" => "model",
        _ => return None,
    })
}

/// Merges members, or returns the path of the first one that is there already.
fn merge(members: &mut Vec<(Text, Ordered)>, extra: Vec<(Text, Ordered)>) -> Result<(), String> {
    // The names within `extra` are unique, so only the request's own members are searched.
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

    fn finish(body: Object, settings: &Settings) -> Result<String, Error> {
        let model = agent_spec::Model::from_static("Offline", "m");
        let request = ModelRequest::new(model, "i", Vec::new()).with_settings(settings.clone());
        finish_body(body, &request, |setting| match setting {
            Setting::TopP => Some("top_p"),
            _ => None,
        })
    }

    #[test]
    fn adds_members_of_extra_in_order_at_any_depth() {
        let extra =
            "{z: 1, options: {num_ctx: 8192, a: {b: [md`x`, 1.0, true, {c: -1}]}}, b: \"x\"}";
        assert_eq!(
            finish(body(), &settings(extra)).expect("no member is there twice"),
            r#"{"model":"m","options":{"top_p":0.5,"num_ctx":8192,"a":{"b":["x",1.0,true,{"c":-1}]}},"z":1,"b":"x"}"#
        );
        assert_eq!(
            finish(body(), &Settings::NONE).expect("`extra` is empty"),
            r#"{"model":"m","options":{"top_p":0.5}}"#
        );
    }

    #[test]
    fn rejects_members_of_extra_that_the_request_has() {
        for (extra, path) in [
            ("{options: {top_p: 1.0}}", "`options.top_p`"),
            ("{options: {top_p: 1.0}}", "the agent's own `topP`"),
            ("{options: 1}", "`options`"),
        ] {
            let error = finish(body(), &settings(extra)).expect_err("the request has it");
            assert!(error.is_configuration());
            assert!(error.to_string().contains(path), "{error}");
        }
    }

    #[test]
    fn rejects_reserved_members_of_settings_made_in_code() {
        for key in RESERVED_EXTRAS {
            let mut settings = Settings::NONE;
            let value = agent_gram::Value::Boolean(true);
            settings.extra.insert(key, value).expect("flat");
            let error = finish(Object::default(), &settings).expect_err("it is reserved");
            assert!(error.is_configuration());
            assert!(error.to_string().contains(key), "{error}");
        }
    }
}
