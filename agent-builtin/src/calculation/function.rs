//! The names that an expression can have.

mod apply;

use super::error::clipped;
use super::number::{Number, Reason};
use agent_spec::names::nearest;
use std::f64::consts;
use std::ops::RangeInclusive;

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Word {
    Constant(f64),
    Function(&'static Function),
}

pub(super) struct Function {
    name: &'static str,
    takes: RangeInclusive<usize>,
    apply: fn(&[Number]) -> Result<Number, Reason>,
}

impl Function {
    pub(super) fn call(&self, arguments: &[Number]) -> Result<Number, Reason> {
        if !self.takes.contains(&arguments.len()) {
            return Err(self.wrong_number(arguments.len()).into());
        }
        (self.apply)(arguments)
    }

    fn wrong_number(&self, found: usize) -> String {
        let (least, most) = (*self.takes.start(), *self.takes.end());
        let arguments = |number| if number == 1 { "argument" } else { "arguments" };
        let takes = if most == ANY {
            format!("{least} {} or more", arguments(least))
        } else if least == most {
            format!("{least} {}", arguments(least))
        } else {
            format!("{least} or {most} {}", arguments(most))
        };
        let name = self.name;
        let verb = if found == 1 { "is" } else { "are" };
        format!("`{name}` takes {takes}, and {found} {verb} given")
    }
}

const ANY: usize = usize::MAX;

const CONSTANTS: &[(&str, f64)] = &[
    ("pi", consts::PI),
    ("π", consts::PI),
    ("e", consts::E),
    ("tau", consts::TAU),
    ("τ", consts::TAU),
];

const fn function(
    name: &'static str,
    takes: RangeInclusive<usize>,
    apply: fn(&[Number]) -> Result<Number, Reason>,
) -> Function {
    Function { name, takes, apply }
}

static FUNCTIONS: &[Function] = &[
    function("abs", 1..=1, apply::abs),
    function("acos", 1..=1, |a| apply::within_one(a, f64::acos)),
    function("asin", 1..=1, |a| apply::within_one(a, f64::asin)),
    function("atan", 1..=1, |a| apply::double(a, f64::atan)),
    function("atan2", 2..=2, |a| apply::doubles(a, f64::atan2)),
    function("cbrt", 1..=1, apply::cbrt),
    function("ceil", 1..=1, |a| apply::rounded(a, f64::ceil)),
    function("cos", 1..=1, |a| apply::double(a, f64::cos)),
    function("cosh", 1..=1, |a| apply::double(a, f64::cosh)),
    function("degrees", 1..=1, |a| apply::double(a, f64::to_degrees)),
    function("exp", 1..=1, |a| apply::double(a, f64::exp)),
    function("factorial", 1..=1, apply::factorial),
    function("floor", 1..=1, |a| apply::rounded(a, f64::floor)),
    function("gcd", 2..=ANY, apply::gcd),
    function("hypot", 2..=2, |a| apply::doubles(a, f64::hypot)),
    function("lcm", 2..=ANY, apply::lcm),
    function("ln", 1..=1, |a| apply::logarithm(a, f64::ln)),
    function("log", 1..=2, apply::log),
    function("log10", 1..=1, |a| apply::logarithm(a, f64::log10)),
    function("log2", 1..=1, |a| apply::logarithm(a, f64::log2)),
    function("max", 1..=ANY, apply::max),
    function("mean", 1..=ANY, apply::mean),
    function("min", 1..=ANY, apply::min),
    function("pow", 2..=2, |a| a[0].power(&a[1])),
    function("radians", 1..=1, |a| apply::double(a, f64::to_radians)),
    function("round", 1..=2, apply::round),
    function("sign", 1..=1, apply::sign),
    function("sin", 1..=1, |a| apply::double(a, f64::sin)),
    function("sinh", 1..=1, |a| apply::double(a, f64::sinh)),
    function("sqrt", 1..=1, apply::sqrt),
    function("sum", 1..=ANY, apply::sum),
    function("tan", 1..=1, |a| apply::double(a, f64::tan)),
    function("tanh", 1..=1, |a| apply::double(a, f64::tanh)),
    function("trunc", 1..=1, |a| apply::rounded(a, f64::trunc)),
];

pub(super) fn find_word(name: &str) -> Option<Word> {
    if let Some((_, value)) = CONSTANTS.iter().find(|(known, _)| *known == name) {
        return Some(Word::Constant(*value));
    }
    let found = FUNCTIONS
        .binary_search_by(|function| function.name.cmp(name))
        .ok()?;
    Some(Word::Function(&FUNCTIONS[found]))
}

/// What is said of a name that stands for nothing: the nearest known one, else all.
pub(super) fn unknown_word(name: &str) -> Reason {
    let constants = CONSTANTS.iter().map(|(name, _)| *name);
    let known = || {
        constants
            .clone()
            .chain(FUNCTIONS.iter().map(|function| function.name))
    };
    // `math.sqrt` is what other notations call it.
    let last = name.rsplit('.').next().unwrap_or(name);
    let shown = clipped(name);
    let reason = match nearest(last, known()) {
        Some(near) => format!("there is no `{shown}`; did you mean `{near}`?"),
        None => {
            let known: Vec<_> = known().filter(|name| name.is_ascii()).collect();
            format!("there is no `{shown}`; there are {}", known.join(", "))
        }
    };
    reason.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_sorted_and_each_is_found() {
        assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
        for function in FUNCTIONS {
            assert!(matches!(find_word(function.name), Some(Word::Function(_))));
        }
    }
}
