//! Changes of the result of a tool.

use super::accept::{NullableType, UndeclaredMembers};
use super::calls::Calls;
use super::change::{Change, DocumentPart, Evidence, Verdict, Version};
use super::contracts::{DocumentTool, ToolPair};
use super::gram_text::{binding_refusal, description_text, result_text};
use super::inclusion::{Inclusion, inclusion};
use super::nested::without_descriptions;
use super::rule::Rule;
use agent_gram::Span;
use agent_spec::check::ParamPlaces;
use agent_spec::{Returns, Signature, Type};
use serde_json::Value;

/// Finds the changes of the result.
pub(super) fn changes(pair: &ToolPair<'_>, calls: &Calls<'_>) -> Vec<Change> {
    let results = Results {
        pair,
        old: pair.old.spec.signature().returns(),
        new: pair.new.spec.signature().returns(),
    };
    let (old, new) = (results.old, results.new);
    let mut found = Vec::new();
    let same_types = without_descriptions(old.ty()) == without_descriptions(new.ty());
    if !same_types {
        found.push(results.compare_types(calls));
    }
    if old.description() != new.description() {
        let text = |returns: &Returns| description_text(returns.description());
        let place = |places: &ParamPlaces| places.description;
        found.push(results.change(Rule::ResultDescriptionChanged, text, place));
    } else if same_types && old.ty() != new.ty() {
        let place = |places: &ParamPlaces| places.details;
        found.push(results.change(Rule::ResultDescriptionChanged, result_text, place));
    }
    found
}

/// The results of a tool that both documents have.
struct Results<'a> {
    pair: &'a ToolPair<'a>,
    old: &'a Returns,
    new: &'a Returns,
}

impl Results<'_> {
    fn change(
        &self,
        rule: Rule,
        text: impl Fn(&Returns) -> String,
        place: impl Fn(&ParamPlaces) -> Span,
    ) -> Change {
        let part = |returns, tool: &DocumentTool<'_>| DocumentPart {
            text: text(returns),
            span: tool.places.map(|places| place(&places.signature.returns)),
        };
        Change {
            old: Some(part(self.old, &self.pair.old)),
            new: Some(part(self.new, &self.pair.new)),
            ..self.pair.change(rule)
        }
    }

    fn compare_types(&self, calls: &Calls<'_>) -> Change {
        let (old, new) = (self.old.ty(), self.new.ty());
        let (old_use, new_use) = (NullableType::of(old), NullableType::of(new));
        let gained = inclusion(new_use, old_use, UndeclaredMembers::Ignored);
        let lost = inclusion(old_use, new_use, UndeclaredMembers::Ignored);
        let rule = match (&lost, &gained) {
            (Inclusion::Included, Inclusion::Included) => Rule::ResultTypeRestated,
            (Inclusion::Included, _) => Rule::ResultTypeWidened,
            (_, Inclusion::Included) => Rule::ResultTypeNarrowed,
            _ => Rule::ResultTypeChanged,
        };
        let caller = match gained {
            Inclusion::Included => Verdict::Compatible,
            Inclusion::Refuted(value) => {
                let refusal = refusal(old, &value);
                calls.refused_result(Version::New, value, refusal)
            }
            Inclusion::Undecided => {
                Verdict::Breaking(Evidence::Missing(calls.missing_reason(Version::New)))
            }
        };
        let only = |returns: &Returns| Signature::new(Vec::new(), returns.clone());
        let (spec, tool) = (only(self.new), only(self.old));
        let implementation = match (
            binding_refusal(self.pair.name(), ("", &spec), ("", &tool)),
            lost,
        ) {
            (None, _) => Verdict::Compatible,
            (Some(_), Inclusion::Refuted(value)) => {
                let refusal = refusal(new, &value);
                calls.refused_result(Version::Old, value, refusal)
            }
            (Some(refusal), _) => calls.refused_by_binding(refusal),
        };
        let labels_differ = old.label() != new.label();
        let place = |places: &ParamPlaces| {
            if labels_differ {
                places.label
            } else {
                places.details
            }
        };
        Change {
            implementation,
            caller,
            ..self.change(rule, result_text, place)
        }
    }
}

/// Returns the message with which a type refuses a result.
fn refusal(by: &Type, value: &Value) -> String {
    match by.validate(value) {
        Err(violations) => violations.first().to_string(),
        Ok(()) => "the result is of another type".to_owned(),
    }
}
