//! Parsing the base URLs that people write for providers, with error messages that suggest a fix.

use agent_catalog::{Catalog, WireFormat};
use agent_http::is_this_machine;
use agent_tool::__private::shortened;
use agent_tool::Error;
use reqwest::Url;
use std::fmt;

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
    /// The row of the provider of this name in a catalogue of models, or the default.
    Catalog(&'a str),
    /// `--provider`, or `CompatibleProvider`, for the provider of this name.
    Provider(&'a str),
}

impl UrlSource<'_> {
    /// Whether the host program, its user or the environment names the URL, and not only a document.
    pub(super) fn is_program(self) -> bool {
        !matches!(self, Self::Agent | Self::Catalog(_))
    }
}

impl fmt::Display for UrlSource<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caller => out.write_str(
                "the base URL given with `--base-url` (in code, `RuntimeBuilder::base_url`)",
            ),
            Self::Variable(name) => write!(out, "the base URL in the variable `{name}`"),
            Self::Agent => out.write_str("the base URL that the agent gives as `baseUrl`"),
            Self::Catalog(name) => {
                write!(out, "the base URL of `{name}` in the catalogue of models")
            }
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
    /// The format of the requests, named as its vendor, if it is known.
    pub(super) format: Option<&'a str>,
}

/// The ends of addresses that requests have and base URLs lack.
const ENDPOINTS: [&str; 6] = [
    "/chat/completions",
    "/completions",
    "/responses",
    "/v1/messages",
    "/api/chat",
    "/api/generate",
];

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
        format: None,
    };
    base_url.parse().map(drop)
}

/// Reads the base URL in a variable for other requests to a vendor than those to a model, such as for its list of models.
///
/// # Errors
/// Configuration when requests cannot be sent to it.
pub fn base_url_in_variable(
    text: &str,
    variable: &str,
    format: WireFormat,
    example: &str,
) -> Result<String, Error> {
    let base_url = BaseUrl {
        text,
        written: text,
        source: UrlSource::Variable(variable),
        example,
        format: Some(format.as_str()),
    };
    base_url.parse().map(String::from)
}

impl BaseUrl<'_> {
    /// Parses the URL. The host of a known vendor without a path gets the path of the vendor's base URL.
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
        if let Some((end, right)) = self.without_endpoint(&url) {
            let end = end.escape_debug();
            let right = redacted(right.as_str());
            return Err(Error::configuration(format!(
                "{} is `{found}`, which is a whole endpoint; requests add `{end}` by themselves, so write `{right}`",
                self.source
            )));
        }
        Ok(self.completed(url))
    }

    /// Returns the end of a URL that requests add, and the URL without it; `None` for a base URL.
    fn without_endpoint<'u>(&self, url: &'u Url) -> Option<(&'u str, Url)> {
        let path = url.path().trim_end_matches('/');
        let last = path.rfind('/').map_or("", |at| &path[at..]);
        let base = match last.split_once(':') {
            // Google's, behind the name of the model.
            Some((_, "generateContent" | "streamGenerateContent")) => {
                let (base, _) = path.rsplit_once("/models/").or(path.rsplit_once('/'))?;
                base
            }
            _ => ENDPOINTS.iter().find_map(|end| path.strip_suffix(end))?,
        };
        // The vendors whose base URLs have no path add the version, too.
        let has_path = Url::parse(self.example).is_ok_and(|example| example.path() != "/");
        let base = match base.rsplit_once('/') {
            Some((rest, last)) if !has_path && is_version(last) => rest,
            _ => base,
        };
        let mut right = url.clone();
        right.set_path(base);
        Some((&path[base.len()..], right))
    }

    /// Adds the path of a known vendor's base URL to a URL that has only the vendor's host.
    fn completed(&self, mut url: Url) -> Url {
        let catalog = Catalog::builtin();
        // A server on this machine may be any.
        if url.path() == "/" && url.scheme() == "https" {
            let rows = catalog
                .providers()
                .filter_map(|name| catalog.provider(name));
            let mut rows =
                rows.filter(|row| row.format.map(|format| format.as_str()) == self.format);
            let row = rows.find(|row| row.is_at(url.as_str()));
            let known = row.and_then(|row| row.base_url.as_deref());
            let host_and_path = known.and_then(|known| known.split_once("://"));
            if let Some((_, path)) = host_and_path.and_then(|(_, rest)| rest.split_once('/')) {
                url.set_path(path);
            }
        }
        url
    }

    fn error(&self, why: &str) -> Error {
        let right = match with_scheme(self.text.trim()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("write one such as `{}`", self.example),
        };
        Error::configuration(format!("{} {why}; {right}", self.source))
    }
}

/// Whether a segment of a path is a version, such as `v1` or `v1beta`.
pub(super) fn is_version(segment: &str) -> bool {
    let version = segment.strip_prefix('v').unwrap_or_default();
    version.starts_with(|c: char| c.is_ascii_digit())
}

/// Completes a URL that only lacks its scheme: with `http` for this machine, with `https` for others.
fn with_scheme(text: &str) -> Option<String> {
    let plain = Url::parse(&format!("http://{text}")).ok()?;
    let host = plain.host_str()?;
    let is_host = host.contains('.') || host == "localhost" || host.starts_with('[');
    let is_address = is_host && !text.contains("//") && !text.contains('@');
    let scheme = match is_this_machine(&plain) {
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
            (UrlSource::Catalog("Acme"), "of `Acme` in the catalogue"),
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

    /// Parses a URL for requests of a format, whose vendor has the base URL `example`.
    fn parsed(text: &str, (format, example): (&str, &str)) -> Result<String, String> {
        let base_url = BaseUrl {
            text,
            written: text,
            source: UrlSource::Caller,
            example,
            format: Some(format),
        };
        let url = base_url.parse();
        url.map(|url| url.to_string()).map_err(|error| {
            assert!(error.is_configuration(), "{error:?}");
            error.to_string()
        })
    }

    const OPENAI: (&str, &str) = ("OpenAI", "https://api.openai.com/v1");
    const ANTHROPIC: (&str, &str) = ("Anthropic", "https://api.anthropic.com");
    const GOOGLE: (&str, &str) = ("Google", "https://generativelanguage.googleapis.com");
    const OLLAMA: (&str, &str) = ("Ollama", "http://127.0.0.1:11434");

    #[test]
    fn a_whole_endpoint_is_an_error_with_the_base_url_in_it() {
        for (format, found, end, right) in [
            (
                OPENAI,
                "https://h/v1/chat/completions",
                "/chat/completions",
                "https://h/v1",
            ),
            (
                OPENAI,
                "http://h:8/v1/chat/completions/",
                "/chat/completions",
                "http://h:8/v1",
            ),
            (
                OPENAI,
                "https://h/chat/completions",
                "/chat/completions",
                "https://h/",
            ),
            (
                OPENAI,
                "https://h/v1/responses",
                "/responses",
                "https://h/v1",
            ),
            (
                OPENAI,
                "https://h/v1/completions",
                "/completions",
                "https://h/v1",
            ),
            (
                OPENAI,
                "https://a.openai.azure.com/openai/deployments/d/chat/completions?api-version=secret",
                "/chat/completions",
                "https://a.openai.azure.com/openai/deployments/d?…",
            ),
            (
                ANTHROPIC,
                "https://api.anthropic.com/v1/messages",
                "/v1/messages",
                "https://api.anthropic.com/",
            ),
            (
                ANTHROPIC,
                "https://h/anthropic/v1/messages",
                "/v1/messages",
                "https://h/anthropic",
            ),
            (
                ANTHROPIC,
                "https://h/v1/chat/completions",
                "/v1/chat/completions",
                "https://h/",
            ),
            (
                GOOGLE,
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-4-argon:generateContent",
                "/v1beta/models/gemini-4-argon:generateContent",
                "https://generativelanguage.googleapis.com/",
            ),
            (
                GOOGLE,
                "https://h/v1/publishers/google/models/m:streamGenerateContent?alt=sse",
                "/models/m:streamGenerateContent",
                "https://h/v1/publishers/google?…",
            ),
            (
                OLLAMA,
                "http://127.0.0.1:11434/api/chat",
                "/api/chat",
                "http://127.0.0.1:11434/",
            ),
            (
                OLLAMA,
                "http://h/o/api/generate",
                "/api/generate",
                "http://h/o",
            ),
            (
                OLLAMA,
                "http://h/v1/chat/completions",
                "/v1/chat/completions",
                "http://h/",
            ),
        ] {
            let error = parsed(found, format).expect_err(found);
            let words = format!("requests add `{end}` by themselves, so write `{right}`");
            assert!(error.contains(&words), "{found}: {error}");
            assert!(!error.contains("secret"), "{error}");
            if !right.contains('…') {
                parsed(right, format).expect("what the error says is right");
            }
        }
    }

    #[test]
    fn the_bare_host_of_a_known_vendor_is_completed() {
        for (format, found, expected) in [
            (
                OPENAI,
                "https://api.openai.com",
                "https://api.openai.com/v1",
            ),
            (
                OPENAI,
                "https://API.openai.com:443/",
                "https://api.openai.com/v1",
            ),
            (
                OPENAI,
                "https://api.groq.com",
                "https://api.groq.com/openai/v1",
            ),
            (
                OPENAI,
                "https://openrouter.ai/",
                "https://openrouter.ai/api/v1",
            ),
            (
                OPENAI,
                "https://a.openai.azure.com",
                "https://a.openai.azure.com/openai/v1",
            ),
            (
                OPENAI,
                "https://api.deepseek.com",
                "https://api.deepseek.com/",
            ),
            (
                OPENAI,
                "https://api.openai.com?x=1",
                "https://api.openai.com/v1?x=1",
            ),
            (
                OPENAI,
                "https://api.openai.com/v2",
                "https://api.openai.com/v2",
            ),
            (
                OPENAI,
                "https://api.openai.com.evil.example",
                "https://api.openai.com.evil.example/",
            ),
            (
                OPENAI,
                "https://api.openai.com:8443",
                "https://api.openai.com:8443/",
            ),
            (OPENAI, "http://api.openai.com", "http://api.openai.com/"),
            (OPENAI, "http://127.0.0.1:8000", "http://127.0.0.1:8000/"),
            (
                ANTHROPIC,
                "https://api.anthropic.com",
                "https://api.anthropic.com/",
            ),
            // The vendor's interface of another format is elsewhere.
            (ANTHROPIC, "https://api.groq.com", "https://api.groq.com/"),
            (OLLAMA, "https://ollama.com", "https://ollama.com/"),
        ] {
            assert_eq!(parsed(found, format).as_deref(), Ok(expected), "{found}");
        }
    }
}
