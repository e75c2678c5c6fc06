//! What a hostile page, server or model might try, each with the error it must get.

mod addresses;
mod bodies;
mod markup;
mod promises;
mod redirects;
mod transfers;

use crate::web::calls::{call_within, granting, only};
use crate::web::server::{Request, Server};
use agent_builtin::WebScraper;
use agent_runtime::{Grants, ToolError};
use serde_json::{Value, json};
use std::net::TcpStream;
use std::time::Duration;

/// What must come of it; the text must be in the message.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expect {
    Validation(&'static str),
    Authorization(&'static str),
    Execution(&'static str),
    Timeout,
    Text(&'static str),
}

impl Expect {
    fn holds(self, result: &Result<Value, ToolError>) -> bool {
        match (self, result) {
            (Self::Validation(part), Err(ToolError::Validation(text)))
            | (Self::Authorization(part), Err(ToolError::Authorization(text)))
            | (Self::Execution(part), Err(ToolError::Execution(text))) => {
                // No message is a means to flood the conversation.
                text.contains(part) && text.len() < 1500
            }
            (Self::Timeout, Err(error)) => *error == ToolError::Timeout,
            (Self::Text(text), Ok(value)) => value["text"] == text,
            _ => false,
        }
    }
}

/// Scrapes and says what came of it when it is not what was expected.
pub(super) async fn try_to(
    name: &str,
    arguments: Value,
    grants: &Grants,
    expect: Expect,
) -> Option<String> {
    // What must time out does so soon; what must not has time on a busy machine.
    let time = Duration::from_millis(if matches!(expect, Expect::Timeout) {
        250
    } else {
        8000
    });
    let tool = only(WebScraper::default());
    let result = call_within(&*tool, &arguments, grants, time).await;
    if expect.holds(&result) {
        return None;
    }
    let shown: String = format!("{result:?}").chars().take(300).collect();
    Some(format!("{name}: expected {expect:?}\n  got {shown}"))
}

/// What a server does to whoever comes.
pub(super) type Deed = Box<dyn Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync>;

/// A name, what the server does, and what must come of it, with a selector if there is one.
pub(super) type Row = (&'static str, Deed, Option<String>, Expect);

/// Tries all rows against one server, and gives how many there were.
pub(super) async fn try_all(rows: Vec<Row>) -> usize {
    let mut trials = Vec::new();
    let mut deeds = Vec::new();
    for (name, deed, selector, expect) in rows {
        trials.push((name, selector, expect));
        deeds.push(deed);
    }
    let server = Server::start(move |request: &Request, stream| {
        let at: usize = request
            .target
            .trim_start_matches('/')
            .parse()
            .expect("a number");
        deeds[at](stream)
    });
    let mut failures = Vec::new();
    let count = trials.len();
    for (at, (name, selector, expect)) in trials.into_iter().enumerate() {
        let url = server.url(&format!("/{at}"));
        let arguments = json!({"url": url, "selector": selector});
        let grants = granting(&[server.grant()]);
        failures.extend(try_to(name, arguments, &grants, expect).await);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    count
}
