//! Servers and authorization servers that are after tokens, or after the person.

use super::authority::{Answer, Authority, Ending, visit};
use super::flows::{docs, person, signed_in};
use agent_mcp::{McpServer, SignIn, TokenStore};
use agent_runtime::serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tracing::field::{Field, Visit};
use tracing::span;
use tracing::{Event, Metadata, Subscriber};

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const METADATA: &str = "/.well-known/oauth-authorization-server";

/// A person whose browser is sent back to another address than the authorization server said.
fn misled(change: impl Fn(String) -> String + Send + Sync + 'static) -> SignIn {
    let change = Arc::new(change);
    SignIn::browser("http://127.0.0.1:1/callback", move |address| {
        let change = Arc::clone(&change);
        async move { visit(&address).map(|redirected| change(redirected)) }
    })
}

/// Fails to connect, and returns the error.
async fn error_of(server: McpServer) -> String {
    let error = server.connect().await.expect_err("it is refused");
    assert!(error.is_unauthorized(), "{error}");
    let error = error.to_string();
    assert!(
        error.contains("signing in at the server `docs` failed: "),
        "{error}"
    );
    assert!(!error.contains("hush"), "{error}");
    error
}

#[tokio::test]
async fn a_redirect_that_is_not_the_answer_gets_no_tokens() {
    let replace = |from: &'static str, to: &'static str| {
        misled(move |redirected| {
            let start = redirected.find(from).expect(from) + from.len();
            let end = redirected[start..]
                .find('&')
                .map_or(redirected.len(), |end| start + end);
            format!("{}{to}{}", &redirected[..start], &redirected[end..])
        })
    };
    for (sign_in, words) in [
        (replace("state=", "another"), "its `state` differs"),
        (replace("iss=", "https://evil.example"), "issuer mismatch"),
        (replace("iss=", ""), "issuer mismatch"),
        (
            misled(|redirected| redirected[..redirected.find("&iss").expect("it")].to_owned()),
            "missing required issuer",
        ),
        (misled(|_| "nonsense".to_owned()), "is no URL"),
        (
            misled(|_| "http://127.0.0.1:1/callback?code=a".to_owned()),
            "its `state` differs",
        ),
        (
            misled(|redirected| {
                redirected.replace(
                    "code=",
                    "error=access_denied&error_description=No%20way&was=",
                )
            }),
            "the authorization server refused it: No way (access_denied)",
        ),
    ] {
        let authority = Authority::start();
        let error = error_of(docs(&authority, sign_in)).await;
        assert!(error.contains(words), "{words}: {error}");
        assert!(authority.requests("/token").is_empty(), "{words}");
    }
}

/// The statements of a server about itself or its authorization server.
type Change = fn(&Authority, &mut Value);

#[tokio::test]
async fn metadata_that_leads_elsewhere_is_refused_before_a_browser_is_opened() {
    for (path, change, words) in [
        (
            RESOURCE,
            (|_, found| found["resource"] = "https://other.example/mcp".into()) as Change,
            "resource mismatch",
        ),
        (
            RESOURCE,
            |_, found| found["authorization_servers"] = json!(["file:///etc/passwd"]),
            "none published usable metadata",
        ),
        (
            RESOURCE,
            |_, found| found["authorization_servers"] = json!(["http://169.254.169.254/"]),
            "none published usable metadata",
        ),
        (
            RESOURCE,
            |_, found| found["authorization_servers"] = json!(["http://10.0.0.1/"]),
            "none published usable metadata",
        ),
        (
            RESOURCE,
            |_, found| found["authorization_servers"] = json!(["http://auth.example/"]),
            "does not begin with `https://`",
        ),
        (
            RESOURCE,
            |authority, found| {
                let many = (0..200).map(|at| format!("{}/{at}", authority.url));
                found["authorization_servers"] = many.collect();
            },
            "more than 40 requests",
        ),
        (
            METADATA,
            |_, found| found["issuer"] = "https://evil.example".into(),
            "issuer mismatch",
        ),
        (
            METADATA,
            |_, found| found["issuer"] = Value::Null,
            "missing required issuer",
        ),
        (
            METADATA,
            |_, found| found["authorization_endpoint"] = "file:///etc/passwd".into(),
            "does not begin with `https://`",
        ),
        (
            METADATA,
            |_, found| found["authorization_endpoint"] = "javascript:alert(1)".into(),
            "does not begin with `https://`",
        ),
        (
            METADATA,
            |_, found| found["token_endpoint"] = "http://169.254.169.254/token".into(),
            "does not begin with `https://`",
        ),
        (
            METADATA,
            |_, found| found["token_endpoint"] = "http://auth.example/token".into(),
            "does not begin with `https://`",
        ),
        (
            METADATA,
            |_, found| found["registration_endpoint"] = "http://10.0.0.1/".into(),
            "does not begin with `https://`",
        ),
        (
            METADATA,
            |_, found| found["code_challenge_methods_supported"] = json!(["plain"]),
            "PKCE",
        ),
    ] {
        let authority = Authority::start();
        let own = authority.clone();
        authority.rule(move |request| {
            let mut found = if request.path == RESOURCE {
                own.resource()
            } else {
                own.metadata()
            };
            change(&own, &mut found);
            (request.path == path).then(|| Answer::json(&found))
        });
        let opened = Arc::new(AtomicBool::new(false));
        let is_opened = Arc::clone(&opened);
        let sign_in = SignIn::browser("http://127.0.0.1:1/callback", move |_| {
            is_opened.store(true, Ordering::SeqCst);
            async { Err::<String, _>("opened") }
        });
        let error = error_of(docs(&authority, sign_in)).await;
        assert!(error.contains(words), "{words}: {error}");
        assert!(!opened.load(Ordering::SeqCst), "{words}");
    }
}

#[tokio::test]
async fn a_document_of_one_host_does_not_speak_for_the_issuer_of_another() {
    let (authority, honest) = (Authority::start(), Authority::start());
    let (own, issuer) = (authority.clone(), honest.issuer.clone());
    authority.rule(move |request| {
        let mut found = own.resource();
        // At an address from which no issuer can be derived.
        found["authorization_servers"] = json!([format!("{}/.well-known/any", own.issuer)]);
        let mut metadata = own.metadata();
        metadata["issuer"] = issuer.as_str().into();
        match request.path.as_str() {
            RESOURCE => Some(Answer::json(&found)),
            "/.well-known/any" => Some(Answer::json(&metadata)),
            _ => None,
        }
    });
    let sign_in = SignIn::client_secret("worker", "secret-hush").issuer(&*honest.issuer);
    let error = error_of(docs(&authority, sign_in)).await;
    assert!(error.contains("which has another host"), "{error}");
    assert!(authority.requests("/token").is_empty());
}

#[tokio::test]
async fn another_authorization_server_than_the_expected_one_gets_no_secret() {
    let authority = Authority::start();
    let sign_in = SignIn::client_secret("worker", "secret-hush").issuer("https://auth.example");
    let error = error_of(docs(&authority, sign_in)).await;
    assert!(
        error.contains("and `https://auth.example` is expected"),
        "{error}"
    );
    assert!(authority.requests("/token").is_empty());
}

/// A store that a test looks into.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Option<String>>>);

impl TokenStore for Shared {
    fn load<'a>(&'a self, _: &'a str) -> agent_mcp::TokenFuture<'a, Option<String>> {
        Box::pin(async { Ok(self.0.lock().expect("a text").clone()) })
    }

    fn save<'a>(&'a self, _: &'a str, tokens: String) -> agent_mcp::TokenFuture<'a, ()> {
        Box::pin(async {
            *self.0.lock().expect("a text") = Some(tokens);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, _: &'a str) -> agent_mcp::TokenFuture<'a, bool> {
        Box::pin(async { Ok(self.0.lock().expect("a text").take().is_some()) })
    }
}

#[tokio::test]
async fn a_token_for_a_refresh_goes_only_to_the_authorization_server_that_gave_it() {
    let (authority, evil) = (Authority::start(), Authority::start());
    let store = Shared::default();
    signed_in(&authority, store.clone()).await;
    authority.state().access.clear();
    for path in [RESOURCE, METADATA] {
        let (own, other) = (authority.clone(), evil.clone());
        authority.rule(move |request| {
            let mut found = own.resource();
            found["authorization_servers"] = json!([other.issuer]);
            let mut metadata = own.metadata();
            metadata["token_endpoint"] = format!("{}/token", other.issuer).into();
            let changed = if path == RESOURCE { found } else { metadata };
            (request.path == path).then(|| Answer::json(&changed))
        });
        let server = docs(&authority, SignIn::stored(store.clone()));
        let error = server.connect().await.expect_err("another one");
        assert!(error.is_unauthorized(), "{error}");
        assert!(evil.requests("/token").is_empty(), "{path}");
        assert_eq!(authority.requests("/token").len(), 1);
    }
    // A server that names no authorization server any more would get it itself.
    authority.rule(|request| {
        request
            .path
            .starts_with("/.well-known")
            .then(|| Answer::status(404, ""))
    });
    let error = docs(&authority, SignIn::stored(store.clone()))
        .connect()
        .await;
    assert!(error.expect_err("no metadata").is_unauthorized());
    assert_eq!(authority.requests("/token").len(), 1);
    for request in authority
        .state()
        .requests
        .iter()
        .filter(|request| request.is_for_mcp)
    {
        assert!(!request.body.contains("refresh-hush"), "{request:?}");
    }
}

#[tokio::test]
async fn answers_without_an_end_are_cut_and_redirects_are_not_followed() {
    for path in [RESOURCE, METADATA, "/register", "/token"] {
        let authority = Authority::start();
        authority
            .rule(move |request| (request.path == path).then(|| Answer::ending(Ending::Endless)));
        let error = error_of(docs(&authority, person())).await;
        // The answer of a registration has its error quoted, and others have it as a cause.
        assert!(
            error.contains("answers with more than 256 KiB"),
            "{path}: {error}"
        );

        let (authority, other) = (Authority::start(), Authority::start());
        let to = other.issuer.clone();
        authority.rule(move |request| {
            let location = format!("location: {to}{}\r\n", request.path);
            (request.path == path).then(|| Answer::status(307, &location))
        });
        let error = docs(&authority, person())
            .connect()
            .await
            .expect_err("a redirect");
        assert!(other.state().requests.is_empty(), "{path}: {error}");
    }
}

#[tokio::test]
async fn an_authorization_server_that_hangs_takes_no_longer_than_a_connection_may() {
    let authority = Authority::start();
    let store = Shared::default();
    signed_in(&authority, store.clone()).await;
    authority.state().access.clear();
    authority.rule(|request| (request.path == "/token").then(|| Answer::ending(Ending::Silent)));
    let start = Instant::now();
    let server =
        docs(&authority, SignIn::stored(store)).connect_timeout(Duration::from_millis(300));
    let error = server.connect().await.expect_err("it hangs");
    assert!(error.is_timeout(), "{error}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn an_authorization_server_that_repeats_secrets_puts_none_into_errors() {
    let authority = Authority::start();
    let refuse = |text: &str| Answer {
        status: 400,
        ..Answer::json(&json!({"error": "invalid_request", "error_description": text}))
    };
    authority.rule(move |request| {
        let form = request.form();
        let secret = form.get("client_secret")?;
        (request.path == "/token").then(|| refuse(&format!("bad secret {secret}")))
    });
    let sign_in = SignIn::client_secret("worker", "secret-hush-hush");
    let error = error_of(docs(&authority, sign_in)).await;
    assert!(error.contains("bad secret"), "{error}");

    let authority = Authority::start();
    let store = Shared::default();
    signed_in(&authority, store.clone()).await;
    authority.state().access.clear();
    authority.rule(move |request| {
        let form = request.form();
        let token = form.get("refresh_token")?;
        Some(refuse(&format!("bad token {token}")))
    });
    let error = docs(&authority, SignIn::stored(store)).connect().await;
    let error = error.expect_err("no refresh").to_string();
    assert!(error.contains("the sign-in cannot be used"), "{error}");
    assert!(!error.contains("hush"), "{error}");
}

/// The fields of all spans and events.
#[derive(Clone, Default)]
struct Trace(Arc<Mutex<String>>);

impl Visit for Trace {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        *self.0.lock().expect("a text") += &format!("{field}={value:?}\n");
    }
}

impl Subscriber for Trace {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        span.record(&mut self.clone());
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[tokio::test]
async fn no_token_is_in_the_trace() {
    let trace = Trace::default();
    let _guard = tracing::subscriber::set_default(trace.clone());
    let authority = Authority::start();
    let server = docs(&authority, person())
        .connect()
        .await
        .expect("a sign-in");
    authority.state().access.clear();
    let page = crate::fixture::call(&server, "docs_read", &json!({})).await;
    assert_eq!(page, Ok(json!("the page")));
    let trace = trace.0.lock().expect("a text").clone();
    assert!(trace.contains("docs"), "{trace}");
    assert!(!trace.contains("hush"), "{trace}");
}
