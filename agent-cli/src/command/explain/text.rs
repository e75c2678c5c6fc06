//! Explanations as people read them.

use super::about;
use agent_spec::Code;
use agent_spec::diagnostic::Explanation;
use std::fmt::Write as _;

/// What a finding means, with its examples.
pub(super) fn explanation(code: Code) -> String {
    let Explanation {
        text,
        wrong,
        right,
        examples,
        ..
    } = code.explanation();
    let about = match about(examples) {
        "" => String::new(),
        about => format!(" ({})", about.replace('`', "")),
    };
    format!(
        "{code} ({})\n{}\n\n{text}\n\nWrong{about}:\n\n{}\nRight:\n\n{}",
        code.severity(),
        code.meaning(),
        indented(wrong),
        indented(right),
    )
}

/// All findings, a line each: code, severity, meaning.
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
