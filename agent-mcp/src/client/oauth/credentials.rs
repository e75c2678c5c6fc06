//! The tokens of one server, as rmcp loads and saves them.

use super::store::TokenStore;
use agent_runtime::redact::Redactor;
use agent_runtime::serde_json::{self, Value};
use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The tokens of a server, and the server and the client that they are bound to.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The address of the server, to which alone the tokens are sent.
    server: String,
    #[serde(flatten)]
    pub(super) client: Client,
    pub(super) credentials: StoredCredentials,
}

/// The properties of the client that got the tokens, as far as rmcp does not keep them.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) client_secret: Option<String>,
    /// The only address to which a token for a refresh is sent. An issuer alone is not enough, because a server that names
    /// it could name other addresses with it.
    pub(super) token_endpoint: String,
}

/// The tokens of a server. Clones share the tokens.
#[derive(Clone)]
pub(super) struct Credentials(Arc<Inner>);

struct Inner {
    store: Arc<dyn TokenStore>,
    server: String,
    /// The client that gets the tokens that are saved next.
    client: Mutex<Client>,
    /// The entry of the store when it was last read or written, so that a request does not read it.
    known: Mutex<Option<Option<Kept>>>,
    redactor: Redactor,
}

impl Credentials {
    pub(super) fn new(store: Arc<dyn TokenStore>, server: String, redactor: Redactor) -> Self {
        Self(Arc::new(Inner {
            store,
            server,
            client: Mutex::default(),
            known: Mutex::default(),
            redactor,
        }))
    }

    pub(super) fn set_client(&self, client: Client) {
        self.0
            .redactor
            .add(client.client_secret.as_deref().unwrap_or_default());
        *self.0.client.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }

    /// Forgets the entry of the store, so that it is read again.
    pub(super) fn forget(&self) {
        *self.0.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn know(&self, kept: Option<&Kept>) {
        if let Some(kept) = kept {
            let tokens = serde_json::to_value(&kept.credentials.token_response);
            let tokens = tokens.unwrap_or_default();
            let tokens = ["access_token", "refresh_token", "id_token"].map(|name| &tokens[name]);
            let tokens = tokens.into_iter().filter_map(Value::as_str);
            for secret in tokens.chain(kept.client.client_secret.as_deref()) {
                self.0.redactor.add(secret);
            }
        }
        *self.0.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept.cloned());
    }

    /// Returns the tokens of the server, if there are any.
    pub(super) async fn kept(&self) -> io::Result<Option<Kept>> {
        let known = self.0.known.lock();
        if let Some(known) = &*known.unwrap_or_else(PoisonError::into_inner) {
            return Ok(known.clone());
        }
        let text = self.0.store.load(&self.0.server).await?;
        let kept = text.map(|text| serde_json::from_str::<Kept>(&text));
        // The error of serde quotes what it found, which may be a token.
        let kept = kept.transpose().map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the stored tokens cannot be read",
            )
        })?;
        let kept = kept.filter(|kept| kept.server == self.0.server);
        self.know(kept.as_ref());
        Ok(kept)
    }

    /// Waits until nobody else replaces the tokens, and forgets the tokens that were read before.
    pub(super) async fn lock(&self) -> io::Result<super::store::TokenLock> {
        let lock = self.0.store.lock(&self.0.server).await?;
        self.forget();
        Ok(lock)
    }
}

fn failed(error: io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait]
impl CredentialStore for Credentials {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let kept = self.kept().await.map_err(failed)?;
        Ok(kept.map(|kept| kept.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let client = self.0.client.lock();
        let client = client.unwrap_or_else(PoisonError::into_inner).clone();
        let kept = Kept {
            server: self.0.server.clone(),
            client,
            credentials,
        };
        self.know(Some(&kept));
        let text = serde_json::to_value(&kept)
            .and_then(|value: Value| serde_json::to_string_pretty(&value));
        let text = text.map_err(|error| failed(io::Error::other(error)))?;
        let saved = self.0.store.save(&self.0.server, text);
        saved.await.map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.forget();
        let removed = self.0.store.remove(&self.0.server).await;
        removed.map(drop).map_err(failed)
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let lock = self.lock().await.map_err(failed)?;
        Ok(Some(CredentialRefreshGuard::new(lock)))
    }
}
