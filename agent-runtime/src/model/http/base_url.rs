//! The addresses of providers, as people write them: which can be used, and what is said of others.

use crate::error::Error;
use crate::tool::shortened;
use reqwest::Url;
use std::fmt;

/// How much of an address is quoted, in bytes.
const QUOTED: usize = 200;

/// An address that is right, where no vendor's own can be shown.
const EXAMPLE: &str = "https://models.example/v1";

/// Where an address was written, which is where a mistake in it is mended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// `--base-url`, or the builder of the runtime.
    Caller,
    /// This variable.
    Variable(&'a str),
    /// The agent file.
    Agent,
    /// What the caller says of the provider of this name.
    Provider(&'a str),
}

impl fmt::Display for Place<'_> {
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

/// An address, and where it was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseUrl<'a> {
    /// As it is used, which is not always as it was written: see `OLLAMA_HOST`.
    pub(super) text: &'a str,
    /// As it was written.
    pub(super) written: &'a str,
    pub(super) place: Place<'a>,
    /// One that would be right there.
    pub(super) example: &'a str,
}

/// Checks an address that the caller gave.
pub(crate) fn check_base_url(text: &str, place: Place<'_>) -> Result<(), Error> {
    let base_url = BaseUrl {
        text,
        written: text,
        place,
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
                let why = format!("is `{}`, which is no URL ({error})", shown(self.written));
                return Err(self.error(&why));
            }
        };
        // A URL parser takes the first thing after the slashes for a host, however many there are.
        let rest = text.split_once(':').map_or("", |(_, rest)| rest);
        let has_host = rest
            .strip_prefix("//")
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '\\']));
        if matches!(url.scheme(), "http" | "https") && !has_host {
            let why = format!("is `{}`, which has no host", shown(self.written));
            return Err(self.error(&why));
        }
        // The password of an address with another scheme is as secret.
        let found = shown(self.written);
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(self.error(&format!(
                "is `{found}`, which does not begin with `http://` or `https://`"
            )));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::configuration(format!(
                "{} is `{found}`, which holds a user name or password; leave them out: a server \
                 that wants a key gets it in a header",
                self.place
            )));
        }
        Ok(url)
    }

    fn error(&self, why: &str) -> Error {
        let right = match with_scheme(self.text.trim()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("write one such as `{}`", self.example),
        };
        Error::configuration(format!("{} {why}; {right}", self.place))
    }
}

/// An address that only lacks its scheme: `http` on this machine, `https` elsewhere.
fn with_scheme(text: &str) -> Option<String> {
    let plain = Url::parse(&format!("http://{text}")).ok()?;
    let host = plain.host_str()?;
    let is_host = host.contains('.') || host == "localhost" || host.starts_with('[');
    let is_place = is_host && !text.contains("//") && !text.contains('@');
    let scheme = match super::endpoint::is_loopback(host) {
        true => "http",
        false => "https",
    };
    is_place.then(|| format!("{scheme}://{}", shown(text)))
}

/// An address as it was written, without what may be secret in it: a user name and password, a
/// query, or the whole, when it looks like a key that stands in the wrong place.
fn shown(written: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, place: Place<'_>) -> String {
        let error = check_base_url(text, place).expect_err(text);
        assert!(error.is_configuration(), "{error:?}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        error.to_string()
    }

    #[test]
    fn an_error_says_where_the_address_stands() {
        for (place, words) in [
            (Place::Caller, "`--base-url` (in code, `RuntimeBuilder"),
            (Place::Variable("OLLAMA_HOST"), "variable `OLLAMA_HOST` is"),
            (Place::Agent, "the agent gives as `baseUrl` is"),
            (Place::Provider("Acme"), "of the provider `Acme`, given"),
        ] {
            let text = error("nowhere", place);
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn an_error_says_what_was_found_and_what_would_be_right() {
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
            let text = error(found, Place::Caller);
            assert!(text.contains(words), "{found}: {text}");
        }
    }
}
