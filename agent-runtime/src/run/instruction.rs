//! Filling the `{{name}}` of an instruction.

use crate::error::Error;
use agent_spec::names::nearest;
use std::collections::BTreeMap;

/// The instruction with every `{{name}}` replaced by the variable's value. Blanks next to the name
/// are allowed; what stands between the braces and is no name (letters, digits, `_`, `-`, `.`) is
/// left as it is. Values are not looked through again.
pub(super) fn fill(
    instruction: &str,
    variables: &BTreeMap<String, String>,
) -> Result<String, Error> {
    let mut filled = String::with_capacity(instruction.len());
    let mut rest = instruction;
    while let Some(start) = rest.find("{{") {
        if let Some((name, after)) = name_in(&rest[start + 2..]) {
            filled.push_str(&rest[..start]);
            filled.push_str(
                variables
                    .get(name)
                    .ok_or_else(|| missing(name, variables))?,
            );
            rest = after;
        } else {
            filled.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The names of the `{{name}}` in an instruction, from the first to the last; one that comes again
/// is given again. [`RuntimeBuilder::variable`](crate::runtime::RuntimeBuilder::variable) gives them values.
///
/// ```
/// let names = agent_runtime::run::instruction_variables("Guide {{user}} through {{ city }}.");
/// assert!(names.eq(["user", "city"]));
/// ```
pub fn instruction_variables(instruction: &str) -> impl Iterator<Item = &str> {
    let mut rest = instruction;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find("{{")?;
            match name_in(&rest[start + 2..]) {
                Some((name, after)) => {
                    rest = after;
                    return Some(name);
                }
                None => rest = &rest[start + 1..],
            }
        }
    })
}

/// The name that stands here before `}}`, and what follows those. Nothing is looked at beyond the
/// first character that cannot belong to it, so that a text full of braces is read only once.
fn name_in(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let (name, rest) = text.split_at(text.find(|c| !in_name(c))?);
    let after = rest.trim_start().strip_prefix("}}")?;
    (!name.is_empty()).then_some((name, after))
}

fn missing(name: &str, variables: &BTreeMap<String, String>) -> Error {
    let mut text = format!("the instruction needs the variable `{name}`, which has no value");
    if let Some(meant) = nearest(name, variables.keys().map(String::as_str)) {
        text.push_str(&format!("; there is `{meant}`"));
    }
    Error::configuration(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(instruction: &str, expected: Result<&str, &str>) {
        let variables = BTreeMap::from([
            ("user".to_owned(), "Ada".to_owned()),
            ("loop".to_owned(), "{{user}}".to_owned()),
        ]);
        let filled = fill(instruction, &variables).map_err(|error| {
            assert!(error.is_configuration());
            error.to_string()
        });
        match (filled, expected) {
            (Ok(filled), Ok(expected)) => assert_eq!(filled, expected),
            (Err(text), Err(part)) => assert!(text.contains(part), "{text}"),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn names_are_replaced_and_all_else_is_kept() {
        check("Greet {{user}} and {{ user }}.", Ok("Greet Ada and Ada."));
        check("{{loop}}", Ok("{{user}}"));
        check("{{{user}}}", Ok("{Ada}"));
        check("a {b} {{}} {{a b}} {{", Ok("a {b} {{}} {{a b}} {{"));
        check("{{{{user}}", Ok("{{Ada"));
        check("{{user", Ok("{{user"));
        check("{{usr}}", Err("`usr`"));
        check("{{Usr}} ", Err("`user`"));
    }

    #[test]
    fn the_names_are_those_that_are_replaced() {
        let names = |text| instruction_variables(text).collect::<Vec<_>>();
        assert_eq!(
            names("{{a}} {{{b}}} {{ a }} {{}} {{c d}} {{e"),
            ["a", "b", "a"]
        );
        assert!(names("{".repeat(2_000_000).leak()).is_empty());
    }

    #[test]
    fn a_text_full_of_braces_is_read_only_once() {
        // Looking for the end from every brace anew would take hours.
        for end in ["", "}}", " x y}}"] {
            let text = "{".repeat(2_000_000) + end;
            let filled = fill(&text, &BTreeMap::new()).expect("no variable");
            assert!(filled == text, "{end:?}");
        }
    }
}
