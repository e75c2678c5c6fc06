//! One exchange with a provider: a conversation of one request against a server that answers from a
//! file.

use crate::support::server::{Answer, Server, status, streamed};
use crate::support::{hello_spec, hello_tool, library};
use agent_runtime::{
    Agent, AgentResponse, Conversation, Environment, Error, Event, ResponseFold, Runtime,
    RuntimeBuilder,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A provider as the tests know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// The folder of its replies.
    pub(crate) folder: &'static str,
    pub(crate) model: &'static str,
    pub(crate) key: (&'static str, &'static str),
    /// How its base URL goes on after the host.
    pub(crate) base: &'static str,
    /// The content type of a streamed answer, and how its files end.
    pub(crate) stream: (&'static str, &'static str),
}

impl Dialect {
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/providers/replies")
            .join(self.folder)
            .join(file)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        let path = self.path(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
    }

    /// The answer in a file, plain or streamed as its name says.
    pub(crate) fn answer(&self, file: &str) -> Answer {
        let text = self.read(file);
        let (kind, ending) = self.stream;
        if file.ends_with(ending) {
            streamed(kind, text)
        } else {
            status(200, &text)
        }
    }

    /// An agent of this provider that greets.
    pub(crate) fn agent(&self) -> Agent {
        let agent = Agent::new("greeter", self.model, "Greet people.").expect("an agent");
        agent.with_tool(hello_spec()).expect("a tool")
    }

    /// A runtime that reaches the provider at a server.
    pub(crate) fn runtime(&self, server: &Server) -> RuntimeBuilder {
        Runtime::builder()
            .environment(Environment::from_pairs([self.key]))
            .base_url(format!("http://127.0.0.1:{}{}", server.port, self.base))
            .retry_pause(Duration::from_millis(1))
    }

    /// What a run with these answers returns, its conversation, and the server.
    pub(crate) async fn execute(
        &self,
        answers: Vec<Answer>,
    ) -> (Result<AgentResponse, Error>, Conversation, Server) {
        let server = Server::start(answers);
        let runtime = self.runtime(&server).build().expect("a runtime");
        let mut conversation = Conversation::new();
        let library = library([hello_tool()]);
        let response = runtime
            .execute(&self.agent(), "Hello, I'm Ada", &mut conversation, &library)
            .await;
        conversation.check().expect("a valid history");
        (response, conversation, server)
    }

    /// The same, streamed.
    pub(crate) async fn stream(&self, answers: Vec<Answer>) -> Streamed {
        let server = Server::start(answers);
        let runtime = self.runtime(&server).build().expect("a runtime");
        let mut conversation = Conversation::new();
        let (library, agent) = (library([hello_tool()]), self.agent());
        let mut streamed = Streamed::default();
        let mut stream = runtime.stream(&agent, "Hello, I'm Ada", &mut conversation, &library);
        while let Some(event) = stream.next().await {
            match event {
                Ok(event) => {
                    streamed.fold.push(&event);
                    streamed.events.push(event);
                }
                Err(error) => streamed.error = Some(error),
            }
        }
        assert!(stream.next().await.is_none(), "a stream stays ended");
        drop(stream);
        conversation.check().expect("a valid history");
        streamed.conversation = conversation;
        streamed.requests = server
            .requests()
            .iter()
            .map(|request| request.json())
            .collect();
        streamed
    }
}

/// What came of a streamed run.
#[derive(Debug, Default)]
pub(crate) struct Streamed {
    pub(crate) events: Vec<Event>,
    pub(crate) fold: ResponseFold,
    pub(crate) error: Option<Error>,
    pub(crate) conversation: Conversation,
    pub(crate) requests: Vec<serde_json::Value>,
}

impl Streamed {
    /// The answer at the end.
    pub(crate) fn response(&self) -> &AgentResponse {
        match self.events.last() {
            Some(Event::Finished { response, .. }) => response,
            other => panic!("the run ended with {other:?}: {:?}", self.error),
        }
    }

    pub(crate) fn text(&self) -> String {
        let texts = self.events.iter().filter_map(|event| match event {
            Event::TextDelta { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}
