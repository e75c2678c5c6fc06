use agent_runtime::{agent, tool};

/// Reads a mail
#[tool(untrusted)]
fn read_mail(id: String) -> String {
    id
}

/// Writes a file
#[tool(writes)]
fn write_file(text: String) {
    drop(text);
}

fn main() {
    let _ = agent! {
        tools: [read_mail, write_file],
        [reader:Agent {instruction: "Read mails.", model: "OpenAI/gpt-6-luna"} |
            [readMail:Tool {description: "Reads a mail", untrusted: false} | (id::Text)==>(::String)],
            [writeFile:Tool {description: "Writes a file", readOnly: true} | (text::Text)==>(::Null)]
        ]
    };
}
