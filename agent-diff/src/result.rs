//! What changed in the result of a tool.

use super::calls::Calls;
use super::change::{Change, Evidence, Verdict, Version};
use super::gram_text::{description, refusal_of_rule, result, stated};
use super::inclusion::{Answer, Extra, Place, escape};
use super::nested::undescribed;
use super::rule::Rule;
use super::tool::Pair;
use agent_gram::Span;
use agent_spec::check::ParamPlaces;
use agent_spec::{Returns, Signature, Type};
use serde_json::Value;

/// The changes of the result.
pub(super) fn changes(pair: &Pair<'_>, calls: &Calls<'_>) -> Vec<Change> {
    let (old, new) = (
        pair.old.spec.signature().returns(),
        pair.new.spec.signature().returns(),
    );
    let mut found = Vec::new();
    let same_types = undescribed(old.ty()) == undescribed(new.ty());
    if !same_types {
        found.push(of_types(pair, calls, old, new));
    }
    if old.description() != new.description() {
        let place = |places: &ParamPlaces| places.description;
        found.push(Change {
            old: stated(
                description(old.description()),
                span(pair, Version::Old, place),
            ),
            new: stated(
                description(new.description()),
                span(pair, Version::New, place),
            ),
            ..pair.change(Rule::ResultDescriptionChanged)
        });
    } else if same_types && old.ty() != new.ty() {
        let place = |places: &ParamPlaces| places.details;
        found.push(Change {
            old: stated(result(old), span(pair, Version::Old, place)),
            new: stated(result(new), span(pair, Version::New, place)),
            ..pair.change(Rule::ResultDescriptionChanged)
        });
    }
    found
}

fn of_types(pair: &Pair<'_>, calls: &Calls<'_>, old: &Returns, new: &Returns) -> Change {
    let (old_place, new_place) = (Place::of(old.ty()), Place::of(new.ty()));
    let gained = escape(new_place, old_place, Extra::Ignored);
    let lost = escape(old_place, new_place, Extra::Ignored);
    let rule = match (&lost, &gained) {
        (Answer::Included, Answer::Included) => Rule::ResultTypeRestated,
        (Answer::Included, _) => Rule::ResultTypeWidened,
        (_, Answer::Included) => Rule::ResultTypeNarrowed,
        _ => Rule::ResultTypeChanged,
    };
    let caller = match gained {
        Answer::Included => Verdict::Compatible,
        Answer::Escapes(value) => {
            let refusal = refusal(old.ty(), &value);
            calls.refused_result(Version::New, value, refusal)
        }
        Answer::Open => Verdict::Breaking(Evidence::Missing(calls.unproven(Version::New))),
    };
    let only = |returns: &Returns| Signature::new(Vec::new(), returns.clone());
    let refused = refusal_of_rule(pair.name(), ("", &only(new)), ("", &only(old)));
    let implementation = match (refused, lost) {
        (None, _) => Verdict::Compatible,
        (Some(_), Answer::Escapes(value)) => {
            let refusal = refusal(new.ty(), &value);
            calls.refused_result(Version::Old, value, refusal)
        }
        (Some(rule), _) => calls.refused_by_rule(rule),
    };
    let labels_differ = old.ty().label() != new.ty().label();
    let part = |places: &ParamPlaces| {
        if labels_differ {
            places.label
        } else {
            places.details
        }
    };
    Change {
        old: stated(result(old), span(pair, Version::Old, part)),
        new: stated(result(new), span(pair, Version::New, part)),
        implementation,
        caller,
        ..pair.change(rule)
    }
}

/// Why a type refuses a result, in its own words.
fn refusal(by: &Type, value: &Value) -> String {
    match by.validate(value) {
        Err(violations) => violations.first().to_string(),
        Ok(()) => "the result is of another type".to_owned(),
    }
}

fn span(pair: &Pair<'_>, of: Version, part: impl FnOnce(&ParamPlaces) -> Span) -> Option<Span> {
    let tool = match of {
        Version::Old => &pair.old,
        Version::New => &pair.new,
    };
    tool.places.map(|places| part(&places.signature.returns))
}
