//! The variable `OLLAMA_HOST`, which says more than an address: Ollama's server listens where its
//! clients call.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where Ollama listens when nobody says a port. An address with a scheme has the scheme's.
const PORT: u16 = 11434;

/// The address in the variable: `host`, `host:port`, `:port` or a URL, each with or without a path.
/// A server that listens on all addresses is called on this machine.
pub(super) fn base_url(text: &str) -> String {
    // Files of settings keep the quotes that a shell takes away.
    let text = text.trim().trim_matches(['"', '\'']).trim();
    let (scheme, rest, usual) = match text.split_once("://") {
        // Nothing is named, and so there is nothing to complete.
        Some((_, "")) => return text.to_owned(),
        Some((scheme, rest)) => (scheme, rest, None),
        None => ("http", text, Some(PORT)),
    };
    let (place, path) = match rest.split_once('/') {
        Some((place, path)) => (place, path.trim_matches('/')),
        None => (rest, ""),
    };
    let (host, port) = split(place);
    let mut url = format!("{scheme}://{}", called(host));
    let usual = usual.map(|port| port.to_string());
    if let Some(port) = port.map(str::to_owned).or(usual) {
        url.push_str(&format!(":{port}"));
    }
    if !path.is_empty() {
        url.push_str(&format!("/{path}"));
    }
    url
}

/// Host and port. Colons inside brackets, and those of an IPv6 address without, are the host's.
fn split(place: &str) -> (&str, Option<&str>) {
    if place.parse::<Ipv6Addr>().is_ok() {
        return (place, None);
    }
    match place.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port).filter(|p| !p.is_empty())),
        _ => (place, None),
    }
}

/// The host as it is called.
fn called(host: &str) -> String {
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
    fn every_form_that_ollamas_own_clients_read() {
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
            // These are no addresses, and are refused as what they are.
            ("http://", "http://"),
            ("ftp://host", "ftp://host"),
            ("user:secret@host", "http://user:secret@host"),
            ("host:port", "http://host:port"),
        ] {
            assert_eq!(base_url(variable), expected, "{variable}");
        }
    }
}
