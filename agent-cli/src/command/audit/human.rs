//! The audit for people.

use super::Audited;
use agent_project::report::counted;
use agent_spec::effects::audit::{AgentAudit, AuditedLeak};
use agent_spec::effects::bounds::{count_text, dollars_text};
use agent_spec::terminal;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// The number of columns before the text of a part.
const INDENT: usize = 15;

/// The number of columns of a line, which is that of most terminals.
const COLUMNS: usize = 80;

/// Returns the audits of agents, and their sums.
pub(super) fn text(audited: &[Audited<'_>], has_colour: bool) -> String {
    let mut out = String::new();
    let mut file = None;
    for agent in audited {
        if file != Some(&agent.file) {
            let _ = writeln!(out, "{}\n", plain(&agent.file));
            file = Some(&agent.file);
        }
        write_agent(&mut out, agent, has_colour);
        out.push('\n');
    }
    let _ = writeln!(out, "{}", summary(audited));
    out
}

fn write_agent(out: &mut String, agent: &Audited<'_>, has_colour: bool) {
    let audit = &agent.audit;
    let name = match has_colour {
        true => format!("\u{1b}[1m{}\u{1b}[0m", plain(&audit.name)),
        false => plain(&audit.name),
    };
    let _ = writeln!(out, "{name} (line {})", agent.line);
    write_part(out, "message", &message(audit));
    write_part(out, "reach", &agent.reach.lines());
    match &audit.leak {
        Some(leak) => write_leak(out, audit, leak, has_colour),
        None => write_part(out, "leak", &["none".to_owned()]),
    }
    let names = |names: Vec<&str>| -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        match names.is_empty() {
            true => Vec::new(),
            false => vec![names.join(", ")],
        }
    };
    let destructive = audit.destructive.iter();
    let destructive: Vec<&str> = destructive.map(|(tool, _)| tool.as_str()).collect();
    let mut destructive = names(destructive);
    for line in &mut destructive {
        line.push_str(": nobody must approve the calls; write `requiresApproval: true`");
    }
    write_part(out, "destructive", &destructive);
    let mut unknown = names(audit.unknown.iter().map(String::as_str).collect());
    for line in &mut unknown {
        line.push_str(
            ": no effects are stated, so that all count; write `reads`, `untrusted`, `sends` or `writes`",
        );
    }
    write_part(out, "unknown", &unknown);
}

/// Returns what a message can cause.
fn message(audit: &AgentAudit) -> Vec<String> {
    let bound = &audit.bound;
    let counts = format!(
        "{} requests and {} calls",
        count_text(bound.requests),
        count_text(bound.calls)
    );
    let mut lines = match (bound.missing, bound.dollars) {
        (Some(_), _) => Vec::new(),
        (None, Some(dollars)) => {
            return vec![format!("at most {counts}, {}", dollars_text(dollars))];
        }
        (None, None) => vec![format!("at most {counts}")],
    };
    lines.extend(
        audit
            .unbounded
            .iter()
            .map(|reason| format!("unbounded: {reason}")),
    );
    lines
}

fn write_leak(out: &mut String, audit: &AgentAudit, leak: &AuditedLeak, has_colour: bool) {
    let chain = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(" → ")
    };
    let state = match leak.leak.is_open() {
        true if has_colour => "\u{1b}[1;31mopen\u{1b}[0m".to_owned(),
        true => "open".to_owned(),
        false => format!(
            "closed by `whenTainted: \"{}\"` of the agent or of its callers",
            audit.when_tainted.as_str()
        ),
    };
    let mut lines = vec![
        state,
        format!("private data: {}", chain(&leak.private)),
        format!("words of strangers: {}", chain(&leak.words)),
        format!("way out: `{}`", leak.way_out),
    ];
    if leak.leak.is_open() {
        lines.push(format!("to cut it: {}", leak.cuts.join(", or ")));
    }
    write_part(out, "leak", &lines);
}

/// Writes the lines of a part behind its name; nothing if there are no lines.
fn write_part(out: &mut String, name: &str, lines: &[String]) {
    for (at, line) in lines.iter().enumerate() {
        let name = if at == 0 { name } else { "" };
        let _ = write!(out, "  {name:<width$}", width = INDENT - 2);
        write_wrapped(out, &terminal::text(line));
    }
}

/// Writes a text in lines of [`COLUMNS`], broken at blanks.
fn write_wrapped(out: &mut String, text: &str) {
    let mut column = INDENT;
    for (at, word) in text.split(' ').enumerate() {
        let width = word.width();
        if at > 0 && column + 1 + width > COLUMNS {
            let _ = write!(out, "\n{:INDENT$}", "");
            column = INDENT;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}

fn summary(audited: &[Audited<'_>]) -> String {
    let audits = || audited.iter().map(|agent| &agent.audit);
    let leaks = audits().filter(|audit| audit.open_leak().is_some()).count();
    let unbounded = audits().filter(|audit| !audit.unbounded.is_empty()).count();
    let destructive: usize = audits().map(|audit| audit.destructive.len()).sum();
    format!(
        "{}: {}, {unbounded} unbounded, {}\n\
         An audit goes by labels, types and settings, and not by what tools do.",
        counted(audited.len(), "agent"),
        counted(leaks, "open leak"),
        counted(destructive, "destructive tool"),
    )
}

fn plain(text: &str) -> String {
    terminal::line(text, 200)
}
