//! What is said of a server whose certificate is not believed.

use super::believed::is_issuers;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use std::borrow::Cow;
use std::error::Error as StdError;
use std::io;

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

    fn refused<T>(&self) -> Result<T, Error> {
        Err(Error::General(self.why.clone()))
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
    ) -> Result<ServerCertVerified, Error> {
        self.refused()
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.refused()
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
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
            Some(wrapped) => wrapped.downcast_ref::<Error>(),
            None => error.downcast_ref::<Error>(),
        };
        match found {
            Some(Error::InvalidCertificate(why)) => return Some(Cow::Borrowed(words(why))),
            Some(Error::General(why)) => {
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
