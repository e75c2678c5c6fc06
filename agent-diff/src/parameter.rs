//! Changes of the parameters of a tool.

use super::accept::{NullableType, UndeclaredMembers};
use super::calls::{Calls, Wanted, params_by_name};
use super::candidates::sample;
use super::change::{Change, DocumentPart, Evidence, Verdict, Version};
use super::contracts::{DocumentTool, ToolPair};
use super::gram_text::{description_text, parameter_refusal, parameter_text};
use super::inclusion::{Inclusion, inclusion};
use super::nested::{default_note, field_default_notes, remote_notes, without_descriptions};
use super::rename::ParameterRenames;
use super::rule::Rule;
use agent_gram::Span;
use agent_spec::check::{ParamPlaces, ToolPlaces};
use agent_spec::{Param, Signature, Type};
use serde_json::Value;
use std::collections::HashMap;

/// Finds the changes of the parameters: those of the old signature in its order, then the added ones.
pub(super) fn changes(pair: &ToolPair<'_>, calls: &Calls<'_>) -> Vec<Change> {
    let (old, new) = (pair.old.spec.signature(), pair.new.spec.signature());
    let (olds, news) = (params_by_name(old), params_by_name(new));
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
    let renames = ParameterRenames::of(&removed, &added);
    let (old_places, new_places) = (places_by_name(&pair.old), places_by_name(&pair.new));
    let old_side = |param| PlacedParam::new(param, &old_places);
    let new_side = |param| PlacedParam::new(param, &new_places);
    let mut found = Vec::new();
    for param in old.params() {
        let comparison = |other| ParameterPair {
            tool: pair,
            calls,
            old: old_side(param),
            new: new_side(other),
        };
        if let Some(other) = news.get(param.name()) {
            comparison(other).add_changes(&mut found);
        } else if let Some(other) = renames.to.get(param.name()) {
            found.push(comparison(other).renamed());
        } else {
            found.push(parameter_removed(pair, calls, &old_side(param)));
        }
    }
    for param in added {
        if !renames.from.contains_key(param.name()) {
            found.push(parameter_added(pair, calls, &new_side(param)));
        }
    }
    found.extend(order_changed(pair, &renames));
    found
}

/// Returns the places of a tool's parameters by their names; none if the document only names the tool.
fn places_by_name<'a>(tool: &DocumentTool<'a>) -> HashMap<&'a str, &'a ParamPlaces> {
    let places = tool
        .places
        .map_or(&[][..], |places| &places.signature.params);
    let names = tool.spec.signature().params().iter().map(Param::name);
    names.zip(places).collect()
}

/// A parameter of one document with its places.
struct PlacedParam<'a> {
    param: &'a Param,
    places: Option<&'a ParamPlaces>,
}

impl<'a> PlacedParam<'a> {
    fn new(param: &'a Param, places: &HashMap<&'a str, &'a ParamPlaces>) -> Self {
        let places = places.get(param.name()).copied();
        Self { param, places }
    }

    /// Returns the parameter as gram text, with the place of the changed part.
    fn part(&self, place: impl FnOnce(&ParamPlaces) -> Span) -> Option<DocumentPart> {
        Some(DocumentPart {
            text: parameter_text(self.param),
            span: self.places.map(place),
        })
    }

    fn description(&self) -> Option<DocumentPart> {
        Some(DocumentPart {
            text: description_text(self.param.description()),
            span: self.places.map(|places| places.description),
        })
    }
}

fn parameter_removed(pair: &ToolPair<'_>, calls: &Calls<'_>, old: &PlacedParam<'_>) -> Change {
    let param = old.param;
    let name = param.name();
    let (rule, value) = if param.may_be_missing() {
        // A caller may give an optional parameter, too.
        let value = sample(param.ty()).unwrap_or(Value::Null);
        (Rule::OptionalParameterRemoved, Some(value))
    } else {
        (Rule::RequiredParameterRemoved, None)
    };
    Change {
        parameter: Some(name.to_owned()),
        old: old.part(|places| places.whole),
        implementation: match parameter_refusal(pair.name(), None, Some(param)) {
            Some(refusal) => calls.breaks_implementations(name, None, refusal),
            None => Verdict::Compatible,
        },
        caller: calls.breaks_callers(name, value),
        ..pair.change(rule)
    }
}

fn parameter_added(pair: &ToolPair<'_>, calls: &Calls<'_>, new: &PlacedParam<'_>) -> Change {
    let param = new.param;
    let name = param.name();
    let (rule, caller) = match (param.may_be_missing(), param.default()) {
        (false, _) => (
            Rule::RequiredParameterAdded,
            calls.breaks_callers(name, None),
        ),
        (true, None) => (Rule::OptionalParameterAdded, Verdict::Compatible),
        (true, Some(_)) => (Rule::DefaultParameterAdded, Verdict::Compatible),
    };
    Change {
        parameter: Some(name.to_owned()),
        new: new.part(|places| places.whole),
        implementation: match parameter_refusal(pair.name(), Some(param), None) {
            Some(refusal) => calls.breaks_implementations(name, value_if_optional(param), refusal),
            None => Verdict::Compatible,
        },
        caller,
        ..pair.change(rule)
    }
}

/// Returns a value for an optional parameter. Required parameters have one in every call.
fn value_if_optional(param: &Param) -> Option<Value> {
    param.may_be_missing().then(|| sample(param.ty())).flatten()
}

/// Returns the change of the order. It breaks nobody, because arguments have names.
fn order_changed(pair: &ToolPair<'_>, renames: &ParameterRenames<'_>) -> Option<Change> {
    let (old, new) = (pair.old.spec.signature(), pair.new.spec.signature());
    let names = new.params().iter().map(Param::name);
    let positions: HashMap<&str, usize> = names.zip(0..).collect();
    let new_positions = old.params().iter().filter_map(|param| {
        let renamed = renames.to.get(param.name());
        positions.get(renamed.map_or(param.name(), |to| to.name()))
    });
    if new_positions.is_sorted() {
        return None;
    }
    let part = |signature: &Signature, places: Option<&ToolPlaces>| {
        let names: Vec<&str> = signature.params().iter().map(Param::name).collect();
        Some(DocumentPart {
            text: names.join(", "),
            span: places.map(|places| places.signature.whole),
        })
    };
    Some(Change {
        old: part(old, pair.old.places),
        new: part(new, pair.new.places),
        ..pair.change(Rule::ParameterOrderChanged)
    })
}

/// A parameter that both documents have.
struct ParameterPair<'a> {
    tool: &'a ToolPair<'a>,
    calls: &'a Calls<'a>,
    old: PlacedParam<'a>,
    new: PlacedParam<'a>,
}

impl<'a> ParameterPair<'a> {
    fn change(&self, rule: Rule, place: impl Fn(&ParamPlaces) -> Span) -> Change {
        Change {
            parameter: Some(self.old.param.name().to_owned()),
            old: self.old.part(&place),
            new: self.new.part(&place),
            ..self.tool.change(rule)
        }
    }

    /// Returns the message with which the binding rule refuses the old parameter for a spec with another.
    fn refusal(&self, spec: &Param) -> Option<String> {
        parameter_refusal(self.tool.name(), Some(spec), Some(self.old.param))
    }

    /// Returns the change of a parameter that only has another name.
    fn renamed(&self) -> Change {
        let (old, new) = (self.old.param, self.new.param);
        let wanted = |accepted_by, param: &'a Param, other: &'a Param| Wanted {
            accepted_by,
            parameter: param.name(),
            other_name: Some(other.name()),
            value: value_if_optional(param),
        };
        let refusal = self.refusal(new).unwrap_or_default();
        Change {
            implementation: self
                .calls
                .breaks_implementations_with(wanted(Version::New, new, old), refusal),
            caller: self
                .calls
                .breaks_callers_with(wanted(Version::Old, old, new)),
            renamed_to: Some(new.name().to_owned()),
            ..self.change(Rule::ParameterRenamed, |places| places.name)
        }
    }

    /// Adds the changes of a parameter with the same name in both documents.
    fn add_changes(&self, found: &mut Vec<Change>) {
        let (old, new) = (self.old.param, self.new.param);
        if old == new {
            return;
        }
        found.extend(self.type_change());
        found.extend(self.presence_change());
        let remote_change = self.remote_change();
        let has_other_remote = remote_change.is_some();
        found.extend(remote_change);
        if old.description() != new.description() {
            found.push(Change {
                parameter: Some(old.name().to_owned()),
                old: self.old.description(),
                new: self.new.description(),
                ..self.tool.change(Rule::ParameterDescriptionChanged)
            });
        } else if !has_other_remote && self.differs_in_field_descriptions() {
            found.push(self.change(Rule::ParameterDescriptionChanged, |places| places.details));
        }
    }

    fn differs_in_field_descriptions(&self) -> bool {
        let required = |side: &PlacedParam<'_>| side.param.ty().clone().with_optional(false);
        let (old, new) = (required(&self.old), required(&self.new));
        old != new && without_descriptions(&old) == without_descriptions(&new)
    }

    /// Returns the change of the names that the server reads. Each call is accepted as before, and the server gets
    /// another argument.
    fn remote_change(&self) -> Option<Change> {
        let notes = remote_notes(self.old.param, self.new.param);
        if notes.is_empty() {
            return None;
        }
        Some(Change {
            implementation: match self.refusal(self.new.param) {
                Some(refusal) => self.calls.refused_by_binding(refusal),
                None => Verdict::Compatible,
            },
            caller: Verdict::Breaking(Evidence::Missing(notes.join("; "))),
            ..self.change(Rule::ParameterRemoteChanged, |places| places.details)
        })
    }

    /// Returns the change of the type, apart from being optional.
    fn type_change(&self) -> Option<Change> {
        let (old, new) = (self.old.param, self.new.param);
        let old_type = old.ty().clone().with_optional(false);
        let new_type = new.ty().clone().with_optional(false);
        if without_descriptions(&old_type) == without_descriptions(&new_type) {
            return None;
        }
        let included = |of, to, to_param: &Param| {
            let to = NullableType {
                ty: to,
                allows_null: to_param.is_optional(),
            };
            inclusion(NullableType::required(of), to, UndeclaredMembers::Refused)
        };
        let lost = included(&old_type, &new_type, new);
        let gained = included(&new_type, &old_type, old);
        let rule = match (&lost, &gained) {
            (Inclusion::Included, Inclusion::Included) => Rule::ParameterTypeRestated,
            (Inclusion::Included, _) => Rule::ParameterTypeWidened,
            (_, Inclusion::Included) => Rule::ParameterTypeNarrowed,
            _ => Rule::ParameterTypeChanged,
        };
        let name = new.name();
        let caller = match lost {
            Inclusion::Included => Verdict::Compatible,
            lost => self.calls.breaks_callers(name, lost.counterexample()),
        };
        // Only the type differs, so that the refusal is about the type.
        let refusal = self.refusal(&with_presence_of(new_type, old));
        let implementation = match (refusal, gained) {
            (None, _) => Verdict::Compatible,
            (Some(refusal), Inclusion::Refuted(value)) => {
                self.calls
                    .breaks_implementations(name, Some(value), refusal)
            }
            (Some(refusal), _) => self.calls.refused_by_binding(refusal),
        };
        let labels_differ = old.ty().label() != new.ty().label();
        let place = |places: &ParamPlaces| {
            if labels_differ {
                places.label
            } else {
                places.details
            }
        };
        let notes = field_default_notes(name, old.ty(), new.ty());
        Some(Change {
            implementation,
            caller,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            ..self.change(rule, place)
        })
    }

    /// Returns the change of whether the parameter is optional, or of its default.
    fn presence_change(&self) -> Option<Change> {
        let (old, new) = (self.old.param, self.new.param);
        let name = new.name();
        // Only the presence differs, so that the refusal is about it.
        let refusal = || self.refusal(&with_presence_of(old.ty().clone(), new));
        match (old.is_optional(), new.is_optional()) {
            (true, false) => {
                return Some(Change {
                    caller: self.calls.breaks_callers(name, None),
                    ..self.change(Rule::ParameterMadeRequired, |places| places.optional)
                });
            }
            (false, true) => {
                let refusal = refusal().unwrap_or_default();
                return Some(Change {
                    implementation: self.calls.breaks_implementations(name, None, refusal),
                    ..self.change(Rule::ParameterMadeOptional, |places| places.optional)
                });
            }
            (false, false) => return None,
            (true, true) => {}
        }
        let note = default_note(name, old.default(), new.default())?;
        let rule = match (old.default(), new.default()) {
            (Some(_), Some(_)) => Rule::ParameterDefaultChanged,
            (None, _) => Rule::ParameterDefaultAdded,
            (_, None) => Rule::ParameterDefaultRemoved,
        };
        Some(Change {
            implementation: match refusal() {
                Some(refusal) => self.calls.refused_by_binding(refusal),
                None => Verdict::Compatible,
            },
            note: Some(note),
            ..self.change(rule, |places| places.default)
        })
    }
}

/// Returns a parameter of this type that is optional, or has a default, as another one.
fn with_presence_of(ty: Type, other: &Param) -> Param {
    let param = Param::new(
        other.name().to_owned(),
        ty.with_optional(other.ty().is_optional()),
    );
    match other.default() {
        Some(default) => param.with_default(default.clone()),
        None => param,
    }
}
