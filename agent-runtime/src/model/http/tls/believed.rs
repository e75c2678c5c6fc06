//! Who says which certificates are good: the system, and the caller's file.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// Believes whom the system believes, the issuers that the caller names, and the very certificates
/// that the caller names.
///
/// What `openssl req -x509` makes is marked as an issuer's, and no issuer's is good for a server. Who
/// names the very certificate that a server shows means that server nevertheless.
#[derive(Debug)]
pub(super) struct Believed {
    pub(super) verifier: Verifier,
    pub(super) named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Believed {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified =
            self.verifier
                .verify_server_cert(certificate, intermediates, name, ocsp_response, now);
        match verified {
            // This is only found of a certificate that is valid now.
            Err(Error::InvalidCertificate(why))
                if is_issuers(&why) && self.named.contains(certificate) =>
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
        self.verifier
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

/// Whether a certificate is refused because it is marked as an issuer's.
pub(super) fn is_issuers(why: &CertificateError) -> bool {
    let CertificateError::Other(why) = why else {
        return false;
    };
    matches!(
        why.0.downcast_ref::<webpki::Error>(),
        Some(webpki::Error::CaUsedAsEndEntity)
    )
}
