//! Encryption: whose certificates are believed, and what is said of others.

use crate::ask::{all_texts, ask};
use crate::dialect::{DIALECTS, HELLO};
use crate::server::{Play, Server};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const FILE: &str = "SSL_CERT_FILE";

/// A certificate that its holder issued, as people have inside their companies, in a file for
/// whoever is to believe it; the file is removed when this is dropped.
struct Certificate {
    file: PathBuf,
    config: Arc<ServerConfig>,
}

impl Certificate {
    /// A good certificate for this machine.
    fn good() -> Self {
        Self::of("127.0.0.1", |_| {})
    }

    fn of(host: &str, change: impl FnOnce(&mut CertificateParams)) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let mut params = CertificateParams::new([host.to_owned()]).expect("a host");
        change(&mut params);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("product-tests-{}-{count}.pem", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, certificate.pem()).expect("the file can be written");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the usual versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a server");
        let config = Arc::new(config);
        Self { file, config }
    }

    fn path(&self) -> &str {
        self.file.to_str().expect("a path in Unicode")
    }

    /// A server that shows this certificate, and how many connections it was asked for.
    fn server(&self, plays: impl IntoIterator<Item = Play>) -> (Server, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let config = Arc::clone(&self.config);
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let server = Server::speaking(listener, plays, move |stream| {
            count.fetch_add(1, Ordering::Relaxed);
            let connection = ServerConnection::new(Arc::clone(&config)).ok()?;
            Some(StreamOwned::new(connection, stream))
        });
        (server, connections)
    }
}

impl Drop for Certificate {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

#[tokio::test]
async fn a_server_is_asked_over_tls_when_its_certificate_is_trusted() {
    let certificate = Certificate::good();
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let replies = ["calls", "hello"].map(|name| dialect.reply(name, streamed));
            let (server, connections) = certificate.server(replies);
            let url = dialect.base_url(server.port).replace("http:", "https:");
            let runtime = dialect.runtime(&[(FILE, certificate.path())]).base_url(url);
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            assert_eq!(asked.answer.expect("an answer").content, HELLO);
            let requests = server.requests();
            assert_eq!(requests.len(), 2);
            let key = requests[0].header(dialect.key_header.0);
            assert_eq!(key, Some(dialect.key_sent().as_str()));
            assert_eq!(connections.load(Ordering::Relaxed), 1);
        }
    }
}

/// What is said of a server with this certificate, which is asked once and sees nothing.
async fn said_of(certificate: &Certificate, believed: Option<&str>) -> Vec<String> {
    let mut said = Vec::new();
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let (server, connections) = certificate.server([]);
            let url = dialect.base_url(server.port).replace("http:", "https:");
            let believed: Vec<_> = believed.iter().map(|path| (FILE, *path)).collect();
            let runtime = dialect.runtime(&believed).base_url(&url);
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("a bad certificate");
            assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
            assert!(error.to_string().contains(&url), "{error}");
            assert!(all_texts(&error).contains("certificate"), "{error:?}");
            assert!(server.requests().is_empty());
            // Another try would see the same certificate.
            assert_eq!(connections.load(Ordering::Relaxed), 1);
            assert!(asked.conversation.is_empty());
            said.push(error.to_string());
        }
    }
    said
}

#[tokio::test]
async fn an_untrusted_certificate_is_told_and_nothing_is_sent() {
    let certificate = Certificate::good();
    for text in said_of(&certificate, None).await {
        assert!(text.contains("whose issuer is not known"), "{text}");
        assert!(text.contains(FILE), "{text}");
    }
}

#[tokio::test]
async fn a_certificate_that_is_trusted_and_wrong_is_told_with_the_reason() {
    let elsewhere = Certificate::of("models.example", |_| {});
    let expired = Certificate::of("127.0.0.1", |params| {
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    let early = Certificate::of("127.0.0.1", |params| {
        params.not_before = date_time_ymd(4000, 1, 1);
    });
    for (certificate, words) in [
        (elsewhere, "certificate that is for another host"),
        (expired, "certificate that has expired"),
        (early, "certificate that is not valid yet"),
    ] {
        for text in said_of(&certificate, Some(certificate.path())).await {
            assert!(text.contains(words), "{text}");
        }
    }
}

#[tokio::test]
async fn a_file_of_certificates_that_is_none_is_named_where_one_is_needed() {
    let certificate = Certificate::good();
    let empty = std::env::temp_dir().join(format!("product-tests-{}.txt", std::process::id()));
    std::fs::write(&empty, "no certificate").expect("the file can be written");
    let path = empty.to_str().expect("a path in Unicode");
    for (path, words) in [
        (path, "holds no certificate"),
        ("/nowhere/to/be/found.pem", "cannot be read"),
    ] {
        for text in said_of(&certificate, Some(path)).await {
            for part in [path, FILE, words] {
                assert!(text.contains(part), "{text}");
            }
        }
        // Without encryption nobody needs it.
        let dialect = DIALECTS[0];
        let server = Server::start([dialect.reply("hello", false)]);
        let runtime = dialect.runtime(&[(FILE, path)]);
        let runtime = runtime.base_url(dialect.base_url(server.port));
        let asked = ask(runtime, &dialect.agent(), false).await;
        assert_eq!(asked.answer.expect("an answer").content, HELLO);
    }
    std::fs::remove_file(empty).expect("it is there");
}
