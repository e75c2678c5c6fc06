//! From the host of a URL to addresses that may be contacted.

use crate::web::shown::Shown;
use agent_runtime::Permissions;
use agent_runtime::ToolError;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
#[cfg(test)]
use std::sync::Arc;

/// Where a URL is asked for: at addresses that are granted.
#[derive(Debug)]
pub(super) struct Target {
    /// None when the host is an address itself, which is not looked up.
    pub(super) addresses: Vec<SocketAddr>,
}

/// Who says which addresses a name has.
#[derive(Clone, Default)]
pub(super) enum Resolver {
    #[default]
    System,
    #[cfg(test)]
    Given(Arc<Given>),
}

/// Gives the addresses of a name.
#[cfg(test)]
type Given = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// The addresses that were checked, whatever name is looked up: so no second answer of whoever speaks
/// for the name can lead elsewhere.
pub(super) struct Checked(pub(super) Vec<SocketAddr>);

impl Resolve for Checked {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(async { Ok(addresses) })
    }
}

/// Finds where a URL is to be asked for. The connection must be made to these addresses and no others:
/// asking once more for those of the name may give different ones.
///
/// # Errors
/// Validation for what is no URL of the web; Authorization for what is not granted; Execution when the
/// name has no address.
pub(super) async fn target(
    url: &Url,
    granted: &Permissions,
    resolver: &Resolver,
) -> Result<Target, ToolError> {
    let (host, port) = host_and_port(url)?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    granted.check_host(bare, port)?;
    if let Ok(address) = bare.parse::<IpAddr>() {
        granted.check_address(bare, address, port)?;
        return Ok(Target {
            addresses: Vec::new(),
        });
    }
    let addresses = look_up(resolver, bare.to_owned(), port).await?;
    // A whole name, with its dot at the end, is granted as the same one without.
    let name = bare.strip_suffix('.').unwrap_or(bare);
    let mut allowed = Vec::with_capacity(addresses.len());
    let mut refused = None;
    for address in addresses {
        match granted.check_address(name, address.ip(), port) {
            Ok(()) => allowed.push(address),
            Err(error) => refused = Some(error),
        }
    }
    match refused {
        Some(error) if allowed.is_empty() => Err(error),
        _ if allowed.is_empty() => Err(no_address(bare)),
        _ => Ok(Target { addresses: allowed }),
    }
}

fn host_and_port(url: &Url) -> Result<(&str, u16), ToolError> {
    let wrong = |what: &str| Err(ToolError::Validation(format!("`{}` {what}", Shown(url))));
    if !matches!(url.scheme(), "http" | "https") {
        return wrong("is not of the web: only `http` and `https` are");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("holds a user name or a password, and is not asked for");
    }
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) if port != 0 => Ok((host, port)),
        _ => wrong("names no host to ask"),
    }
}

/// On a thread of its own: the system's look-up blocks.
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
