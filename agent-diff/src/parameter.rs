//! What changed in the parameters of a tool.

mod comparison;

use super::calls::{Calls, by_name};
use super::change::{Change, DocumentPart, Verdict};
use super::gram_text::{alone, nothing, parameter, refusal_of_rule, stated};
use super::inclusion::sample;
use super::rename::{Renamed, renamed};
use super::rule::Rule;
use super::tool::Pair;
use agent_gram::Span;
use agent_spec::check::ParamPlaces;
use agent_spec::{Param, Signature};
use comparison::Comparison;
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

    fn stated(&self, part: impl FnOnce(&ParamPlaces) -> Span) -> Option<DocumentPart> {
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
