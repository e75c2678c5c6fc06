//! Encrypted connections: which cryptography, and whose certificates are believed.

use crate::env::Environment;
use crate::error::Error;
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

/// Names a file of further certificates to believe, as it does for other programs.
const FILE: &str = "SSL_CERT_FILE";

/// The process's own choice of cryptography, if it made one, else `ring`; nothing is installed for
/// the process. The system says which certificates are good, and so does the caller's file.
pub(crate) fn config(environment: &Environment) -> Result<ClientConfig, Error> {
    let provider = CryptoProvider::get_default()
        .map_or_else(|| Arc::new(ring::default_provider()), Arc::clone);
    let file = environment.read(FILE)?;
    let verifier: Arc<dyn ServerCertVerifier> = match verifier(file.as_deref(), &provider) {
        Ok(verifier) => Arc::new(verifier),
        // A server without encryption can be asked nevertheless.
        Err(why) => Arc::new(NobodyToBelieve::new(&provider, why)),
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::configuration("cannot set up encryption").with_source(error))?;
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth())
}

/// Who says which certificates are good, or why nobody can.
fn verifier(file: Option<&str>, provider: &Arc<CryptoProvider>) -> Result<Believed, String> {
    let named = match file {
        Some(path) => certificates(path)?,
        None => Vec::new(),
    };
    let verifier = Verifier::new_with_extra_roots(named.clone(), Arc::clone(provider));
    let verifier = verifier.map_err(|error| {
        // Small containers have none.
        format!(
            "{error}; install the system's certificates, or name a file of them in the variable \
             `{FILE}`"
        )
    })?;
    Ok(Believed { verifier, named })
}

fn certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let file = format!("the file `{path}`, which the variable `{FILE}` names,");
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
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified =
            self.verifier
                .verify_server_cert(certificate, intermediates, name, ocsp_response, now);
        match verified {
            // This is only found of a certificate that is valid now.
            Err(rustls::Error::InvalidCertificate(why))
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

/// Believes no certificate, since there is none to begin with.
#[derive(Debug)]
pub(super) struct NobodyToBelieve {
    schemes: Vec<SignatureScheme>,
    why: String,
}

impl NobodyToBelieve {
    pub(super) fn new(provider: &CryptoProvider, why: String) -> Self {
        let schemes = provider
            .signature_verification_algorithms
            .supported_schemes();
        Self { schemes, why }
    }

    fn refused<T>(&self) -> Result<T, rustls::Error> {
        Err(rustls::Error::General(self.why.clone()))
    }
}

impl ServerCertVerifier for NobodyToBelieve {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.refused()
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.refused()
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.refused()
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }
}

/// What to say of a server when it is its certificate for which no connection was made. The next
/// try would find the same one.
pub(in crate::model::http) fn distrusted(
    error: &(dyn StdError + 'static),
) -> Option<Cow<'static, str>> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // What an I/O error wraps is not its source, but stands in for it.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        let found = match wrapped {
            Some(wrapped) => wrapped.downcast_ref::<rustls::Error>(),
            None => error.downcast_ref::<rustls::Error>(),
        };
        match found {
            Some(rustls::Error::InvalidCertificate(why)) => return Some(Cow::Borrowed(words(why))),
            Some(rustls::Error::General(why)) => {
                return Some(Cow::Owned(format!(
                    "shows a certificate that cannot be checked: {why}"
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

fn words(why: &CertificateError) -> &'static str {
    match why {
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
        why if is_issuers(why) => {
            "shows a certificate that is marked as an issuer's (`CA:TRUE`), and not as a server's; if \
             it is your own, name its file in the variable `SSL_CERT_FILE`"
        }
        CertificateError::Revoked => "shows a certificate that was revoked",
        _ => "shows a certificate that is not to be believed",
    }
}
