//! Parsing the variable `OLLAMA_HOST`, which Ollama's server and clients share.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The default port of Ollama. A URL with a scheme has the default port of the scheme.
const PORT: u16 = 11434;

/// Converts the value of the variable to a base URL. It is `host`, `host:port`, `:port` or a URL, each with
/// or without a path. For an address that means all interfaces, the result is this machine.
pub(super) fn base_url(text: &str) -> String {
    // Environment files keep the quotes that a shell removes.
    let text = text.trim().trim_matches(['"', '\'']).trim();
    let (scheme, rest, default_port) = match text.split_once("://") {
        // There is no host to complete.
        Some((_, "")) => return text.to_owned(),
        Some((scheme, rest)) => (scheme, rest, None),
        None => ("http", text, Some(PORT)),
    };
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, path.trim_matches('/')),
        None => (rest, ""),
    };
    let (host, port) = split(authority);
    let mut url = format!("{scheme}://{}", client_host(host));
    let default_port = default_port.map(|port| port.to_string());
    if let Some(port) = port.map(str::to_owned).or(default_port) {
        url.push_str(&format!(":{port}"));
    }
    if !path.is_empty() {
        url.push_str(&format!("/{path}"));
    }
    url
}

/// Splits host and port. The colons of an IPv6 address belong to the host, also without brackets.
fn split(authority: &str) -> (&str, Option<&str>) {
    if authority.parse::<Ipv6Addr>().is_ok() {
        return (authority, None);
    }
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port).filter(|p| !p.is_empty())),
        _ => (authority, None),
    }
}

/// Returns the host that a client connects to.
fn client_host(host: &str) -> String {
    if host.is_empty() {
        return Ipv4Addr::LOCALHOST.to_string();
    }
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match address.parse() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::base_url;

    #[test]
    fn parses_every_form_that_ollamas_own_clients_parse() {
        for (variable, expected) in [
            ("1.2.3.4", "http://1.2.3.4:11434"),
            ("1.2.3.4:56789", "http://1.2.3.4:56789"),
            (":56789", "http://127.0.0.1:56789"),
            ("example.com", "http://example.com:11434"),
            ("example.com:56789", "http://example.com:56789"),
            ("example.com:", "http://example.com:11434"),
            ("example.com/", "http://example.com:11434"),
            ("example.com/path", "http://example.com:11434/path"),
            ("example.com:56789/a/b/", "http://example.com:56789/a/b"),
            ("http://example.com", "http://example.com"),
            ("https://example.com/", "https://example.com"),
            ("https://example.com:56789/p", "https://example.com:56789/p"),
            ("https://:56789", "https://127.0.0.1:56789"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080"),
            ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
            ("[::]:8080", "http://[::1]:8080"),
            ("::1", "http://[::1]:11434"),
            ("[::1]", "http://[::1]:11434"),
            ("[1:2:3:4::1]:56789/path", "http://[1:2:3:4::1]:56789/path"),
            ("https://[1:2:3:4::1]", "https://[1:2:3:4::1]"),
            (" \"localhost:1234\" ", "http://localhost:1234"),
            // Not URLs of a server: they are rejected as base URLs.
            ("http://", "http://"),
            ("ftp://host", "ftp://host"),
            ("user:secret@host", "http://user:secret@host"),
            ("host:port", "http://host:port"),
        ] {
            assert_eq!(base_url(variable), expected, "{variable}");
        }
    }
}
