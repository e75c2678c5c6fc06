//! URLs of requests.

use agent_tool::__private::shortened;
use agent_tool::ToolError;
use reqwest::Url;
use std::fmt;

/// The maximum length of a scheme and of a path in messages, in bytes, because a redirect of a server can have any
/// length.
const MAX_PART: usize = 200;

/// The maximum length of a host in bytes, which the domain name system sets.
const MAX_HOST: usize = 253;

/// Displays a URL without its user, password, query and fragment, which may be secret.
pub(super) struct DisplayUrl<'a>(pub(super) &'a Url);

impl fmt::Display for DisplayUrl<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(url) = self;
        // Without a host everything may be secret, as in a `data:` URL.
        let Some(host) = url.host_str() else {
            return write!(out, "{}:", shortened(url.scheme(), MAX_PART));
        };
        let scheme = shortened(url.scheme(), MAX_PART);
        write!(out, "{scheme}://{}", shortened(host, MAX_HOST))?;
        if let Some(port) = url.port() {
            write!(out, ":{port}")?;
        }
        out.write_str(&shortened(url.path(), MAX_PART))
    }
}

/// Returns the host and the port of a URL.
///
/// # Errors
/// Validation when the URL is not `http` or `https`, has a user or a password, or has no host.
pub(super) fn host_and_port(url: &Url) -> Result<(&str, u16), ToolError> {
    let wrong = |reason: &str| {
        let url = DisplayUrl(url);
        Err(ToolError::Validation(format!("`{url}` {reason}")))
    };
    if !matches!(url.scheme(), "http" | "https") {
        return wrong("is not an `http` or `https` URL");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("contains a user name or a password");
    }
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), _) if host.len() > MAX_HOST => wrong("has a host of more than 253 bytes"),
        (Some(host), Some(port)) if port != 0 => Ok((host, port)),
        _ => wrong("has no host"),
    }
}
