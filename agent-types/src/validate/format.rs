//! The formats of texts that validation asserts.

use std::net::Ipv6Addr;

/// The names of the formats that validation asserts. Every other format is an annotation, which every
/// text satisfies.
pub const ASSERTED_FORMATS: [&str; 8] = [
    "date-time",
    "date",
    "time",
    "email",
    "uri",
    "uuid",
    "ipv4",
    "ipv6",
];

/// Whether validation asserts the format of a name. Every other format is an annotation, which any text
/// satisfies.
#[must_use]
pub fn is_asserted_format(name: &str) -> bool {
    ASSERTED_FORMATS.contains(&name)
}

/// Returns the words for the asserted format of a name if the text does not have that format.
pub(super) fn missing_format(name: &str, text: &str) -> Option<&'static str> {
    let (has_format, words) = match name {
        "date-time" => (
            is_date_time(text),
            "a date and time with its offset (date-time), such as \"2026-11-21T09:30:00Z\"",
        ),
        "date" => (is_date(text), "a date, such as \"2026-11-21\""),
        "time" => (
            is_time(text),
            "a time with its offset, such as \"09:30:00Z\"",
        ),
        "email" => (
            is_email(text),
            "an email address, such as \"ada@example.org\"",
        ),
        "uri" => (
            is_uri(text),
            "a URI with its scheme, such as \"https://example.org/\"",
        ),
        "uuid" => (
            is_uuid(text),
            "a UUID, such as \"123e4567-e89b-12d3-a456-426614174000\"",
        ),
        "ipv4" => (is_ipv4(text), "an IPv4 address, such as \"192.0.2.1\""),
        "ipv6" => (is_ipv6(text), "an IPv6 address, such as \"2001:db8::1\""),
        _ => return None,
    };
    (!has_format).then_some(words)
}

/// Whether a text has the format of this name, as far as a `const` can check: `true` for a format that
/// it cannot check.
pub(crate) const fn may_have_format(name: &str, text: &str) -> bool {
    match name.as_bytes() {
        b"date" => is_date(text),
        b"uuid" => is_uuid(text),
        b"ipv4" => is_ipv4(text),
        _ => true,
    }
}

/// A UUID in the form of RFC 9562, section 4: groups of 8, 4, 4, 4 and 12 hexadecimal digits.
const fn is_uuid(text: &str) -> bool {
    let text = text.as_bytes();
    let mut at = 0;
    while at < text.len() {
        let fits = match at {
            8 | 13 | 18 | 23 => text[at] == b'-',
            _ => text[at].is_ascii_hexdigit(),
        };
        if !fits {
            return false;
        }
        at += 1;
    }
    text.len() == 36
}

/// `full-date "T" full-time`.
fn is_date_time(text: &str) -> bool {
    match text.split_once(['T', 't']) {
        Some((date, time)) => is_date(date) && is_time(time),
        None => false,
    }
}

/// `full-date`: a day that exists, section 5.7.
const fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else {
        return false;
    };
    let (Some(century), Some(year), Some(month), Some(day)) =
        (pair(y1, y2), pair(y3, y4), pair(m1, m2), pair(d1, d2))
    else {
        return false;
    };
    let year = 100 * century + year;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    1 <= day && day <= days
}

/// `full-time`. A leap second is the last of a day in UTC, section 5.7.
fn is_time(text: &str) -> bool {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text.as_bytes() else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (pair(*h1, *h2), pair(*m1, *m2), pair(*s1, *s2))
    else {
        return false;
    };
    let Some(offset) = after_fraction(rest).and_then(offset_minutes) else {
        return false;
    };
    let utc = (60 * i32::from(hour) + i32::from(minute) - offset).rem_euclid(24 * 60);
    hour <= 23 && minute <= 59 && (second <= 59 || second == 60 && utc == 23 * 60 + 59)
}

/// Parses the rest after `time-secfrac`, which may be missing.
fn after_fraction(rest: &[u8]) -> Option<&[u8]> {
    let [b'.', digits @ ..] = rest else {
        return Some(rest);
    };
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    (count > 0).then(|| &digits[count..])
}

/// `time-offset` in minutes.
fn offset_minutes(text: &[u8]) -> Option<i32> {
    match *text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (pair(h1, h2)?, pair(m1, m2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = 60 * i32::from(hours) + i32::from(minutes);
            Some(if sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

/// Two digits.
const fn pair(tens: u8, ones: u8) -> Option<u16> {
    if tens.is_ascii_digit() && ones.is_ascii_digit() {
        Some((10 * (tens - b'0') + (ones - b'0')) as u16)
    } else {
        None
    }
}

/// A mailbox as in RFC 5321, section 4.1.2: a dot-string or a quoted string, `@`, and a host name or an
/// address in brackets. Comments and folding of RFC 5322 are rejected, because nobody uses them in an
/// address.
fn is_email(text: &str) -> bool {
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

/// Parses `"…"`, where a backslash escapes the next character.
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
const fn is_ipv4(text: &str) -> bool {
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
fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// `URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]`, section 3. A relative reference is not
/// a URI.
fn is_uri(text: &str) -> bool {
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

/// Splits a text at the first of these characters.
fn split_off(text: &str, at: char) -> (&str, &str) {
    text.split_once(at).unwrap_or((text, ""))
}

/// `scheme`, section 3.1.
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

#[cfg(test)]
mod tests {
    use super::is_ipv4;
    use std::net::Ipv4Addr;

    #[test]
    fn address_types_equal_the_standard_library() {
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
