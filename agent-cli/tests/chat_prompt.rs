//! `agent chat` in a terminal.
#![cfg(unix)]

mod approval;
mod debug;
mod escapes;
mod server_questions;
mod slash_commands;
mod turns;
mod typing;
mod writing;

use crate::support::script::Script;
use crate::support::terminal::Terminal;
use crate::support::{Folder, command};
use std::process::Command;

pub(crate) const HELLO: &str = "agents/hello.gram";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
const UP: &str = "\u{1b}[A";

/// Creates the command `agent chat` with its own home folder.
pub(crate) fn chat(folder: &Folder, args: &[&str]) -> Command {
    let mut command = command(&[&["chat"], args].concat());
    command
        .env("TERM", "xterm-256color")
        .env("HOME", folder.path())
        .env("XDG_DATA_HOME", format!("{}/data", folder.path()));
    command
}

fn offline(folder: &Folder) -> Terminal {
    Terminal::start(chat(folder, &[HELLO, "--offline"]))
}

pub(crate) fn scripted(folder: &Folder, script: &Script, args: &[&str]) -> Terminal {
    let base_url = script.base_url();
    let args = [&[HELLO, "--base-url", &base_url][..], args].concat();
    Terminal::start(chat(folder, &args))
}
