//! Addresses of mailboxes and hosts.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A mailbox as in RFC 5321, section 4.1.2: a dot-string or a quoted string, `@`, and a host name
/// or an address in brackets. Comments and folding of RFC 5322 are not taken: nobody who sends an
/// address means them.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    // Section 4.5.3.1 limits both parts.
    (1..=64).contains(&local.len())
        && domain.len() <= 255
        && (is_dot_string(local) || is_quoted_string(local))
        && is_domain(domain)
}

/// `a.b.c`, each part of `atext` (RFC 5322, section 3.2.3).
fn is_dot_string(local: &str) -> bool {
    let is_atext = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&b);
    local
        .split('.')
        .all(|atom| !atom.is_empty() && atom.bytes().all(is_atext))
}

/// `"…"`, where a backslash takes the next character as it is.
fn is_quoted_string(local: &str) -> bool {
    let Some(text) = local
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return false;
    };
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let taken = match byte {
            b'\\' => bytes
                .next()
                .is_some_and(|next| (0x20..=0x7e).contains(&next)),
            b'"' => false,
            byte => byte == b'\t' || (0x20..=0x7e).contains(&byte),
        };
        if !taken {
            return false;
        }
    }
    local.len() >= 2
}

fn is_domain(domain: &str) -> bool {
    let Some(literal) = domain
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    else {
        return is_host_name(domain);
    };
    match literal.split_at_checked(5) {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => is_ipv6(address),
        _ => is_ipv4(literal),
    }
}

/// A host name as in RFC 1123, section 2.1.
fn is_host_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

/// Four decimal numbers as in RFC 2673, section 3.2, without leading zeros.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

/// An address as in RFC 4291, section 2.2, without a zone.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}
