//! Texts of documents in Markdown, shown as they are.

/// A text as Markdown that shows it as it is.
///
/// A backslash before any punctuation stands for that punctuation, and what has a meaning only at the
/// beginning of a line gets one only there, since some editors show the Markdown itself. White space that
/// begins a line goes: four of it would make code of the line.
pub(super) fn plain(text: &str) -> String {
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
    // What makes a heading of the line above, a rule, a list or a table.
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

/// A text as code within a line: between more backticks than it has in a row.
pub(super) fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let around = "`".repeat(longest_run(&text) + 1);
    // A backtick at an end would belong to those around; one space goes with them.
    let pad = match text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        true => " ",
        false => "",
    };
    format!("{around}{pad}{text}{pad}{around}")
}

/// A text as a block of code in a language.
pub(super) fn block(language: &str, text: &str) -> String {
    let around = "`".repeat((longest_run(text) + 1).max(3));
    format!("{around}{language}\n{text}\n{around}\n")
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_no_meaning_in_markdown() {
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
            // What stands for itself anyway.
            ("a-b = c+d: 1.5 (e) é 3) f", "a-b = c+d: 1.5 (e) é 3) f"),
            ("1.5 is a number", "1\\.5 is a number"),
            ("", ""),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn code_ends_where_the_text_does() {
        for (text, expected) in [
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            ("a\n\nb", "`a  b`"),
            ("``x", "``` ``x ```"),
        ] {
            assert_eq!(code(text), expected, "{text:?}");
        }
        assert_eq!(block("gram", "a"), "```gram\na\n```\n");
        assert_eq!(
            block("gram", "```\na\n```"),
            "````gram\n```\na\n```\n````\n"
        );
    }
}
