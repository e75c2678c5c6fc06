//! TLS: the cryptography provider, and the certificates that are trusted.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, SignatureScheme};
use rustls_platform_verifier::Verifier;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::io;
use std::sync::Arc;

/// The variable that names a file of further trusted certificates, as for other programs.
pub const CERTIFICATE_FILE: &str = "SSL_CERT_FILE";

/// Creates a configuration that trusts the certificates of the system and those in `certificate_file`, the
/// file that [`CERTIFICATE_FILE`] names. The cryptography provider is the one that the process installed,
/// else `ring`, which this function does not install for the process.
///
/// # Errors
/// When the file cannot be read, or the system has no certificates. The error is the reason as text.
pub fn tls_config(certificate_file: Option<&str>) -> Result<ClientConfig, String> {
    let provider = provider();
    let extra = match certificate_file {
        Some(path) => certificates(path)?,
        None => Vec::new(),
    };
    let verifier = Verifier::new_with_extra_roots(extra.clone(), Arc::clone(&provider));
    let verifier = verifier.map_err(|error| {
        // Small containers have no certificates.
        format!(
            "{error}; install the system's certificates, or name a file of them in the variable \
             `{CERTIFICATE_FILE}`"
        )
    })?;
    verified_by(provider, Arc::new(TrustVerifier { verifier, extra }))
}

/// Creates a configuration that rejects every certificate with a reason, for servers without TLS.
///
/// # Errors
/// When the installed cryptography cannot be used for TLS.
pub fn rejecting_tls_config(reason: String) -> Result<ClientConfig, String> {
    let provider = provider();
    let verifier = RejectAll::new(&provider, reason);
    verified_by(provider, Arc::new(verifier))
}

/// Returns the cryptography that the process installed, else `ring`.
fn provider() -> Arc<CryptoProvider> {
    CryptoProvider::get_default().map_or_else(|| Arc::new(ring::default_provider()), Arc::clone)
}

fn verified_by(
    provider: Arc<CryptoProvider>,
    verifier: Arc<dyn ServerCertVerifier>,
) -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth())
}

fn certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let file = format!("the file `{path}`, which the variable `{CERTIFICATE_FILE}` names,");
    // A device or a pipe might never end, and neither might `/proc/kmsg`, which has no length.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(format!("{file} is no ordinary file"));
    }
    let cannot = |error: &dyn std::fmt::Display| format!("{file} cannot be read: {error}");
    let is_empty = std::fs::metadata(path).is_ok_and(|found| found.len() == 0);
    let text = match is_empty {
        true => Vec::new(),
        false => std::fs::read(path).map_err(|error| cannot(&error))?,
    };
    // The parser would overlook the first certificate behind the byte order mark that editors on Windows write.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(text)
        .collect::<Result<_, _>>()
        .map_err(|error| cannot(&error))?;
    if certificates.is_empty() {
        return Err(format!(
            "{file} holds no certificate; one begins with `-----BEGIN CERTIFICATE-----`"
        ));
    }
    Ok(certificates)
}

/// Trusts the certificates of the system, the issuers in a file, and server certificates that are in that
/// file themselves.
///
/// `openssl req -x509` marks a certificate as that of an issuer, and verifiers reject issuers' certificates
/// for servers. In a file of trusted certificates, such a certificate is accepted for the server that sends
/// it.
#[derive(Debug)]
struct TrustVerifier {
    verifier: Verifier,
    extra: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for TrustVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified =
            self.verifier
                .verify_server_cert(certificate, intermediates, name, ocsp_response, now);
        match verified {
            // The verifier reports this only for a certificate that is valid now.
            Err(rustls::Error::InvalidCertificate(problem))
                if is_issuer(&problem) && self.extra.contains(certificate) =>
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
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

/// Whether a certificate is rejected because it is marked as an issuer's.
fn is_issuer(error: &CertificateError) -> bool {
    let CertificateError::Other(error) = error else {
        return false;
    };
    matches!(
        error.0.downcast_ref::<webpki::Error>(),
        Some(webpki::Error::CaUsedAsEndEntity)
    )
}

/// Rejects all certificates, because no trusted ones could be loaded.
#[derive(Debug)]
struct RejectAll {
    schemes: Vec<SignatureScheme>,
    problem: String,
}

impl RejectAll {
    fn new(provider: &CryptoProvider, problem: String) -> Self {
        let schemes = provider
            .signature_verification_algorithms
            .supported_schemes();
        Self { schemes, problem }
    }

    fn reject<T>(&self) -> Result<T, rustls::Error> {
        Err(rustls::Error::General(self.problem.clone()))
    }
}

impl ServerCertVerifier for RejectAll {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.reject()
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.reject()
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.reject()
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }
}

/// Describes the problem with a server's certificate, if that is why a connection failed. A retry would fail
/// in the same way.
#[must_use]
pub fn certificate_problem(error: &(dyn StdError + 'static)) -> Option<Cow<'static, str>> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // `io::Error::source` skips the error that an I/O error wraps.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        let found = match wrapped {
            Some(wrapped) => wrapped.downcast_ref::<rustls::Error>(),
            None => error.downcast_ref::<rustls::Error>(),
        };
        match found {
            Some(rustls::Error::InvalidCertificate(error)) => {
                return Some(Cow::Borrowed(describe(error)));
            }
            Some(rustls::Error::General(problem)) => {
                return Some(Cow::Owned(format!(
                    "shows a certificate that cannot be checked: {problem}"
                )));
            }
            _ => {}
        }
        cause = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

fn describe(error: &CertificateError) -> &'static str {
    match error {
        CertificateError::UnknownIssuer => {
            "shows a certificate whose issuer is not known on this machine; if it is your own, name \
             the issuer's file in the variable `SSL_CERT_FILE`"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "shows a certificate that has expired, or the clock of this machine is wrong"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "shows a certificate that is not valid yet, or the clock of this machine is wrong"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "shows a certificate that is for another host; what counts is its `subjectAltName`"
        }
        error if is_issuer(error) => {
            "shows a certificate that is marked as an issuer's (`CA:TRUE`), and not as a server's; if \
             it is your own, name its file in the variable `SSL_CERT_FILE`"
        }
        CertificateError::Revoked => "shows a certificate that was revoked",
        _ => "shows a certificate that is not to be believed",
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_device_holds_no_certificates() {
        let error = tls_config(Some("/dev/zero")).expect_err("it never ends");
        assert!(error.contains("is no ordinary file"), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_without_a_length_is_not_read() {
        // A read of `/proc/kmsg` waits for the next message of the kernel.
        if !std::path::Path::new("/proc/kmsg").is_file() {
            return;
        }
        let error = tls_config(Some("/proc/kmsg")).expect_err("it has no certificate");
        assert!(error.contains("holds no certificate"), "{error}");
    }
}
