//! Properties with a type: how they are read from a value of gram, and how they are written.

use crate::grants::{Grants, check_grant};
use crate::lens::convert::grants_record;
use crate::model::Model;
use crate::settings::{CompactAbove, PromptCache, ReasoningEffort, ToolChoice};
use agent_gram::value::{Array, Decimal, Record, Tagged, Text};
use agent_gram::{Pattern, Subject, Value, ValueError};
use agent_types::__private::measurement_of;
use agent_types::duration::duration_of;
use std::borrow::Cow;
use std::time::Duration;

/// The typed value of a property. The default is the value of a missing property.
pub(super) trait Property: Default + PartialEq {
    /// Reads a value; `None` when it is of another kind.
    fn read(value: &Value) -> Option<Self>;

    /// Writes the value; `None` for the default.
    fn write(&self) -> Option<Value>;
}

pub(super) fn get<P: Property>(pattern: &Pattern, key: &str) -> P {
    let value = pattern.subject().properties.get(key);
    value.and_then(P::read).unwrap_or_default()
}

/// Sets a property, unless it has an equal value already: then its spelling stays.
pub(super) fn set<P: Property>(pattern: &mut Pattern, key: &'static str, to: &P) {
    let held = pattern.subject().properties.get(key);
    if held.and_then(P::read).as_ref() != Some(to) {
        put(pattern, key, to.write());
    }
}

pub(super) fn get_text<'p>(pattern: &'p Pattern, key: &str) -> Option<&'p str> {
    text(pattern.subject().properties.get(key)?)
}

/// Sets a text, or removes it. The tag of a text stays, because it names the notation and not the
/// content.
pub(super) fn set_text(pattern: &mut Pattern, key: &'static str, to: Option<&str>) {
    let held = pattern.subject().properties.get(key);
    let tag = match held {
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

fn written(text: &str) -> Value {
    Value::String(Text::new(text))
}

/// A property that has no default.
pub(super) trait Scalar: PartialEq + Sized {
    fn read(value: &Value) -> Option<Self>;
    fn write(&self) -> Value;
}

impl<T: Scalar> Property for Option<T> {
    fn read(value: &Value) -> Option<Self> {
        T::read(value).map(Some)
    }

    fn write(&self) -> Option<Value> {
        self.as_ref().map(T::write)
    }
}

impl Scalar for Decimal {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(value) => Decimal::new(*value as f64).ok(),
            Value::Decimal(value) => Some(value.clone()),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        Value::Decimal(self.clone())
    }
}

impl Scalar for i64 {
    fn read(value: &Value) -> Option<Self> {
        whole(value)
    }

    fn write(&self) -> Value {
        Value::Integer((*self).into())
    }
}

impl Scalar for u32 {
    fn read(value: &Value) -> Option<Self> {
        whole(value)
    }

    fn write(&self) -> Value {
        Value::Integer((*self).into())
    }
}

fn whole<T: TryFrom<i128>>(value: &Value) -> Option<T> {
    match value {
        Value::Integer(value) => T::try_from(*value).ok(),
        _ => None,
    }
}

impl Scalar for bool {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Boolean(is) => Some(*is),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        Value::Boolean(*self)
    }
}

impl Scalar for Duration {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Measurement(length) => duration_of(length.value(), length.unit()),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        Value::from(measurement_of(*self))
    }
}

impl Scalar for Model {
    fn read(value: &Value) -> Option<Self> {
        Model::parse(text(value)?).ok()
    }

    fn write(&self) -> Value {
        written(&self.to_string())
    }
}

impl Scalar for ToolChoice {
    fn read(value: &Value) -> Option<Self> {
        text(value).map(Self::of)
    }

    fn write(&self) -> Value {
        written(self.as_str())
    }
}

impl Scalar for ReasoningEffort {
    fn read(value: &Value) -> Option<Self> {
        Self::of(text(value)?)
    }

    fn write(&self) -> Value {
        written(self.as_str())
    }
}

impl Scalar for PromptCache {
    fn read(value: &Value) -> Option<Self> {
        Self::of(text(value)?)
    }

    fn write(&self) -> Value {
        written(self.as_str())
    }
}

impl Scalar for CompactAbove {
    fn read(value: &Value) -> Option<Self> {
        match text(value) {
            Some(Self::AUTO) => Some(Self::Auto),
            _ => u32::read(value).map(Self::Tokens),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Auto => written(Self::AUTO),
            Self::Tokens(tokens) => tokens.write(),
        }
    }
}

impl Scalar for Grants {
    fn read(value: &Value) -> Option<Self> {
        let Value::Map(record) = value else {
            return None;
        };
        let mut grants = Self::new();
        for (key, value) in record.entries() {
            let texts: Vec<Text> = Property::read(value)?;
            if texts.iter().any(|text| check_grant(key, text).is_err()) {
                return None;
            }
            *grants.part_mut(key)? = Cow::Owned(texts);
        }
        Some(grants)
    }

    fn write(&self) -> Value {
        Value::Map(grants_record(self).expect("a list in a record is not deep"))
    }
}

impl Scalar for Text {
    fn read(value: &Value) -> Option<Self> {
        text(value).map(Text::new)
    }

    fn write(&self) -> Value {
        Value::String(self.clone())
    }
}

/// A missing property is `false`.
impl Property for bool {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        self.then_some(Value::Boolean(true))
    }
}

/// A missing property is an empty record.
impl Property for Record {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Map(record) => Some(record.clone()),
            _ => None,
        }
    }

    fn write(&self) -> Option<Value> {
        (!self.is_empty()).then(|| Value::Map(self.clone()))
    }
}

/// A list; a value that is no list counts as a list of one.
impl<T: Scalar> Property for Vec<T> {
    fn read(value: &Value) -> Option<Self> {
        let items = match value {
            Value::Array(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        items.iter().map(T::read).collect()
    }

    fn write(&self) -> Option<Value> {
        if self.is_empty() {
            return None;
        }
        let items = self.iter().map(T::write).collect();
        Some(Value::Array(Array::new(items).expect("scalars are flat")))
    }
}

/// Sets or removes a property. The value is a scalar or a list of scalars, so it adds less depth
/// than any pattern lacks to the bound.
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
/// When the pattern would nest too deep; it is then as it was.
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
/// When the pattern would nest too deep; it is then as it was.
pub(super) fn set_elements(
    pattern: &mut Pattern,
    elements: Vec<Pattern>,
) -> Result<(), ValueError> {
    *pattern = Pattern::new(pattern.subject().clone(), elements)?;
    Ok(())
}
