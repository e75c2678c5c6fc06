//! TLS: the cryptography of the web client, and the certificates that it trusts.

use agent_runtime::Environment;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;

/// The variable that names a file of additional certificates to trust, as for other programs.
const CERTIFICATE_FILE: &str = "SSL_CERT_FILE";

/// Returns the configuration for servers whose certificates the system trusts, or the file that
/// `SSL_CERT_FILE` names.
pub(super) fn config(environment: &Environment) -> Result<ClientConfig, String> {
    let file = environment.read(CERTIFICATE_FILE);
    let added = match file.map_err(|error| error.to_string())? {
        Some(path) => certificates(&path)?,
        None => Vec::new(),
    };
    let provider = provider();
    let system = Verifier::new_with_extra_roots(added.clone(), Arc::clone(&provider));
    let system = system.map_err(|error| {
        // Small containers have no certificates.
        format!(
            "{error}; install the system's certificates, or name a file of them in the variable \
             `{CERTIFICATE_FILE}`"
        )
    })?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(TrustedCertificates { system, added }))
        .with_no_client_auth())
}

/// Returns a configuration that trusts no certificate, for requests without TLS.
pub(super) fn trusting_nobody() -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(builder
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

/// The cryptography that the process installed, else `ring`.
fn provider() -> Arc<CryptoProvider> {
    CryptoProvider::get_default().map_or_else(|| Arc::new(ring::default_provider()), Arc::clone)
}

fn certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let file = format!("the file `{path}`, which the variable `{CERTIFICATE_FILE}` names,");
    let certificates = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let certificates: Vec<_> =
        certificates.map_err(|error| format!("{file} cannot be read: {error}"))?;
    if certificates.is_empty() {
        return Err(format!(
            "{file} holds no certificate; one begins with `-----BEGIN CERTIFICATE-----`"
        ));
    }
    Ok(certificates)
}

/// Trusts the certificates that the system trusts, and each added certificate both as an issuer and as the
/// certificate of a server.
///
/// `openssl req -x509` marks its certificates as those of an issuer, which no server may use. When such a
/// certificate was added, the server that shows it is trusted nevertheless.
#[derive(Debug)]
struct TrustedCertificates {
    system: Verifier,
    added: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for TrustedCertificates {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified =
            self.system
                .verify_server_cert(certificate, intermediates, name, ocsp_response, now);
        match verified {
            // The period of validity was checked before this error.
            Err(Error::InvalidCertificate(reason))
                if is_issuer(&reason) && self.added.contains(certificate) =>
            {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.system
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.system
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.system.supported_verify_schemes()
    }
}

/// Whether a certificate was rejected because it is marked as that of an issuer.
fn is_issuer(reason: &CertificateError) -> bool {
    let CertificateError::Other(reason) = reason else {
        return false;
    };
    matches!(
        reason.0.downcast_ref::<webpki::Error>(),
        Some(webpki::Error::CaUsedAsEndEntity)
    )
}
