//! `agent conversations`: lists, shows and deletes stored conversations.

use crate::async_runtime::async_runtime;
use crate::display::{arguments_line, marked_text, media_line, name, shortened};
use crate::outcome::{CommandError, Outcome, with_causes};
use crate::output::{
    document_to_stdout, error_to_stderr, errors_to_stderr, json_to_stdout, line_to_stdout,
    text_to_stdout, to_stderr, warning_to_stderr,
};
use crate::output_format::Format;
use crate::user_data::conversations_file;
use agent_gram::print;
use agent_project::report::counted;
use agent_runtime::conversation::{
    ConversationInfo, ConversationName, ConversationStore, Role, ToolCall,
};
use agent_runtime::{Conversation, Environment, Message};
use agent_spec::names::nearest;
use agent_store::SqliteStore;
use clap::ValueEnum;
use serde::Serialize;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

const LONG_ABOUT: &str = "\
List, show and delete stored conversations

`agent run --conversation NAME` and `agent chat --conversation NAME` store conversations. The usual
file is agent/conversations.db under XDG_DATA_HOME or, without it, ~/.local/share (on macOS
~/Library/Application Support, on Windows LOCALAPPDATA). Only its owner can read it.

`agent run --history` accepts the output of `show` with --format json and --format gram. As gram, a
conversation is a pattern labelled Conversation, whose elements are the messages. `list` with --format
json prints an array of {\"name\",\"messages\",\"updated\"}; updated is in seconds since 1970. A conversation
whose name is not valid cannot be listed; an error after the list names it.";

const AFTER_HELP: &str = "\
Examples:
  agent conversations list
  agent conversations show ada
  agent conversations show ada --format gram > ada.gram
  agent conversations delete ada --store team.db
  agent conversations show ada@example.com/holiday --store server.db

A conversation of an owner, such as a user of a web server, is named OWNER/NAME, as `list` writes it.";

/// List, show and delete stored conversations
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// The file with the conversations, instead of the usual one
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
        /// With --format json, write the bytes of images, documents and audio in base64, and not their SHA-256
        #[arg(long)]
        media_data: bool,
    },
    /// Delete a conversation
    Delete {
        /// The conversation
        name: ConversationName,
    },
}

/// Lists, shows or deletes conversations.
pub(crate) fn conversations(
    args: Args,
    environment: &Environment,
) -> Result<Outcome, CommandError> {
    async_runtime()?.block_on(act(args, environment))
}

async fn act(args: Args, environment: &Environment) -> Result<Outcome, CommandError> {
    let writes = matches!(args.action, Action::Delete { .. });
    let store = open(args.store.as_deref(), environment, writes).await?;
    match args.action {
        Action::List { format } => {
            let (list, unreadable) = match &store {
                Some(store) => store.list_readable().await?,
                None => (Vec::new(), Vec::new()),
            };
            print_list(&list, !unreadable.is_empty(), format)?;
            let errors = unreadable.iter().map(|error| with_causes(error));
            errors_to_stderr(&errors.collect::<Vec<_>>());
            Ok(Outcome::of_errors(!unreadable.is_empty()))
        }
        Action::Show {
            media_data: true,
            format: ShowFormat::Human | ShowFormat::Gram,
            ..
        } => Err(CommandError::new("--media-data needs --format json")),
        Action::Show {
            name,
            format,
            media_data,
        } => {
            let loaded = match &store {
                Some(store) => store.load(&name).await?,
                None => None,
            };
            let Some(stored) = loaded else {
                return Err(unknown(&name, store.as_ref()).await);
            };
            let conversation: Conversation = stored.conversation;
            show(&conversation, format, media_data)
        }
        Action::Delete { name } => {
            let was_there = match &store {
                Some(store) => store.delete(&name).await?,
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

/// Opens the store, if its file exists. Reading must not create a file. If the store is only read, the file need not be
/// writable.
async fn open(
    path: Option<&Path>,
    environment: &Environment,
    writes: bool,
) -> Result<Option<SqliteStore>, CommandError> {
    let path = match path {
        Some(path) if !path.exists() => {
            let path = path.display();
            let text = format!("there is no file `{path}`; `agent run --store` creates one");
            return Err(CommandError::new(text));
        }
        Some(path) => path.to_owned(),
        None => conversations_file(environment)?,
    };
    if !path.exists() {
        return Ok(None);
    }
    match SqliteStore::open(&path).await {
        Ok(store) => Ok(Some(store)),
        Err(error) if writes || error.is_format() => Err(error.into()),
        Err(error) => {
            let opened = SqliteStore::open_read_only(path).await;
            opened.map(Some).map_err(|_| error.into())
        }
    }
}

async fn unknown(name: &ConversationName, store: Option<&SqliteStore>) -> CommandError {
    let list = match store {
        Some(store) => store.list_readable().await.unwrap_or_default().0,
        None => Vec::new(),
    };
    let names = list.iter().map(|info| info.name.as_str());
    CommandError::new(match nearest(name.as_str(), names) {
        Some(meant) => format!("there is no conversation `{name}`; did you mean `{meant}`?"),
        None => format!(
            "there is no conversation `{name}`; `agent conversations list` lists all of them"
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
                let name = name(info.name.as_str());
                line_to_stdout(&format!("{name}: {}", counted(info.messages, "message")))?;
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
    /// For storing: a gram document on standard output
    Gram,
}

/// Prints a conversation.
fn show(
    conversation: &Conversation,
    format: ShowFormat,
    with_data: bool,
) -> Result<Outcome, CommandError> {
    let text = match format {
        ShowFormat::Json => {
            json_to_stdout(&match with_data {
                false => conversation.to_json(),
                true => conversation.to_json_with_data(),
            })?;
            return Ok(Outcome::Fine);
        }
        ShowFormat::Human => {
            text_to_stdout(&transcript(conversation))?;
            return Ok(Outcome::Fine);
        }
        ShowFormat::Gram => match conversation.to_pattern() {
            Ok(pattern) => {
                warn_about_bytes(conversation);
                print(&[pattern])
            }
            Err(error) => {
                let text = "the conversation cannot be written as gram; use --format json";
                error_to_stderr(&format!("{text}: {error}"));
                return Ok(Outcome::Failed);
            }
        },
    };
    document_to_stdout(&text)?;
    Ok(Outcome::Fine)
}

/// Warns if a conversation has media, whose bytes gram does not hold.
fn warn_about_bytes(conversation: &Conversation) {
    let mut media = conversation.messages().iter().flat_map(Message::media);
    if media.any(|media| media.bytes().is_some()) {
        warning_to_stderr(
            "the document has only the SHA-256 of images, documents and audio; `--format json --media-data` \
             writes their bytes",
        );
    }
}

/// Writes a conversation as `agent run` shows it.
fn transcript(conversation: &Conversation) -> String {
    let mut text = String::new();
    let messages = conversation.messages();
    for (at, message) in messages.iter().enumerate() {
        let content = marked_text(message.content());
        match message.role() {
            Role::User => {
                let mark = if message.is_summary() { "📝" } else { "💬" };
                text.push_str(&format!("{mark} {content}\n"));
                add_media(&mut text, message);
            }
            Role::Assistant => {
                if !content.trim().is_empty() {
                    text.push_str(&format!("🤖 {content}\n"));
                }
                add_media(&mut text, message);
                let mut results = results_by_id(&messages[at + 1..]);
                for call in message.tool_calls() {
                    let result = results.get_mut(call.id()).and_then(Vec::pop);
                    text.push_str(&line_of_call(call, result));
                    if let Some(result) = result {
                        add_media(&mut text, result);
                    }
                }
            }
            // Results are shown with their calls.
            _ => {}
        }
    }
    text
}

/// Adds a line for each image, document or audio of a message.
fn add_media(text: &mut String, message: &Message) {
    for line in message.parts().iter().filter_map(media_line) {
        text.push_str(&format!("{line}\n"));
    }
}

/// Returns the results at the beginning of the messages after a call, by the ids of their calls. An answer can have
/// many calls. The first result of an id is the last one in its list.
fn results_by_id(behind: &[Message]) -> HashMap<&str, Vec<&Message>> {
    let count = behind
        .iter()
        .take_while(|message| message.role() == Role::Function)
        .count();
    let mut results: HashMap<&str, Vec<&Message>> = HashMap::new();
    for result in behind[..count].iter().rev() {
        let id = result.call_id().unwrap_or_default();
        results.entry(id).or_default().push(result);
    }
    results
}

fn line_of_call(call: &ToolCall, result: Option<&Message>) -> String {
    let outcome = match result {
        Some(result) if result.is_error() => format!("error: {}", shortened(result.content())),
        Some(result) => shortened(result.content()),
        None => "no result".to_owned(),
    };
    let args = arguments_line(call.args_text());
    format!("🛠️ {} {args} → {outcome}\n", name(call.tool()))
}
