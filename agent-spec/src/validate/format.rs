//! The formats of texts that are asserted; every other format is only a remark.

mod address;
mod date;
mod uri;

/// A format that is asserted.
#[derive(Clone, Copy)]
pub(super) enum Format {
    DateTime,
    Date,
    Time,
    Email,
    Uri,
    Uuid,
    Ipv4,
    Ipv6,
}

impl Format {
    /// The format that JSON Schema gives this name, if it is asserted.
    pub(super) fn from_name(name: &str) -> Option<Format> {
        Some(match name {
            "date-time" => Format::DateTime,
            "date" => Format::Date,
            "time" => Format::Time,
            "email" => Format::Email,
            "uri" => Format::Uri,
            "uuid" => Format::Uuid,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            _ => return None,
        })
    }

    /// The format in the words of a message.
    pub(super) fn words(self) -> &'static str {
        match self {
            Format::DateTime => {
                "a date and time with its offset (date-time), such as \"2026-11-21T09:30:00Z\""
            }
            Format::Date => "a date, such as \"2026-11-21\"",
            Format::Time => "a time with its offset, such as \"09:30:00Z\"",
            Format::Email => "an email address, such as \"ada@example.org\"",
            Format::Uri => "a URI with its scheme, such as \"https://example.org/\"",
            Format::Uuid => "a UUID, such as \"123e4567-e89b-12d3-a456-426614174000\"",
            Format::Ipv4 => "an IPv4 address, such as \"192.0.2.1\"",
            Format::Ipv6 => "an IPv6 address, such as \"2001:db8::1\"",
        }
    }
}

/// Whether a text has a format.
pub(super) fn is_valid(format: Format, text: &str) -> bool {
    match format {
        Format::DateTime => date::is_date_time(text),
        Format::Date => date::is_date(text),
        Format::Time => date::is_time(text),
        Format::Email => address::is_email(text),
        Format::Uri => uri::is_uri(text),
        Format::Uuid => is_uuid(text),
        Format::Ipv4 => address::is_ipv4(text),
        Format::Ipv6 => address::is_ipv6(text),
    }
}

/// Whether a text has the format of this name, as far as a `const` can tell: a format that it cannot
/// tell is taken for kept.
pub(crate) const fn may_have_format(name: &str, text: &str) -> bool {
    match name.as_bytes() {
        b"date" => date::is_date(text),
        b"uuid" => is_uuid(text),
        b"ipv4" => address::is_ipv4(text),
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
