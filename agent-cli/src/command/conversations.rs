//! `agent conversations`: lists, shows and deletes stored conversations.

use crate::display::shortened;
use crate::outcome::{Outcome, Trouble, in_full};
use crate::output::{error_to_stderr, json_to_stdout, line_to_stdout, to_stderr, to_stdout};
use crate::output_format::Format;
use crate::stored_conversation::{trouble_of, usual_place};
use agent_gram::print;
use agent_lsp::terminal::sanitize;
use agent_runtime::conversation::{
    ConversationInfo, ConversationName, ConversationStore, Role, ToolCall,
};
use agent_runtime::{Conversation, Environment, Message};
use agent_spec::names::nearest;
use agent_store::SqliteStore;
use clap::ValueEnum;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

const LONG_ABOUT: &str = "\
List, show and delete stored conversations

They are those of `agent run --conversation NAME` and `agent chat --conversation NAME`. The usual file is agent/conversations.db under
XDG_DATA_HOME or, without it, ~/.local/share (on macOS ~/Library/Application Support, on Windows
LOCALAPPDATA); only its owner can read it.

What `show` prints with --format json or gram is a history for `agent run --history`; as gram it is a
pattern labelled Conversation, whose elements are the messages. `list` with
--format json prints an array of {\"name\",\"messages\",\"updated\"}, the last in seconds since 1970. A conversation that
cannot be listed, since somebody gave it a name that is none, is an error behind the list of the others.";

const AFTER_HELP: &str = "\
Examples:
  agent conversations list
  agent conversations show ada
  agent conversations show ada --format gram > ada.gram
  agent conversations delete ada --store team.db";

/// List, show and delete stored conversations
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// The file in which conversations are kept, in place of the usual one
    #[arg(long, global = true, value_name = "FILE")]
    store: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the conversations with their numbers of messages
    List {
        /// The format of the list
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Show the messages of a conversation
    Show {
        /// The conversation
        name: ConversationName,
        /// The format of the messages
        #[arg(long, value_enum, default_value_t)]
        format: ShowFormat,
    },
    /// Delete a conversation
    Delete {
        /// The conversation
        name: ConversationName,
    },
}

/// Lists, shows or deletes conversations.
pub(crate) fn conversations(args: Args, environment: &Environment) -> Result<Outcome, Trouble> {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Trouble::new(format!("cannot start: {error}")))?;
    tokio.block_on(act(args, environment))
}

async fn act(args: Args, environment: &Environment) -> Result<Outcome, Trouble> {
    let store = open(args.store.as_deref(), environment).await?;
    match args.action {
        Action::List { format } => {
            let (list, unreadable) = match &store {
                Some(store) => store.list_readable().await.map_err(trouble_of)?,
                None => (Vec::new(), Vec::new()),
            };
            print_list(&list, !unreadable.is_empty(), format)?;
            for error in &unreadable {
                error_to_stderr(&in_full(error));
            }
            Ok(Outcome::of_errors(!unreadable.is_empty()))
        }
        Action::Show { name, format } => {
            let loaded = match &store {
                Some(store) => store.load(&name).await.map_err(trouble_of)?,
                None => None,
            };
            let Some(stored) = loaded else {
                return Err(unknown(&name, store.as_ref()).await);
            };
            let conversation: Conversation = stored.conversation;
            show(&conversation, format)
        }
        Action::Delete { name } => {
            let was_there = match &store {
                Some(store) => store.delete(&name).await.map_err(trouble_of)?,
                None => false,
            };
            if was_there {
                Ok(Outcome::Fine)
            } else {
                Err(unknown(&name, store.as_ref()).await)
            }
        }
    }
}

/// Opens the store, if its file exists. Reading must not create a file.
async fn open(
    path: Option<&Path>,
    environment: &Environment,
) -> Result<Option<SqliteStore>, Trouble> {
    let path = match path {
        Some(path) if !path.exists() => {
            let path = path.display();
            let text = format!("there is no file `{path}`; `agent run --store` makes one");
            return Err(Trouble::new(text));
        }
        Some(path) => path.to_owned(),
        None => usual_place(environment)?,
    };
    if !path.exists() {
        return Ok(None);
    }
    SqliteStore::open(path).await.map(Some).map_err(trouble_of)
}

async fn unknown(name: &ConversationName, store: Option<&SqliteStore>) -> Trouble {
    let list = match store {
        Some(store) => store.list_readable().await.unwrap_or_default().0,
        None => Vec::new(),
    };
    let names = list.iter().map(|info| info.name.as_str());
    Trouble::new(match nearest(name.as_str(), names) {
        Some(meant) => format!("there is no conversation `{name}`; did you mean `{meant}`?"),
        None => format!(
            "there is no conversation `{name}`; `agent conversations list` names those that there are"
        ),
    })
}

/// An entry of the list as JSON. Scripts depend on these members.
#[derive(Serialize)]
struct ListEntry<'a> {
    name: &'a str,
    messages: usize,
    updated: u64,
}

fn print_list(list: &[ConversationInfo], has_others: bool, format: Format) -> io::Result<()> {
    match format {
        Format::Json => {
            let listed = list.iter().map(|info| ListEntry {
                name: info.name.as_str(),
                messages: info.messages,
                updated: info
                    .updated
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default()
                    .as_secs(),
            });
            json_to_stdout(&listed.collect::<Vec<_>>())?;
        }
        Format::Human => {
            if list.is_empty() && !has_others {
                to_stderr(
                    "no conversation is stored; `agent run --conversation NAME` stores one\n",
                );
            }
            for info in list {
                let s = if info.messages == 1 { "" } else { "s" };
                line_to_stdout(&format!("{}: {} message{s}", info.name, info.messages))?;
            }
        }
    }
    Ok(())
}

/// The format of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// For people
    #[default]
    Human,
    /// For programs: an array of messages on standard output
    Json,
    /// For storing and asking: a gram document on standard output
    Gram,
}

/// Prints a conversation.
fn show(conversation: &Conversation, format: ShowFormat) -> Result<Outcome, Trouble> {
    let text = match format {
        ShowFormat::Json => {
            json_to_stdout(conversation)?;
            return Ok(Outcome::Fine);
        }
        ShowFormat::Human => sanitize(&transcript(conversation)),
        ShowFormat::Gram => match conversation.to_pattern() {
            // Only on a terminal, control characters are replaced.
            Ok(pattern) if io::stdout().is_terminal() => sanitize(&print(&[pattern])),
            Ok(pattern) => print(&[pattern]),
            Err(error) => {
                let text = "the conversation cannot be written as gram, but as json";
                error_to_stderr(&format!("{text}: {error}"));
                return Ok(Outcome::Failed);
            }
        },
    };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Outcome::Fine)
}

/// Writes a conversation as `agent run` shows it.
fn transcript(conversation: &Conversation) -> String {
    let mut text = String::new();
    let messages = conversation.messages();
    for (at, message) in messages.iter().enumerate() {
        let content = message.content();
        match message.role() {
            Role::User => text.push_str(&format!("💬 {content}\n")),
            Role::Assistant => {
                if !content.trim().is_empty() {
                    text.push_str(&format!("🤖 {content}\n"));
                }
                for call in message.tool_calls() {
                    text.push_str(&line_of_call(call, &messages[at + 1..]));
                }
            }
            // Results are shown with their calls.
            _ => {}
        }
    }
    text
}

fn line_of_call(call: &ToolCall, behind: &[Message]) -> String {
    let result = behind.iter().find(|m| m.call_id() == Some(call.id()));
    let came = match result {
        Some(result) if result.is_error() => format!("error: {}", shortened(result.content())),
        Some(result) => shortened(result.content()),
        None => "no result".to_owned(),
    };
    let args = shortened(call.args_text());
    format!("🛠️ {} {args} → {came}\n", call.tool())
}
