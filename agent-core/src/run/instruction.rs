//! Filling the `{{name}}` placeholders of an instruction.

use agent_spec::instruction::{self, InstructionPart};
use agent_spec::names::nearest;
use agent_tool::Error;
use std::collections::BTreeMap;

/// Replaces every `{{name}}` of an instruction by the variable's value. Placeholders in values are not replaced.
/// Double braces that are no variable are kept: an agent that was checked has none.
pub(super) fn fill(
    instruction: &str,
    variables: &BTreeMap<String, String>,
) -> Result<String, Error> {
    let mut filled = String::with_capacity(instruction.len());
    for part in instruction::parts(instruction) {
        let text = match part {
            InstructionPart::Text(text) | InstructionPart::Malformed(text) => text,
            InstructionPart::Variable(name) => match variables.get(name) {
                Some(value) => value,
                None => return Err(missing(name, variables)),
            },
            _ => continue,
        };
        filled.push_str(text);
    }
    Ok(filled)
}

/// Returns the names of the `{{name}}` placeholders in an instruction, in order and with repetitions.
/// `RuntimeBuilder::variable` sets their values.
///
/// ```
/// let names = agent_runtime::run::instruction_variables("Guide {{user}} through {{ city }}.");
/// assert_eq!(names, ["user", "city"]);
/// ```
pub fn instruction_variables(instruction: &str) -> Vec<&str> {
    instruction::variables(instruction)
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
        check("Write {{'{{'}}user}}.", Ok("Write {{user}}."));
        check("{{user", Ok("{{user"));
        check("{{usr}}", Err("`usr`"));
        check("{{Usr}} ", Err("`user`"));
    }

    #[test]
    fn returns_the_names_that_are_replaced() {
        let names = instruction_variables;
        assert_eq!(
            names("{{a}} {{{b}}} {{ a }} {{}} {{c d}} {{e"),
            ["a", "b", "a"]
        );
        assert!(names("{".repeat(2_000_000).leak()).is_empty());
    }
}
