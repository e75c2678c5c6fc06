//! The attributes of a span or an event, converted from `tracing` to OpenTelemetry.

use agent_core::trace::attribute;
use agent_tool::serde_json;
use opentelemetry::{Array, Key, KeyValue, Value};
use std::borrow::Cow;
use std::fmt::Debug;
use tracing::field::{Field, Visit};

/// The attributes of a span or an event, each with the value that was recorded last.
#[derive(Default)]
pub(crate) struct Attributes(Vec<KeyValue>);

impl Attributes {
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        let found = self.0.iter().find(|pair| pair.key.as_str() == key);
        found.map(|pair| &pair.value)
    }

    /// Removes an attribute and returns its value.
    pub(crate) fn take(&mut self, key: &str) -> Option<Value> {
        let at = self.0.iter().position(|pair| pair.key.as_str() == key)?;
        Some(self.0.swap_remove(at).value)
    }

    /// Returns those of the named attributes that were recorded.
    pub(crate) fn only(&self, keys: &[&'static str]) -> Vec<KeyValue> {
        let pair = |key: &&'static str| Some(KeyValue::new(*key, self.get(key)?.clone()));
        keys.iter().filter_map(pair).collect()
    }

    pub(crate) fn into_pairs(self) -> Vec<KeyValue> {
        self.0
    }

    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        let value = value.into();
        match self
            .0
            .iter_mut()
            .find(|pair| pair.key.as_str() == field.name())
        {
            Some(pair) => pair.value = value,
            None => self.0.push(KeyValue::new(Key::from(field.name()), value)),
        }
    }
}

impl Visit for Attributes {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}");
        // `tracing` has no arrays, so these attributes are recorded as JSON text.
        let is_list = matches!(
            field.name(),
            attribute::FINISH_REASONS | attribute::STOP_SEQUENCES
        );
        match is_list.then(|| serde_json::from_str::<Vec<Cow<'_, str>>>(&text)) {
            Some(Ok(texts)) => {
                let texts = texts.into_iter().map(|text| text.into_owned().into());
                self.put(field, Value::Array(Array::String(texts.collect())));
            }
            _ => self.put(field, text),
        }
    }
}
