//! Runs against a local server that answers with the replies of a file.

use crate::support::server::{Answer, Request, Server, status, streamed};
use crate::support::{hello_spec, hello_tool, library};
use agent_runtime::event::EventCollector;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{
    Agent, AgentResponse, Conversation, Environment, Error, Event, Executable, Message, Runtime,
    ToolLibrary,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A provider and its reply files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// The folder of its replies.
    pub(crate) folder: &'static str,
    pub(crate) model: &'static str,
    pub(crate) key: (&'static str, &'static str),
    /// The path of its base URL.
    pub(crate) base: &'static str,
    /// The content type of a streamed answer, and the extension of its files.
    pub(crate) stream: (&'static str, &'static str),
}

pub(crate) const OPENAI: Dialect = Dialect {
    folder: "openai",
    model: "OpenAI/gpt-4o-mini",
    key: ("OPENAI_API_KEY", "sk-test-1234567890"),
    base: "/v1",
    stream: ("text/event-stream", ".sse"),
};

pub(crate) const RESPONSES: Dialect = Dialect {
    folder: "responses",
    model: "OpenAIResponses/gpt-5-mini",
    key: ("OPENAI_API_KEY", "sk-test-1234567890"),
    base: "/v1",
    stream: ("text/event-stream", ".sse"),
};

pub(crate) const ANTHROPIC: Dialect = Dialect {
    folder: "anthropic",
    model: "Anthropic/claude-haiku-4-5",
    key: ("ANTHROPIC_API_KEY", "sk-ant-test-1234567890"),
    base: "",
    stream: ("text/event-stream", ".sse"),
};

pub(crate) const GOOGLE: Dialect = Dialect {
    folder: "google",
    model: "Google/gemini-2.5-flash",
    key: ("GOOGLE_API_KEY", "AIza-test-1234567890"),
    base: "",
    stream: ("text/event-stream", ".sse"),
};

pub(crate) const OLLAMA: Dialect = Dialect {
    folder: "ollama",
    model: "Ollama/qwen3:4b",
    key: ("OLLAMA_API_KEY", "ollama-test-1234567890"),
    base: "",
    stream: ("application/x-ndjson", ".ndjson"),
};

pub(crate) const TOOL: &str = " | [sayHello:Tool {description: \"Returns a friendly greeting message for the \
                    given name\"} | (personName::Text)==>(::String)]";

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

    /// Returns the answer in a file, plain or streamed by its extension.
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

    /// Returns a runtime with the server as the provider.
    pub(crate) fn runtime(&self, server: &Server) -> RuntimeBuilder {
        Runtime::builder()
            .environment(Environment::from_pairs([self.key]))
            .base_url(format!("http://127.0.0.1:{}{}", server.port, self.base))
            .retry_pause(Duration::from_millis(1))
    }

    /// Executes a run with these answers. Returns its response, its conversation, and the server.
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

    /// Executes a run with these answers that fails.
    pub(crate) async fn execute_err(&self, answers: Vec<Answer>) -> Error {
        let (response, ..) = self.execute(answers).await;
        response.expect_err("an error")
    }

    /// Returns the request of a run.
    async fn sent(
        &self,
        agent: &impl Executable,
        (said, input): (Vec<Message>, &str),
        build: impl FnOnce(&Server) -> RuntimeBuilder,
    ) -> Request {
        let server = Server::start(vec![self.answer("hello.json")]);
        let runtime = build(&server).build().expect("a runtime");
        let mut conversation: Conversation = said.into_iter().collect();
        let nothing = crate::support::tool("nothing", |_| async { Ok(().into()) });
        let library = library([hello_tool(), nothing]);
        let response = runtime
            .execute(agent, input, &mut conversation, &library)
            .await;
        response.expect("an answer");
        server.requests().remove(0)
    }

    /// Returns the body of the request after a conversation.
    pub(crate) async fn request_after(&self, messages: Vec<Message>) -> Value {
        let said = (messages, "And now?");
        let build = |server: &Server| self.runtime(server);
        self.sent(&self.agent(), said, build).await.json()
    }

    /// Returns the request for an agent in gram to a path of the server.
    pub(crate) async fn request_for(&self, gram: &str, base: &str) -> Request {
        let agent = AgentPattern::parse(gram).expect("an agent");
        let build = |server: &Server| {
            let address = format!("http://127.0.0.1:{}{base}", server.port);
            self.runtime(server).base_url(address)
        };
        self.sent(&agent, (Vec::new(), "Hi"), build).await
    }

    /// Returns the request with only these variables and the variable of the base URL.
    pub(crate) async fn request_with_variables(
        &self,
        address: &str,
        variables: &[(&str, &str)],
    ) -> Request {
        let build = |server: &Server| {
            let url = format!("http://127.0.0.1:{}", server.port);
            let mut pairs = vec![(address, url.as_str())];
            pairs.extend(variables);
            Runtime::builder().environment(Environment::from_pairs(pairs))
        };
        self.sent(&self.agent(), (Vec::new(), "Hi"), build).await
    }

    /// Streams a run with these answers.
    pub(crate) async fn stream(&self, answers: Vec<Answer>) -> Streamed {
        let server = Server::start(answers);
        let runtime = self.runtime(&server).build().expect("a runtime");
        let mut conversation = Conversation::new();
        let (library, agent) = (library([hello_tool()]), self.agent());
        let mut streamed = Streamed::default();
        let mut stream = runtime
            .run(&agent, "Hello, I'm Ada")
            .tools(&library)
            .conversation(&mut conversation)
            .stream();
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

/// The outcome of a streamed run.
#[derive(Debug, Default)]
pub(crate) struct Streamed {
    pub(crate) events: Vec<Event>,
    pub(crate) fold: EventCollector,
    pub(crate) error: Option<Error>,
    pub(crate) conversation: Conversation,
    pub(crate) requests: Vec<Value>,
}

impl Streamed {
    /// Returns the response in the last event.
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

    pub(crate) fn thoughts(&self) -> String {
        let thoughts = self.events.iter().filter_map(|event| match event {
            Event::ThoughtDelta { text, .. } => Some(text.as_str()),
            _ => None,
        });
        thoughts.collect()
    }
}

/// Returns the body of the first request of a run with these settings.
pub(crate) async fn sent(
    dialect: &Dialect,
    settings: &str,
    tools: &str,
    streamed: bool,
) -> Result<Value, Error> {
    let ending = if streamed { dialect.stream.1 } else { ".json" };
    let server = Server::start(vec![dialect.answer(&format!("hello{ending}"))]);
    let runtime = dialect.runtime(&server).build().expect("a runtime");
    let model = dialect.model;
    let gram =
        format!("[a:Agent {{instruction: \"Greet.\", model: \"{model}\", {settings}}}{tools}]");
    let agent = AgentPattern::parse(&gram).unwrap_or_else(|error| panic!("{error}"));
    let library = match tools {
        "" => ToolLibrary::new(),
        _ => library([hello_tool()]),
    };
    let mut conversation = Conversation::new();
    let mut run = runtime
        .run(&agent, "Hi")
        .tools(&library)
        .conversation(&mut conversation);
    if streamed {
        run = run.streaming();
    }
    run.await?;
    Ok(server.requests().remove(0).json())
}
