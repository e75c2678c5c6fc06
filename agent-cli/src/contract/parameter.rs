//! What changed in the parameters of a tool.

use super::call::{Calls, by_name};
use super::change::{Change, Stated, Verdict};
use super::decide::{Answer, Extra, Place, escape, sample};
use super::rename::{Renamed, renamed};
use super::rule::Rule;
use super::tool::Pair;
use super::words::{alone, description, nothing, parameter, refusal_of_rule, stated};
use agent_gram::Span;
use agent_spec::binding::same_value;
use agent_spec::check::ParamPlaces;
use agent_spec::{Param, Signature, Type};
use serde_json::Value;
use std::collections::HashMap;

/// The changes of the parameters.
pub(super) fn changes(pair: &Pair<'_>, calls: &Calls<'_>) -> Vec<Change> {
    let (old, new) = (pair.old.spec.signature(), pair.new.spec.signature());
    let (olds, news) = (by_name(old), by_name(new));
    let removed: Vec<&Param> = old
        .params()
        .iter()
        .filter(|param| !news.contains_key(param.name()))
        .collect();
    let added: Vec<&Param> = new
        .params()
        .iter()
        .filter(|param| !olds.contains_key(param.name()))
        .collect();
    let renamed = renamed(&removed, &added);
    let places = (
        Places::of(pair.old.places, old),
        Places::of(pair.new.places, new),
    );
    let mut found = Vec::new();
    for param in old.params() {
        let comparison = |other| Comparison {
            pair,
            calls,
            old: Side::new(param, places.0.of_param(param.name())),
            new: Side::new(other, places.1.of_param(other.name())),
        };
        if let Some(other) = news.get(param.name()) {
            comparison(other).aspects(&mut found);
        } else if let Some(other) = renamed.to.get(param.name()) {
            found.push(comparison(other).rename());
        } else {
            found.push(remove(
                pair,
                calls,
                &Side::new(param, places.0.of_param(param.name())),
            ));
        }
    }
    for param in added {
        if !renamed.from.contains_key(param.name()) {
            found.push(add(
                pair,
                calls,
                &Side::new(param, places.1.of_param(param.name())),
            ));
        }
    }
    found.extend(order(pair, &renamed));
    found
}

/// A parameter of one document.
struct Side<'a> {
    param: &'a Param,
    places: Option<&'a ParamPlaces>,
}

impl<'a> Side<'a> {
    const fn new(param: &'a Param, places: Option<&'a ParamPlaces>) -> Self {
        Self { param, places }
    }

    fn stated(&self, part: impl FnOnce(&ParamPlaces) -> Span) -> Option<Stated> {
        stated(parameter(self.param), self.places.map(part))
    }
}

/// Where the parameters of a document stand.
struct Places<'a>(HashMap<&'a str, &'a ParamPlaces>);

impl<'a> Places<'a> {
    fn of(places: Option<&'a agent_spec::check::ToolPlaces>, signature: &'a Signature) -> Self {
        let places = places.map_or(&[][..], |places| &places.signature.params);
        let names = signature.params().iter().map(Param::name);
        Self(names.zip(places).collect())
    }

    fn of_param(&self, name: &str) -> Option<&'a ParamPlaces> {
        self.0.get(name).copied()
    }
}

fn remove(pair: &Pair<'_>, calls: &Calls<'_>, old: &Side<'_>) -> Change {
    let param = old.param;
    let name = param.name();
    let none = Signature::new(Vec::new(), nothing());
    let refusal = refusal_of_rule(pair.name(), ("", &none), ("", &alone(param)));
    // What may be left out, a caller may give anyway.
    let given = || sample(param.ty()).unwrap_or(Value::Null);
    let given = param.is_optional().then(given);
    let rule = if param.is_optional() {
        Rule::OptionalParameterRemoved
    } else {
        Rule::RequiredParameterRemoved
    };
    Change {
        parameter: Some(name.to_owned()),
        old: old.stated(|places| places.whole),
        implementation: match refusal {
            Some(rule) => calls.breaks_implementations(name, None, rule),
            None => Verdict::Compatible,
        },
        caller: calls.breaks_callers(name, given),
        ..pair.change(rule)
    }
}

fn add(pair: &Pair<'_>, calls: &Calls<'_>, new: &Side<'_>) -> Change {
    let param = new.param;
    let name = param.name();
    let none = Signature::new(Vec::new(), nothing());
    let refusal = refusal_of_rule(pair.name(), ("", &alone(param)), ("", &none));
    let (rule, caller) = match (param.is_optional(), param.default()) {
        (false, _) => (
            Rule::RequiredParameterAdded,
            calls.breaks_callers(name, None),
        ),
        (true, None) => (Rule::OptionalParameterAdded, Verdict::Compatible),
        (true, Some(_)) => (Rule::DefaultParameterAdded, Verdict::Compatible),
    };
    let given = param.is_optional().then(|| sample(param.ty())).flatten();
    Change {
        parameter: Some(name.to_owned()),
        new: new.stated(|places| places.whole),
        implementation: match refusal {
            Some(rule) => calls.breaks_implementations(name, given, rule),
            None => Verdict::Compatible,
        },
        caller,
        ..pair.change(rule)
    }
}

/// The parameters in another order, which changes nothing for anybody: arguments have names.
fn order(pair: &Pair<'_>, renamed: &Renamed<'_>) -> Option<Change> {
    let (old, new) = (pair.old.spec.signature(), pair.new.spec.signature());
    let names = new.params().iter().map(Param::name);
    let positions: HashMap<&str, usize> = names.zip(0..).collect();
    let stays = old.params().iter().filter_map(|param| {
        let name = renamed
            .to
            .get(param.name())
            .map_or(param.name(), |to| to.name());
        positions.get(name)
    });
    if stays.is_sorted() {
        return None;
    }
    let listed = |signature: &Signature| {
        let names: Vec<&str> = signature.params().iter().map(Param::name).collect();
        names.join(", ")
    };
    Some(Change {
        old: stated(
            listed(old),
            pair.old.places.map(|places| places.signature.whole),
        ),
        new: stated(
            listed(new),
            pair.new.places.map(|places| places.signature.whole),
        ),
        ..pair.change(Rule::ParameterOrderChanged)
    })
}

/// A parameter that both documents have.
struct Comparison<'a> {
    pair: &'a Pair<'a>,
    calls: &'a Calls<'a>,
    old: Side<'a>,
    new: Side<'a>,
}

impl Comparison<'_> {
    fn change(&self, rule: Rule, part: impl Fn(&ParamPlaces) -> Span) -> Change {
        Change {
            parameter: Some(self.old.param.name().to_owned()),
            old: self.old.stated(&part),
            new: self.new.stated(&part),
            ..self.pair.change(rule)
        }
    }

    fn rename(&self) -> Change {
        let (old, new) = (self.old.param, self.new.param);
        let given = |param: &Param| param.is_optional().then(|| sample(param.ty())).flatten();
        let rule = refusal_of_rule(self.pair.name(), ("", &alone(new)), ("", &alone(old)));
        let rule = rule.unwrap_or_default();
        Change {
            implementation: self
                .calls
                .breaks_implementations(new.name(), given(new), rule),
            caller: self.calls.breaks_callers(old.name(), given(old)),
            ..self.change(Rule::ParameterRenamed, |places| places.name)
        }
    }

    fn aspects(&self, found: &mut Vec<Change>) {
        let (old, new) = (self.old.param, self.new.param);
        if old == new {
            return;
        }
        found.extend(self.ty());
        found.extend(self.presence());
        if old.description() != new.description() {
            found.push(Change {
                old: self.described(&self.old),
                new: self.described(&self.new),
                ..self.change(Rule::ParameterDescriptionChanged, |places| {
                    places.description
                })
            });
        }
    }

    fn described(&self, side: &Side<'_>) -> Option<Stated> {
        let text = description(side.param.description());
        stated(text, side.places.map(|places| places.description))
    }

    /// The change of the type, apart from whether it may be left out.
    fn ty(&self) -> Option<Change> {
        let (old, new) = (self.old.param, self.new.param);
        let old_type = old.ty().clone().with_optional(false);
        let new_type = new.ty().clone().with_optional(false);
        if old_type == new_type {
            return None;
        }
        let place = |ty, of: &Param| Place {
            ty,
            null: of.is_optional(),
        };
        let bare = |ty| Place { ty, null: false };
        let lost = escape(bare(&old_type), place(&new_type, new), Extra::Refused);
        let gained = escape(bare(&new_type), place(&old_type, old), Extra::Refused);
        let rule = match (&lost, &gained) {
            (Answer::Included, Answer::Included) => Rule::ParameterTypeRestated,
            (Answer::Included, _) => Rule::ParameterTypeWidened,
            (_, Answer::Included) => Rule::ParameterTypeNarrowed,
            _ => Rule::ParameterTypeChanged,
        };
        let name = new.name();
        let caller = match lost {
            Answer::Included => Verdict::Compatible,
            lost => self.calls.breaks_callers(name, lost.escaped()),
        };
        // Nothing but the type differs.
        let spec = alone(&with_presence(new_type, old));
        let refusal = refusal_of_rule(self.pair.name(), ("", &spec), ("", &alone(old)));
        let implementation = match refusal {
            None => Verdict::Compatible,
            Some(rule) => match gained {
                Answer::Escapes(value) => {
                    self.calls.breaks_implementations(name, Some(value), rule)
                }
                _ => self.calls.refused_by_rule(rule),
            },
        };
        let labels_differ = old.ty().label() != new.ty().label();
        let part = |places: &ParamPlaces| {
            if labels_differ {
                places.label
            } else {
                places.details
            }
        };
        Some(Change {
            implementation,
            caller,
            ..self.change(rule, part)
        })
    }

    /// The change of whether it may be left out, and of what it is then.
    fn presence(&self) -> Option<Change> {
        let (old, new) = (self.old.param, self.new.param);
        let name = new.name();
        match (old.is_optional(), new.is_optional()) {
            (true, false) => {
                return Some(Change {
                    caller: self.calls.breaks_callers(name, None),
                    ..self.change(Rule::ParameterMadeRequired, |places| places.optional)
                });
            }
            (false, true) => {
                let spec = alone(&with_presence(old.ty().clone(), new));
                let refusal = refusal_of_rule(self.pair.name(), ("", &spec), ("", &alone(old)));
                let rule = refusal.unwrap_or_default();
                return Some(Change {
                    implementation: self.calls.breaks_implementations(name, None, rule),
                    ..self.change(Rule::ParameterMadeOptional, |places| places.optional)
                });
            }
            (false, false) => return None,
            (true, true) => {}
        }
        let json = |value| agent_spec::write::json_text(value);
        let (rule, note) = match (old.default(), new.default()) {
            (Some(before), Some(now)) if same_value(before, now) => return None,
            (None, None) => return None,
            (Some(before), Some(now)) => (
                Rule::ParameterDefaultChanged,
                format!(
                    "calls that leave `{name}` out now mean `{}`, not `{}`",
                    json(now),
                    json(before)
                ),
            ),
            (None, Some(now)) => (
                Rule::ParameterDefaultAdded,
                format!("calls that leave `{name}` out now mean `{}`", json(now)),
            ),
            (Some(before), None) => (
                Rule::ParameterDefaultRemoved,
                format!(
                    "calls that leave `{name}` out no longer mean `{}`",
                    json(before)
                ),
            ),
        };
        let spec = alone(&with_presence(old.ty().clone(), new));
        let refusal = refusal_of_rule(self.pair.name(), ("", &spec), ("", &alone(old)));
        Some(Change {
            implementation: match refusal {
                Some(rule) => self.calls.refused_by_rule(rule),
                None => Verdict::Compatible,
            },
            note: Some(note),
            ..self.change(rule, |places| places.default)
        })
    }
}

/// A parameter of this type that may be left out as another may.
fn with_presence(ty: Type, of: &Param) -> Param {
    let param = Param::new(
        of.name().to_owned(),
        ty.with_optional(of.ty().is_optional()),
    );
    match of.default() {
        Some(default) => param.with_default(default.clone()),
        None => param,
    }
}
