//! The variables of instructions: `{{name}}`.
//!
//! Spaces around the name are allowed. Text in quotes, `{{'{{'}}`, stands for itself, so that an
//! instruction can contain double braces. Anything else in double braces is a mistake.

use crate::secret::redacted;

/// A part of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstructionPart<'t> {
    /// Text that is sent as it is.
    Text(&'t str),
    /// The name of a variable, which is replaced by its value.
    Variable(&'t str),
    /// Double braces that are neither a variable nor a text in quotes, with what is inside.
    Malformed(&'t str),
}

/// Splits an instruction into text and variables. Takes linear time.
///
/// ```
/// use agent_spec::instruction::{InstructionPart, parts};
///
/// assert_eq!(parts("Guide {{ user }}."), [InstructionPart::Text("Guide "), InstructionPart::Variable("user"), InstructionPart::Text(".")]);
/// ```
pub fn parts(instruction: &str) -> Vec<InstructionPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = instruction;
    while !rest.is_empty() {
        let (part, after) = match opening(rest) {
            Some(0) => braces(rest),
            Some(start) => (InstructionPart::Text(&rest[..start]), &rest[start..]),
            None => (InstructionPart::Text(rest), ""),
        };
        parts.push(part);
        rest = after;
    }
    parts
}

/// Returns the names of the variables in an instruction, in order and with repetitions.
pub fn variables(instruction: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in parts(instruction) {
        if let InstructionPart::Variable(name) = part {
            names.push(name);
        }
    }
    names
}

/// Returns the message about double braces that are no variable.
pub(crate) fn not_a_variable(text: &str) -> String {
    let text = redacted(text);
    format!("`{text}` is not the name of a variable in double braces")
}

/// Returns the position of the next double braces. If there are more than two braces, the last two are meant:
/// `{{{name}}}` is a variable in single braces.
fn opening(text: &str) -> Option<usize> {
    let start = text.find("{{")?;
    let braces = text[start..]
        .bytes()
        .take_while(|byte| *byte == b'{')
        .count();
    Some(start + braces - 2)
}

/// Splits off the part at the beginning of a text that begins with double braces.
fn braces(text: &str) -> (InstructionPart<'_>, &str) {
    let inside = &text[2..];
    if let Some((name, after)) = opt_name(inside) {
        return (InstructionPart::Variable(name), after);
    }
    if let Some((quoted, after)) = opt_quoted(inside) {
        return (InstructionPart::Text(quoted), after);
    }
    let end = malformed_end(inside) + 2;
    (InstructionPart::Malformed(&text[..end]), &text[end..])
}

/// Splits a text into the name at its beginning and the rest after `}}`. Reads no further than to the
/// first character that cannot be part of a name.
fn opt_name(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let (name, rest) = text.split_at(text.find(|c| !in_name(c))?);
    let after = rest.trim_start().strip_prefix("}}")?;
    (!name.is_empty()).then_some((name, after))
}

/// Splits a text into the text in quotes at its beginning, on one line, and the rest after `}}`.
fn opt_quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let text = &text[1..];
    let end = text.find([quote, '\n'])?;
    let after = text[end..].strip_prefix(quote)?;
    let after = after.trim_start().strip_prefix("}}")?;
    Some((&text[..end], after))
}

/// Returns the end of double braces that are not understood: after the next `}}` of the line, else after
/// the next word. Reads no further than to the next double braces.
fn malformed_end(inside: &str) -> usize {
    let bytes = inside.as_bytes();
    let mut line = 0;
    while line < bytes.len() && bytes[line] != b'\n' && !bytes[line..].starts_with(b"{{") {
        if bytes[line..].starts_with(b"}}") {
            return line + 2;
        }
        line += 1;
    }
    let line = &inside[..line];
    let word = line.trim_start();
    let blanks = line.len() - word.len();
    blanks + word.find(char::is_whitespace).unwrap_or(word.len())
}

#[cfg(test)]
mod tests {
    use super::InstructionPart::{Malformed, Text, Variable};
    use super::*;

    #[test]
    fn splits_an_instruction_into_text_and_variables() {
        for (instruction, expected) in [
            ("", &[][..]),
            ("Greet.", &[Text("Greet.")]),
            ("{{a}}", &[Variable("a")]),
            (
                "x {{ a }}{{b.c-d_e}}",
                &[Text("x "), Variable("a"), Variable("b.c-d_e")],
            ),
            ("{{{a}}}", &[Text("{"), Variable("a"), Text("}")]),
            ("{a} }} {\"b\": {}}", &[Text("{a} }} {\"b\": {}}")]),
            ("{{'{{'}}a}}", &[Text("{{"), Text("a}}")]),
            ("{{ \"{{a}}\" }}", &[Text("{{a}}")]),
            ("{{}} a", &[Malformed("{{}}"), Text(" a")]),
            ("{{a b}}", &[Malformed("{{a b}}")]),
            ("{{a}", &[Malformed("{{a}")]),
            ("{{a and\nb}}", &[Malformed("{{a"), Text(" and\nb}}")]),
            ("{{a {{b}}", &[Malformed("{{a"), Text(" "), Variable("b")]),
            ("{{#if x}}", &[Malformed("{{#if x}}")]),
            ("{{'a}}", &[Malformed("{{'a}}")]),
            ("a {{", &[Text("a "), Malformed("{{")]),
        ] {
            assert_eq!(parts(instruction), expected, "{instruction}");
        }
    }

    #[test]
    fn takes_linear_time_for_a_text_full_of_braces() {
        // Searching the end from each brace would take hours.
        for (unit, end) in [
            ("{", ""),
            ("{", "}}"),
            ("{", " x y}}"),
            ("{{a ", ""),
            ("{{'", ""),
        ] {
            let text = unit.repeat(1_000_000) + end;
            let length: usize = parts(&text)
                .iter()
                .map(|part| match part {
                    Text(text) | Malformed(text) => text.len(),
                    _ => 0,
                })
                .sum();
            assert!(length <= text.len(), "{unit} {end}");
        }
    }
}
