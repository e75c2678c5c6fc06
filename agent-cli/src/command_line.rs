//! The command line.

use crate::command::{
    audit, chat, check, completions, conversations, dev, diff, eval, explain, fmt, graph, help,
    init, lsp, man, mcp, models, new, new_tools, parse, replay, run, runs, schema, serve, tools,
};
use crate::style::Color;
use clap::{Parser, Subcommand};

const ABOUT: &str = "Checks, prints and runs agents declared in gram";

const AFTER_LONG_HELP: &str = "\
Examples:
  agent new shop
  agent check agents/*.gram
  agent run agents/hello.gram \"Hello, I'm Ada\" --offline
  agent dev agents/hello.gram --offline

A FILE named `-` is standard input.

Environment:
  NO_COLOR        turns off colours, unless --color is given
  XDG_DATA_HOME   folder of agent/conversations.db, the stored conversations, and of
                  agent/chat-lines.txt, the lines typed in chats
  AGENT_DOCS_URL  address of the published page about diagnostics; if colours are on, the codes of
                  findings link to it

Exit codes:
  0    no errors; there may be warnings
  1    the input has errors, the run failed, `agent audit` found something that --deny names,
       `agent diff` a breaking change, `agent models check` a difference, or `agent replay` another request
  2    wrong usage, unreadable input, or wrong configuration such as a missing key
  130  Ctrl-C stopped `agent run`";

/// The `agent` command.
#[derive(Debug, Parser)]
#[command(
    name = "agent",
    version,
    about = ABOUT,
    after_long_help = AFTER_LONG_HELP,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    /// Colours: `auto` (on a terminal, unless NO_COLOR is set), `always` or `never`
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
    Audit(audit::Args),
    Chat(chat::Args),
    Check(check::Args),
    Completions(completions::Args),
    Conversations(conversations::Args),
    Diff(diff::Args),
    Dev(Box<dev::Args>),
    Eval(Box<eval::Args>),
    Explain(explain::Args),
    Fmt(fmt::Args),
    Graph(graph::Args),
    Help(help::Args),
    Init(init::Args),
    Lsp(lsp::Args),
    Man(man::Args),
    Mcp(mcp::Args),
    Models(models::Args),
    New(new::Args),
    NewTools(new_tools::Args),
    Parse(parse::Args),
    Replay(replay::Args),
    Schema(schema::Args),
    Run(run::Args),
    Runs(runs::Args),
    Serve(Box<serve::Args>),
    Tools(tools::Args),
}
