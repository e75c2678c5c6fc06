//! Variables given with `--var`.

use crate::outcome::CommandError;
use crate::output::warning_to_stderr;
use agent_runtime::Agent;
use agent_runtime::run::instruction_variables;
use agent_spec::names::nearest;
use std::str::FromStr;

/// A value for `{{name}}` in the instruction of an agent.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    /// The value; may be empty.
    pub(super) value: String,
}

impl FromStr for Variable {
    type Err = &'static str;

    /// Parses `NAME=VALUE`. The value may contain more `=`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self {
                name: name.trim().to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("write NAME=VALUE, such as city=Vienna"),
        }
    }
}

/// Refuses two values for one name, because one of them would have no effect.
///
/// # Errors
/// Returns an error about the first name that is given twice.
pub(super) fn refuse_duplicates(given: &[Variable]) -> Result<(), CommandError> {
    for (at, Variable { name, .. }) in given.iter().enumerate() {
        if given[..at].iter().any(|other| other.name == *name) {
            return Err(CommandError::new(format!(
                "`--var` is given twice for `{name}`; leave one of them out"
            )));
        }
    }
    Ok(())
}

/// Warns about variables that the instruction does not use. They are not errors, because a script may pass
/// the same variables to every agent.
pub(super) fn warn_about_unused(agent: &Agent, given: &[Variable]) {
    let names: Vec<&str> = instruction_variables(agent.instruction()).collect();
    for Variable { name, .. } in given {
        if names.contains(&name.as_str()) {
            continue;
        }
        let instead = match nearest(name, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if names.is_empty() => "it has no variables".to_owned(),
            None => format!("it has {}", names.join(", ")),
        };
        warning_to_stderr(&format!(
            "`--var` gives `{name}` a value, but the instruction of `{}` has no `{{{{{name}}}}}`; {instead}",
            agent.name()
        ));
    }
}
