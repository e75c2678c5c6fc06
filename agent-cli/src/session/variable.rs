//! Variables given with `--var`.

use crate::outcome::CommandError;
use crate::output::warning_to_stderr;
use agent_runtime::Agent;
use agent_runtime::run::instruction_variables;
use agent_spec::names::nearest;
use agent_spec::types::Param;
use std::collections::HashSet;
use std::str::FromStr;

/// A named value, for `{{name}}` in the instruction of an agent, or for a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// The value; may be empty.
    pub(crate) value: String,
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
pub(crate) fn refuse_duplicates(given: &[Variable]) -> Result<(), CommandError> {
    for (at, Variable { name, .. }) in given.iter().enumerate() {
        if given[..at].iter().any(|other| other.name == *name) {
            return Err(CommandError::new(format!(
                "`--var` is given twice for `{name}`; leave one of them out"
            )));
        }
    }
    Ok(())
}

/// Returns the variables of the templates of an agent that the host fills: all variables that are not
/// parameters.
pub(crate) fn host_variables(agent: &Agent) -> Vec<&str> {
    let is_function = agent.has_own_signature() || agent.prompt().is_some();
    let params = agent.signature().params().iter();
    let params: HashSet<&str> = params.filter(|_| is_function).map(Param::name).collect();
    [Some(agent.instruction()), agent.prompt()]
        .into_iter()
        .flatten()
        .flat_map(instruction_variables)
        .filter(|name| !params.contains(name))
        .collect()
}

/// Warns about variables that the instruction does not use. They are not errors, because a script may pass
/// the same variables to every agent.
pub(crate) fn warn_about_unused(agent: &Agent, given: &[Variable]) {
    let called = agent.agents();
    let all = std::iter::once(agent).chain(called.iter().copied());
    let names: Vec<&str> = all.flat_map(host_variables).collect();
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
