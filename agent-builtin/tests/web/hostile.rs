//! Attacks by pages, servers and models, each with the error that it must get.

mod addresses;
mod announcements;
mod bodies;
mod markup;
mod redirects;
mod transfers;

use crate::web::calls::{call_within, granting, only};
use crate::web::server::{Request, Server};
use crate::with_timeout::ENDLESS;
use agent_builtin::WebScraper;
use agent_runtime::{Grants, ToolError};
use serde_json::{Value, json};
use std::net::TcpStream;
use std::time::Duration;

/// The expected result; an error must contain the text.
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
                // Messages are short, because a server could flood the conversation with them.
                text.contains(part) && text.len() < 1500
            }
            (Self::Timeout, Err(error)) => *error == ToolError::Timeout,
            (Self::Text(text), Ok(value)) => value["text"] == text,
            _ => false,
        }
    }
}

/// Scrapes, and returns a description of the result if it is not the expected one.
pub(super) async fn try_to(
    name: &str,
    arguments: Value,
    grants: &Grants,
    expect: Expect,
) -> Option<String> {
    let timeout = match expect {
        Expect::Timeout => Duration::from_millis(250),
        _ => ENDLESS,
    };
    let tool = only(WebScraper::default());
    let result = call_within(&tool, &arguments, grants, timeout).await;
    if expect.holds(&result) {
        return None;
    }
    let shown: String = format!("{result:?}").chars().take(300).collect();
    Some(format!("{name}: expected {expect:?}\n  got {shown}"))
}

/// The response of a server to each request.
pub(super) type Respond = Box<dyn Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync>;

/// A name, the response, the selector if there is one, and the expected result.
pub(super) type Row = (&'static str, Respond, Option<String>, Expect);

/// Tries all rows against one server, and returns their number.
pub(super) async fn try_all(rows: Vec<Row>) -> usize {
    let mut trials = Vec::new();
    let mut responses = Vec::new();
    for (name, respond, selector, expect) in rows {
        trials.push((name, selector, expect));
        responses.push(respond);
    }
    let server = Server::start(move |request: &Request, stream| {
        let at: usize = request
            .target
            .trim_start_matches('/')
            .parse()
            .expect("a number");
        responses[at](stream)
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
