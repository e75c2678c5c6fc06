//! Listening for clients over HTTP: the address, tokens, connections, and the signals that end a server.

use crate::outcome::CommandError;
use agent_runtime::Environment;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::time::Duration;
use tokio::net::TcpListener;

/// How long a client may take to send the head of a request, from the beginning of the connection or the end of the request before.
const HEAD_TIME: Duration = Duration::from_secs(30);

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

/// Serves clients until `stop` is ready, and then until their requests are answered.
///
/// Unlike `axum::serve`, it ends a connection on which no request arrives in time. Connections that send nothing would
/// otherwise take all file descriptors of the process.
pub(crate) async fn serve(listener: TcpListener, app: Router, stop: impl Future<Output = ()>) {
    let open = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // For example, too many files are open. Accepting again at once would fail again.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        // Small events are sent at once.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(app.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .serve_connection(TokioIo::new(stream), service);
        // A connection fails when its client leaves.
        tokio::spawn(open.watch(connection));
    }
    drop(listener);
    open.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::future::pending;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let app = Router::new().route("/", get(async || "hello"));
        tokio::spawn(serve(listener, app, pending()));
        for sent in [
            "",
            "GET / HTTP/1.1\r\nhost: x\r\n",
            "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
        ] {
            let mut client = TcpStream::connect(address).await.expect("a connection");
            client.write_all(sent.as_bytes()).await.expect("it is sent");
            let mut answer = String::new();
            // The server answers a whole request, and ends the connection in each case.
            let _ = client.read_to_string(&mut answer).await;
            assert_eq!(
                answer.ends_with("hello"),
                sent.ends_with("\r\n\r\n"),
                "{sent:?}: {answer}"
            );
        }
    }
}
