//! Encryption: whose certificates are believed, and what is said of others.

use crate::faults::ask::{all_texts, ask};
use crate::faults::certificate::{Certificate, FILE};
use crate::faults::dialect::{DIALECTS, HELLO};
use crate::faults::server::Server;
use rcgen::{BasicConstraints, CertificateParams, IsCa, date_time_ymd};
use std::sync::atomic::Ordering;

#[tokio::test]
async fn connects_with_a_trusted_certificate() {
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

/// Editors on Windows write a byte order mark, and lines that end with CR and line feed.
#[tokio::test]
async fn trusts_the_certificates_in_a_file_of_windows() {
    let certificate = Certificate::good();
    let text = std::fs::read_to_string(certificate.path()).expect("a file");
    let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    std::fs::write(certificate.path(), text).expect("a file");
    for dialect in DIALECTS {
        let (server, _) = certificate.server([dialect.reply("hello", false)]);
        let url = dialect.base_url(server.port).replace("http:", "https:");
        let runtime = dialect.runtime(&[(FILE, certificate.path())]).base_url(url);
        let asked = ask(runtime, &dialect.agent(), false).await;
        assert_eq!(asked.answer.expect("an answer").content, HELLO);
    }
}

/// As `openssl req -x509` makes them; `curl --cacert` takes them, too.
#[tokio::test]
async fn trusts_the_certificate_in_a_file_even_of_an_issuer() {
    let certificate = Certificate::of(&["127.0.0.1"], issuer);
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let (server, _) = certificate.server([dialect.reply("hello", streamed)]);
            let url = dialect.base_url(server.port).replace("http:", "https:");
            let runtime = dialect.runtime(&[(FILE, certificate.path())]).base_url(url);
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            assert_eq!(asked.answer.expect("an answer").content, HELLO);
        }
    }
    for text in said_of(&certificate, None).await {
        for part in ["marked as an issuer's", FILE] {
            assert!(text.contains(part), "{text}");
        }
    }
    let another = Certificate::of(&["127.0.0.1"], issuer);
    for text in said_of(&certificate, Some(another.path())).await {
        assert!(text.contains("marked as an issuer's"), "{text}");
    }
}

fn issuer(params: &mut CertificateParams) {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
}

/// Returns the error about a server with this certificate, which gets one request and sees nothing.
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
async fn reports_an_untrusted_certificate_and_sends_nothing() {
    let certificate = Certificate::good();
    for text in said_of(&certificate, None).await {
        assert!(text.contains("whose issuer is not known"), "{text}");
        assert!(text.contains(FILE), "{text}");
    }
}

#[tokio::test]
async fn reports_the_reason_of_a_wrong_certificate() {
    let elsewhere = Certificate::of(&["models.example"], |_| {});
    let expired = Certificate::of(&["127.0.0.1"], |params| {
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    let early = Certificate::of(&["127.0.0.1"], |params| {
        params.not_before = date_time_ymd(4000, 1, 1);
    });
    let issuer_elsewhere = Certificate::of(&["models.example"], issuer);
    let issuer_expired = Certificate::of(&["127.0.0.1"], |params| {
        issuer(params);
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    for (certificate, words) in [
        (elsewhere, "certificate that is for another host"),
        (expired, "certificate that has expired"),
        (early, "certificate that is not valid yet"),
        (issuer_elsewhere, "certificate that is for another host"),
        (issuer_expired, "certificate that has expired"),
    ] {
        for text in said_of(&certificate, Some(certificate.path())).await {
            assert!(text.contains(words), "{text}");
        }
    }
}

#[tokio::test]
async fn names_an_invalid_certificate_file() {
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
