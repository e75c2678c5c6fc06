//! Descriptions as doc comments.

use crate::attribute::{AttributeArgs, Literal};
use crate::line_width::{LINE, width_of};
use agent_spec::binding::description_matches;
use agent_spec::terminal::controls_terminal;
use agent_spec::vocabulary::Keyword;
use agent_spec::{Field, doc_comment};

/// Returns the lines of a doc comment, without `///`, that the macros read as this description. `None` if no
/// comment is read back as this description. If `loosely`, single line breaks may be read as blanks, because
/// the comparison of a tool with its spec ignores the difference.
pub(crate) fn doc_lines(description: &str, indent: usize, loosely: bool) -> Option<Vec<String>> {
    // `cargo test` would compile a code block as an example.
    if description.contains("```") || description.contains("~~~") {
        return None;
    }
    let width = LINE - indent - "/// ".len();
    let as_written: Vec<String> = description.split('\n').map(str::to_owned).collect();
    if !as_written.iter().all(|line| is_plain(line)) {
        return None;
    }
    let wrapped = as_written
        .iter()
        .flat_map(|line| wrap(line, width))
        .collect();
    [wrapped, as_written]
        .into_iter()
        .find(|lines: &Vec<String>| {
            let comment: Vec<String> = lines.iter().map(|line| format!(" {line}")).collect();
            let read = doc_comment::description(&[&comment.join("\n")]);
            read == description || (loosely && description_matches(&read, description))
        })
}

/// Writes a doc comment with these lines.
pub(crate) fn comment(lines: &[String]) -> impl Iterator<Item = String> + '_ {
    lines
        .iter()
        .map(|line| format!("/// {line}").trim_end().to_owned())
}

/// Whether a text has neither control characters, nor invisible ones, nor characters that change its direction.
pub(crate) fn is_plain(text: &str) -> bool {
    let without_escapes = text.replace(['"', '\\'], "");
    let is_literal = format!("{without_escapes:?}").len() == without_escapes.len() + 2;
    is_literal && !text.contains(controls_terminal)
}

/// Breaks a line at blanks. A word that is too long gets a line of its own.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = String::new();
    for word in line.split(' ') {
        let longer = width_of(&open) + 1 + width_of(word);
        if !open.is_empty() && longer > width {
            lines.push(std::mem::take(&mut open));
        }
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(word);
    }
    lines.push(open);
    lines
}

/// Returns the doc comment of a parameter or field. A description that no comment can express is added to
/// the attribute instead.
pub(crate) fn field_comment(field: &Field, args: &mut AttributeArgs) -> Vec<String> {
    // The macros and models treat an empty description as a missing one.
    let Some(text) = field.description().filter(|text| !text.is_empty()) else {
        return Vec::new();
    };
    match doc_lines(text, 4, false) {
        Some(lines) => comment(&lines).collect(),
        None => {
            args.add(Keyword::Description.word(), Literal::text(text));
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(description: &str) -> Option<Vec<String>> {
        doc_lines(description, 0, false)
    }

    #[test]
    fn writes_readable_descriptions_as_comments() {
        for text in [
            "Greets.",
            "One.\n\nTwo.",
            "Costs #1",
            "a\\",
            "é \"quoted\"",
            "C:\\",
        ] {
            let expected: Vec<&str> = text.split('\n').collect();
            assert_eq!(
                lines(text).as_deref(),
                Some(
                    &*expected
                        .iter()
                        .map(|line| (*line).to_owned())
                        .collect::<Vec<_>>()
                ),
                "{text}"
            );
        }
        let long = "word ".repeat(60);
        let wrapped = lines(long.trim()).unwrap();
        assert_eq!(wrapped.len(), 4);
        assert!(wrapped.iter().all(|line| line.len() <= 96));
    }

    #[test]
    fn does_not_write_other_descriptions_as_comments() {
        for text in [
            "# Heading",
            "One\n# Two",
            " leading",
            "trailing ",
            "two  blanks\n\n\nlines",
            "a\nb",
            "a\r\nb",
            "tab\there",
            "```\ncode\n```",
            "a\u{202e}b",
            "a\u{3164}b",
            "one\n* two",
        ] {
            assert_eq!(lines(text), None, "{text:?}");
        }
        assert_eq!(doc_lines("a\nb", 0, true).map(|lines| lines.len()), Some(2));
    }
}
