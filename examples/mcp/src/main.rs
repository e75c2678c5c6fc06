//! An agent with the tools of an MCP server.
//!
//! `cargo run -q -p mcp-notes` starts the server, and asks the agent, whose offline model needs neither a key nor a
//! network. `mcp/notes.gram` has the tools of the server, as `agent mcp import notes --output examples/mcp/mcp/notes.gram
//! -- cargo run -q -p mcp-notes -- serve` wrote them. `agent!` checks the agent against this document, and a test compares
//! the document with the server.
//!
//! `cargo run -q -p mcp-notes -- serve` is the server, for any client.

use agent_mcp::{McpServer, Server};
use agent_runtime::{Agent, Environment, Runtime, agent, tool, tools};
use std::error::Error;

/// The notes of the server.
const NOTES: [(&str, &str); 3] = [
    ("garden", "Water the tomatoes on Friday."),
    ("shopping", "Buy flour and yeast."),
    ("work", "Send the report to Ada."),
];

/// Lists the titles of all notes
#[tool(read_only, inline)]
fn list_notes() -> Vec<String> {
    NOTES.iter().map(|(title, _)| (*title).to_owned()).collect()
}

/// Reads the note with a title
#[tool(read_only, inline)]
fn read_note(title: &str) -> Result<String, String> {
    let note = NOTES.iter().find(|(known, _)| *known == title);
    let missing = || format!("there is no note `{title}`; `listNotes` lists the titles");
    note.map(|(_, text)| (*text).to_owned()).ok_or_else(missing)
}

/// An agent that knows the server by its document alone: it cannot name a tool or a parameter that is not there.
static READER: Agent = agent! {
    mcp: ["mcp/notes.gram"],
    [reader:Agent {
        instruction: "Answer from the notes.",
        model: "Offline/rules"
    } |
        notes_listNotes,
        [notes_readNote:Tool {description: "Reads the note with a title"} | (title::Text)==>(::String)]
    ]
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        let server = Server::new(&tools![list_notes, read_note]).name("notes");
        return Ok(server.stdio().await?);
    }
    // Starts this program itself. `McpServer::locked` would start the command of the document.
    let server = McpServer::stdio("notes", std::env::current_exe()?, ["serve"]);
    let server = server.connect().await?;
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .build()?;
    let question = "Read the note with the title \"garden\"";
    println!("💬 {question}");
    let response = runtime
        .run(&READER, question)
        .tools(&server.library())
        .await?;
    for call in &response.tools_used {
        println!("🛠️ {} {}", call.tool, call.args);
    }
    println!("🤖 {}", response.content);
    server.close().await;
    Ok(())
}
