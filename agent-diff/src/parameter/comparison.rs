//! What changed in one parameter.

use super::Side;
use crate::calls::{Asked, Calls};
use crate::change::{Change, DocumentPart, Verdict, Version};
use crate::gram_text::{alone, description, refusal_of_rule, stated};
use crate::inclusion::{Answer, Extra, Place, escape, sample};
use crate::nested::{default_note, default_notes, undescribed};
use crate::rule::Rule;
use crate::tool::Pair;
use agent_gram::Span;
use agent_spec::check::ParamPlaces;
use agent_spec::{Param, Type};

/// A parameter that both documents have.
pub(super) struct Comparison<'a> {
    pub(super) pair: &'a Pair<'a>,
    pub(super) calls: &'a Calls<'a>,
    pub(super) old: Side<'a>,
    pub(super) new: Side<'a>,
}

impl<'a> Comparison<'a> {
    fn change(&self, rule: Rule, part: impl Fn(&ParamPlaces) -> Span) -> Change {
        Change {
            parameter: Some(self.old.param.name().to_owned()),
            old: self.old.stated(&part),
            new: self.new.stated(&part),
            ..self.pair.change(rule)
        }
    }

    /// That the parameter has another name, and nothing else.
    pub(super) fn rename(&self) -> Change {
        let (old, new) = (self.old.param, self.new.param);
        let given = |param: &Param| param.is_optional().then(|| sample(param.ty())).flatten();
        let rule = refusal_of_rule(self.pair.name(), ("", &alone(new)), ("", &alone(old)));
        let rule = rule.unwrap_or_default();
        let asked = |by, param: &'a Param, other: &'a Param| Asked {
            by,
            about: param.name(),
            other_name: Some(other.name()),
            given: given(param),
        };
        let (of_old, of_new) = (asked(Version::Old, old, new), asked(Version::New, new, old));
        Change {
            implementation: self.calls.breaks_implementations_by(of_new, rule),
            caller: self.calls.breaks_callers_by(of_old),
            renamed_to: Some(new.name().to_owned()),
            ..self.change(Rule::ParameterRenamed, |places| places.name)
        }
    }

    /// The changes of a parameter that has the name that it had.
    pub(super) fn aspects(&self, found: &mut Vec<Change>) {
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
        } else if self.only_fields_are_described_otherwise() {
            found.push(self.change(Rule::ParameterDescriptionChanged, |places| places.details));
        }
    }

    fn only_fields_are_described_otherwise(&self) -> bool {
        let required = |side: &Side<'_>| side.param.ty().clone().with_optional(false);
        let (old, new) = (required(&self.old), required(&self.new));
        old != new && undescribed(&old) == undescribed(&new)
    }

    fn described(&self, side: &Side<'_>) -> Option<DocumentPart> {
        let text = description(side.param.description());
        stated(text, side.places.map(|places| places.description))
    }

    /// The change of the type, apart from whether it may be left out.
    fn ty(&self) -> Option<Change> {
        let (old, new) = (self.old.param, self.new.param);
        let old_type = old.ty().clone().with_optional(false);
        let new_type = new.ty().clone().with_optional(false);
        if undescribed(&old_type) == undescribed(&new_type) {
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
        let notes = default_notes(name, old.ty(), new.ty());
        Some(Change {
            implementation,
            caller,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
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
        let note = default_note(name, old.default(), new.default())?;
        let rule = match (old.default(), new.default()) {
            (Some(_), Some(_)) => Rule::ParameterDefaultChanged,
            (None, _) => Rule::ParameterDefaultAdded,
            (_, None) => Rule::ParameterDefaultRemoved,
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
