//! A proxy in front of the database that breaks connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The fault of a proxy on a connection over which `COMMIT` is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is closed before the server gets it.
    LosesCommit,
    /// It is closed after the server has made it, so that its answer is lost.
    LosesAnswer,
    /// It is closed after the server has made it, and the answer is that of a server that crashes because its disk fails.
    Crashes,
    /// Nothing is sent over it any more, and it stays open until [`Proxy::close`].
    Hangs,
}

/// A proxy on a port of its own. It works as long as the test's runtime.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    /// The number of faults that are left.
    left: Arc<AtomicUsize>,
    closed: Arc<Notify>,
}

impl Proxy {
    /// Begins to forward connections to a port.
    pub(crate) async fn start(to: u16, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let left = Arc::new(AtomicUsize::new(0));
        let proxy = Self {
            port,
            left: Arc::clone(&left),
            closed: Arc::new(Notify::new()),
        };
        let closed = Arc::clone(&proxy.closed);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", to)).await;
                let server = server.expect("the database runs");
                let (left, closed) = (Arc::clone(&left), Arc::clone(&closed));
                tokio::spawn(forward(client, server, fault, left, closed));
            }
        });
        proxy
    }

    /// Breaks the connections of the next commits.
    pub(crate) fn break_commits(&self, count: usize) {
        self.left.store(count, Ordering::Relaxed);
    }

    /// The number of commits whose connections are still to be broken.
    pub(crate) fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }

    /// Closes a connection that hangs.
    pub(crate) fn close(&self) {
        self.closed.notify_one();
    }

    /// The same URL through this proxy.
    pub(crate) fn through(&self, url: &str, to: u16) -> String {
        url.replace(&format!(":{to}/"), &format!(":{}/", self.port))
    }
}

/// Returns the message of the protocol by which a server says that it crashes.
fn crash() -> Vec<u8> {
    let fields = "SPANIC\0VPANIC\0C58030\0Mcould not fdatasync file\0\0";
    let length = u32::try_from(fields.len() + 4).expect("a short text");
    [b"E", &length.to_be_bytes()[..], fields.as_bytes()].concat()
}

async fn forward(
    mut client: TcpStream,
    mut server: TcpStream,
    fault: Fault,
    left: Arc<AtomicUsize>,
    closed: Arc<Notify>,
) {
    let (mut sent, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut sent) => {
                let Ok(length @ 1..) = read else { return };
                let sent = &sent[..length];
                let is_commit = sent.windows(6).any(|word| word == b"COMMIT");
                let take = |left: usize| left.checked_sub(1);
                if is_commit && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
                    match fault {
                        Fault::LosesCommit => {}
                        Fault::LosesAnswer => {
                            server.write_all(sent).await.expect("the database runs");
                            // It has answered, and so has made the commit.
                            let _ = server.read(&mut answered).await;
                        }
                        Fault::Crashes => {
                            server.write_all(sent).await.expect("the database runs");
                            let _ = server.read(&mut answered).await;
                            let _ = client.write_all(&crash()).await;
                        }
                        Fault::Hangs => closed.notified().await,
                    }
                    return;
                }
                if server.write_all(sent).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                if client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
