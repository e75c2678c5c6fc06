//! Providers of a catalogue of models: their addresses, their keys, and the facts that a program adds.

use crate::support::server::{Request, Server, status, text};
use agent_runtime::catalog::{Catalog, Document};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{AgentResponse, Environment, Error, Runtime};

const KEYS: [(&str, &str); 3] = [
    ("OPENAI_API_KEY", "sk-vendor-0123456789"),
    ("GROQ_API_KEY", "gsk-vendor-0123456789"),
    ("AZURE_OPENAI_API_KEY", "azure-vendor-0123456789"),
];

fn builder(variables: &[(&str, &str)], catalog: &str) -> RuntimeBuilder {
    let document = Document::read(catalog);
    assert!(document.mistakes().is_empty(), "{:?}", document.mistakes());
    let catalog = Catalog::builtin().with(&document).expect("no mistakes");
    let variables = KEYS.iter().chain(variables).copied();
    Runtime::builder()
        .environment(Environment::from_pairs(variables))
        .catalog(catalog)
        .max_attempts(1)
}

async fn ask(builder: RuntimeBuilder, model: &str) -> Result<AgentResponse, Error> {
    let gram = format!("[a:Agent {{instruction: \"x\", model: \"{model}\"}}]");
    let agent = AgentPattern::parse_with_providers(&gram, &["Acme"]).expect("an agent");
    let runtime = builder.build().expect("a runtime");
    let answer = runtime.run(&agent, "Hi").await;
    if let Err(error) = &answer {
        let shown = format!("{error:?} {error}");
        assert!(KEYS.iter().all(|(_, key)| !shown.contains(key)), "{shown}");
    }
    answer
}

fn only_request(server: &Server) -> Request {
    let mut requests = server.requests();
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

fn address(server: &Server) -> String {
    format!("http://127.0.0.1:{}/v1", server.port)
}

#[tokio::test]
async fn a_document_carries_no_key_away() {
    for (model, row) in [
        (
            "Acme/m",
            "[Acme:Catalog {baseUrl: \"ADDRESS\", key: \"OPENAI_API_KEY\"}]",
        ),
        ("Groq/m", "[Groq:Catalog {baseUrl: \"ADDRESS\"}]"),
        (
            "Groq/m",
            "[Groq:Catalog {baseUrl: \"ADDRESS\", key: [\"OPENAI_API_KEY\", \"GROQ_API_KEY\"]}]",
        ),
        (
            "Azure/m",
            "[Azure:Catalog {baseUrl: \"ADDRESS\", apis: \"chat\"}]",
        ),
    ] {
        let server = Server::start(vec![text("Hi.")]);
        let row = row.replace("ADDRESS", &address(&server));
        ask(builder(&[], &row), model).await.expect("an answer");
        let request = only_request(&server);
        assert_eq!(request.line, "POST /v1/chat/completions HTTP/1.1");
        assert_eq!(request.header("authorization"), None, "{row}");

        // Whoever runs the program may allow it.
        let server = Server::start(vec![text("Hi.")]);
        let row = row.replace(
            row.split('"').nth(1).expect("an address"),
            &address(&server),
        );
        let allowed = builder(&[], &row).allow_key_host(format!("127.0.0.1:{}", server.port));
        ask(allowed, model).await.expect("an answer");
        let key = only_request(&server);
        let key = key.header("authorization").expect("a key");
        assert!(key.starts_with("Bearer ") && key.ends_with("-vendor-0123456789"));
    }
}

#[tokio::test]
async fn the_variable_of_a_provider_gets_its_key() {
    let server = Server::start(vec![text("Hi.")]);
    let variables = [("GROQ_BASE_URL", address(&server))];
    let variables = variables
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let answer = ask(builder(&variables, ""), "Groq/openai/gpt-oss-120b").await;
    assert_eq!(answer.expect("an answer").content, "Hi.");
    let request = only_request(&server);
    assert_eq!(
        request.header("authorization"),
        Some("Bearer gsk-vendor-0123456789")
    );
    assert_eq!(request.json()["model"], "openai/gpt-oss-120b");
}

const CATALOG: &str = "[Acme:Catalog {key: \"ACME_API_KEY\"}] \
                       [Evil:Catalog {baseUrl: \"https://{{OPENAI_API_KEY}}.evil.example/v1\"}] \
                       [Mistral:Catalog {baseUrl: \"http://127.0.0.1:1/{{GROQ_API_KEY}}\"}]";

/// The key of another provider that a document names does not go to the address that a variable names; a key of its own does.
#[tokio::test]
async fn a_document_chooses_no_key_of_another_provider() {
    for (key, sent) in [
        ("OPENAI_API_KEY", None),
        ("ACME_API_KEY", Some("Bearer acme-0123456789")),
    ] {
        let server = Server::start(vec![text("Hi.")]);
        let address = address(&server);
        let variables = [
            ("ACME_BASE_URL", address.as_str()),
            ("ACME_API_KEY", "acme-0123456789"),
        ];
        let row = format!(
            "[Acme:Catalog {{baseUrl: \"https://models.acme.example/v1\", key: \"{key}\"}}]"
        );
        ask(builder(&variables, &row), "Acme/m")
            .await
            .expect("an answer");
        assert_eq!(only_request(&server).header("authorization"), sent, "{key}");
    }
}

#[tokio::test]
async fn what_is_missing_is_named() {
    for (variables, model, expected) in [
        (&[][..], "Azure/m", "AZURE_RESOURCE_NAME"),
        (
            &[("AZURE_RESOURCE_NAME", "evil.example/")],
            "Azure/m",
            "part of a host name",
        ),
        (
            &[("DEEPSEEK_API_KEY", " ")],
            "DeepSeek/m",
            "DEEPSEEK_API_KEY",
        ),
        (&[], "Acme/m", "ACME_BASE_URL"),
        // A document cannot put a variable into an address.
        (&[], "Evil/m", "only built-in addresses have variables"),
        (&[], "Mistral/m", "only built-in addresses have variables"),
        (&[], "Grok/m", "did you mean `Groq`?"),
    ] {
        let builder = builder(variables, CATALOG);
        let gram = format!("[a:Agent {{instruction: \"x\", model: \"{model}\"}}]");
        let agent =
            AgentPattern::parse_with_providers(&gram, &["Acme", "Evil", "Grok"]).expect("an agent");
        let runtime = builder.build().expect("a runtime");
        let error = runtime.run(&agent, "Hi").await.expect_err("no request");
        assert!(error.is_configuration(), "{error}");
        assert!(error.to_string().contains(expected), "{model}: {error}");
    }
}

#[tokio::test]
async fn a_row_of_a_program_changes_what_is_sent() {
    let server = Server::start(vec![text("Hi."), status(400, "")]);
    let catalog = format!(
        "[Acme:Catalog {{baseUrl: \"{}\", maxTokens: \"max_completion_tokens\", apis: \"chat\"}} | \
         [small:Model {{temperature: \"never\", efforts: [\"low\"], price: {{input: 1, output: 2}}}}]]",
        address(&server)
    );
    let gram = "[a:Agent {instruction: \"x\", model: \"Acme/small\", temperature: 0.5, maxTokens: 9, \
                reasoningEffort: \"high\"}]";
    let agent = AgentPattern::parse_with_providers(gram, &["Acme"]).expect("an agent");
    let runtime = builder(&[], &catalog).build().expect("a runtime");
    let response = runtime.run(&agent, "Hi").await.expect("an answer");
    let sent = only_request(&server).json();
    assert_eq!(sent.get("temperature"), None);
    assert_eq!(sent["reasoning_effort"], "low");
    assert_eq!(sent["max_completion_tokens"], 9);
    let warnings = response.warnings.join("\n");
    assert!(
        warnings.contains("`temperature` was not sent: `small` refuses it"),
        "{warnings}"
    );
    assert!(
        warnings.contains("`reasoningEffort` was sent as \"low\""),
        "{warnings}"
    );
    assert_eq!(response.warnings.len(), 2);
    let usage = response.usage;
    let expected = (usage.input_tokens as f64 + 2.0 * usage.output_tokens as f64) / 1e6;
    assert_eq!(response.cost, Some(expected));
}

/// At another address only the rows of the program hold, and these do.
#[tokio::test]
async fn a_row_of_a_program_holds_at_any_address() {
    let server = Server::start(vec![text("Hi."), text("Hi.")]);
    let variables = [("OPENAI_BASE_URL", address(&server))];
    let variables = variables
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let row = "[OpenAI:Catalog {maxTokens: \"max_completion_tokens\"} | \
               [m:Model {temperature: \"never\", price: {input: 1, output: 2}}]]";
    let gram =
        "[a:Agent {instruction: \"x\", model: \"OpenAI/MODEL\", temperature: 0.5, maxTokens: 9}]";
    for (model, holds) in [("m", true), ("gpt-6-luna", false)] {
        let agent = AgentPattern::parse(&gram.replace("MODEL", model)).expect("an agent");
        let runtime = builder(&variables, row).build().expect("a runtime");
        let response = runtime.run(&agent, "Hi").await.expect("an answer");
        assert_eq!(response.warnings.len(), usize::from(holds), "{model}");
        assert_eq!(response.cost.is_some(), holds, "{model}");
    }
    let requests = server.requests();
    assert_eq!(requests[0].json().get("temperature"), None);
    assert_eq!(requests[0].json()["max_completion_tokens"], 9);
    assert_eq!(requests[1].json()["temperature"], 0.5);
}
