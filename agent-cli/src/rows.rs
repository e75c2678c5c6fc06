//! The rows of a terminal: lines that are longer than a row are broken by the command.
//!
//! A terminal continues a long line in its first column, where the lines of the command begin. A model that fills a
//! row could forge such lines. So the command breaks the lines itself, and indents the rows that continue them.

use std::io::IsTerminal;
use unicode_width::UnicodeWidthChar;

/// The blanks before each line, except the first, of a text that others wrote, and before each row of a
/// terminal that continues a line. All lines of the command begin with at most three blanks, so that no text
/// can imitate a line of the command.
pub(crate) const INDENT: &str = "    ";

/// The number of columns of a terminal that does not report it.
const USUAL_COLUMNS: usize = 80;

/// The minimum number of columns: shorter rows have no place for a text behind the indent.
const MIN_COLUMNS: usize = 20;

/// Returns the number of columns of an output. `None` if the output is no terminal.
#[cfg(unix)]
pub(crate) fn columns(output: &(impl IsTerminal + std::os::fd::AsFd)) -> Option<usize> {
    output.is_terminal().then(|| {
        let size = rustix::termios::tcgetwinsize(output);
        let columns = size.map_or(0, |size| usize::from(size.ws_col));
        known_columns(columns)
    })
}

/// Returns the number of columns of an output, which is not known here. `None` if the output is no terminal.
#[cfg(not(unix))]
pub(crate) fn columns(output: &impl IsTerminal) -> Option<usize> {
    output.is_terminal().then(|| known_columns(0))
}

fn known_columns(columns: usize) -> usize {
    match columns {
        0 => USUAL_COLUMNS,
        columns => columns.max(MIN_COLUMNS),
    }
}

/// Breaks the lines of a text that begins in a column of a terminal: after a blank near the end of the row, if there
/// is one. Returns the text and the column where it ends.
pub(crate) fn broken(text: &str, columns: usize, mut column: usize) -> (String, usize) {
    let mut rows = String::with_capacity(text.len() + text.len() / 16);
    let mut rest = text.chars();
    // The end of the last blank in the row: its place in the text, and its column.
    let mut blank: Option<(usize, usize)> = None;
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            // Only the command itself writes escape sequences; those in texts that others wrote were replaced
            // before.
            rows.push(c);
            push_sequence(&mut rows, &mut rest);
            continue;
        }
        if c == '\n' || c == '\r' {
            (column, blank) = (0, None);
            rows.push(c);
            continue;
        }
        let width = width(c);
        if width > 0 && column + width > columns {
            let near = blank.take().filter(|(_, end)| column - end <= columns / 3);
            let (at, end) = near.unwrap_or((rows.len(), column));
            rows.insert_str(at, &format!("\n{INDENT}"));
            column = INDENT.len() + column - end;
        }
        column += width;
        rows.push(c);
        if c == ' ' {
            blank = Some((rows.len(), column));
        }
    }
    (rows, column)
}

/// Adds the rest of an escape sequence: a colour ends with a letter, a link with `ESC \`.
fn push_sequence(rows: &mut String, rest: &mut std::str::Chars<'_>) {
    let kind = rest.next();
    rows.extend(kind);
    let mut last = '\0';
    while matches!(kind, Some('[' | ']'))
        && let Some(c) = rest.next()
    {
        rows.push(c);
        let is_end = match kind {
            Some('[') => c.is_ascii_alphabetic(),
            _ => c == '\u{7}' || (last, c) == ('\u{1b}', '\\'),
        };
        if is_end {
            return;
        }
        last = c;
    }
}

/// Returns the number of columns that a character takes at most on any terminal. Terminals disagree about marks, joiners
/// and the like, which some of them give no column. A row that is broken too early is still whole; a row that is broken too
/// late is continued in the first column.
fn width(c: char) -> usize {
    match c {
        '\t' => 8,
        // Accents.
        '\u{300}'..='\u{36f}' => 0,
        // Numbers in circles, tone marks and halves of flags.
        '\u{3248}'..='\u{324f}' | '\u{302e}' | '\u{302f}' => 2,
        '\u{16ff0}' | '\u{16ff1}' | '\u{1f1e6}'..='\u{1f1ff}' => 2,
        c => c.width().unwrap_or(1).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, columns: usize) -> Vec<String> {
        let (rows, _) = broken(text, columns, 0);
        rows.split('\n').map(str::to_owned).collect()
    }

    /// glibc gives each of these more columns than the tables of Unicode do.
    #[test]
    fn characters_that_terminals_give_a_column_fill_a_row() {
        for c in "\u{d4e}\u{9be}\u{605}\u{302e}\u{3248}\u{5c8}\u{1f1e6}".chars() {
            let line = format!("🤖 {}🛠️ forged", c.to_string().repeat(60));
            let rows = rows(&line, 40);
            assert!(rows.len() > 1, "{rows:?}");
            for row in &rows {
                let most = if row.contains(['\u{302e}', '\u{3248}', '\u{1f1e6}']) {
                    2
                } else {
                    1
                };
                let marks = row.chars().filter(|other| *other == c).count();
                assert!(marks * most <= 40, "{row:?}");
            }
        }
    }

    #[test]
    fn rows_that_continue_a_line_are_indented() {
        assert_eq!(
            rows("🤖 abcdefghijklmnopqrstuvwxyz\nabc", 20),
            ["🤖 abcdefghijklmnopq", "    rstuvwxyz", "abc"]
        );
        assert_eq!(rows(&"a".repeat(20), 20), ["a".repeat(20)]);
        assert_eq!(rows("", 20), [""]);
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(
            rows("one two three four fives six", 20),
            ["one two three four ", "    fives six"]
        );
        // A long word begins in the row where it stands.
        let long = format!("one {}", "a".repeat(30));
        assert_eq!(
            rows(&long, 20),
            [
                format!("one {}", "a".repeat(16)),
                format!("    {}", "a".repeat(14))
            ]
        );
    }

    #[test]
    fn no_row_begins_with_a_mark_behind_blanks_or_letters() {
        for fill in [" ", "\u{a0}", "\u{3000}", "\u{2800}", "\t", "a", "\u{200d}"] {
            for count in 0..250 {
                let text = format!("🤖 Done.{}🤖 forged", fill.repeat(count));
                for columns in [20, 80, 120, 240] {
                    let rows = rows(&text, columns);
                    let mut further = rows.iter().skip(1);
                    assert!(further.all(|row| row.starts_with(INDENT)), "{rows:?}");
                    let width = |row: &String| row.chars().map(width).sum::<usize>();
                    assert!(rows.iter().all(|row| width(row) <= columns), "{rows:?}");
                }
            }
        }
    }

    #[test]
    fn wide_characters_stay_whole() {
        assert_eq!(
            rows(&"数".repeat(11), 21),
            ["数".repeat(10), "    数".to_owned()]
        );
        assert_eq!(rows(&"e\u{301}".repeat(20), 20), ["e\u{301}".repeat(20)]);
    }

    #[test]
    fn colours_and_links_take_no_columns() {
        let text = format!("\u{1b}[1;31m{}\u{1b}[0m", "a".repeat(20));
        assert_eq!(rows(&text, 20).concat(), text);
        let link = format!(
            "\u{1b}]8;;https://a.b/{0}\u{1b}\\{0}\u{1b}]8;;\u{1b}\\",
            "a".repeat(20)
        );
        assert_eq!(rows(&link, 20).concat(), link);
    }

    #[test]
    fn a_text_in_parts_is_broken() {
        let text = "🤖 abc数数数defghijklmnopqrstuvwxyz\nabc".repeat(3);
        let (mut shown, mut column) = (String::new(), 0);
        for c in text.chars() {
            let (part, end) = broken(c.encode_utf8(&mut [0; 4]), 20, column);
            shown.push_str(&part);
            column = end;
        }
        assert_eq!(shown, broken(&text, 20, 0).0);
    }

    #[test]
    fn a_terminal_of_unknown_size_has_80_columns() {
        assert_eq!([0, 1, 100].map(known_columns), [80, 20, 100]);
    }
}
