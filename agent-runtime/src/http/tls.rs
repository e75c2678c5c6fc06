//! Encrypted connections: which cryptography, and whose certificates are believed.

use crate::error::Error;
use rustls::ClientConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::Arc;

/// The process's own choice of cryptography, if it made one, else `ring`; nothing is installed for
/// the process. The system says which certificates are good.
pub(super) fn config() -> Result<ClientConfig, Error> {
    let provider = CryptoProvider::get_default()
        .map_or_else(|| Arc::new(ring::default_provider()), Arc::clone);
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map(|builder| builder.with_no_client_auth())
        .map_err(|error| Error::configuration("cannot set up encryption").with_source(error))
}
