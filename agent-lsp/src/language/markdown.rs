//! Markdown that shows the text of documents literally.

/// Escapes a text, so that Markdown shows it literally.
///
/// Characters that have a meaning only at the beginning of a line are escaped only there, because some
/// editors show the Markdown source. Leading white space is removed, because four blanks make a code block.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_first = true;
    for line in text.split(['\n', '\r']) {
        if !is_first {
            out.push('\n');
        }
        is_first = false;
        push_line(&mut out, line.trim_start());
    }
    out
}

fn push_line(out: &mut String, line: &str) {
    // These characters begin a rule, a list or a table, or make a heading of the line before.
    if line.starts_with(['=', '-', '+', ':']) {
        out.push('\\');
    }
    // `1.` and `1)` begin a list.
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    for (at, c) in line.char_indices() {
        let is_mark = matches!(
            c,
            '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '!' | '|' | '~' | '&'
        );
        let ends_number = at > 0 && at == digits && matches!(c, '.' | ')');
        if is_mark || ends_number {
            out.push('\\');
        }
        out.push(c);
    }
}

/// Returns a text as a code span, delimited by more backticks than the text has in a row.
pub(super) fn code_span(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let delimiter = "`".repeat(longest_run(&text) + 1);
    // A backtick at an end would join the delimiter. Markdown removes one blank at each end.
    let pad = match text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        true => " ",
        false => "",
    };
    format!("{delimiter}{pad}{text}{pad}{delimiter}")
}

/// Returns a text as a code block in a language.
pub(super) fn code_block(language: &str, text: &str) -> String {
    let delimiter = "`".repeat((longest_run(text) + 1).max(3));
    format!("{delimiter}{language}\n{text}\n{delimiter}\n")
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_all_markdown_syntax() {
        for (text, expected) in [
            // Headings.
            ("T\n===\nq\n---", "T\n\\===\nq\n\\---"),
            ("T\n  =", "T\n\\="),
            ("T\r-\rU", "T\n\\-\nU"),
            ("# T", "\\# T"),
            // Rules and lists.
            ("***", "\\*\\*\\*"),
            ("- - -", "\\- - -"),
            ("___", "\\_\\_\\_"),
            ("- a\n+ b\n* c", "\\- a\n\\+ b\n\\* c"),
            ("1. a\n12) b\n3 c", "1\\. a\n12\\) b\n3 c"),
            // Code.
            ("    a\n\tb", "a\nb"),
            ("~~~\na\n~~~", "\\~\\~\\~\na\n\\~\\~\\~"),
            ("```\na`b`", "\\`\\`\\`\na\\`b\\`"),
            // Quotes, tables.
            ("> a", "\\> a"),
            ("a | b\n:-|-:", "a \\| b\n\\:-\\|-:"),
            // Within lines.
            (
                "~~x~~ &lt;b&gt; &#60;",
                "\\~\\~x\\~\\~ \\&lt;b\\&gt; \\&\\#60;",
            ),
            ("<b> <!-- x -->", "\\<b\\> \\<\\!-- x --\\>"),
            ("![a](b) [^1]: c", "\\!\\[a\\](b) \\[^1\\]: c"),
            ("*a* _b_ \\", "\\*a\\* \\_b\\_ \\\\"),
            // Text without a meaning in Markdown.
            ("a-b = c+d: 1.5 (e) é 3) f", "a-b = c+d: 1.5 (e) é 3) f"),
            ("1.5 is a number", "1\\.5 is a number"),
            ("", ""),
        ] {
            assert_eq!(escape(text), expected, "{text:?}");
        }
    }

    #[test]
    fn delimiters_of_code_are_longer_than_backticks_in_the_text() {
        for (text, expected) in [
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            ("a\n\nb", "`a  b`"),
            ("``x", "``` ``x ```"),
        ] {
            assert_eq!(code_span(text), expected, "{text:?}");
        }
        assert_eq!(code_block("gram", "a"), "```gram\na\n```\n");
        assert_eq!(
            code_block("gram", "```\na\n```"),
            "````gram\n```\na\n```\n````\n"
        );
    }
}
