//! Resolving the host of a URL to addresses that may be contacted.

use super::url::host_and_port;
use agent_tool::{Permissions, ToolError};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
#[cfg(test)]
use std::sync::Arc;

/// The source of the addresses of a name.
#[derive(Clone, Default)]
pub(super) enum Resolver {
    #[default]
    System,
    #[cfg(test)]
    Given(Arc<GivenAddresses>),
}

/// Returns the addresses of a name.
#[cfg(test)]
type GivenAddresses = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// A resolver that returns the checked addresses for every name, because whoever controls the name could
/// answer a second query with another address.
pub(super) struct FixedAddresses(pub(super) Vec<SocketAddr>);

impl Resolve for FixedAddresses {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(async { Ok(addresses) })
    }
}

/// Resolves the host of a URL to the addresses that may be contacted. Returns no addresses if the host is
/// itself an address. The connection must be made to these addresses only.
///
/// # Errors
/// Validation for a URL without a host, Authorization for a host or an address that is not granted, Execution
/// when the name has no address.
pub(super) async fn resolve(
    url: &Url,
    permissions: &Permissions,
    resolver: &Resolver,
) -> Result<Vec<SocketAddr>, ToolError> {
    let (host, port) = host_and_port(url)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    permissions.check_host(host, port)?;
    if let Ok(address) = host.parse::<IpAddr>() {
        permissions.check_address(host, address, port)?;
        return Ok(Vec::new());
    }
    let addresses = look_up(resolver, host.to_owned(), port).await?;
    // A grant for `example.org` covers `example.org.`, too.
    let name = host.strip_suffix('.').unwrap_or(host);
    let mut permitted = Vec::with_capacity(addresses.len());
    let mut refused = None;
    for address in addresses {
        match permissions.check_address(name, address.ip(), port) {
            Ok(()) => permitted.push(address),
            Err(error) => refused = Some(error),
        }
    }
    match refused {
        Some(error) if permitted.is_empty() => Err(error),
        _ if permitted.is_empty() => Err(no_address(host)),
        _ => Ok(permitted),
    }
}

/// Looks up a name on a thread for blocking work.
async fn look_up(
    resolver: &Resolver,
    host: String,
    port: u16,
) -> Result<Vec<SocketAddr>, ToolError> {
    let (resolver, name) = (resolver.clone(), host.clone());
    match tokio::task::spawn_blocking(move || resolver.addresses(&name, port)).await {
        Ok(Ok(addresses)) => Ok(addresses),
        Ok(Err(error)) => Err(ToolError::Execution(format!(
            "the host `{host}` was not found: {error}"
        ))),
        Err(_) => Err(no_address(&host)),
    }
}

impl Resolver {
    fn addresses(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::System => Ok((name, port).to_socket_addrs()?.collect()),
            #[cfg(test)]
            Self::Given(given) => {
                let addresses = given(name)?.into_iter();
                Ok(addresses.map(|address| (address, port).into()).collect())
            }
        }
    }
}

fn no_address(host: &str) -> ToolError {
    ToolError::Execution(format!("the host `{host}` has no address"))
}
