use agent_runtime::{agent, tool};

/// Reads a mail
#[tool(reads = "private", untrusted)]
fn read_mail(id: &str) -> String {
    id.to_owned()
}

/// Sends a mail
#[tool(sends)]
fn send_mail(text: &str) -> String {
    text.to_owned()
}

/// Says nothing
#[tool]
fn unlabelled() -> String {
    String::new()
}

fn main() {
    let _ = agent! {
        tools: [read_mail, send_mail],
        deny: ["leak"],
        [mail:Agent {instruction: "Help.", model: "Offline/any"} | readMail, sendMail]
    };
    let _ = agent! {
        tools: [read_mail, send_mail],
        deny: ["leak"],
        agent: "desk",
        [desk:Agent {instruction: "Help.", model: "Offline/any"} | sendMail, reader]
        [reader:Agent {description: "Reads", instruction: "Read.", model: "Offline/any"} | readMail]
    };
    let _ = agent! {
        tools: [unlabelled],
        deny: ["leak"],
        [one:Agent {instruction: "Help.", model: "Offline/any"} | unlabelled]
    };
    // Nothing is denied here.
    let _ = agent! {
        tools: [read_mail, send_mail],
        [mail:Agent {instruction: "Help.", model: "Offline/any"} | readMail, sendMail]
    };
    // A person is asked.
    let _ = agent! {
        tools: [read_mail, send_mail],
        deny: ["leak"],
        [mail:Agent {instruction: "Help.", model: "Offline/any", whenTainted: "approve"} | readMail, sendMail]
    };
}
