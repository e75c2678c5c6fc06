//! Explanations as plain text for a terminal.

use crate::explanation::Explanation;
use agent_spec::Code;
use std::fmt::Write as _;

/// The explanation of a code with its examples.
pub(super) fn explanation(code: Code) -> String {
    let Explanation {
        text,
        wrong,
        right,
        examples,
        ..
    } = Explanation::of(code);
    let checked_by = match examples.checked_by() {
        "" => String::new(),
        command => format!(" ({})", command.replace('`', "")),
    };
    format!(
        "{code} ({})\n{}\n\n{text}\n\nWrong{checked_by}:\n\n{}\nRight:\n\n{}",
        code.severity(),
        code.meaning(),
        indented(wrong),
        indented(right),
    )
}

/// All codes, one line each: code, severity, meaning.
pub(super) fn list() -> String {
    let widest = Code::ALL.iter().map(|code| code.as_str().len()).max();
    let widest = widest.unwrap_or(0);
    let mut list = String::new();
    for code in Code::ALL {
        let severity = code.severity().to_string();
        let _ = writeln!(
            list,
            "{:widest$}  {severity:7}  {}",
            code.as_str(),
            code.meaning()
        );
    }
    list
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
