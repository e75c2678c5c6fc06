//! The providers, as the tests know them. A further one is a further row.

use crate::faults::server::{Play, chunked, whole};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Environment, Runtime};
use std::path::Path;
use std::time::Duration;
use tokio::task::JoinSet;

/// The answer in words of every provider's recorded replies.
pub(crate) const HELLO: &str = "Grüß dich, Ada 👋!";

/// The key of every provider.
pub(crate) const KEY: &str = "sk-very-secret-0123456789";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    pub(crate) provider: &'static str,
    /// The folder of its recorded replies.
    folder: &'static str,
    /// The path of the base URL after the host.
    pub(crate) base: &'static str,
    /// The paths of requests, plain and streamed.
    paths: [&'static str; 2],
    pub(crate) key_variable: &'static str,
    pub(crate) base_url_variable: &'static str,
    /// The header of the key, and what stands before the key in it.
    pub(crate) key_header: (&'static str, &'static str),
    /// An address of the vendor's own, as the variable takes it.
    pub(crate) vendor: &'static str,
    /// The content type of streams, and how the files of recorded ones end.
    pub(crate) stream: (&'static str, &'static str),
}

pub(crate) const DIALECTS: [Dialect; 5] = [
    Dialect {
        // `OpenAI` uses the Responses API at the vendor's host.
        provider: "OpenAIChat",
        folder: "openai",
        base: "/v1",
        paths: ["/v1/chat/completions"; 2],
        key_variable: "OPENAI_API_KEY",
        base_url_variable: "OPENAI_BASE_URL",
        key_header: ("authorization", "Bearer "),
        vendor: "https://api.openai.com/v1",
        stream: ("text/event-stream", "sse"),
    },
    Dialect {
        provider: "OpenAIResponses",
        folder: "responses",
        base: "/v1",
        paths: ["/v1/responses"; 2],
        key_variable: "OPENAI_API_KEY",
        base_url_variable: "OPENAI_BASE_URL",
        key_header: ("authorization", "Bearer "),
        vendor: "https://api.openai.com/v1",
        stream: ("text/event-stream", "sse"),
    },
    Dialect {
        provider: "Anthropic",
        folder: "anthropic",
        base: "",
        paths: ["/v1/messages"; 2],
        key_variable: "ANTHROPIC_API_KEY",
        base_url_variable: "ANTHROPIC_BASE_URL",
        key_header: ("x-api-key", ""),
        vendor: "https://api.anthropic.com",
        stream: ("text/event-stream", "sse"),
    },
    Dialect {
        provider: "Google",
        folder: "google",
        base: "/v1beta",
        paths: [
            "/v1beta/models/m:generateContent",
            "/v1beta/models/m:streamGenerateContent?alt=sse",
        ],
        key_variable: "GOOGLE_API_KEY",
        base_url_variable: "GOOGLE_GEMINI_BASE_URL",
        key_header: ("x-goog-api-key", ""),
        vendor: "https://generativelanguage.googleapis.com",
        stream: ("text/event-stream", "sse"),
    },
    Dialect {
        provider: "Ollama",
        folder: "ollama",
        base: "",
        paths: ["/api/chat"; 2],
        key_variable: "OLLAMA_API_KEY",
        base_url_variable: "OLLAMA_HOST",
        key_header: ("authorization", "Bearer "),
        vendor: "https://ollama.com",
        stream: ("application/x-ndjson", "ndjson"),
    },
];

/// Runs a test with every provider, plain and streamed. They run at the same time, because such a test mostly waits.
pub(crate) async fn at_the_same_time<Test>(test: impl Fn(Dialect, bool) -> Test)
where
    Test: Future<Output = ()> + Send + 'static,
{
    let mut tests = JoinSet::new();
    for dialect in DIALECTS {
        for streamed in [false, true] {
            tests.spawn(test(dialect, streamed));
        }
    }
    tests.join_all().await;
}

impl Dialect {
    pub(crate) fn path(&self, streamed: bool) -> &'static str {
        self.paths[usize::from(streamed)]
    }

    /// The body of a recorded reply.
    pub(crate) fn body(&self, name: &str, streamed: bool) -> String {
        let ending = if streamed { self.stream.1 } else { "json" };
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../agent-runtime/tests/providers/replies")
            .join(self.folder)
            .join(format!("{name}.{ending}"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
    }

    pub(crate) fn kind(&self, streamed: bool) -> &'static str {
        if streamed {
            self.stream.0
        } else {
            "application/json"
        }
    }

    /// A recorded reply as it should come.
    pub(crate) fn reply(&self, name: &str, streamed: bool) -> Play {
        let body = self.body(name, streamed);
        if streamed {
            chunked(self.kind(true), body.as_bytes())
        } else {
            whole(200, "content-type: application/json\r\n", body)
        }
    }

    pub(crate) fn base_url(&self, port: u16) -> String {
        format!("http://127.0.0.1:{port}{}", self.base)
    }

    /// A runtime that has the key and these variables, and no patience.
    pub(crate) fn runtime(&self, variables: &[(&str, &str)]) -> RuntimeBuilder {
        let key = (self.key_variable, KEY);
        let variables = variables.iter().copied().chain([key]);
        self.without_key(variables)
    }

    pub(crate) fn without_key<'a>(
        &self,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> RuntimeBuilder {
        Runtime::builder()
            .environment(Environment::from_pairs(variables))
            .retry_pause(Duration::from_millis(1))
    }

    /// An agent that greets.
    pub(crate) fn agent(&self) -> Agent {
        let model = format!("{}/m", self.provider);
        let agent = Agent::new("greeter", model.as_str(), "Greet people.").expect("an agent");
        let signature = "(personName::Text)==>(::String)";
        let tool = agent_runtime::ToolSpec::new("sayHello", "Greets", signature);
        agent.with_tool(tool.expect("a spec")).expect("a tool")
    }

    /// The same, with an address in the agent file.
    pub(crate) fn agent_at(&self, base_url: &str) -> Agent {
        let gram = format!(
            "[greeter:Agent {{instruction: \"Greet.\", model: \"{}/m\", baseUrl: \"{base_url}\"}}]",
            self.provider
        );
        let pattern = agent_runtime::spec::AgentPattern::parse(&gram).expect("an agent");
        pattern.to_agent().expect("an agent")
    }

    /// The key's header as it should be.
    pub(crate) fn key_sent(&self) -> String {
        format!("{}{KEY}", self.key_header.1)
    }
}
