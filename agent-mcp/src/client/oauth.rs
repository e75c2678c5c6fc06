//! Signing in at servers that are reached by HTTP: getting tokens, refreshing them, and getting more rights.

mod credentials;
mod http;
mod sign_in;
mod store;

pub use sign_in::{MissingAuthorization, SignIn};
pub use store::{TokenFolder, TokenFuture, TokenLock, TokenStore};

use super::error::{Challenge, ERROR_TEXT, Kind, McpError};
use crate::rmcp_workarounds::oauth::{exchange, quiet};
use agent_runtime::__private::{shortened, with_causes};
use agent_runtime::redact::Redactor;
use credentials::{Client as KeptClient, Credentials};
use http::OAuthHttp;
use reqwest::Url;
#[cfg(feature = "oauth-jwt")]
use rmcp::transport::auth::JwtSigningAlgorithm;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationRequest,
    AuthorizationSession, ClientCredentialsConfig, OAuthClientConfig,
};
use sign_in::{Open, Way};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The maximum time for getting tokens, without the time that a person takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The extra member of an authorization server's metadata that says whether it reads documents about clients.
const READS_CLIENT_METADATA: &str = "client_id_metadata_document_supported";

/// Signs in at one server, and keeps its tokens.
pub(crate) struct Authorizer {
    /// The host's name for the server.
    name: String,
    url: Url,
    sign_in: SignIn,
    http: Arc<OAuthHttp>,
    redactor: Redactor,
    /// Held while tokens are got or replaced.
    state: Mutex<Option<State>>,
    /// The number of sign-ins, also of those that failed.
    sign_ins: AtomicU64,
    /// The error of the last sign-in, if it failed.
    last_error: std::sync::Mutex<Option<McpError>>,
}

struct State {
    manager: AuthorizationManager,
    credentials: Credentials,
    /// Whether the manager knows the authorization server and the client, so that it can refresh tokens.
    is_ready: bool,
    /// The client that was registered at an authorization server.
    registered: Option<Registered>,
}

#[derive(Clone)]
struct Registered {
    issuer: Option<String>,
    client_id: String,
    client_secret: Option<String>,
}

/// The reason why there is no token.
pub(crate) struct Problem {
    text: String,
    missing: MissingAuthorization,
}

impl From<String> for Problem {
    fn from(text: String) -> Self {
        let missing = MissingAuthorization::Tokens;
        Self { text, missing }
    }
}

impl Authorizer {
    /// Creates an authorizer for a server. `client` sends no header of the server.
    pub(crate) fn new(
        name: &str,
        url: Url,
        sign_in: SignIn,
        client: reqwest::Client,
        redactor: &Redactor,
    ) -> Self {
        if let Some((_, Some(secret))) = &sign_in.client {
            redactor.add(secret);
            // The URL-encoded form of the secret, which the header `authorization` contains with and without
            // Base64.
            if let Ok(encoded) = Url::parse_with_params("http://localhost", [("", secret)]) {
                let encoded = encoded.query().unwrap_or_default();
                redactor.add(encoded.trim_start_matches('='));
            }
        }
        Self {
            name: name.to_owned(),
            http: Arc::new(OAuthHttp::new(client, url.clone())),
            url,
            sign_in,
            redactor: redactor.clone(),
            state: Mutex::default(),
            sign_ins: AtomicU64::new(0),
            last_error: std::sync::Mutex::default(),
        }
    }

    /// Returns what a person can do about a part of the sign-in that is missing.
    pub(crate) fn advice(&self, missing: &MissingAuthorization) -> Option<String> {
        match &self.sign_in.advice {
            Some(advice) => advice(missing),
            None if *missing == MissingAuthorization::Client => {
                Some("register a client by hand, and set its id with `SignIn::client`".to_owned())
            }
            None => None,
        }
    }

    /// Returns the part of the sign-in that is missing for a server that refused a request.
    pub(crate) async fn missing_for(&self, challenge: &Challenge) -> MissingAuthorization {
        if !challenge.is_about_scopes {
            return MissingAuthorization::Tokens;
        }
        let mut state = self.state.lock().await;
        let scopes = match self.state(&mut state).await {
            Ok(state) => granted(state, challenge).await,
            Err(problem) => Err(problem),
        };
        // `Tokens` is enough on an error, because the text about it names the scopes that the server asks for
        // in any case.
        scopes.map_or(MissingAuthorization::Tokens, MissingAuthorization::Scopes)
    }

    /// Returns the text of a problem, with what a person can do about it.
    pub(crate) fn words(&self, before: &str, problem: &Problem) -> String {
        let text = self
            .redactor
            .log_text(&shortened(&problem.text, ERROR_TEXT));
        match self.advice(&problem.missing) {
            Some(advice) => format!("{before}: {text}; {advice}"),
            None => format!("{before}: {text}"),
        }
    }

    /// Returns the number of sign-ins, also of those that failed.
    pub(crate) fn sign_ins(&self) -> u64 {
        self.sign_ins.load(Ordering::SeqCst)
    }

    /// Whether tokens can be obtained when none are stored.
    pub(crate) fn can_sign_in(&self) -> bool {
        !matches!(self.sign_in.way, Way::Stored)
    }

    /// Returns the token to send, if there is one. A token that has expired is refreshed.
    pub(crate) async fn token(&self) -> Result<Option<String>, Problem> {
        let mut state = self.state.lock().await;
        let state = self.state(&mut state).await?;
        self.in_time(self.current(state, None)).await
    }

    /// Returns another token than the one that the server refused, if that is possible without a person.
    pub(crate) async fn renewed(
        &self,
        refused: Option<&str>,
        challenge: &str,
    ) -> Result<Option<String>, Problem> {
        let mut state = self.state.lock().await;
        let state = self.state(&mut state).await?;
        self.in_time(async {
            // Another request or another process may have obtained a new token.
            state.credentials.forget();
            let current = self.current(state, Some(challenge)).await?;
            if current.as_deref() != refused {
                return Ok(current);
            }
            let is_ready = state.is_ready || self.prepare(state, Some(challenge)).await?;
            if !is_ready {
                return Ok(None);
            }
            match quiet(state.manager.refresh_token()).await {
                Ok(_) => self.current(state, None).await,
                Err(error) => self.missing(error),
            }
        })
        .await
    }

    /// Gets new tokens, with the rights that the challenge asks for. Without a challenge, the server is asked for one.
    /// `before` is the number of sign-ins before the request that the server refused.
    pub(crate) async fn sign_in(
        &self,
        challenge: Option<&Challenge>,
        before: u64,
    ) -> Result<(), McpError> {
        let mut state = self.state.lock().await;
        if self.sign_ins() != before {
            // Another call signed in while this one waited. A person who refused is not asked again for each call.
            let last = self.last_error.lock();
            let last = last.unwrap_or_else(PoisonError::into_inner).clone();
            return last.map_or(Ok(()), Err);
        }
        let signed_in = match &self.sign_in.way {
            Way::Stored => Err("there are no usable tokens".to_owned().into()),
            Way::Browser { redirect_url, open } => {
                let signed_in = self.with_browser(&mut state, redirect_url, open, challenge);
                signed_in.await
            }
            _ => {
                let signed_in = self.as_program(&mut state, challenge);
                self.in_time(signed_in).await
            }
        };
        let signed_in = signed_in.map_err(|problem| {
            let before = format!("signing in at the server `{}` failed", self.name);
            McpError::new(Kind::Unauthorized, self.words(&before, &problem))
        });
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = signed_in.as_ref().err().cloned();
        self.sign_ins.fetch_add(1, Ordering::SeqCst);
        signed_in
    }

    /// Removes the tokens, and returns whether there were any.
    pub(crate) async fn sign_out(&self) -> Result<bool, McpError> {
        let failed = |error: std::io::Error| {
            let text = format!("signing out of the server `{}` failed: {error}", self.name);
            McpError::new(Kind::Configuration, text)
        };
        let mut state = self.state.lock().await;
        *state = None;
        let store = &self.sign_in.store;
        // Waits for a refresh that is under way, because it saves the tokens again.
        let _lock = store.lock(self.url.as_str()).await.map_err(failed)?;
        store.remove(self.url.as_str()).await.map_err(failed)
    }

    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        self.http.begin();
        let late = |_| format!("it took longer than {TIMEOUT:?}");
        let done = timeout(TIMEOUT, work).await.map_err(late)?;
        done.map_err(|problem| Problem {
            text: self.http.with_problem(problem.text),
            ..problem
        })
    }

    async fn state<'a>(&self, state: &'a mut Option<State>) -> Result<&'a mut State, Problem> {
        let new = match state.take() {
            Some(state) => state,
            None => self.new_state().await?,
        };
        Ok(state.insert(new))
    }

    async fn new_state(&self) -> Result<State, Problem> {
        let http = Arc::clone(&self.http);
        let manager =
            AuthorizationManager::new_with_oauth_http_client(self.url.as_str(), http as _);
        let mut manager = manager.await.map_err(words)?;
        let store = Arc::clone(&self.sign_in.store);
        let credentials = Credentials::new(store, self.url.to_string(), self.redactor.clone());
        manager.set_credential_store(credentials.clone());
        Ok(State {
            manager,
            credentials,
            is_ready: false,
            registered: None,
        })
    }

    /// Returns the token to send, if there is one.
    async fn current(
        &self,
        state: &mut State,
        challenge: Option<&str>,
    ) -> Result<Option<String>, Problem> {
        match quiet(state.manager.get_access_token()).await {
            // The token has expired, and a manager that is not ready cannot refresh it.
            Err(AuthError::InternalError(_)) if !state.is_ready => {
                if !self.prepare(state, challenge).await? {
                    return Ok(None);
                }
                let token = quiet(state.manager.get_access_token()).await;
                token.map_or_else(|error| self.missing(error), |token| Ok(Some(token)))
            }
            token => token.map_or_else(|error| self.missing(error), |token| Ok(Some(token))),
        }
    }

    /// Returns `None` if the error means that there is no token, and otherwise the error.
    fn missing(&self, error: AuthError) -> Result<Option<String>, Problem> {
        match error {
            AuthError::AuthorizationRequired => Ok(None),
            AuthError::TokenRefreshRejected(_) => {
                tracing::info!(target: "agent_mcp", server = self.name, "the sign-in at a server has ended");
                Ok(None)
            }
            error => Err(words(error).into()),
        }
    }

    /// Prepares the manager for refreshing the tokens, and returns whether there are tokens that it may
    /// refresh.
    async fn prepare(&self, state: &mut State, challenge: Option<&str>) -> Result<bool, Problem> {
        let kept = state.credentials.kept().await;
        let Some(kept) = kept.map_err(|error| error.to_string())? else {
            return Ok(false);
        };
        let metadata = self.discover(&state.manager, challenge).await?;
        if kept.credentials.issuer != metadata.issuer
            || kept.client.token_endpoint != metadata.token_endpoint
        {
            tracing::info!(target: "agent_mcp", server = self.name, "a server has another authorization server than before");
            return Ok(false);
        }
        state.manager.set_metadata(metadata);
        // A refresh does not use the address of the redirect.
        let client_id = kept.credentials.client_id;
        let mut config = OAuthClientConfig::new(client_id, self.url.as_str());
        if let Some(secret) = &kept.client.client_secret {
            config = config.with_client_secret(secret.as_str());
        }
        state.manager.configure_client(config).map_err(words)?;
        state.credentials.set_client(kept.client);
        state.is_ready = true;
        Ok(true)
    }

    /// Asks the server for its authorization server, and the authorization server for its addresses.
    async fn discover(
        &self,
        manager: &AuthorizationManager,
        challenge: Option<&str>,
    ) -> Result<AuthorizationMetadata, Problem> {
        let challenge = challenge.filter(|challenge| !challenge.is_empty());
        let found = quiet(manager.resolve_metadata_from_challenge(challenge)).await;
        let found = found.map_err(words)?;
        let metadata = found.metadata;
        if let Some(issuer) = &metadata.issuer {
            self.http.check_issuer(issuer)?;
        }
        if let Some(expected) = &self.sign_in.issuer {
            let found = metadata.issuer.as_deref().unwrap_or("unknown");
            if found.trim_end_matches('/') != expected.trim_end_matches('/') {
                let found = shortened(found, 200);
                let text = format!(
                    "the server's authorization server is `{found}`, and `{expected}` is expected"
                );
                return Err(text.into());
            }
        }
        if !found.source.is_discovered() {
            tracing::debug!(target: "agent_mcp", server = self.name, "a server names no authorization server");
        }
        self.http.check(&metadata.authorization_endpoint)?;
        self.http.check(&metadata.token_endpoint)?;
        Ok(metadata)
    }

    async fn with_browser(
        &self,
        state: &mut Option<State>,
        redirect_url: &str,
        open: &Open,
        challenge: Option<&Challenge>,
    ) -> Result<(), Problem> {
        let old = self.state(state).await?;
        let granted = match challenge {
            Some(challenge) if challenge.is_about_scopes => granted(old, challenge).await?,
            _ => Vec::new(),
        };
        let registered = old.registered.clone();
        let header = challenge.map(|challenge| challenge.header.as_str());
        let begun = self.in_time(self.begin(redirect_url, header, granted, registered));
        let (session, credentials, registered) = begun.await?;
        let address = self.http.check(&session.auth_url)?;
        let redirected = open(address.to_string()).await?;
        check_redirect(&address, &redirected)?;
        self.in_time(async {
            // Another request or process that refreshes the tokens of an earlier sign-in must not save its
            // tokens afterwards.
            let lock = credentials
                .lock()
                .await
                .map_err(|error| error.to_string())?;
            let exchanged = quiet(session.handle_callback_url(&redirected)).await;
            drop(lock);
            Ok(exchanged.map(drop).map_err(words)?)
        })
        .await?;
        *state = Some(State {
            manager: session.auth_manager,
            credentials,
            is_ready: true,
            registered,
        });
        Ok(())
    }

    /// Finds the authorization server and registers the client there, if that is necessary.
    async fn begin(
        &self,
        redirect_url: &str,
        challenge: Option<&str>,
        granted: Vec<String>,
        registered: Option<Registered>,
    ) -> Result<(AuthorizationSession, Credentials, Option<Registered>), Problem> {
        let State {
            mut manager,
            credentials,
            ..
        } = self.new_state().await?;
        let metadata = self.discover(&manager, challenge).await?;
        let (issuer, token_endpoint) = (metadata.issuer.clone(), metadata.token_endpoint.clone());
        let reads = metadata.additional_fields.get(READS_CLIENT_METADATA);
        let reads = reads.is_some_and(|reads| reads.as_bool() == Some(true));
        manager.set_metadata(metadata);
        let scopes = match (&*granted, &*self.sign_in.scopes) {
            ([], []) => manager.select_initial_scopes(&[]).await,
            ([], scopes) => scopes.to_vec(),
            _ => granted,
        };
        let mut request = AuthorizationRequest::new(redirect_url)
            .with_initial_scope_selection()
            .with_scopes(scopes.clone());
        let registered = registered.filter(|registered| registered.issuer == issuer);
        let mut client_secret = None;
        let mut new = None;
        match (&self.sign_in.client, &self.sign_in.client_metadata_url) {
            (Some((id, secret)), _) => {
                request = request.with_preregistered_client(id);
                client_secret.clone_from(secret);
            }
            (None, Some(url)) if reads => request = request.with_client_metadata_url(url),
            _ => {
                let client = match registered {
                    Some(registered) => registered,
                    None => {
                        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
                        let name = &self.sign_in.client_name;
                        let client = manager.register_client(name, redirect_url, &scopes);
                        let client = quiet(client).await.map_err(|error| Problem {
                            text: words(error),
                            missing: MissingAuthorization::Client,
                        })?;
                        Registered {
                            issuer,
                            client_id: client.client_id,
                            client_secret: client.client_secret,
                        }
                    }
                };
                request = request.with_preregistered_client(&client.client_id);
                client_secret.clone_from(&client.client_secret);
                new = Some(client);
            }
        }
        if let Some(secret) = &client_secret {
            request = request.with_client_secret(secret);
        }
        credentials.set_client(KeptClient {
            client_secret,
            token_endpoint,
        });
        let session = quiet(AuthorizationSession::new(manager, request)).await;
        let session = session.map_err(|(_, error)| words(error))?;
        Ok((session, credentials, new))
    }

    async fn as_program(
        &self,
        state: &mut Option<State>,
        challenge: Option<&Challenge>,
    ) -> Result<(), Problem> {
        let header = challenge.map(|challenge| challenge.header.as_str());
        let mut new = self.new_state().await?;
        let metadata = self.discover(&new.manager, header).await?;
        let token_endpoint = metadata.token_endpoint.clone();
        new.manager.set_metadata(metadata);
        let mut scopes = self.sign_in.scopes.clone();
        if scopes.is_empty() {
            scopes = new.manager.select_initial_scopes(&[]).await;
            // `offline_access` is removed, because it is for tokens of persons who are away.
            scopes.retain(|scope| scope != "offline_access");
        }
        if let Some(challenge) = challenge.filter(|challenge| challenge.is_about_scopes) {
            let old = self.state(state).await?;
            scopes.extend(granted(old, challenge).await?);
            scopes.sort();
            scopes.dedup();
        }
        let config = self.program(scopes)?;
        let mut manager = new.manager;
        let validated = manager.validate_client_credentials_metadata(&config);
        validated.map_err(words)?;
        manager
            .configure_client_credentials(&config)
            .map_err(words)?;
        new.credentials.set_client(KeptClient {
            client_secret: None,
            token_endpoint,
        });
        let lock = new.credentials.lock().await;
        let lock = lock.map_err(|error| error.to_string())?;
        let exchanged = exchange(manager, config).await?;
        new.manager = exchanged.map_err(words)?;
        drop(lock);
        new.is_ready = true;
        *state = Some(new);
        Ok(())
    }

    /// Returns the credentials of a program.
    fn program(&self, scopes: Vec<String>) -> Result<ClientCredentialsConfig, Problem> {
        let (client_id, secret) = self.sign_in.client.clone().unwrap_or_default();
        let resource = Some(self.url.to_string());
        match &self.sign_in.way {
            #[cfg(feature = "oauth-jwt")]
            Way::Key { pem, algorithm } => Ok(ClientCredentialsConfig::PrivateKeyJwt {
                client_id,
                signing_key: pem.clone().into_bytes(),
                signing_algorithm: match algorithm.as_str() {
                    "RS256" => JwtSigningAlgorithm::RS256,
                    "RS384" => JwtSigningAlgorithm::RS384,
                    "RS512" => JwtSigningAlgorithm::RS512,
                    "ES256" => JwtSigningAlgorithm::ES256,
                    "ES384" => JwtSigningAlgorithm::ES384,
                    other => {
                        let text = format!(
                            "`{other}` is no algorithm for its key; write `RS256`, `RS384`, `RS512`, `ES256` or `ES384`"
                        );
                        return Err(text.into());
                    }
                },
                token_endpoint_audience: None,
                scopes,
                resource,
            }),
            _ => Ok(ClientCredentialsConfig::ClientSecret {
                client_id,
                client_secret: secret.unwrap_or_default(),
                scopes,
                resource,
            }),
        }
    }
}

/// Returns the scopes that were granted, and those that the server asks for.
async fn granted(state: &State, challenge: &Challenge) -> Result<Vec<String>, Problem> {
    let kept = state.credentials.kept().await;
    let kept = kept.map_err(|error| error.to_string())?;
    let mut scopes = kept.map_or_else(Vec::new, |kept| kept.credentials.granted_scopes);
    for scope in challenge
        .scope
        .iter()
        .flat_map(|scope| scope.split_whitespace())
    {
        if !scopes.iter().any(|granted| granted == scope) {
            scopes.push(scope.to_owned());
        }
    }
    Ok(scopes)
}

/// Checks that a person was sent back with a code.
///
/// # Errors
/// The answer of the authorization server, or that the redirect belongs to another sign-in.
fn check_redirect(asked: &Url, redirected: &str) -> Result<(), Problem> {
    let redirected = Url::parse(redirected);
    let redirected =
        redirected.map_err(|error| format!("the address of the redirect is no URL: {error}"))?;
    let value = |url: &Url, name: &str| {
        let mut pairs = url.query_pairs();
        pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
    };
    let state = value(&redirected, "state");
    if state.is_none() || state != value(asked, "state") {
        let text = "the address of the redirect belongs to another sign-in: its `state` differs";
        return Err(text.to_owned().into());
    }
    let Some(error) = value(&redirected, "error") else {
        return Ok(());
    };
    let error = shortened(&error, 200);
    let text = match value(&redirected, "error_description") {
        Some(description) => format!(
            "the authorization server refused it: {} ({error})",
            shortened(&description, 1000)
        ),
        None => format!("the authorization server refused it: {error}"),
    };
    Err(text.into())
}

fn words(error: AuthError) -> String {
    with_causes(&error)
}
