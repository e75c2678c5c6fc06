//! Properties of patterns: how they are read from a value of gram, and how they are set.

use crate::grants::{Grants, check_grant};
use crate::model::Model;
use crate::settings::{
    CompactAbove, PromptCache, ReasoningEffort, SettingValue, Settings, ToolChoice, WhenTainted,
};
use crate::vocabulary::{Setting, SettingKind};
use agent_gram::value::{Decimal, Record, Tagged, Text};
use agent_gram::{Pattern, Subject, Value, ValueError};
use agent_types::duration::duration_of;
use std::borrow::Cow;
use std::time::Duration;

/// Reads the value of a setting into settings without others. Returns `None` if the value is of another kind.
pub(super) fn read_setting(setting: Setting, value: &Value) -> Option<Settings> {
    let mut read = Settings::NONE;
    match setting.kind() {
        SettingKind::Number(_) => {
            let number = match value {
                Value::Integer(value) => Decimal::new(*value as f64).ok()?,
                Value::Decimal(value) => value.clone(),
                _ => return None,
            };
            read.set(setting, SettingValue::Number(&number));
        }
        SettingKind::Integer => read.set(setting, SettingValue::Integer(whole(value)?)),
        SettingKind::Count(_) => read.set(setting, SettingValue::Count(whole(value)?)),
        SettingKind::Texts => {
            let texts = list(value, |item| text(item).map(Text::new))?;
            read.set(setting, SettingValue::Texts(&texts));
        }
        SettingKind::Effort => {
            let effort = ReasoningEffort::of(text(value)?)?;
            read.set(setting, SettingValue::Effort(effort));
        }
        SettingKind::Cache => {
            let cache = PromptCache::of(text(value)?)?;
            read.set(setting, SettingValue::Cache(cache));
        }
        SettingKind::CompactAbove => {
            let above = match text(value) {
                Some(CompactAbove::AUTO) => CompactAbove::Auto,
                _ => CompactAbove::Tokens(whole(value)?),
            };
            read.set(setting, SettingValue::CompactAbove(above));
        }
        SettingKind::Choice => {
            let choice = ToolChoice::of(text(value)?);
            read.set(setting, SettingValue::Choice(&choice));
        }
        SettingKind::WhenTainted => {
            let when = WhenTainted::of(text(value)?)?;
            read.set(setting, SettingValue::WhenTainted(when));
        }
        SettingKind::Flag => read.set(setting, SettingValue::Flag(boolean(value)?)),
        SettingKind::Duration => read.set(setting, SettingValue::Duration(duration(value)?)),
        SettingKind::Url => read.set(setting, SettingValue::Url(text(value)?)),
        SettingKind::Models => {
            let models = list(value, model)?;
            read.set(setting, SettingValue::Models(&models));
        }
        SettingKind::Grants => read.set(setting, SettingValue::Grants(&grants(value)?)),
        SettingKind::Record => {
            let Value::Map(record) = value else {
                return None;
            };
            read.set(setting, SettingValue::Record(record));
        }
    }
    Some(read)
}

fn whole<T: TryFrom<i128>>(value: &Value) -> Option<T> {
    match value {
        Value::Integer(value) => T::try_from(*value).ok(),
        _ => None,
    }
}

pub(super) fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Boolean(value) => Some(*value),
        _ => None,
    }
}

pub(super) fn duration(value: &Value) -> Option<Duration> {
    match value {
        Value::Measurement(length) => duration_of(length.value(), length.unit()),
        _ => None,
    }
}

pub(super) fn model(value: &Value) -> Option<Model> {
    Model::parse(text(value)?).ok()
}

/// Reads a list. A value that is no list counts as a list of one.
fn list<T>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        value => std::slice::from_ref(value),
    };
    items.iter().map(read).collect()
}

fn grants(value: &Value) -> Option<Grants> {
    let Value::Map(record) = value else {
        return None;
    };
    let mut grants = Grants::new();
    for (key, value) in record.entries() {
        let texts = list(value, |item| text(item).map(Text::new))?;
        if texts.iter().any(|text| check_grant(key, text).is_err()) {
            return None;
        }
        *grants.part_mut(key)? = Cow::Owned(texts);
    }
    Some(grants)
}

/// Returns the value of a property.
pub(super) fn value_of<'p>(pattern: &'p Pattern, key: &str) -> Option<&'p Value> {
    pattern.subject().properties.get(key)
}

pub(super) fn get_text<'p>(pattern: &'p Pattern, key: &str) -> Option<&'p str> {
    text(value_of(pattern, key)?)
}

/// Sets a text, or removes it. The tag of a text stays, because it names the notation and not the
/// content.
pub(super) fn set_text(pattern: &mut Pattern, key: &'static str, to: Option<&str>) {
    let tag = match value_of(pattern, key) {
        Some(Value::Tagged(tagged)) => Some(tagged.tag().to_owned()),
        _ => None,
    };
    let value = to.map(|to| {
        let plain = || Value::String(Text::new(to));
        let tagged = tag.and_then(|tag| Tagged::new(tag, to.to_owned()).ok());
        tagged.map_or_else(plain, Value::from)
    });
    put(pattern, key, value);
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Tagged(tagged) => Some(tagged.content()),
        _ => None,
    }
}

/// Sets or removes a property. The value is a scalar or a list of scalars, so the pattern stays within the
/// bound of nesting.
pub(super) fn put(pattern: &mut Pattern, key: &'static str, value: Option<Value>) {
    change_subject(pattern, |subject| match value {
        Some(value) => {
            let set = subject.properties.insert(key, value);
            set.expect("a list of scalars fits any record");
        }
        None => {
            subject.properties.remove(key);
        }
    });
}

/// Sets a property to a record, or removes it.
///
/// # Errors
/// When the pattern would nest too deep; the pattern then stays unchanged.
pub(super) fn set_record(
    pattern: &mut Pattern,
    key: &'static str,
    value: Option<Record>,
) -> Result<(), ValueError> {
    let Some(value) = value else {
        put(pattern, key, None);
        return Ok(());
    };
    let mut subject = pattern.subject().clone();
    subject.properties.insert(key, Value::Map(value))?;
    *pattern = Pattern::new(subject, pattern.elements().to_vec())?;
    Ok(())
}

pub(super) fn set_identity(pattern: &mut Pattern, name: Text) {
    change_subject(pattern, |subject| subject.identity = name);
}

fn change_subject(pattern: &mut Pattern, change: impl FnOnce(&mut Subject)) {
    let (mut subject, elements) = std::mem::take(pattern).into_parts();
    change(&mut subject);
    *pattern = Pattern::new(subject, elements).expect("the outermost record has room for a list");
}

/// Replaces the elements.
///
/// # Errors
/// When the pattern would nest too deep; the pattern then stays unchanged.
pub(super) fn set_elements(
    pattern: &mut Pattern,
    elements: Vec<Pattern>,
) -> Result<(), ValueError> {
    *pattern = Pattern::new(pattern.subject().clone(), elements)?;
    Ok(())
}
