//! Measurements as text, the form that lengths of time have in JSON.

use agent_gram::Value;
use agent_gram::value::Measurement;

/// The measurement that a text such as `10s` or `1.5min` is; `None` for other texts.
pub(super) fn opt_measurement(text: &str) -> Option<Value> {
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(at);
    let number = number.parse().ok()?;
    let measurement = Measurement::new(number, unit.to_owned()).ok()?;
    Some(Value::from(measurement))
}
