//! Encrypted connections: which cryptography, and whose certificates are believed.

mod believed;
mod distrust;

pub(super) use distrust::distrusted;

use crate::env::Environment;
use crate::error::Error;
use believed::Believed;
use distrust::NobodyToBelieve;
use rustls::ClientConfig;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
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
