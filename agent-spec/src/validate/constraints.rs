//! What narrows a type. A keyword says nothing about values it is not made for, as in JSON Schema.

use super::describe::{describe, shorten};
use super::format::{self, Format};
use super::number::compare;
use super::path::Path;
use super::same::is_value;
use super::violation::{Violation, Violations};
use super::walk::Walk;
use crate::json::plain;
use crate::names::nearest;
use crate::types::{Bound, Constraints};
use serde_json::Value;

impl<'t> Walk<'t> {
    pub(super) fn constraints(
        &mut self,
        constraints: &'t Constraints,
        value: &Value,
        path: Path<'_>,
    ) {
        if constraints.is_none() {
            return;
        }
        self.enumeration(constraints.enumeration(), value, path);
        match value {
            Value::String(text) => self.text(constraints, text, value, path),
            Value::Number(number) => {
                if let Some(minimum) = &constraints.minimum
                    && compare(number, minimum).is_lt()
                {
                    self.wrong(path, format!("at least {}", bound(minimum)), value);
                }
                if let Some(maximum) = &constraints.maximum
                    && compare(number, maximum).is_gt()
                {
                    self.wrong(path, format!("at most {}", bound(maximum)), value);
                }
            }
            Value::Array(items) => {
                let limits = (constraints.min_items, constraints.max_items);
                self.count(limits, items.len(), "item", path);
            }
            _ => {}
        }
    }

    fn enumeration(&mut self, allowed: &'t [agent_gram::Value], value: &Value, path: Path<'_>) {
        // Looking for what was meant among many values is work that nobody would see.
        if allowed.is_empty() || self.is_full() {
            return;
        }
        let text = value.as_str();
        let indexed = text.and_then(|text| self.choices.opt_has_text(allowed, text));
        if indexed.unwrap_or_else(|| allowed.iter().any(|item| is_value(value, item))) {
            return;
        }
        let violation = Violation::new(&path, one_of(allowed), describe(value));
        // Nobody reads suggestions beyond those that are printed.
        let wanted = self.violations.len() < Violations::PRINTED;
        let texts = allowed.iter().filter_map(text_of);
        let near = text.filter(|_| wanted);
        let near = near.and_then(|found| nearest(found, texts));
        self.record(match near {
            Some(near) => violation.with_help(format!("did you mean {}?", shorten(near))),
            None => violation,
        });
    }

    fn text(&mut self, constraints: &'t Constraints, text: &str, value: &Value, path: Path<'_>) {
        let limits = (constraints.min_length, constraints.max_length);
        if limits != (None, None) {
            self.count(limits, text.chars().count(), "character", path);
        }
        if let Some(format) = constraints.format.as_deref().and_then(Format::from_name)
            && !format::is_valid(format, text)
        {
            self.wrong(path, format.words(), value);
        }
        if let Some(pattern) = &constraints.pattern {
            self.pattern(pattern, text, path);
        }
    }

    fn pattern(&mut self, pattern: &'t str, text: &str, path: Path<'_>) {
        let matched = self.patterns.is_match(pattern, text);
        if matched == Ok(true) {
            return;
        }
        let expected = format!("text that matches the pattern `{pattern}`");
        let found = format!("the text {}", shorten(text));
        let violation = Violation::new(&path, expected, found);
        self.record(match matched {
            Ok(_) => violation,
            Err(error) => violation.with_help(format!("the pattern itself is wrong: {error}")),
        });
    }

    fn count(
        &mut self,
        (least, most): (Option<u64>, Option<u64>),
        found: usize,
        unit: &str,
        path: Path<'_>,
    ) {
        let found = u64::try_from(found).unwrap_or(u64::MAX);
        let expected = match (least, most) {
            (Some(least), _) if found < least => format!("at least {}", counted(least, unit)),
            (_, Some(most)) if found > most => format!("at most {}", counted(most, unit)),
            _ => return,
        };
        let violation = Violation::new(&path, expected, counted(found, unit));
        self.record(violation);
    }
}

fn counted(count: u64, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

fn bound(bound: &Bound) -> String {
    match bound {
        Bound::Int(value) => value.to_string(),
        Bound::Double(value) => value.text().to_owned(),
    }
}

pub(super) fn text_of(value: &agent_gram::Value) -> Option<&str> {
    match value {
        agent_gram::Value::String(text) => Some(text),
        agent_gram::Value::Tagged(tagged) => Some(tagged.content()),
        _ => None,
    }
}

/// How many of the values that are allowed a message names.
const MOST_NAMED: usize = 20;

fn one_of(allowed: &[agent_gram::Value]) -> String {
    let items = allowed.iter().take(MOST_NAMED).filter_map(plain);
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    match (items.as_slice(), allowed.len().saturating_sub(MOST_NAMED)) {
        ([only], 0) => only.clone(),
        (items, 0) => format!("one of {}", items.join(", ")),
        (items, more) => format!("one of {} and {more} more", items.join(", ")),
    }
}
