//! Grants: the folders, hosts and environment variables that tools may access.

use crate::vocabulary::GRANT_KEYS;
use agent_gram::value::Text;
use std::borrow::Cow;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::path::{Component, Path};

/// The folders, hosts and variables that tools may access, as a host or an agent declares them. Empty by
/// default. A run makes `Permissions` from the grants; `Permissions` have the open folders and check each
/// access.
///
/// The host of an agent grants access with the runtime. `grants: {read: ["docs"]}` of an agent narrows this
/// access further, and never widens it. A granted folder includes everything in it.
///
/// ```
/// use agent_spec::Grants;
///
/// let grants = Grants::new().read("docs").network("api.example.org");
/// assert!(grants.write.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grants {
    /// Folders whose files may be read and listed.
    pub read: Cow<'static, [Text]>,
    /// Folders in which files may be written.
    pub write: Cow<'static, [Text]>,
    /// Hosts that may be contacted, each in the form of a [`HostGrant`].
    pub network: Cow<'static, [Text]>,
    /// Names of variables of the environment that may be read.
    pub environment: Cow<'static, [Text]>,
}

impl Grants {
    /// No grants.
    pub const NONE: Grants = Grants {
        read: Cow::Borrowed(&[]),
        write: Cow::Borrowed(&[]),
        network: Cow::Borrowed(&[]),
        environment: Cow::Borrowed(&[]),
    };

    /// Creates empty grants, to which the other methods add.
    #[must_use]
    pub const fn new() -> Self {
        Self::NONE
    }

    /// Grants for a `const`.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(
        read: &'static [Text],
        write: &'static [Text],
        network: &'static [Text],
        environment: &'static [Text],
    ) -> Self {
        Self {
            read: Cow::Borrowed(read),
            write: Cow::Borrowed(write),
            network: Cow::Borrowed(network),
            environment: Cow::Borrowed(environment),
        }
    }

    /// A copy that borrows, for a `const`.
    pub(crate) const fn borrowed(&'static self) -> Self {
        #[expect(clippy::ptr_arg, reason = "a `const fn` cannot dereference a `Cow`")]
        const fn part(list: &'static Cow<'static, [Text]>) -> &'static [Text] {
            match list {
                Cow::Borrowed(texts) => texts,
                Cow::Owned(texts) => texts.as_slice(),
            }
        }
        Self::from_static(
            part(&self.read),
            part(&self.write),
            part(&self.network),
            part(&self.environment),
        )
    }

    /// These grants and a folder to read.
    #[must_use]
    pub fn read(mut self, folder: impl Into<Text>) -> Self {
        self.read.to_mut().push(folder.into());
        self
    }

    /// These grants and a folder to write in.
    #[must_use]
    pub fn write(mut self, folder: impl Into<Text>) -> Self {
        self.write.to_mut().push(folder.into());
        self
    }

    /// These grants and a host to contact, in the form of a [`HostGrant`].
    #[must_use]
    pub fn network(mut self, host: impl Into<Text>) -> Self {
        self.network.to_mut().push(host.into());
        self
    }

    /// These grants and the name of a variable of the environment.
    #[must_use]
    pub fn environment(mut self, name: impl Into<Text>) -> Self {
        self.environment.to_mut().push(name.into());
        self
    }

    /// Each kind of grant with the key it is written under, in the order of writing.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, &[Text]); 4] {
        let lists = [&self.read, &self.write, &self.network, &self.environment];
        std::array::from_fn(|at| (GRANT_KEYS[at], &**lists[at]))
    }

    /// Returns the first grant that others do not cover, with its key. Folders are compared by their text.
    pub(crate) fn beyond(&self, others: &Self) -> Option<(&'static str, &str)> {
        let parts = self.parts().into_iter().zip(others.parts());
        let mut uncovered = parts.flat_map(|((key, own), (_, theirs))| {
            let is_covered = move |text: &Text| theirs.iter().any(|outer| covers(key, outer, text));
            let own = own.iter().filter(move |text| !is_covered(text));
            own.map(move |text| (key, text.as_str()))
        });
        uncovered.next()
    }

    /// The number of grants.
    pub(crate) fn len(&self) -> usize {
        self.parts().iter().map(|(_, texts)| texts.len()).sum()
    }

    /// The list that is written under a key of [`GRANT_KEYS`].
    pub(crate) fn part_mut(&mut self, key: &str) -> Option<&mut Cow<'static, [Text]>> {
        match key {
            "read" => Some(&mut self.read),
            "write" => Some(&mut self.write),
            "network" => Some(&mut self.network),
            "environment" => Some(&mut self.environment),
            _ => None,
        }
    }
}

/// Whether a grant under a key covers another one.
fn covers(key: &str, outer: &str, inner: &str) -> bool {
    if outer == inner {
        return true;
    }
    match key {
        "read" | "write" => {
            let of = |text| Path::new(text).components();
            let plain = |part: &Component<'_>| *part != Component::CurDir;
            let outer: Vec<_> = of(outer).filter(plain).collect();
            let inner: Vec<_> = of(inner).filter(plain).collect();
            let is_below_here = matches!(inner.first(), None | Some(Component::Normal(_)));
            !inner.contains(&Component::ParentDir)
                && inner.starts_with(&outer)
                && (!outer.is_empty() || is_below_here)
        }
        "network" => match (HostGrant::parse(outer), HostGrant::parse(inner)) {
            (Ok(outer), Ok(inner)) => outer.covers(&inner),
            _ => false,
        },
        _ => false,
    }
}

/// Checks the text of a grant under a key of `grants`: `read`, `write`, `network` or `environment`.
///
/// # Errors
/// Returns the mistake, as the end of a sentence that begins with the text.
pub fn check_grant(key: &str, text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err("is empty".to_owned());
    }
    if text.contains('\0') {
        return Err("holds a NUL character".to_owned());
    }
    match key {
        "network" => match HostGrant::parse(text) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        },
        "environment" if text.contains('=') => {
            Err("is no name of a variable: a value is not granted".to_owned())
        }
        _ => Ok(()),
    }
}

/// A host that may be contacted, or a set of them: `example.org`, `*.example.org` for the hosts below
/// it, an address `10.0.0.5` or `[::1]`, addresses that begin alike `10.0.0.0/8`, or `*` for every
/// public host. A port narrows each: `localhost:8080`.
///
/// A name covers public addresses only, so that the owner of the name cannot point it at a private
/// network. An address that is not public must be granted as an address. `localhost` also covers the
/// loopback addresses, for URLs whose host is `localhost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostGrant {
    host: Host,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Any,
    Name(String),
    Below(String),
    Addresses { first: IpAddr, bits: u8 },
}

/// The mistake in the text of a [`HostGrant`], as the end of a sentence that begins with the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostGrantError(String);

impl fmt::Display for HostGrantError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for HostGrantError {}

fn wrong<T>(text: impl Into<String>) -> Result<T, HostGrantError> {
    Err(HostGrantError(text.into()))
}

impl HostGrant {
    /// Whether this grant covers another one, judged by their texts. No name covers an address.
    fn covers(&self, other: &Self) -> bool {
        if self.port.is_some() && self.port != other.port {
            return false;
        }
        match (&self.host, &other.host) {
            (Host::Any, Host::Addresses { .. }) => false,
            (Host::Any, _) => true,
            (
                Host::Addresses { first, bits },
                Host::Addresses {
                    first: inner,
                    bits: inner_bits,
                },
            ) => bits <= inner_bits && within(*inner, *first, *bits),
            (Host::Below(above), Host::Name(name) | Host::Below(name)) => {
                let rest = name.strip_suffix(above.as_str());
                self.host == other.host || rest.is_some_and(|rest| rest.ends_with('.'))
            }
            (outer, inner) => outer == inner,
        }
    }

    /// Reads a grant.
    ///
    /// # Errors
    /// Returns an error for a text with a scheme, a path, an invalid port or an invalid name.
    pub fn parse(text: &str) -> Result<Self, HostGrantError> {
        if let Some((_, rest)) = text.split_once("://") {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            return wrong(format!("is a URL; the host alone is granted: `{host}`"));
        }
        // An address of version 6 without brackets has no port: its colons are its own.
        if let Ok(address) = text.parse::<Ipv6Addr>() {
            return Ok(Self::of(Host::one(address.into()), None));
        }
        if let Some((address, bits)) = text.split_once('/') {
            return Self::network(address, bits);
        }
        let (host, port) = split_port(text)?;
        let host = match host {
            "*" => Host::Any,
            _ => read_host(host)?,
        };
        Ok(Self::of(host, port))
    }

    const fn of(host: Host, port: Option<u16>) -> Self {
        Self { host, port }
    }

    fn network(address: &str, bits: &str) -> Result<Self, HostGrantError> {
        let address = address.trim_start_matches('[').trim_end_matches(']');
        let Ok(first) = address.parse::<IpAddr>() else {
            return wrong("has a path; the host alone is granted");
        };
        let most = if first.is_ipv4() { 32 } else { 128 };
        match bits.parse() {
            Ok(bits) if bits <= most => Ok(Self::of(Host::Addresses { first, bits }, None)),
            _ => wrong(format!(
                "has no number of bits from 0 to {most} after the `/`"
            )),
        }
    }

    /// Whether the host of a URL is granted, by its name or by its address. `host` has the form of a
    /// normalised URL: a name in lower case and ASCII, an address without brackets. The addresses that a
    /// name resolves to are checked by [`covers_address`].
    ///
    /// [`covers_address`]: Self::covers_address
    #[must_use]
    pub fn covers_host(&self, host: &str, port: u16) -> bool {
        if self.port.is_some_and(|granted| granted != port) {
            return false;
        }
        // A dot at the end marks a name as fully qualified. It is the same host.
        let host = host.strip_suffix('.').unwrap_or(host);
        match (&self.host, host.parse::<IpAddr>()) {
            (Host::Any, _) => true,
            (Host::Addresses { first, bits }, Ok(address)) => within(address, *first, *bits),
            (Host::Name(name), Err(_)) => host == name,
            (Host::Below(name), Err(_)) => {
                let before = host.strip_suffix(name.as_str());
                before.is_some_and(|before| before.ends_with('.') && before.len() > 1)
            }
            _ => false,
        }
    }

    /// Whether an address that is not public is granted, when it is reached by this host.
    #[must_use]
    pub fn covers_address(&self, host: &str, address: IpAddr, port: u16) -> bool {
        if self.port.is_some_and(|granted| granted != port) {
            return false;
        }
        match &self.host {
            Host::Addresses { first, bits } => within(address, *first, *bits),
            Host::Name(name) => name == "localhost" && host == "localhost" && address.is_loopback(),
            _ => false,
        }
    }
}

impl Host {
    const fn one(address: IpAddr) -> Self {
        let bits = if address.is_ipv4() { 32 } else { 128 };
        Self::Addresses {
            first: address,
            bits,
        }
    }
}

/// The canonical form, which is read as the same grant.
impl fmt::Display for HostGrant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Any => out.write_str("*")?,
            Host::Name(name) => out.write_str(name)?,
            Host::Below(name) => write!(out, "*.{name}")?,
            Host::Addresses { first, bits } => {
                let whole = if first.is_ipv4() { 32 } else { 128 };
                match (first, self.port) {
                    _ if *bits != whole => return write!(out, "{first}/{bits}"),
                    (IpAddr::V6(first), Some(_)) => write!(out, "[{first}]")?,
                    _ => write!(out, "{first}")?,
                }
            }
        }
        match self.port {
            Some(port) => write!(out, ":{port}"),
            None => Ok(()),
        }
    }
}

fn split_port(text: &str) -> Result<(&str, Option<u16>), HostGrantError> {
    let Some((host, port)) = text.rsplit_once(':') else {
        return Ok((text, None));
    };
    if text.ends_with(']') {
        return Ok((text, None));
    }
    match port.parse() {
        Ok(0) | Err(_) => wrong(format!(
            "has no port from 1 to 65535 after the `:`, but `{port}`"
        )),
        Ok(port) => Ok((host, Some(port))),
    }
}

fn read_host(host: &str) -> Result<Host, HostGrantError> {
    if let Some(inner) = host.strip_prefix('[') {
        let address = inner.strip_suffix(']').and_then(|inner| inner.parse().ok());
        return match address {
            Some(address) => Ok(Host::one(IpAddr::V6(address))),
            None => wrong("has brackets around what is no address of version 6"),
        };
    }
    if let Ok(address) = host.parse() {
        return Ok(Host::one(address));
    }
    let (below, name) = match host.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, host),
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    check_name(&name)?;
    Ok(if below {
        Host::Below(name)
    } else {
        Host::Name(name)
    })
}

fn check_name(name: &str) -> Result<(), HostGrantError> {
    if name.is_empty() {
        return wrong("names no host");
    }
    if let Some(strange) = name.chars().find(|c| !is_of_name(*c)) {
        return wrong(match strange {
            '*' => "has a `*` where only `*` alone or a leading `*.` means something".to_owned(),
            strange if !strange.is_ascii() => {
                format!("has the character `{strange}`; write the name in its ASCII form, `xn--…`")
            }
            strange => format!("has the character {strange:?}, which no host has"),
        });
    }
    if name
        .split('.')
        .any(|label| label.is_empty() || label.len() > 63)
        || name.len() > 253
    {
        return wrong("is no name of a host: each part has 1 to 63 characters, and all of it 253");
    }
    // URLs read a name that ends in a number as an address, in decimal, octal or hexadecimal.
    let last = name.rsplit('.').next().unwrap_or_default();
    if last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x") {
        return wrong("is an address in a form that is not granted; write it as in `127.0.0.1`");
    }
    Ok(())
}

const fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Whether the leading bits of two addresses are equal. An address of version 4 is never within one of
/// version 6, or the reverse.
fn within(address: IpAddr, first: IpAddr, bits: u8) -> bool {
    let leading = |value: u128, width: u32| {
        let rest = width - u32::from(bits);
        value.checked_shr(rest).unwrap_or_default()
    };
    match (address, first) {
        (IpAddr::V4(address), IpAddr::V4(first)) => {
            let value = |address: std::net::Ipv4Addr| leading(address.to_bits().into(), 32);
            value(address) == value(first)
        }
        (IpAddr::V6(address), IpAddr::V6(first)) => {
            leading(address.to_bits(), 128) == leading(first.to_bits(), 128)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_cover_hosts_by_name_or_address() {
        for (grant, covered, not) in [
            (
                "example.org",
                &["example.org", "example.org."][..],
                &["a.example.org", "xexample.org", "example.com"][..],
            ),
            ("Example.ORG.", &["example.org"], &["org"]),
            (
                "*.example.org",
                &["a.example.org", "a.b.example.org"],
                &["example.org", ".example.org", "aexample.org"],
            ),
            ("*", &["example.org", "8.8.8.8", "::1"], &[]),
            (
                "10.0.0.5",
                &["10.0.0.5"],
                &["10.0.0.6", "::ffff:10.0.0.5", "ten.example"],
            ),
            (
                "10.0.0.0/8",
                &["10.0.0.5", "10.255.0.1"],
                &["11.0.0.0", "::a00:5"],
            ),
            (
                "0.0.0.0/0",
                &["10.0.0.5", "1.1.1.1"],
                &["::1", "example.org"],
            ),
            ("::1", &["::1"], &["::2", "127.0.0.1"]),
            ("[fd00::]/8", &["fd12::1"], &["fe80::1"]),
            ("::/0", &["fd12::1", "::1"], &["1.1.1.1"]),
        ] {
            let read = HostGrant::parse(grant).expect(grant);
            for host in covered {
                assert!(read.covers_host(host, 80), "{grant} {host}");
            }
            for host in not {
                assert!(!read.covers_host(host, 80), "{grant} {host}");
            }
            assert_eq!(HostGrant::parse(&read.to_string()), Ok(read), "{grant}");
        }
    }

    #[test]
    fn a_port_narrows_a_grant() {
        for grant in ["example.org:8080", "*:8080", "*.org:8080"] {
            let read = HostGrant::parse(grant).expect(grant);
            assert!(read.covers_host("example.org", 8080) && !read.covers_host("example.org", 80));
            assert_eq!(read.to_string(), grant);
        }
        let loopback = HostGrant::parse("[::1]:8080").expect("a grant");
        let address = "::1".parse().expect("an address");
        assert!(loopback.covers_address("any", address, 8080));
        assert!(!loopback.covers_address("any", address, 8081));
        assert_eq!(loopback.to_string(), "[::1]:8080");
    }

    #[test]
    fn only_addresses_cover_private_addresses() {
        let covers = |grant: &str, host: &str, address: &str| {
            let grant = HostGrant::parse(grant).expect(grant);
            grant.covers_address(host, address.parse().expect(address), 80)
        };
        assert!(covers("127.0.0.1", "example.org", "127.0.0.1"));
        assert!(covers("localhost", "localhost", "127.0.0.1"));
        assert!(covers("localhost", "localhost", "::1"));
        assert!(!covers("localhost", "localhost", "10.0.0.1"));
        assert!(!covers("localhost", "example.org", "127.0.0.1"));
        assert!(!covers("example.org", "example.org", "127.0.0.1"));
        assert!(!covers("*", "example.org", "127.0.0.1"));
    }

    #[test]
    fn rejects_invalid_hosts_with_a_reason() {
        for (text, reason) in [
            (
                "https://example.org/a",
                "is a URL; the host alone is granted: `example.org`",
            ),
            ("example.org/a", "has a path"),
            ("example.org:", "no port"),
            ("example.org:0", "no port"),
            ("example.org:65536", "no port"),
            ("10.0.0.0/33", "bits from 0 to 32"),
            ("::/129", "bits from 0 to 128"),
            ("a..b", "1 to 63"),
            ("*x.org", "a `*` where"),
            ("a.*.org", "a `*` where"),
            ("", "names no host"),
            ("*.", "names no host"),
            ("exa mple.org", "the character ' '"),
            ("münchen.de", "xn--"),
            ("127.1", "in a form"),
            ("0x7f.1", "in a form"),
            ("2130706433", "in a form"),
            ("[::1", "brackets"),
            ("user@example.org", "'@'"),
        ] {
            let error = HostGrant::parse(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
