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
    /// The end of the addresses of requests, if their format is known.
    pub(super) endpoint: Option<&'a str>,
}

/// An end of addresses that requests have and base URLs lack.
struct WholeEndpoint {
    end: &'static str,
    /// The end of the addresses of our requests in this format. It differs from `end` for interfaces that we do not use.
    requested: &'static str,
    /// The interface, for errors.
    interface: &'static str,
    /// The provider whose models are asked by this interface.
    provider: &'static str,
    /// The vendor of the format.
    format: &'static str,
}

const ENDPOINTS: [WholeEndpoint; 8] = [
    chat("/chat/completions"),
    chat("/completions"),
    WholeEndpoint {
        end: "/responses",
        requested: "/responses",
        interface: "OpenAI's Responses",
        provider: "OpenAIResponses",
        format: "OpenAI",
    },
    WholeEndpoint {
        end: "/v1/messages",
        requested: "/v1/messages",
        interface: "Anthropic's Messages",
        provider: "Anthropic",
        format: "Anthropic",
    },
    ollama("/api/chat"),
    ollama("/api/generate"),
    google(":generateContent"),
    google(":streamGenerateContent"),
];

const fn chat(end: &'static str) -> WholeEndpoint {
    WholeEndpoint {
        end,
        requested: "/chat/completions",
        interface: "OpenAI's Chat Completions",
        provider: "OpenAIChat",
        format: "OpenAI",
    }
}

const fn ollama(end: &'static str) -> WholeEndpoint {
    WholeEndpoint {
        end,
        requested: "/api/chat",
        interface: "Ollama",
        provider: "Ollama",
        format: "Ollama",
    }
}

const fn google(end: &'static str) -> WholeEndpoint {
    WholeEndpoint {
        end,
        requested: ":generateContent",
        interface: "Google's Gemini API",
        provider: "Google",
        format: "Google",
    }
}

/// Checks a base URL that the host program or the command line set. `endpoint` is the end of the addresses of requests, if the
/// format of the requests is known.
///
/// # Errors
/// Configuration when requests cannot be sent to the URL.
pub(crate) fn check_base_url(
    text: &str,
    source: UrlSource<'_>,
    endpoint: Option<&str>,
) -> Result<(), Error> {
    let base_url = BaseUrl {
        text,
        written: text,
        source,
        example: EXAMPLE,
        format: None,
        endpoint,
    };
    base_url.parse().map(drop)
}

/// Parses the base URL in a variable, for requests to a vendor that do not ask a model, such as for its list
/// of models.
///
/// # Errors
/// Configuration when requests cannot be sent to the URL.
pub fn base_url_in_variable(
    text: &str,
    variable: &str,
    format: WireFormat,
    example: &str,
) -> Result<String, Error> {
    let format = format.as_str();
    let mut endpoints = ENDPOINTS.iter();
    let endpoint = endpoints.find(|endpoint| endpoint.format == format);
    let base_url = BaseUrl {
        text,
        written: text,
        source: UrlSource::Variable(variable),
        example,
        format: Some(format),
        endpoint: endpoint.map(|endpoint| endpoint.requested),
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
        if let Some(problem) = self.whole_endpoint(&url) {
            return Err(Error::configuration(format!(
                "{} is `{found}`, which is a whole endpoint{problem}",
                self.source
            )));
        }
        Ok(self.completed(url))
    }

    /// Returns the problem of a URL with the end that requests add, and what to write in its place.
    fn whole_endpoint(&self, url: &Url) -> Option<String> {
        let own = ENDPOINTS
            .iter()
            .find(|own| Some(own.end) == self.endpoint)?;
        let path = url.path().trim_end_matches('/');
        let found = ENDPOINTS.iter().find(|found| path.ends_with(found.end))?;
        let mut base = path.strip_suffix(found.end)?;
        if found.end.starts_with(':') {
            (base, _) = base.rsplit_once("/models/").or(base.rsplit_once('/'))?;
            // Requests add the version, too.
            if let Some((rest, last)) = base.rsplit_once('/')
                && is_version(last)
            {
                base = rest;
            }
        }
        let mut right = url.clone();
        right.set_path(base);
        let right = redacted(right.as_str());
        let (interface, provider) = (found.interface, found.provider);
        if own.format != found.format {
            let choice = match self.source {
                UrlSource::Catalog(_) => format!("`format: \"{}\"` in the row", found.format),
                _ => format!("the model as `{provider}/…`"),
            };
            return Some(format!(
                " of {interface}, but the model is asked by {}; to ask by {interface}, write {choice} and the base URL as \
                 `{right}`",
                own.interface
            ));
        }
        let added = match found.end.starts_with(':') {
            true => &path[base.len()..],
            false => own.requested,
        };
        let mut problem = format!(
            "; requests add `{}` by themselves, so write `{right}`",
            added.escape_debug()
        );
        if own.requested != found.requested {
            problem += &format!("; models `{provider}/…` are asked by {interface}");
        }
        Some(problem)
    }

    /// Adds the path of a known vendor's base URL to a URL that has only the vendor's host.
    fn completed(&self, mut url: Url) -> Url {
        let catalog = Catalog::builtin();
        // Only `https` URLs are completed, because a server on this machine may be any server.
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
        let error = check_base_url(text, source, None).expect_err(text);
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

    /// Parses a URL for requests of a format to addresses with this end. The vendor has the base URL `example`.
    fn parsed(
        text: &str,
        (format, example, endpoint): (&str, &str, &str),
    ) -> Result<String, String> {
        let base_url = BaseUrl {
            text,
            written: text,
            source: UrlSource::Caller,
            example,
            format: Some(format),
            endpoint: Some(endpoint),
        };
        let url = base_url.parse();
        url.map(|url| url.to_string()).map_err(|error| {
            assert!(error.is_configuration(), "{error:?}");
            error.to_string()
        })
    }

    const OPENAI: (&str, &str, &str) = ("OpenAI", "https://api.openai.com/v1", "/chat/completions");
    const RESPONSES: (&str, &str, &str) = (OPENAI.0, OPENAI.1, "/responses");
    const ANTHROPIC: (&str, &str, &str) =
        ("Anthropic", "https://api.anthropic.com", "/v1/messages");
    const GOOGLE: (&str, &str, &str) = (
        "Google",
        "https://generativelanguage.googleapis.com",
        ":generateContent",
    );
    const OLLAMA: (&str, &str, &str) = ("Ollama", "http://127.0.0.1:11434", "/api/chat");

    #[test]
    fn a_whole_endpoint_is_an_error_with_the_base_url_in_it() {
        let gemini = "/v1beta/models/gemini-4-argon:generateContent";
        let google = format!("https://generativelanguage.googleapis.com{gemini}");
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
                "https://h/v1/completions",
                "/chat/completions",
                "https://h/v1",
            ),
            (
                RESPONSES,
                "https://h/v1/responses",
                "/responses",
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
                GOOGLE,
                &google,
                gemini,
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
            (OLLAMA, "http://h/o/api/generate", "/api/chat", "http://h/o"),
        ] {
            let error = parsed(found, format).expect_err(found);
            let words = format!("requests add `{end}` by themselves, so write `{right}`");
            assert!(error.ends_with(&words), "{found}: {error}");
            assert!(!error.contains("secret"), "{error}");
            if !right.contains('…') {
                parsed(right, format).expect("what the error says is right");
            }
        }
    }

    #[test]
    fn an_endpoint_of_another_format_is_an_error_that_names_the_format() {
        for (found, own, provider, interface, right) in [
            (
                "https://h/v1/messages",
                &[OPENAI, RESPONSES, GOOGLE, OLLAMA][..],
                "Anthropic",
                "Anthropic's Messages",
                "https://h/",
            ),
            (
                "https://h/v1/chat/completions",
                &[ANTHROPIC, GOOGLE, OLLAMA],
                "OpenAIChat",
                "OpenAI's Chat Completions",
                "https://h/v1",
            ),
            (
                "https://h/v1/responses",
                &[ANTHROPIC, GOOGLE, OLLAMA],
                "OpenAIResponses",
                "OpenAI's Responses",
                "https://h/v1",
            ),
            (
                "http://h:11434/api/chat",
                &[OPENAI, RESPONSES, ANTHROPIC, GOOGLE],
                "Ollama",
                "Ollama",
                "http://h:11434/",
            ),
            (
                "https://h/v1beta/models/m:generateContent",
                &[OPENAI, RESPONSES, ANTHROPIC, OLLAMA],
                "Google",
                "Google's Gemini API",
                "https://h/",
            ),
        ] {
            for format in own {
                let error = parsed(found, *format).expect_err(found);
                for words in [
                    format!("which is a whole endpoint of {interface}, but the model is asked by "),
                    format!("write the model as `{provider}/…` and the base URL as `{right}`"),
                ] {
                    assert!(error.contains(&words), "{format:?}: {error}");
                }
            }
        }
        // Both interfaces of OpenAI have one base URL.
        for (format, found, words) in [
            (
                OPENAI,
                "https://h/v1/responses",
                "write `https://h/v1`; models `OpenAIResponses/…` are asked by OpenAI's Responses",
            ),
            (
                RESPONSES,
                "https://h/v1/chat/completions",
                "write `https://h/v1`; models `OpenAIChat/…` are asked by OpenAI's Chat Completions",
            ),
        ] {
            let error = parsed(found, format).expect_err(found);
            assert!(error.ends_with(words), "{error}");
        }
        // For a URL in a row of a catalogue, the error suggests the format of the row.
        let of_row = BaseUrl {
            text: "https://h/v1/messages",
            written: "https://h/v1/messages",
            source: UrlSource::Catalog("Acme"),
            example: OPENAI.1,
            format: Some(OPENAI.0),
            endpoint: Some(OPENAI.2),
        };
        let error = of_row.parse().expect_err("a whole endpoint").to_string();
        assert!(
            error.ends_with(
                "write `format: \"Anthropic\"` in the row and the base URL as `https://h/`"
            ),
            "{error}"
        );
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
