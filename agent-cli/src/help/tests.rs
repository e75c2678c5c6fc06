//! The length of the help, and its lists.

use super::{COMMANDS, OPTIONS, TOPICS, with_help};
use crate::command_line::Cli;
use clap::{Command, CommandFactory};
use std::path::Path;

fn root() -> Command {
    with_help(Cli::command())
}

/// Calls a function with each command, and its name, such as `agent mcp import`.
fn each_command(command: &mut Command, check: &mut dyn FnMut(&mut Command)) {
    check(command);
    for inner in command.get_subcommands_mut() {
        if inner.get_name() != "help" {
            each_command(inner, check);
        }
    }
}

#[test]
fn short_help_fits_a_screen() {
    let mut problems = Vec::new();
    each_command(&mut root(), &mut |command| {
        let help = command.render_help().to_string();
        let name = command.get_bin_name().unwrap_or_default().to_owned();
        let lines = help.trim_end().lines().count();
        if lines > 40 {
            problems.push(format!("`{name} -h` has {lines} lines"));
        }
        for line in help.lines().filter(|line| line.chars().count() > 120) {
            problems.push(format!("`{name} -h` has a long line: {line}"));
        }
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn each_command_is_listed_once() {
    let root = root();
    let mut listed: Vec<&str> = COMMANDS
        .iter()
        .flat_map(|(_, names)| names.iter().copied())
        .collect();
    let mut known: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn each_grouped_option_exists() {
    let mut known = Vec::new();
    each_command(&mut root(), &mut |command| {
        known.extend(
            command
                .get_arguments()
                .filter_map(|argument| argument.get_long().map(str::to_owned)),
        );
    });
    for option in OPTIONS.iter().flat_map(|(_, options)| options.iter()) {
        assert!(known.iter().any(|known| known == option), "--{option}");
    }
}

#[test]
fn a_topic_is_no_command_and_has_a_title() {
    let root = root();
    for topic in TOPICS {
        assert!(root.find_subcommand(topic.name).is_none(), "{}", topic.name);
        assert!(topic.text.starts_with("# "), "{}", topic.name);
        assert!(
            topic.text.lines().all(|line| line.chars().count() <= 100),
            "{}",
            topic.name
        );
    }
}

/// The page of the book with the help of each command, and the topics.
fn page() -> String {
    let mut page = "# The command\n\n\
        Look up a command with its options, or a topic of `agent help`.\n\n\
        This page is generated, and a test checks that it is up to date: \
        `UPDATE_DOCS=1 cargo test -p gramwork-cli --lib help`.\n"
        .to_owned();
    each_command(&mut root(), &mut |command| {
        let name = command.get_bin_name().unwrap_or_default().to_owned();
        let help = command.render_long_help().to_string();
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        page += &format!("\n## {name}\n\n```text\n{}\n```\n", lines.join("\n"));
    });
    for topic in TOPICS {
        let (title, text) = topic.text.split_once('\n').unwrap_or((topic.text, ""));
        let title = title.trim_start_matches("# ");
        page += &format!("\n## agent help {}\n\n**{title}.**\n{text}", topic.name);
    }
    page
}

#[test]
fn the_page_about_the_command_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/reference/command.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page()).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).expect("the page can be read");
    // A checkout on Windows has other line ends.
    assert!(
        written.replace("\r\n", "\n") == page(),
        "book/src/reference/command.md is out of date; run `UPDATE_DOCS=1 cargo test -p gramwork-cli --lib help`"
    );
}
