//! TLS of connections, with the certificates that the HTTP clients trust.

use agent_core::conversation::StoreError;
use agent_http::{CERTIFICATE_FILE, tls_config};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;

/// Makes the TLS of connections; `None` if no connection has it.
#[derive(Clone)]
pub(super) struct Tls(Option<Arc<ClientConfig>>);

impl Tls {
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// Trusts the certificates of the system, and those in the file that `SSL_CERT_FILE` names.
    pub(super) fn of_system() -> Result<Self, StoreError> {
        let file = match std::env::var(CERTIFICATE_FILE) {
            Ok(file) if file.is_empty() => None,
            Ok(file) => Some(file),
            Err(std::env::VarError::NotPresent) => None,
            Err(std::env::VarError::NotUnicode(_)) => {
                return Err(StoreError::unavailable(format!(
                    "the variable `{CERTIFICATE_FILE}` holds no text in UTF-8"
                )));
            }
        };
        let mut config = tls_config(file.as_deref()).map_err(StoreError::unavailable)?;
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(Self(Some(Arc::new(config))))
    }
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Stream<S>;
    type TlsConnect = Connect;
    type Error = Infallible;

    fn make_tls_connect(&mut self, host: &str) -> Result<Connect, Infallible> {
        let connector = self.0.clone().map(TlsConnector::from);
        // A socket of this machine has no name.
        let host = ServerName::try_from(host).ok();
        Ok(Connect(connector.zip(host.map(|host| host.to_owned()))))
    }
}

/// The TLS of one connection.
pub(super) struct Connect(Option<(TlsConnector, ServerName<'static>)>);

impl<S> TlsConnect<S> for Connect
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Stream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let (connector, host) = self.0.ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidInput, "the host has no name")
            })?;
            Ok(Stream(connector.connect(host, stream).await?))
        })
    }
}

/// A connection with TLS.
pub(super) struct Stream<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for Stream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        // Channel binding is not needed, because the certificate is verified.
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
