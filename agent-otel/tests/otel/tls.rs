//! Collectors behind TLS.

use crate::collector::Collector;
use crate::{exported, quick, scripted, settings, traced};
use agent_otel::{Otel, OtelSettings};
use agent_runtime::Environment;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use std::path::PathBuf;
use std::sync::Arc;

/// A collector whose certificate is in a file.
struct TlsCollector {
    collector: Collector,
    file: PathBuf,
}

impl TlsCollector {
    fn start(name: &str, hosts: &[&str], is_ca: IsCa) -> Self {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(hosts).expect("hosts");
        params.is_ca = is_ca;
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        let file = format!("agent-otel-{}-{name}.pem", std::process::id());
        let file = std::env::temp_dir().join(file);
        std::fs::write(&file, certificate.pem()).expect("the file can be written");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the default versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a server");
        let collector = Collector::start_tls(Arc::new(config));
        Self { collector, file }
    }

    fn url(&self) -> String {
        self.collector.url().replace("http:", "https:")
    }

    /// Settings that trust the certificate.
    fn trusting_settings(&self) -> OtelSettings {
        let file = self.file.to_str().expect("a path in Unicode");
        let environment = Environment::from_pairs([("SSL_CERT_FILE", file)]);
        settings(&self.url()).environment(environment)
    }
}

impl Drop for TlsCollector {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

fn run_is_refused(settings: OtelSettings) -> bool {
    let otel = Otel::start(settings).expect("settings that make sense");
    traced(&otel, scripted("quick", &quick(), |builder| builder));
    otel.shutdown().is_err()
}

#[test]
fn exports_to_a_server_whose_certificate_is_in_the_file() {
    // `openssl req -x509` makes the second kind, which is marked as an issuer's.
    let issuer = IsCa::Ca(BasicConstraints::Unconstrained);
    for (name, is_ca) in [("server", IsCa::NoCa), ("issuer", issuer)] {
        let server = TlsCollector::start(name, &["127.0.0.1"], is_ca);
        exported(
            server.trusting_settings(),
            scripted("quick", &quick(), |builder| builder),
        );
        assert_eq!(server.collector.spans().0.len(), 4, "{name}");
    }
}

#[test]
fn sends_nothing_to_a_server_whose_certificate_is_not_trusted() {
    let unknown = TlsCollector::start("unknown", &["127.0.0.1"], IsCa::NoCa);
    assert!(run_is_refused(settings(&unknown.url())));
    assert!(unknown.collector.received().is_empty());
    let issuer = IsCa::Ca(BasicConstraints::Unconstrained);
    for (name, is_ca) in [("other-server", IsCa::NoCa), ("other-issuer", issuer)] {
        let other = TlsCollector::start(name, &["otel.example"], is_ca);
        assert!(run_is_refused(other.trusting_settings()), "{name}");
        assert!(other.collector.received().is_empty(), "{name}");
    }
}
