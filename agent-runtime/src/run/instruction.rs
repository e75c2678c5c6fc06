//! Filling the `{{name}}` placeholders of an instruction.

use crate::error::Error;
use agent_spec::names::nearest;
use std::collections::BTreeMap;

/// Replaces every `{{name}}` of an instruction by the variable's value. Spaces around the name are allowed. Other
/// text in double braces, which is not a name (letters, digits, `_`, `-`, `.`), is kept. Placeholders in values
/// are not replaced.
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

/// Returns the names of the `{{name}}` placeholders in an instruction, in order and with repetitions.
/// [`RuntimeBuilder::variable`](crate::runtime::RuntimeBuilder::variable) sets their values.
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

/// Splits a text into the name at its beginning and the rest behind `}}`. Reads no further than to the first
/// character that cannot be part of a name, so that a text full of braces takes linear time.
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
    fn replaces_names_and_keeps_other_text() {
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
    fn returns_the_names_that_are_replaced() {
        let names = |text| instruction_variables(text).collect::<Vec<_>>();
        assert_eq!(
            names("{{a}} {{{b}}} {{ a }} {{}} {{c d}} {{e"),
            ["a", "b", "a"]
        );
        assert!(names("{".repeat(2_000_000).leak()).is_empty());
    }

    #[test]
    fn takes_linear_time_for_a_text_full_of_braces() {
        // Searching the end from each brace would take hours.
        for end in ["", "}}", " x y}}"] {
            let text = "{".repeat(2_000_000) + end;
            let filled = fill(&text, &BTreeMap::new()).expect("no variable");
            assert!(filled == text, "{end:?}");
        }
    }
}
