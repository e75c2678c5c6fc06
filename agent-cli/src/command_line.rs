//! The command line.

use crate::command::{
    chat, check, conversations, diff, explain, fmt, lsp, new_tools, parse, run, schema, tools,
};
use crate::style::Color;
use clap::{Parser, Subcommand};

const ABOUT: &str = "Checks, prints and runs agents declared in gram";

const AFTER_HELP: &str = "\
Examples:
  agent check agents/*.gram
  agent diff agents/hello.gram hello.gram
  agent explain unknown-type
  agent fmt agents/
  agent lsp --tools tools/more.gram
  agent new-tools agents/hello.gram > src/tools.rs
  agent parse agents/hello.gram
  agent schema agents/hello.gram --tool sayHello
  agent run agents/hello.gram \"Hello, I'm Ada\" --offline
  agent chat agents/hello.gram --offline
  agent conversations list
  agent tools calculator

A FILE named `-` is standard input.

Environment:
  NO_COLOR        when set, no colours; --color goes before it
  XDG_DATA_HOME   where the stored conversations are, in agent/conversations.db, and the lines typed
                  in chats, in agent/chat-lines.txt
  AGENT_DOCS_URL  address of the published page docs/diagnostics.md; where there are colours, the
                  codes of findings are links to it

Exit codes:
  0    fine, warnings included
  1    the input has errors, the run failed, or `agent diff` found a breaking change
  2    wrong usage, unreadable input, or configuration such as a missing key
  130  Ctrl-C stopped `agent run`";

/// The `agent` command.
#[derive(Debug, Parser)]
#[command(name = "agent", version, about = ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// Colour findings: `auto`, on a terminal unless NO_COLOR is set; `always`; or `never`
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_possible_values = true
    )]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A command with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Chat(chat::Args),
    Check(check::Args),
    Conversations(conversations::Args),
    Diff(diff::Args),
    Explain(explain::Args),
    Fmt(fmt::Args),
    Lsp(lsp::Args),
    NewTools(new_tools::Args),
    Parse(parse::Args),
    Schema(schema::Args),
    Run(run::Args),
    Tools(tools::Args),
}
