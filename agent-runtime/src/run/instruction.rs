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
        let after = &rest[start + 2..];
        let name = after.find("}}").map(|end| (after[..end].trim(), end));
        match name {
            Some((name, end)) if is_name(name) => {
                filled.push_str(&rest[..start]);
                filled.push_str(
                    variables
                        .get(name)
                        .ok_or_else(|| missing(name, variables))?,
                );
                rest = &after[end + 2..];
            }
            _ => {
                filled.push_str(&rest[..=start]);
                rest = &rest[start + 1..];
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

fn is_name(text: &str) -> bool {
    let rest = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !text.is_empty() && text.chars().all(rest)
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
        check("{{usr}}", Err("`usr`"));
        check("{{Usr}} ", Err("`user`"));
    }
}
