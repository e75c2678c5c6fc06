//! URIs, RFC 3986.

use super::address::is_ipv6;

/// `URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]`, section 3. A relative reference is
/// not one.
pub(super) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let (rest, fragment) = split_off(rest, '#');
    let (hierarchy, query) = split_off(rest, '?');
    let (authority, path) = match hierarchy.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, hierarchy),
    };
    is_scheme(scheme)
        && authority.is_none_or(is_authority)
        && is_made_of(path, b":@/")
        && is_made_of(query, b":@/?")
        && is_made_of(fragment, b":@/?")
}

/// What stands before and after the first of these characters.
fn split_off(text: &str, at: char) -> (&str, &str) {
    text.split_once(at).unwrap_or((text, ""))
}

/// Section 3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
}

/// `[ userinfo "@" ] host [ ":" port ]`, section 3.2.
fn is_authority(text: &str) -> bool {
    let (user, host_and_port) = match text.split_once('@') {
        Some((user, rest)) => (user, rest),
        None => ("", text),
    };
    if !is_made_of(user, b":") {
        return false;
    }
    let port = match host_and_port.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if is_ip_literal(address) => port,
            _ => return false,
        },
        None => {
            let end = host_and_port.find(':').unwrap_or(host_and_port.len());
            let (host, port) = host_and_port.split_at(end);
            if !is_made_of(host, b"") {
                return false;
            }
            port
        }
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    (port.is_empty() || digits.len() < port.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// `IPv6address / IPvFuture`, section 3.2.2.
fn is_ip_literal(text: &str) -> bool {
    let Some(future) = text.strip_prefix(['v', 'V']) else {
        return is_ipv6(text);
    };
    match future.split_once('.') {
        Some((version, address)) => {
            !version.is_empty()
                && version.bytes().all(|b| b.is_ascii_hexdigit())
                && !address.is_empty()
                && !address.contains('%')
                && is_made_of(address, b":")
        }
        None => false,
    }
}

/// Whether a text holds only unreserved characters, sub-delimiters, percent-encoded bytes, and
/// these further characters; section 2.
fn is_made_of(text: &str, further: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let taken = match byte {
            b'%' => {
                let digits = (bytes.next(), bytes.next());
                matches!(digits, (Some(a), Some(b)) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
            }
            byte => {
                byte.is_ascii_alphanumeric()
                    || b"-._~!$&'()*+,;=".contains(&byte)
                    || further.contains(&byte)
            }
        };
        if !taken {
            return false;
        }
    }
    true
}
