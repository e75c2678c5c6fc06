//! The faults, a row each: what the server does, and what the caller is to see of it.

mod bodies;
mod connections;
mod statuses;

use crate::faults::dialect::{Dialect, HELLO};
use crate::faults::server::{Act, Play, chunked, head, whole};
use std::time::Duration;

/// In what setting a fault is played.
pub(crate) struct Setting {
    pub(crate) dialect: Dialect,
    pub(crate) streamed: bool,
    /// The port of a server to which nothing may ever be sent.
    pub(crate) thief: u16,
}

impl Setting {
    pub(crate) fn good(&self) -> Play {
        self.dialect.reply("hello", self.streamed)
    }

    fn body(&self) -> String {
        self.dialect.body("hello", self.streamed)
    }

    fn half(&self) -> Vec<u8> {
        let body = self.body().into_bytes();
        body[..body.len() / 2].to_vec()
    }

    /// Whether that half has a part that the reader of a stream gets.
    fn tells_half(&self) -> bool {
        let (begun, _) = HELLO.split_once(' ').unwrap_or_default();
        self.streamed && String::from_utf8_lossy(&self.half()).contains(begun)
    }

    /// This play, and then the recorded answer.
    fn and_answer(&self, play: Play) -> Vec<Play> {
        vec![play, self.good()]
    }

    /// This body with a status of success, as it comes from this provider.
    fn ok(&self, body: &[u8]) -> Play {
        let kind = self.dialect.kind(self.streamed);
        if self.streamed {
            chunked(kind, body)
        } else {
            whole(200, &format!("content-type: {kind}\r\n"), body)
        }
    }

    /// This body with a length that is not its own.
    fn announced(&self, body: &[u8], length: usize) -> Play {
        let kind = format!("content-type: {}\r\n", self.dialect.kind(self.streamed));
        vec![head(200, &kind, length), Act::Send(body.to_vec())]
    }
}

/// The outcome for the caller.
pub(crate) enum Outcome {
    /// The recorded answer.
    Answer,
    /// An error of the provider. One of the texts stands in it.
    Error(&'static [&'static str]),
    /// The same, and another model may be tried.
    Unavailable(&'static [&'static str]),
}

pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// The faults in the order of the requests.
    pub(crate) plays: fn(&Setting) -> Vec<Play>,
    pub(crate) outcome: fn(&Setting) -> Outcome,
    /// The expected number of requests.
    pub(crate) requests: fn(&Setting) -> usize,
    /// The time limit of a request.
    pub(crate) deadline: Duration,
    /// The least time that the request must take.
    pub(crate) at_least: Duration,
}

const fn row(
    name: &'static str,
    plays: fn(&Setting) -> Vec<Play>,
    outcome: fn(&Setting) -> Outcome,
    requests: fn(&Setting) -> usize,
) -> Fault {
    Fault {
        name,
        plays,
        outcome,
        requests,
        deadline: Duration::from_secs(20),
        at_least: Duration::ZERO,
    }
}

/// The deadline of requests that are to miss it.
const SHORT: Duration = Duration::from_millis(2_000);

const LATE: &[&str] = &[
    "did not answer in time",
    "did not answer within",
    "said nothing for",
];
const BROKEN: &[&str] = &["broke its answer off"];

pub(crate) fn faults() -> impl Iterator<Item = &'static Fault> {
    let tables = [connections::ROWS, bodies::ROWS, statuses::ROWS];
    tables.into_iter().flatten()
}
