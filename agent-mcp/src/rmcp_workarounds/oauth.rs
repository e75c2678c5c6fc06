//! Signing in.

use rmcp::transport::auth::{AuthError, AuthorizationManager, ClientCredentialsConfig};
use tracing::Dispatch;
use tracing::instrument::WithSubscriber;

/// Runs work of rmcp without its trace.
///
/// At the level `debug`, rmcp traces the codes for tokens, and members of answers that may be tokens. No key may be in a
/// trace. Not reported.
pub(crate) async fn quiet<F: Future>(work: F) -> F::Output {
    work.with_subscriber(Dispatch::none()).await
}

/// Gets tokens for the credentials of a program.
///
/// With rmcp's feature `auth-client-credentials-jwt`, the future of its function cannot be sent to another thread, which a
/// tool's future must allow. So it runs on a thread of its own. Not reported.
///
/// # Errors
/// The outer error is that of the thread.
pub(crate) async fn exchange(
    manager: AuthorizationManager,
    config: ClientCredentialsConfig,
) -> Result<Result<AuthorizationManager, AuthError>, String> {
    let exchange = async move || {
        let exchanged = quiet(manager.exchange_client_credentials(&config)).await;
        exchanged.map(|_| manager)
    };
    #[cfg(not(feature = "oauth-jwt"))]
    return Ok(exchange().await);
    #[cfg(feature = "oauth-jwt")]
    {
        let tokio = tokio::runtime::Handle::current();
        let exchanged = tokio::task::spawn_blocking(move || tokio.block_on(exchange()));
        exchanged.await.map_err(|error| error.to_string())
    }
}
