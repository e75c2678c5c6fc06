//! Runs against a server that answers in the wire format of a provider with the bytes of an input.
//!
//! The readers of wire formats are private, so each input is an HTTP answer to the request of a run.
//!
//! An input is one or more answers, with a line `====` between two. The first line of an answer is `stream` or
//! `whole`, the status, and the value of `Retry-After`; the rest is the body:
//!
//! ```text
//! whole 429 20
//! {"error": {"message": "slow down"}}
//! ```

use crate::server::{self, Answer, header};
use crate::{agents, block_on, first_line, sections};
use agent_runtime::event::EventCollector;
use agent_runtime::{
    Agent, AgentResponse, Conversation, Environment, Event, Message, Runtime, ToolLibrary,
};
use std::collections::VecDeque;
use std::error::Error as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The key of every provider. Inputs may have it, because `models.dict` does.
pub const KEY: &str = "sk-test-1234567890";

/// The maximum number of answers of an input.
const MAX_ANSWERS: usize = 3;

/// The maximum number of pieces of a body. Each piece has costs of its own.
const MAX_PIECES: usize = 64;

/// A wire format.
#[derive(Debug)]
pub struct Format {
    pub model: &'static str,
    /// The environment variable with the key.
    pub key: &'static str,
    /// The path of the base URL.
    pub base: &'static str,
    /// The content type of a streamed answer.
    pub stream: &'static str,
    /// The answer after those of the input, which ends the run.
    pub last: &'static str,
}

/// The runtime, the server and the agent of a target.
pub struct Provider {
    format: &'static Format,
    base_url: String,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    runtime: Runtime,
    agent: Agent,
    library: ToolLibrary,
}

/// The end of a run.
#[derive(Debug, PartialEq)]
struct Ended {
    response: Result<AgentResponse, String>,
    conversation: Conversation,
}

impl Provider {
    /// Starts the server of a format.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn start(format: &'static Format) -> Self {
        let answers: Arc<Mutex<VecDeque<Answer>>> = Arc::default();
        let queue = Arc::clone(&answers);
        let port = server::start(move |_| {
            let next = queue.lock().expect("no panic").pop_front();
            next.unwrap_or_else(|| Answer::json(format.last))
        });
        let base_url = format!("http://127.0.0.1:{port}{}", format.base);
        Self {
            format,
            answers,
            runtime: runtime(format, &base_url),
            base_url,
            agent: agents::agent(format.model),
            library: agents::library(),
        }
    }

    /// Checks a run with the answers of an input.
    ///
    /// # Panics
    /// When the run breaks a promise.
    pub fn check(&self, input: &[u8]) {
        let (answers, streams) = answers(self.format, input);
        // A runtime remembers what a provider refused, so that each run of such an input needs a new one.
        let is_refused = answers.iter().any(|answer| answer.status >= 400);
        let runtime = || match is_refused {
            true => runtime(self.format, &self.base_url),
            false => self.runtime.clone(),
        };
        // A body in pieces is read as a body in one piece.
        let (whole, pieces) = answers.iter().map(in_both_ways).unzip();
        let ended = self.run(&runtime(), whole, streams);
        let again = self.run(&runtime(), pieces, streams);
        assert_eq!(ended, again, "pieces are read in another way");
    }

    fn run(&self, runtime: &Runtime, answers: Vec<Answer>, streams: bool) -> Ended {
        *self.answers.lock().expect("no panic") = answers.into();
        let mut conversation = Conversation::new();
        let mut collector = EventCollector::new();
        let mut ends = 0;
        let mut observer = |event: &Event| {
            ends += usize::from(event.is_last());
            collector.push(event);
        };
        let run = runtime
            .run(&self.agent, "Hello, I'm Ada")
            .conversation(&mut conversation)
            .tools(&self.library)
            .observer(&mut observer);
        let response = block_on(async {
            match streams {
                true => run.streaming().await,
                false => run.await,
            }
        });
        assert!(ends <= 1, "a run ends once");
        let redactor = runtime.redactor();
        // Each call has one result, whatever the model answered.
        if let Err(invalid) = conversation.check() {
            panic!("{invalid}: {conversation:?}");
        }
        for message in conversation.messages() {
            reads_back(message);
        }
        let response = response.map_err(|error| {
            let mut text = error.to_string();
            assert!(!text.trim().is_empty());
            let mut source = error.source();
            while let Some(error) = source {
                text = format!("{text}: {error}");
                source = error.source();
            }
            assert!(!text.contains(KEY), "the error has the key: {text}");
            text
        });
        if let Ok(response) = &response {
            assert_eq!(
                collector.response(),
                response,
                "the events have the response"
            );
            // A model may write the key; what is shown and stored is redacted.
            let json = response.redacted(&redactor).to_json().to_string();
            assert!(!json.contains(KEY), "the response has the key: {json}");
        }
        let json = conversation.redacted(&redactor).to_json().to_string();
        assert!(!json.contains(KEY), "the conversation has the key: {json}");
        Ended {
            response,
            conversation,
        }
    }
}

/// Checks that a message is stored and read as it is.
fn reads_back(message: &Message) {
    let json = message.to_exact_json().expect("JSON");
    let read: Message =
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    // Stores keep the bytes of media beside the message.
    assert!(
        read == *message || message.media().next().is_some(),
        "{json}"
    );
}

fn runtime(format: &Format, base_url: &str) -> Runtime {
    // The certificates of the system are not read, because that takes longer than a run.
    let environment = [(format.key, KEY), ("SSL_CERT_FILE", "/dev/null")];
    Runtime::builder()
        .environment(Environment::from_pairs(environment))
        .base_url(base_url)
        .max_attempts(1)
        .retry_pause(Duration::ZERO)
        .build()
        .expect("a runtime")
}

/// Returns the answers of an input, and whether the run streams.
fn answers(format: &Format, input: &[u8]) -> (Vec<Answer>, bool) {
    let mut streams = false;
    let answers = sections(input).into_iter().take(MAX_ANSWERS).enumerate();
    let answers = answers.map(|(number, section)| {
        let (line, body) = first_line(section);
        let mut words = line.splitn(3, ' ');
        let is_streamed = words.next() != Some("whole");
        if number == 0 {
            streams = is_streamed;
        }
        let status = words.next().and_then(|word| word.parse().ok());
        let kind = match is_streamed {
            true => format.stream,
            false => "application/json",
        };
        Answer {
            status: status
                .filter(|status| (200..600).contains(status))
                .unwrap_or(200),
            headers: header("content-type", kind)
                + &header("retry-after", words.next().unwrap_or_default()),
            body: body.to_vec(),
            piece: None,
        }
    });
    (answers.collect(), streams)
}

/// Returns an answer with its body in one piece and in several.
fn in_both_ways(answer: &Answer) -> (Answer, Answer) {
    let length = answer.body.len();
    // The length of the body decides, so that the same input has the same pieces.
    let piece = (1 + length % 7).max(length.div_ceil(MAX_PIECES));
    let mut in_pieces = answer.clone();
    // Answers without a body must not have pieces.
    in_pieces.piece = (!matches!(answer.status, 204 | 304)).then_some(piece);
    (answer.clone(), in_pieces)
}
