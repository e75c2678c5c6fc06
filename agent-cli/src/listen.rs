//! Listening for clients over HTTP: the address, tokens, and the signals that end a server.

use crate::outcome::CommandError;
use agent_runtime::Environment;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Parses a port of this machine, or an IP address and a port.
///
/// # Errors
/// Returns advice for anything else.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| {
        "write a port, such as `8080`, or an IP address and a port, such as `127.0.0.1:8080` or `[::1]:8080`".to_owned()
    })
}

/// Returns the token in a variable of `--token-env`.
///
/// # Errors
/// Returns an error if the variable is not set or empty.
pub(crate) fn token(name: &str, environment: &Environment) -> Result<String, CommandError> {
    match environment.get(name) {
        Some(token) if !token.trim().is_empty() => Ok(token.trim().to_owned()),
        _ => Err(CommandError::new(format!(
            "the variable `{name}` of --token-env is not set or empty; set it to the token that clients send"
        ))),
    }
}

/// Refuses an address that other machines can reach if no token is asked for.
///
/// # Errors
/// Returns an error that names the options.
pub(crate) fn refuse_without_token(
    address: SocketAddr,
    has_token: bool,
) -> Result<(), CommandError> {
    if has_token || address.ip().is_loopback() {
        return Ok(());
    }
    Err(CommandError::new(format!(
        "other machines can reach {address}, and no token is asked for; name the variable with a token with \
         `--token-env NAME`, or serve this machine alone with `--http {}`",
        address.port()
    )))
}

/// Returns a future that waits for Ctrl-C, or for the signal by which service managers stop programs. From the call on,
/// these signals do not end the program by themselves.
///
/// # Errors
/// Returns an error if the operating system refuses to report the signals.
pub(crate) fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static, CommandError> {
    #[cfg(unix)]
    let stop = {
        use tokio::signal::unix::{SignalKind, signal};
        let refused = |error| CommandError::new(format!("cannot wait for signals: {error}"));
        let mut interrupted = signal(SignalKind::interrupt()).map_err(refused)?;
        let mut terminated = signal(SignalKind::terminate()).map_err(refused)?;
        async move {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
        }
    };
    #[cfg(not(unix))]
    let stop = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    Ok(stop)
}
