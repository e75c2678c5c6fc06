//! Certificates made for a test, and servers that show them.

use crate::faults::server::{Answering, Play, Server, scripted};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The variable that names a file of certificates to believe.
pub(crate) const FILE: &str = "SSL_CERT_FILE";

/// A certificate that its holder issued, as people have inside their companies, in a file for
/// whoever is to believe it; the file is removed when this is dropped.
pub(crate) struct Certificate {
    file: PathBuf,
    config: Arc<ServerConfig>,
}

impl Certificate {
    /// A good certificate for this machine.
    pub(crate) fn good() -> Self {
        Self::of(&["127.0.0.1"], |_| {})
    }

    pub(crate) fn of(hosts: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let params =
            CertificateParams::new(hosts.iter().map(ToString::to_string).collect::<Vec<_>>());
        let mut params = params.expect("hosts");
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

    pub(crate) fn path(&self) -> &str {
        self.file.to_str().expect("a path in Unicode")
    }

    /// A server that shows this certificate, and how many connections it was asked for.
    pub(crate) fn server(
        &self,
        plays: impl IntoIterator<Item = Play>,
    ) -> (Server, Arc<AtomicUsize>) {
        self.reached(scripted(plays), |_| Some(()))
    }

    /// The same as a proxy that is every host: it says that it made a connection, and answers.
    pub(crate) fn proxy(&self, plays: impl IntoIterator<Item = Play>) -> Server {
        self.proxy_answering(scripted(plays))
    }

    /// A proxy that is every host, with answers that depend on the requests.
    pub(crate) fn proxy_answering(&self, answer: Answering) -> Server {
        self.reached(answer, be_asked_for_a_connection).0
    }

    fn reached(
        &self,
        answer: Answering,
        begin: fn(&mut TcpStream) -> Option<()>,
    ) -> (Server, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let config = Arc::clone(&self.config);
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let server = Server::answering(listener, answer, move |mut stream| {
            count.fetch_add(1, Ordering::Relaxed);
            begin(&mut stream)?;
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

/// Reads `CONNECT host:port` with its headers, and says that it was done.
fn be_asked_for_a_connection(stream: &mut TcpStream) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    assert!(head.starts_with(b"CONNECT "), "{head:?}");
    stream.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").ok()
}
