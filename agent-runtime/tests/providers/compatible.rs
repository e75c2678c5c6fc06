//! Tests of compatible providers.

use crate::providers::exchange::{Dialect, OLLAMA, OPENAI};
use crate::support::server::{Request, Server, text};
use agent_runtime::model::CompatibleProvider;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{AgentResponse, Conversation, Environment, Error, Runtime};

const KEY: (&str, &str) = ("ACME_API_KEY", "acme-test-1234567890");

/// Variables whose values must never reach another server than the vendor's.
const VENDORS: [(&str, &str); 5] = [
    ("OPENAI_API_KEY", "sk-vendor"),
    ("OPENAI_ORG_ID", "org-vendor"),
    ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
    ("OLLAMA_API_KEY", "ollama-vendor"),
    ("OLLAMA_HOST", "127.0.0.1:1"),
];

fn runtime(variables: &[(&str, &str)], provider: CompatibleProvider) -> RuntimeBuilder {
    let variables = VENDORS.iter().chain(variables).copied();
    Runtime::builder()
        .environment(Environment::from_pairs(variables))
        .compatible_provider("Acme", provider)
}

/// Parses an agent whose model may have any of these providers.
fn parsed(gram: &str) -> AgentPattern {
    AgentPattern::parse_with_providers(gram, &["Acme", "Acne"]).expect("an agent")
}

/// Runs an agent with these properties.
async fn ask(runtime: RuntimeBuilder, properties: &str) -> Result<AgentResponse, Error> {
    let gram = format!(
        "[a:Agent {{instruction: \"x\", model: \"Acme/large/2\", maxTokens: 50{properties}}}]"
    );
    let agent = parsed(&gram);
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let answer = runtime.run(&agent, "Hi").conversation(&mut conversation);
    let answer = answer.await;
    if let Err(error) = &answer {
        assert!(!format!("{error:?} {error}").contains(KEY.1), "{error:?}");
    }
    answer
}

/// Returns the only request of a run.
async fn request(runtime: RuntimeBuilder, server: &Server) -> Request {
    ask(runtime, "").await.expect("an answer");
    let mut requests = server.requests();
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

fn openai() -> Server {
    Server::start(vec![text("Hi.")])
}

#[tokio::test]
async fn sends_its_own_key_and_never_the_vendors() {
    let server = openai();
    let provider = CompatibleProvider::openai(server.base_url()).key_variable("ACME_API_KEY");
    let request = request(runtime(&[KEY], provider), &server).await;
    assert_eq!(request.line, "POST /v1/chat/completions HTTP/1.1");
    let bearer = format!("Bearer {}", KEY.1);
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    assert_eq!(request.json()["model"], "large/2");
    assert_eq!(request.json()["max_tokens"], 50);
    assert!(!format!("{request:?}").contains("vendor"));
}

#[tokio::test]
async fn requires_a_key_unless_it_is_optional() {
    let server = openai();
    let provider = CompatibleProvider::openai(server.base_url());
    let insisting = runtime(&[], provider.clone().key_variable("ACME_API_KEY"));
    let error = ask(insisting, "").await.expect_err("no key");
    assert!(error.is_configuration(), "{error:?}");
    let words = error.to_string();
    for part in ["Acme needs a key", "ACME_API_KEY", "--offline"] {
        assert!(words.contains(part), "{words}");
    }
    assert!(server.requests().is_empty());
    let lenient = runtime(&[], provider.optional_key_variable("ACME_API_KEY"));
    let request = request(lenient, &server).await;
    assert_eq!(request.header("authorization"), None);
    // Another base URL may need no key.
    let server = openai();
    let provider = CompatibleProvider::openai("http://127.0.0.1:1").key_variable("ACME_API_KEY");
    let elsewhere = runtime(&[], provider).base_url(server.base_url());
    ask(elsewhere, "").await.expect("an answer");
}

#[tokio::test]
async fn supports_azures_header_query_and_limit() {
    let server = openai();
    let base = format!("{}?api-version=2024-10-21", server.base_url());
    let provider = CompatibleProvider::openai(base)
        .key(KEY.1)
        .key_header("api-key")
        .header("x-team", "greeters")
        .max_completion_tokens();
    let request = request(runtime(&[], provider), &server).await;
    assert_eq!(
        request.line,
        "POST /v1/chat/completions?api-version=2024-10-21 HTTP/1.1"
    );
    assert_eq!(request.header("api-key"), Some(KEY.1));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.header("x-team"), Some("greeters"));
    assert_eq!(request.json()["max_completion_tokens"], 50);
    assert!(request.json().get("max_tokens").is_none());
}

#[tokio::test]
async fn ignores_the_base_url_of_an_agent_document() {
    let (server, thief) = (openai(), openai());
    let provider = CompatibleProvider::openai(server.base_url()).key(KEY.1);
    let base_url = format!(", baseUrl: \"{}\"", thief.base_url());
    let answer = ask(runtime(&[], provider), &base_url).await;
    answer.expect("an answer");
    assert_eq!(server.requests().len(), 1);
    assert!(thief.requests().is_empty());
}

#[tokio::test]
async fn settings_of_the_builder_take_precedence() {
    let server = openai();
    let provider = CompatibleProvider::openai("http://127.0.0.1:1/v1").key("not this one");
    let given = runtime(&[], provider)
        .base_url(server.base_url())
        .api_key(KEY.1)
        .key_header("x-key")
        .header("x-team", "greeters");
    let request = request(given, &server).await;
    assert_eq!(request.header("x-key"), Some(KEY.1));
    assert_eq!(request.header("x-team"), Some("greeters"));
}

#[tokio::test]
async fn a_fallback_uses_its_own_base_url_and_key() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("an address").port()
    };
    let server = openai();
    let provider = CompatibleProvider::openai(server.base_url()).key_variable("ACME_API_KEY");
    let runtime = runtime(&[KEY], provider)
        .base_url(format!("http://127.0.0.1:{port}/v1"))
        .api_key("of the first")
        .retry_pause(std::time::Duration::ZERO);
    let gram = "[a:Agent {instruction: \"x\", model: \"OpenAI/m\", fallback: [\"Acme/m\"]}]";
    let agent = parsed(gram);
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let answer = runtime.run(&agent, "Hi").conversation(&mut conversation);
    assert_eq!(answer.await.expect("an answer").content, "Hi.");
    let bearer = format!("Bearer {}", KEY.1);
    let requests = server.requests();
    assert_eq!(requests[0].header("authorization"), Some(bearer.as_str()));
}

type Make = fn(String) -> CompatibleProvider;

#[tokio::test]
async fn supports_each_protocol_plain_and_streamed() {
    let protocols: [(Dialect, Make); 2] = [
        (OPENAI, CompatibleProvider::openai),
        (OLLAMA, CompatibleProvider::ollama),
    ];
    for (dialect, provider) in protocols {
        for file in ["hello.json", &format!("hello{}", dialect.stream.1)] {
            let server = Server::start(vec![dialect.answer(file)]);
            let url = format!("http://127.0.0.1:{}{}", server.port, dialect.base);
            let runtime = runtime(&[], provider(url).key(KEY.1));
            let runtime = runtime.build().expect("a runtime");
            let gram = "[a:Agent {instruction: \"x\", model: \"Acme/m\"}]";
            let agent = parsed(gram);
            let agent = agent.to_agent().expect("an agent");
            let (library, mut conversation) = (crate::support::library([]), Conversation::new());
            let run = runtime
                .run(&agent, "Hi")
                .tools(&library)
                .conversation(&mut conversation);
            let answer = match file {
                "hello.json" => run.await,
                _ => run.streaming().await,
            };
            assert_eq!(answer.expect(file).content, "Grüß dich, Ada 👋!");
            let bearer = format!("Bearer {}", KEY.1);
            let requests = server.requests();
            assert_eq!(requests[0].header("authorization"), Some(bearer.as_str()));
        }
    }
}

#[tokio::test]
async fn errors_have_the_providers_name_and_no_key() {
    let refused = format!("{{\"error\": {{\"message\": \"bad key {}\"}}}}", KEY.1);
    let server = Server::start(vec![crate::support::server::status(401, &refused)]);
    let provider = CompatibleProvider::openai(server.base_url())
        .key(KEY.1)
        .header("x-team", "team-secret");
    let printed = format!("{provider:?}");
    assert!(
        !printed.contains(KEY.1) && !printed.contains("team-secret"),
        "{printed}"
    );
    let error = ask(runtime(&[], provider), "").await.expect_err("refused");
    let words = error.to_string();
    assert!(
        words.starts_with("Acme at http://127.0.0.1") && words.contains("bad key [key]"),
        "{words}"
    );
}

#[test]
fn build_rejects_unusable_providers() {
    let fine = || CompatibleProvider::openai("http://127.0.0.1:1/v1");
    for (name, provider) in [
        ("Acme", CompatibleProvider::openai("nowhere")),
        ("Acme", CompatibleProvider::ollama("127.0.0.1:11434")),
        (
            "Acme",
            CompatibleProvider::openai("http://user:secret@h/v1"),
        ),
        ("Acme", fine().key_header("a key")),
        ("Acme", fine().header("x-team", "two\nlines, secret")),
        ("Acme/large", fine()),
        ("", fine()),
    ] {
        let builder = Runtime::builder().compatible_provider(name, provider);
        let error = builder.build().expect_err("a mistake");
        assert!(error.is_configuration(), "{error:?}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert!(
        Runtime::builder()
            .compatible_provider("Acme", fine())
            .build()
            .is_ok()
    );
}

#[tokio::test]
async fn suggests_the_registered_name_for_a_misspelled_one() {
    let provider = CompatibleProvider::openai("http://127.0.0.1:1/v1");
    let runtime = runtime(&[], provider).build().expect("a runtime");
    let gram = "[a:Agent {instruction: \"x\", model: \"Acne/m\"}]";
    let agent = parsed(gram);
    let mut conversation = Conversation::new();
    let answer = runtime.run(&agent, "Hi").conversation(&mut conversation);
    let error = answer.await.expect_err("no such provider");
    assert!(error.is_configuration(), "{error:?}");
    assert!(
        error.to_string().contains("did you mean `Acme`?"),
        "{error}"
    );
}
