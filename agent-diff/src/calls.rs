//! Calls that one document takes and the other refuses.

use super::change::{Evidence, Stage, Verdict, Version, Witness};
use super::inclusion::{Budget, Extra, Place, sample, takes};
use agent_spec::{Param, Signature};
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::collections::HashMap;

/// Signatures with more parameters are checked parameter by parameter: for each change a call with all
/// of them would take time that grows with their square.
const FEW: usize = 64;

/// A tool of both documents, as its callers see it.
pub(super) struct Calls<'a> {
    name: &'a str,
    old: &'a Signature,
    new: &'a Signature,
    old_base: OnceCell<Option<Map<String, Value>>>,
    new_base: OnceCell<Option<Map<String, Value>>>,
}

/// What a call must show.
pub(super) struct Asked<'a> {
    /// Who takes it.
    pub(super) by: Version,
    /// The parameter that it is about.
    pub(super) about: &'a str,
    /// The name that this parameter has in the other document, if it was renamed.
    pub(super) other_name: Option<&'a str>,
    /// The value of that parameter, when it is not enough that required ones have one.
    pub(super) given: Option<Value>,
}

impl<'a> Calls<'a> {
    /// Calls of a tool.
    pub(super) fn new(name: &'a str, old: &'a Signature, new: &'a Signature) -> Self {
        Self {
            name,
            old,
            new,
            old_base: OnceCell::new(),
            new_base: OnceCell::new(),
        }
    }

    fn signature(&self, version: Version) -> &'a Signature {
        match version {
            Version::Old => self.old,
            Version::New => self.new,
        }
    }

    /// The arguments that a version requires, with values that the other one takes as well where there
    /// are such; nothing when no value of one of them is found.
    fn base(&self, version: Version) -> Option<&Map<String, Value>> {
        let base = match version {
            Version::Old => &self.old_base,
            Version::New => &self.new_base,
        };
        let make = || required(self.signature(version), self.signature(version.other()));
        base.get_or_init(make).as_ref()
    }

    /// A call that shows a difference of arguments.
    pub(super) fn witness(&self, asked: Asked<'_>) -> Option<Witness> {
        let mut args = self.base(asked.by)?.clone();
        if let Some(value) = asked.given {
            args.insert(asked.about.to_owned(), value);
        }
        let (by, other) = (self.signature(asked.by), self.signature(asked.by.other()));
        let about: Vec<&str> = std::iter::once(asked.about)
            .chain(asked.other_name)
            .collect();
        let refusal = if by.params().len().max(other.params().len()) <= FEW {
            is_taken(by, &args).then(|| refusal(other, &args, &about))
        } else {
            let (by, other) = (only(by, asked.about), only(other, asked.about));
            let own = args.get(asked.about).cloned();
            let own = own.map(|value| (asked.about.to_owned(), value));
            let own = Map::from_iter(own);
            is_taken(&by, &own).then(|| refusal(&other, &own, &about))
        };
        Some(Witness {
            tool: self.name.to_owned(),
            args,
            result: None,
            accepted_by: asked.by,
            refused_at: Stage::Arguments,
            refusal: refusal??,
        })
    }

    /// That callers are broken by what this call shows.
    pub(super) fn breaks_callers(&self, about: &str, given: Option<Value>) -> Verdict {
        self.breaks_callers_by(Asked {
            by: Version::Old,
            about,
            other_name: None,
            given,
        })
    }

    /// The same of a call that was asked for.
    pub(super) fn breaks_callers_by(&self, asked: Asked<'_>) -> Verdict {
        let by = asked.by;
        let evidence = match self.witness(asked) {
            Some(witness) => Evidence::Witness(Box::new(witness)),
            None => Evidence::Missing(self.unproven(by)),
        };
        Verdict::Breaking(evidence)
    }

    /// That implementations are broken by what this call shows or, when no call does, by the words of
    /// the binding rule.
    pub(super) fn breaks_implementations(
        &self,
        about: &str,
        given: Option<Value>,
        rule: String,
    ) -> Verdict {
        let asked = Asked {
            by: Version::New,
            about,
            other_name: None,
            given,
        };
        self.breaks_implementations_by(asked, rule)
    }

    /// The same of a call that was asked for.
    pub(super) fn breaks_implementations_by(&self, asked: Asked<'_>, rule: String) -> Verdict {
        let by = asked.by;
        match self.witness(asked) {
            Some(witness) => Verdict::Breaking(Evidence::Witness(Box::new(witness))),
            None => self.refused_at(Stage::Binding, by, rule),
        }
    }

    /// That a plain call is refused, for a reason that has nothing to do with its arguments.
    pub(super) fn refused_at(&self, stage: Stage, by: Version, refusal: String) -> Verdict {
        Verdict::Breaking(match self.base(by) {
            Some(args) => Evidence::Witness(Box::new(Witness {
                tool: self.name.to_owned(),
                args: args.clone(),
                result: None,
                accepted_by: by,
                refused_at: stage,
                refusal,
            })),
            None => Evidence::Missing(format!("{refusal}; {}", no_call(by))),
        })
    }

    /// That binding refuses the library, whatever is called.
    pub(super) fn refused_by_rule(&self, rule: String) -> Verdict {
        self.refused_at(Stage::Binding, Version::New, rule)
    }

    /// That a result which one version may give is refused by the other, whose call it answers.
    pub(super) fn refused_result(&self, by: Version, result: Value, refusal: String) -> Verdict {
        let Verdict::Breaking(Evidence::Witness(mut witness)) =
            self.refused_at(Stage::Result, by.other(), refusal.clone())
        else {
            let reason = format!("{refusal}; {}", no_call(by.other()));
            return Verdict::Breaking(Evidence::Missing(reason));
        };
        witness.accepted_by = by;
        witness.result = Some(result);
        Verdict::Breaking(Evidence::Witness(witness))
    }

    /// What to say when nothing was found.
    pub(super) fn unproven(&self, by: Version) -> String {
        if self.base(by).is_none() {
            return no_call(by);
        }
        "no value was found that shows it, nor could it be proven that there is none".to_owned()
    }
}

fn no_call(by: Version) -> String {
    let document = match by {
        Version::Old => "OLD",
        Version::New => "NEW",
    };
    format!("no call was found that {document} takes, so none can be shown")
}

/// The arguments that a signature requires, unless they are too many to be read.
fn required(of: &Signature, other: &Signature) -> Option<Map<String, Value>> {
    let others: HashMap<&str, &Param> = by_name(other);
    let mut args = Map::new();
    let mut nodes = 0;
    for param in of.params().iter().filter(|param| !param.is_optional()) {
        let place = Place {
            ty: param.ty(),
            null: false,
        };
        let common = others
            .get(param.name())
            .and_then(|other| sample(other.ty()));
        let common = common.filter(|value| takes(place, value, Extra::Refused));
        let value = common.or_else(|| sample(param.ty()))?;
        nodes += Budget::nodes(&value);
        if nodes > Budget::MOST {
            return None;
        }
        args.insert(param.name().to_owned(), value);
    }
    Some(args)
}

/// The parameters of a signature by name.
pub(super) fn by_name(of: &Signature) -> HashMap<&str, &Param> {
    of.params()
        .iter()
        .map(|param| (param.name(), param))
        .collect()
}

/// A signature of one of the parameters, if there is one of the name.
fn only(of: &Signature, name: &str) -> Signature {
    let params = of.param(name).cloned().into_iter().collect();
    Signature::new(params, of.returns().clone())
}

fn is_taken(by: &Signature, args: &Map<String, Value>) -> bool {
    let text = Value::Object(args.clone()).to_string();
    by.check_arguments(&text, None)
        .is_ok_and(|arguments| arguments.dropped().is_empty())
}

/// Why a signature refuses arguments, in its own words about one of these parameters if it has any;
/// nothing when it does not. Other parameters may have changed as well, and have their own witnesses.
fn refusal(by: &Signature, args: &Map<String, Value>, about: &[&str]) -> Option<String> {
    let text = Value::Object(args.clone()).to_string();
    match by.check_arguments(&text, None) {
        Err(violations) => {
            let of = |name: &&str| {
                let mut found = violations.iter();
                found.find(|violation| is_at(violation.path(), name))
            };
            if let Some(own) = about.iter().find_map(of) {
                return Some(own.to_string());
            }
            let dropped = |name: &&str| dropped_of(by, args, name);
            let own = about.iter().find_map(dropped);
            Some(own.unwrap_or_else(|| violations.first().to_string()))
        }
        Ok(arguments) => {
            let dropped = arguments.dropped();
            let of = |name: &&str| dropped.iter().find(|path| is_within(path, name));
            let path = about.iter().find_map(of).or(dropped.first())?;
            Some(would_be_dropped(path))
        }
    }
}

/// What of one argument a signature would drop, when it takes the rest of it.
fn dropped_of(by: &Signature, args: &Map<String, Value>, name: &str) -> Option<String> {
    let value = args.get(name)?;
    let own = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
    let arguments = only(by, name)
        .check_arguments(&own.to_string(), None)
        .ok()?;
    arguments
        .dropped()
        .first()
        .map(|path| would_be_dropped(path))
}

fn would_be_dropped(path: &str) -> String {
    format!("`{path}` would be dropped, since nothing of this name is taken")
}

/// Whether a JSON path leads to a parameter or into it.
fn is_at(path: &str, name: &str) -> bool {
    let Some(path) = path.strip_prefix('$') else {
        return false;
    };
    let quoted = format!("[{}]", Value::from(name));
    let rest = path
        .strip_prefix('.')
        .and_then(|path| path.strip_prefix(name));
    let rest = rest.or_else(|| path.strip_prefix(&quoted));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Whether what would be dropped is an argument or a part of it.
fn is_within(path: &str, name: &str) -> bool {
    let rest = path.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
