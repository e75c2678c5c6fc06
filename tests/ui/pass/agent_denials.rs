//! Agents that keep what `deny` asks for.

use agent_runtime::{Agent, agent, tool};

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

/// Pays money back
#[tool(destructive, sends = false, requires_approval)]
fn refund(order: u32) -> u32 {
    order
}

// The words of strangers stay in the agent that reads them.
agent! {
    static DESK,
    tools: [read_mail, send_mail, refund],
    deny: ["leak", "unbounded", "destructive", "retired-model"],
    [desk:Agent {instruction: "Help.", model: "Offline/any", maxIterations: 4} |
        sendMail,
        refund,
        [triage:Agent {
            description: "Rates a mail",
            instruction: "Rate.",
            model: "Offline/any",
            maxIterations: 2
        } |
            (mail::Text)==>(::Object {fields: {urgent: "Bool", amount: "Double"}}),
            readMail]
    ]
}

// A called agent inherits the strictness of its caller, and the document labels the tool that is known only at run time.
const STRICT: Agent = agent! {
    tools: [read_mail, dynamic post],
    deny: ["leak", "destructive"],
    [strict:Agent {instruction: "Help.", model: "Offline/any", whenTainted: "deny"} |
        [poster:Agent {description: "Posts", instruction: "Post.", model: "Offline/any"} |
            readMail,
            [post:Tool {description: "Posts a text", sends: true} | (text::Text)==>(::Null)]]
    ]
};

// Agents that call each other.
const CIRCLE: Agent = agent! {
    tools: [read_mail],
    deny: ["leak", "unbounded", "destructive"],
    agent: "ping",
    [ping:Agent {
        description: "Pings", instruction: "Ping.", model: "Offline/any", maxIterations: 1, maxDepth: 3
    } | pong]
    [pong:Agent {
        description: "Pongs", instruction: "Pong.", model: "Offline/any", maxIterations: 1
    } | ping, readMail]
};

pub fn main() {
    assert_eq!(DESK.agents().len(), 1);
    assert_eq!(STRICT.agents().len(), 1);
    assert_eq!(CIRCLE.agents().len(), 2);
}
