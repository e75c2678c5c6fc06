//! Parsing the base URLs that people write for providers, with error messages that suggest a fix.

use agent_tool::__private::shortened;
use agent_tool::Error;
use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

/// The maximum number of bytes of a base URL that an error quotes.
pub(super) const QUOTED: usize = 200;

/// The example in an error about a URL of no particular vendor.
const EXAMPLE: &str = "https://models.example/v1";

/// The source of a base URL, named in errors so that the user knows where to fix the URL.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UrlSource<'a> {
    /// `--base-url`, or `RuntimeBuilder::base_url`.
    Caller,
    /// The environment variable of this name.
    Variable(&'a str),
    /// `baseUrl` in the agent document.
    Agent,
    /// `--provider`, or `CompatibleProvider`, for the provider of this name.
    Provider(&'a str),
}

impl fmt::Display for UrlSource<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caller => out.write_str(
                "the base URL given with `--base-url` (in code, `RuntimeBuilder::base_url`)",
            ),
            Self::Variable(name) => write!(out, "the base URL in the variable `{name}`"),
            Self::Agent => out.write_str("the base URL that the agent gives as `baseUrl`"),
            Self::Provider(name) => write!(
                out,
                "the base URL of the provider `{name}`, given with `--provider` (in code, \
                 `CompatibleProvider`),"
            ),
        }
    }
}

/// A base URL, not yet parsed, with its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseUrl<'a> {
    /// The URL to parse. It differs from `written` for `OLLAMA_HOST`, which may lack scheme and port.
    pub(super) text: &'a str,
    /// The text that the user wrote, for errors.
    pub(super) written: &'a str,
    pub(super) source: UrlSource<'a>,
    /// A correct URL for this source, for errors.
    pub(super) example: &'a str,
}

/// Checks a base URL that the host program or the command line set.
///
/// # Errors
/// Configuration when requests cannot be sent to it.
pub(crate) fn check_base_url(text: &str, source: UrlSource<'_>) -> Result<(), Error> {
    let base_url = BaseUrl {
        text,
        written: text,
        source,
        example: EXAMPLE,
    };
    base_url.parse().map(drop)
}

impl BaseUrl<'_> {
    pub(super) fn parse(&self) -> Result<Url, Error> {
        let text = self.text.trim();
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(_) if text.is_empty() => return Err(self.error("is empty")),
            Err(error) => {
                let why = format!("is `{}`, which is no URL ({error})", redacted(self.written));
                return Err(self.error(&why));
            }
        };
        // `Url::parse` accepts any number of slashes before the host, and reads `http:///v1` as the
        // host `v1`.
        let rest = text.split_once(':').map_or("", |(_, rest)| rest);
        let has_host = rest
            .strip_prefix("//")
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '\\']));
        if matches!(url.scheme(), "http" | "https") && !has_host {
            let why = format!("is `{}`, which has no host", redacted(self.written));
            return Err(self.error(&why));
        }
        let found = redacted(self.written);
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(self.error(&format!(
                "is `{found}`, which does not begin with `http://` or `https://`"
            )));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::configuration(format!(
                "{} is `{found}`, which holds a user name or password; leave them out: a server \
                 that wants a key gets it in a header",
                self.source
            )));
        }
        Ok(url)
    }

    fn error(&self, why: &str) -> Error {
        let right = match with_scheme(self.text.trim()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("write one such as `{}`", self.example),
        };
        Error::configuration(format!("{} {why}; {right}", self.source))
    }
}

/// Completes a URL that only lacks its scheme: with `http` for this machine, with `https` for others.
fn with_scheme(text: &str) -> Option<String> {
    let plain = Url::parse(&format!("http://{text}")).ok()?;
    let host = plain.host_str()?;
    let is_host = host.contains('.') || host == "localhost" || host.starts_with('[');
    let is_address = is_host && !text.contains("//") && !text.contains('@');
    let scheme = match is_loopback(host) {
        true => "http",
        false => "https",
    };
    is_address.then(|| format!("{scheme}://{}", redacted(text)))
}

/// Returns a URL for an error message without its secrets: user name and password, the query, or all of
/// it if it looks like a key that was pasted in place of a URL.
fn redacted(written: &str) -> String {
    let written = written.trim();
    let is_name = !written.contains([':', '/']);
    if is_name && written.len() >= 20 && (!written.contains('.') || written.len() > 64) {
        return format!("… ({} characters)", written.chars().count());
    }
    let (written, cut) = match written.find(['?', '#']) {
        Some(end) => (&written[..end], "?…"),
        None => (written, ""),
    };
    let text = match written.rfind('@') {
        Some(at) => {
            let begin = written.find("://").map_or(0, |begin| begin + 3);
            format!("{}…{}", &written[..begin.min(at)], &written[at..])
        }
        None => written.to_owned(),
    };
    format!("{}{cut}", shortened(&text, QUOTED).escape_debug())
}

/// Whether a host is this machine by its name or address, so that no request to it crosses a network.
pub(super) fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Formats a URL for messages, without its query and fragment, which may hold secrets.
pub(super) fn display_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, source: UrlSource<'_>) -> String {
        let error = check_base_url(text, source).expect_err(text);
        assert!(error.is_configuration(), "{error:?}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        error.to_string()
    }

    #[test]
    fn errors_name_the_source_of_the_url() {
        for (source, words) in [
            (UrlSource::Caller, "`--base-url` (in code, `RuntimeBuilder"),
            (
                UrlSource::Variable("OLLAMA_HOST"),
                "variable `OLLAMA_HOST` is",
            ),
            (UrlSource::Agent, "the agent gives as `baseUrl` is"),
            (UrlSource::Provider("Acme"), "of the provider `Acme`, given"),
        ] {
            let text = error("nowhere", source);
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn errors_quote_the_url_without_secrets_and_suggest_a_fix() {
        for (found, words) in [
            (
                "",
                "is empty; write one such as `https://models.example/v1`",
            ),
            (" ", "is empty;"),
            ("nowhere", "is `nowhere`, which is no URL"),
            ("h/v1", "is `h/v1`, which is no URL"),
            (
                "models.example/v1",
                "did you mean `https://models.example/v1`?",
            ),
            (
                "localhost:8080/v1",
                "did you mean `http://localhost:8080/v1`?",
            ),
            ("127.0.0.1:8080", "did you mean `http://127.0.0.1:8080`?"),
            (
                "file:///etc/passwd",
                "does not begin with `http://` or `https://`",
            ),
            (
                "ftp://models.example",
                "is `ftp://models.example`, which does not",
            ),
            ("http://models.example:port/v1", "invalid port number"),
            (
                "http:///v1",
                "is `http:///v1`, which has no host; write one such as",
            ),
            ("http:/h/v1", "which has no host"),
            ("https:h/v1", "which has no host"),
            ("http://\\h/v1", "which has no host"),
            (
                "http://user:secret@h/v1",
                "is `http://…@h/v1`, which holds a user name",
            ),
            (
                "http://user:secret@[h/v1",
                "is `http://…@[h/v1`, which is no URL",
            ),
            ("user:secret@h/v1", "is `…@h/v1`, which"),
            ("ftp://user:secret/@h", "is `ftp://…@h`, which"),
            (
                "models.example/v1?key=secret",
                "is `models.example/v1?…`, which",
            ),
            ("sk-proj-secret-0123456789", "is `… (25 characters)`, which"),
        ] {
            let text = error(found, UrlSource::Caller);
            assert!(text.contains(words), "{found}: {text}");
        }
    }
}
