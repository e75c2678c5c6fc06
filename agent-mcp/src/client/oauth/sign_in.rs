//! The description of a sign-in.

use super::store::{Memory, TokenStore};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// The way in which a host signs in at a server, for [`McpServer::sign_in`](crate::McpServer::sign_in).
///
/// A person signs in with a browser, to which the host sends the person:
///
/// ```no_run
/// use agent_mcp::{McpServer, SignIn};
///
/// # async fn wait_for_redirect() -> std::io::Result<String> { Ok(String::new()) }
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let sign_in = SignIn::browser("http://127.0.0.1:8765/callback", async |address| {
///     println!("Open {address}");
///     // The address to which the browser is sent back, with its query.
///     wait_for_redirect().await
/// });
/// let docs = McpServer::http("docs", "https://docs.example/mcp").sign_in(sign_in).connect().await?;
/// # Ok(())
/// # }
/// ```
///
/// The server names its authorization server and the scopes that it needs. Tokens are refreshed
/// automatically. They are sent only to the address of the server, and a refresh token only to the
/// authorization server that issued it.
#[derive(Clone)]
#[must_use]
pub struct SignIn {
    pub(super) way: Way,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) client: Option<(String, Option<String>)>,
    pub(super) client_metadata_url: Option<String>,
    pub(super) client_name: String,
    pub(super) issuer: Option<String>,
    pub(super) scopes: Vec<String>,
    pub(super) advice: Option<Advice>,
}

/// The part of a sign-in that is missing, for [`SignIn::advice`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingAuthorization {
    /// Tokens that can be used.
    Tokens,
    /// Rights. A sign-in with these scopes has the scopes of the tokens, and the scopes that the server asks
    /// for. The scopes are texts of the server.
    Scopes(Vec<String>),
    /// A [client](SignIn::client) that was registered by hand, because the authorization server does not let clients register
    /// themselves.
    Client,
}

/// The function that returns what a person can do about a missing authorization.
pub(super) type Advice = Arc<dyn Fn(&MissingAuthorization) -> Option<String> + Send + Sync>;

/// The way to obtain tokens when none are stored.
#[derive(Clone)]
pub(super) enum Way {
    /// Tokens are never obtained; only stored tokens are used.
    Stored,
    Browser {
        redirect_url: String,
        open: Open,
    },
    Secret,
    #[cfg(feature = "oauth-jwt")]
    Key {
        pem: String,
        algorithm: String,
    },
}

/// The function that sends a person to an address, and returns the address of the redirect.
pub(super) type Open = Arc<
    dyn Fn(String) -> Pin<Box<dyn Future<Output = Result<String, String>> + Send>> + Send + Sync,
>;

impl SignIn {
    fn new(way: Way, store: Arc<dyn TokenStore>) -> Self {
        Self {
            way,
            store,
            client: None,
            client_metadata_url: None,
            client_name: "agent-mcp".to_owned(),
            issuer: None,
            scopes: Vec::new(),
            advice: None,
        }
    }

    /// Uses the tokens of a store, and refreshes them. If none of them is usable, requests are sent without a
    /// token, and the error about a server that asks for a sign-in ends with the [`advice`](Self::advice).
    pub fn stored(store: impl TokenStore + 'static) -> Self {
        Self::new(Way::Stored, Arc::new(store))
    }

    /// Signs a person in with a browser when the server asks for it.
    ///
    /// `open` gets the address that the person must open, and returns the whole address to which the authorization server
    /// sends the browser back; it begins with `redirect_url`. The time that the person takes is not part of the time to
    /// connect, but of the time of a call for which the server asks for more rights.
    ///
    /// The tokens are kept in memory, unless [`store`](Self::store) says otherwise.
    pub fn browser<F, R, E>(redirect_url: impl Into<String>, open: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, E>> + Send + 'static,
        E: fmt::Display,
    {
        let open: Open = Arc::new(move |address| {
            let opened = open(address);
            Box::pin(async move { opened.await.map_err(|error| error.to_string()) })
        });
        let redirect_url = redirect_url.into();
        Self::new(
            Way::Browser { redirect_url, open },
            Arc::new(Memory::default()),
        )
    }

    /// Signs in as a program, with a secret that the authorization server gave out (`client_credentials`). No person is
    /// asked.
    ///
    /// The server names its authorization server. Set it with [`issuer`](Self::issuer), so that no other
    /// authorization server gets the secret.
    pub fn client_secret(id: impl Into<String>, secret: impl Into<String>) -> Self {
        let way = Self::new(Way::Secret, Arc::new(Memory::default()));
        way.client_with_secret(id, secret)
    }

    /// Signs in as a program, with a private key in the format PEM (`private_key_jwt`). No person is asked. `algorithm` is
    /// `RS256`, `RS384`, `RS512`, `ES256` or `ES384`.
    #[cfg(feature = "oauth-jwt")]
    pub fn client_key(
        id: impl Into<String>,
        pem: impl Into<String>,
        algorithm: impl Into<String>,
    ) -> Self {
        let (pem, algorithm) = (pem.into(), algorithm.into());
        Self::new(Way::Key { pem, algorithm }, Arc::new(Memory::default())).client(id)
    }

    /// Keeps the tokens in a store, in place of memory.
    pub fn store(mut self, store: impl TokenStore + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets the id of the client, if the authorization server gave one out. Without it, the client registers itself.
    pub fn client(mut self, id: impl Into<String>) -> Self {
        self.client = Some((id.into(), None));
        self
    }

    /// Sets the id of the client and its secret, which the authorization server gave out. Name the authorization server
    /// with [`issuer`](Self::issuer), so that no other one gets the secret.
    pub fn client_with_secret(mut self, id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.client = Some((id.into(), Some(secret.into())));
        self
    }

    /// Sets the address of the document that describes the client, which is its id where authorization servers read such
    /// documents. It begins with `https://`.
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.client_metadata_url = Some(url.into());
        self
    }

    /// Sets the name with which the client registers itself, and which authorization servers show to persons.
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.client_name = name.into();
        self
    }

    /// Accepts no other authorization server than this one, which is the `issuer` in its metadata.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets the scopes that are asked for, in place of those that the server names.
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the function that returns the end of errors about a sign-in: what the person can do, such as "run `login docs`".
    pub fn advice(
        mut self,
        advice: impl Fn(&MissingAuthorization) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.advice = Some(Arc::new(advice));
        self
    }
}

/// Prints no secrets.
impl fmt::Debug for SignIn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = match &self.way {
            Way::Stored => "stored",
            Way::Browser { .. } => "browser",
            Way::Secret => "client_secret",
            #[cfg(feature = "oauth-jwt")]
            Way::Key { .. } => "client_key",
        };
        out.debug_struct("SignIn")
            .field("way", &way)
            .field("client", &self.client.as_ref().map(|(id, _)| id))
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}
