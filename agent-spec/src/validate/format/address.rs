//! Addresses of mailboxes and hosts.

use std::net::Ipv6Addr;

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
pub(super) const fn is_ipv4(text: &str) -> bool {
    let text = text.as_bytes();
    // The number so far, its digits, and the dots before it.
    let (mut number, mut digits, mut dots) = (0_u32, 0, 0);
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'.' if digits > 0 => {
                dots += 1;
                (number, digits) = (0, 0);
            }
            digit @ b'0'..=b'9' if digits == 0 || number > 0 => {
                number = 10 * number + (digit - b'0') as u32;
                digits += 1;
                if number > 255 {
                    return false;
                }
            }
            _ => return false,
        }
        at += 1;
    }
    dots == 3 && digits > 0
}

/// An address as in RFC 4291, section 2.2, without a zone.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_ipv4;
    use std::net::Ipv4Addr;

    #[test]
    fn the_addresses_are_those_of_the_standard_library() {
        for text in [
            "192.0.2.1",
            "0.0.0.0",
            "255.255.255.255",
            "300.1.1.1",
            "256.0.0.0",
            "01.2.3.4",
            "00.0.0.0",
            "1.2.3",
            "1.2.3.",
            ".1.2.3",
            "1..2.3",
            "1.2.3.4.",
            "1.2.3.4.5",
            "",
            "a.b.c.d",
            " 1.2.3.4",
            "1.2.3.4\n",
            "1.2.3.1000",
            "+1.2.3.4",
        ] {
            assert_eq!(is_ipv4(text), text.parse::<Ipv4Addr>().is_ok(), "{text:?}");
        }
    }
}
