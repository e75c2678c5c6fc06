//! Calls that one document accepts and the other refuses.

use super::accept::{NullableType, UndeclaredMembers, accepts};
use super::candidates::{MAX_NODES, node_count, sample};
use super::change::{Evidence, Stage, Verdict, Version, Witness};
use agent_spec::{Param, Signature};
use serde_json::{Map, Value};
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

/// The maximum number of values in all calls of a comparison. Each call has all arguments of its tool, so that an MCP server
/// with thousands of changed parameters would take quadratic time and memory of `agent mcp check`.
const MAX_WITNESS_VALUES: usize = 500_000;

/// The number of values that further witnesses of a comparison may have.
pub(super) struct WitnessBudget(Cell<usize>);

impl WitnessBudget {
    /// Creates the budget of a comparison.
    pub(super) fn new() -> Self {
        Self(Cell::new(MAX_WITNESS_VALUES))
    }

    /// Whether a call with these required arguments may be tried.
    fn has_room_for(&self, required: &Required) -> bool {
        required.values <= self.0.get()
    }

    /// Counts a call that is tried or kept.
    fn spend(&self, args: &Map<String, Value>) {
        let values = args.values().map(node_count).sum();
        self.0.set(self.0.get().saturating_sub(values));
    }
}

/// The required arguments of a version.
struct Required {
    args: Map<String, Value>,
    /// The number of values in the arguments.
    values: usize,
}

/// The calls of a tool that both documents have.
pub(super) struct Calls<'a> {
    name: &'a str,
    old: &'a Signature,
    new: &'a Signature,
    old_required: OnceCell<Option<Required>>,
    new_required: OnceCell<Option<Required>>,
    budget: &'a WitnessBudget,
}

/// The requirements for a witness.
pub(super) struct Wanted<'a> {
    /// The document that accepts the call.
    pub(super) accepted_by: Version,
    /// The name of the changed parameter.
    pub(super) parameter: &'a str,
    /// The name of the parameter in the other document, if it was renamed.
    pub(super) other_name: Option<&'a str>,
    /// The value of the parameter, if the parameter is optional or must have a certain value.
    pub(super) value: Option<Value>,
}

impl<'a> Calls<'a> {
    /// Creates the calls of a tool with these signatures.
    pub(super) fn new(
        name: &'a str,
        old: &'a Signature,
        new: &'a Signature,
        budget: &'a WitnessBudget,
    ) -> Self {
        Self {
            name,
            old,
            new,
            old_required: OnceCell::new(),
            new_required: OnceCell::new(),
            budget,
        }
    }

    fn signature(&self, version: Version) -> &'a Signature {
        match version {
            Version::Old => self.old,
            Version::New => self.new,
        }
    }

    /// Returns the required arguments of a version, with values that the other version accepts, too, where
    /// there are some. `None` if no value is found for one of them.
    fn required(&self, version: Version) -> Option<&Required> {
        let required = match version {
            Version::Old => &self.old_required,
            Version::New => &self.new_required,
        };
        let make = || required_arguments(self.signature(version), self.signature(version.other()));
        required.get_or_init(make).as_ref()
    }

    /// Returns the required arguments of a version for a witness, unless the other witnesses have too many
    /// values already.
    fn required_within_budget(&self, version: Version) -> Option<&Required> {
        let required = self.required(version)?;
        self.budget.has_room_for(required).then_some(required)
    }

    /// Finds a call that one version accepts and the other refuses for its arguments.
    fn witness(&self, wanted: Wanted<'_>) -> Option<Witness> {
        let required = self.required_within_budget(wanted.accepted_by)?;
        let mut args = required.args.clone();
        if let Some(value) = wanted.value {
            args.insert(wanted.parameter.to_owned(), value);
        }
        let by = self.signature(wanted.accepted_by);
        let other = self.signature(wanted.accepted_by.other());
        let names: Vec<&str> = std::iter::once(wanted.parameter)
            .chain(wanted.other_name)
            .collect();
        self.budget.spend(&args);
        let is_accepted = accepts_arguments(by, &args);
        let refusal = is_accepted.then(|| refusal(other, &args, &names))??;
        Some(Witness {
            tool: self.name.to_owned(),
            args,
            result: None,
            accepted_by: wanted.accepted_by,
            refused_at: Stage::Arguments,
            refusal,
        })
    }

    /// Returns the verdict that callers are broken by a change of a parameter, with a call that has this
    /// value for it.
    pub(super) fn breaks_callers(&self, parameter: &str, value: Option<Value>) -> Verdict {
        self.breaks_callers_with(Wanted {
            accepted_by: Version::Old,
            parameter,
            other_name: None,
            value,
        })
    }

    /// Returns the verdict that callers are broken, with a call that meets the requirements.
    pub(super) fn breaks_callers_with(&self, wanted: Wanted<'_>) -> Verdict {
        let by = wanted.accepted_by;
        let evidence = match self.witness(wanted) {
            Some(witness) => Evidence::Witness(Box::new(witness)),
            None => Evidence::Missing(self.missing_reason(by)),
        };
        Verdict::Breaking(evidence)
    }

    /// Returns the verdict that implementations are broken by a change of a parameter, with a call that has
    /// this value for it. If no call is refused, the refusal of the binding rule is the evidence.
    pub(super) fn breaks_implementations(
        &self,
        parameter: &str,
        value: Option<Value>,
        binding_refusal: String,
    ) -> Verdict {
        let wanted = Wanted {
            accepted_by: Version::New,
            parameter,
            other_name: None,
            value,
        };
        self.breaks_implementations_with(wanted, binding_refusal)
    }

    /// Returns the verdict that implementations are broken, with a call that meets the requirements or else
    /// with the refusal of the binding rule.
    pub(super) fn breaks_implementations_with(
        &self,
        wanted: Wanted<'_>,
        binding_refusal: String,
    ) -> Verdict {
        let by = wanted.accepted_by;
        match self.witness(wanted) {
            Some(witness) => Verdict::Breaking(Evidence::Witness(Box::new(witness))),
            None => self.refused_at(Stage::Binding, by, binding_refusal),
        }
    }

    /// Returns the verdict that every call is refused, whatever its arguments are.
    pub(super) fn refused_at(&self, stage: Stage, by: Version, refusal: String) -> Verdict {
        Verdict::Breaking(match self.required_within_budget(by) {
            Some(Required { args, .. }) => {
                self.budget.spend(args);
                Evidence::Witness(Box::new(Witness {
                    tool: self.name.to_owned(),
                    args: args.clone(),
                    result: None,
                    accepted_by: by,
                    refused_at: stage,
                    refusal,
                }))
            }
            None => Evidence::Missing(format!("{refusal}; {}", self.missing_reason(by))),
        })
    }

    /// Returns the verdict that binding refuses the library before any call.
    pub(super) fn refused_by_binding(&self, refusal: String) -> Verdict {
        self.refused_at(Stage::Binding, Version::New, refusal)
    }

    /// Returns the verdict that a result which one version may give is refused by the other, whose call it
    /// answers.
    pub(super) fn refused_result(&self, by: Version, result: Value, refusal: String) -> Verdict {
        let mut verdict = self.refused_at(Stage::Result, by.other(), refusal);
        if let Verdict::Breaking(Evidence::Witness(witness)) = &mut verdict {
            witness.accepted_by = by;
            witness.result = Some(result);
        }
        verdict
    }

    /// Returns the reason why there is no witness.
    pub(super) fn missing_reason(&self, by: Version) -> String {
        match self.required(by) {
            None => {
                let document = match by {
                    Version::Old => "OLD",
                    Version::New => "NEW",
                };
                format!("no call was found that {document} takes, so none can be shown")
            }
            Some(required) if !self.budget.has_room_for(required) => format!(
                "the calls for other changes have {MAX_WITNESS_VALUES} values together, and no more \
                 are kept"
            ),
            Some(_) => {
                "no value was found that shows it, nor could it be proven that there is none"
                    .to_owned()
            }
        }
    }
}

/// Returns values for the required parameters of a signature. `None` if no value is found for one of them
/// or they are too long to read.
fn required_arguments(of: &Signature, other: &Signature) -> Option<Required> {
    let others = params_by_name(other);
    let mut args = Map::new();
    let mut values = 0;
    for param in of.params().iter().filter(|param| !param.may_be_missing()) {
        let ty = NullableType::required(param.ty());
        let other = others.get(param.name());
        let common = other
            .and_then(|other| sample(other.ty()))
            .filter(|value| accepts(ty, value, UndeclaredMembers::Refused));
        let value = common.or_else(|| sample(param.ty()))?;
        values += node_count(&value);
        if values > MAX_NODES {
            return None;
        }
        args.insert(param.name().to_owned(), value);
    }
    Some(Required { args, values })
}

/// Returns the parameters of a signature by name.
pub(super) fn params_by_name(of: &Signature) -> HashMap<&str, &Param> {
    of.params()
        .iter()
        .map(|param| (param.name(), param))
        .collect()
}

/// Returns a signature with only the parameter of a name, if there is one.
fn with_only(of: &Signature, name: &str) -> Signature {
    let params = of.param(name).cloned().into_iter().collect();
    Signature::new(params, of.returns().clone())
}

/// Whether a signature accepts arguments and drops none of them.
fn accepts_arguments(by: &Signature, args: &Map<String, Value>) -> bool {
    let text = Value::Object(args.clone()).to_string();
    by.check_arguments(&text, None)
        .is_ok_and(|arguments| arguments.dropped().is_empty())
}

/// Returns the message with which a signature refuses arguments, or `None` if it accepts them. A message
/// about one of the named parameters is preferred, because other parameters may have changed, too.
fn refusal(by: &Signature, args: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let text = Value::Object(args.clone()).to_string();
    match by.check_arguments(&text, None) {
        Err(violations) => {
            let of_name = |name: &&str| {
                let mut found = violations.iter();
                found.find(|violation| is_path_of(violation.path(), name))
            };
            if let Some(own) = names.iter().find_map(of_name) {
                return Some(own.to_string());
            }
            let dropped = names.iter().find_map(|name| dropped_part(by, args, name));
            Some(dropped.unwrap_or_else(|| violations.first().to_string()))
        }
        Ok(arguments) => {
            let dropped = arguments.dropped();
            let of_name = |name: &&str| dropped.iter().find(|path| begins_with(path, name));
            let path = names.iter().find_map(of_name).or(dropped.first())?;
            Some(would_be_dropped(path))
        }
    }
}

/// Returns the message for a dropped part of one argument, if the signature accepts the rest of it.
fn dropped_part(by: &Signature, args: &Map<String, Value>, name: &str) -> Option<String> {
    let value = args.get(name)?;
    let own = Value::Object(Map::from_iter([(name.to_owned(), value.clone())])).to_string();
    let signature = with_only(by, name);
    let arguments = signature.check_arguments(&own, None).ok()?;
    arguments
        .dropped()
        .first()
        .map(|path| would_be_dropped(path))
}

fn would_be_dropped(path: &str) -> String {
    format!("`{path}` would be dropped, since nothing of this name is taken")
}

/// Whether a JSON path leads to a parameter or into it.
fn is_path_of(path: &str, name: &str) -> bool {
    let Some(path) = path.strip_prefix('$') else {
        return false;
    };
    let plain = path.strip_prefix('.');
    let quoted = format!("[{}]", Value::from(name));
    plain.is_some_and(|path| begins_with(path, name)) || begins_with(path, &quoted)
}

/// Whether a path begins with a name, after which the path ends or another step follows.
fn begins_with(path: &str, name: &str) -> bool {
    let rest = path.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
