//! Waiting for the browser of a sign-in, which is sent back to this machine.

use crate::output::to_stderr;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// The maximum time for a person to sign in.
const PERSON: Duration = Duration::from_secs(300);

/// The maximum time for a browser to send its request.
const REQUEST: Duration = Duration::from_secs(10);

/// The time before a connection is accepted again after an error.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// The maximum number of bytes of a request. Every program of this machine can connect to the port, and could send
/// without end.
const MAX_REQUEST: usize = 16 << 10;

const PATH: &str = "/callback";

/// A port of this machine to which browsers are sent back.
pub(super) struct Redirects {
    listener: TcpListener,
    url: String,
}

impl Redirects {
    /// Listens on a port, or on any free port if `port` is 0.
    pub(super) async fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let url = format!("http://{}{PATH}", listener.local_addr()?);
        Ok(Self { listener, url })
    }

    /// Returns the address to which browsers are sent back.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Waits until a browser that opened the address `began` is sent back, and returns the address to which
    /// the browser was sent. With `pasted`, the user may also paste this address.
    pub(super) async fn received(&self, began: &str, pasted: bool) -> io::Result<String> {
        let state: Arc<str> = Arc::from(value(began, "state").unwrap_or_default());
        let (sender, mut received) = mpsc::unbounded_channel();
        if pasted {
            let (sender, state) = (sender.clone(), Arc::clone(&state));
            // A task would keep the program from ending.
            thread::spawn(move || {
                for line in io::stdin().lines().map_while(Result::ok) {
                    let line = line.trim();
                    if value(line, "state") == Some(&state) {
                        let _ = sender.send(line.to_owned());
                    } else if !line.is_empty() {
                        to_stderr(
                            "That is not the address to which the browser was sent back. Paste the whole address:\n",
                        );
                    }
                }
            });
        }
        let accepting = async {
            loop {
                let Ok((stream, _)) = self.listener.accept().await else {
                    // For example, too many files are open. Accepting again at once would fail again.
                    sleep(ACCEPT_AGAIN).await;
                    continue;
                };
                let (sender, state) = (sender.clone(), Arc::clone(&state));
                // Browsers also open connections that they do not use.
                tokio::spawn(async move {
                    if let Ok(Ok(Some(target))) = timeout(REQUEST, answer(stream, &state)).await {
                        // Only the first redirect is used.
                        let _ = sender.send(target);
                    }
                });
            }
        };
        let late = || {
            let minutes = PERSON.as_secs() / 60;
            io::Error::other(format!("nobody signed in within {minutes} minutes"))
        };
        let found = tokio::select! {
            found = timeout(PERSON, received.recv()) => found.ok().flatten().ok_or_else(late)?,
            never = accepting => never,
        };
        Ok(match found.strip_prefix('/') {
            // The browser sends the address without the host.
            Some(_) => format!(
                "{}{}",
                self.url.strip_suffix(PATH).unwrap_or_default(),
                found
            ),
            None => found,
        })
    }
}

/// Reads a request and answers it. Returns the target if it is the redirect of the sign-in with this state.
async fn answer(mut stream: TcpStream, state: &str) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        if bytes.len() > MAX_REQUEST || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
    let head = String::from_utf8_lossy(&bytes);
    let mut words = head.split_ascii_whitespace();
    let (method, target) = (words.next(), words.next().unwrap_or_default());
    let path = target.split('?').next();
    let is_redirect = method == Some("GET") && path == Some(PATH);
    let (status, text) = match value(target, "state") {
        Some(found) if is_redirect && found == state => {
            ("200 OK", "Return to the terminal. You can close this page.")
        }
        _ if is_redirect => ("400 Bad Request", "This page belongs to another sign-in."),
        _ => ("404 Not Found", "There is nothing here."),
    };
    let length = text.len();
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {length}\r\n\
         referrer-policy: no-referrer\r\nconnection: close\r\n\r\n{text}"
    );
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await?;
    Ok((status == "200 OK").then(|| target.to_owned()))
}

/// Returns a parameter of the query of an address as it is written there. The state of a sign-in needs no escapes.
fn value<'a>(address: &'a str, name: &str) -> Option<&'a str> {
    let (address, _) = address.split_once('#').unwrap_or((address, ""));
    let (_, query) = address.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(found, value)| (found == name).then_some(value))
}
