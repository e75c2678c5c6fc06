//! The hosts that may get requests, and those that may get the key, although only a document names them.

use super::base_url::QUOTED;
use agent_http::{host_of, is_at, is_this_machine};
use agent_tool::__private::shortened;
use agent_tool::Error;
use reqwest::Url;

/// Whether an address that only a document names may get the key. `hosts` are those that the host program allows.
pub(super) fn may_get_key(hosts: &[String], url: &Url) -> bool {
    is_private(url) && allows(hosts, url)
}

/// Whether nobody on the way to an address can read a request.
pub(super) fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || is_this_machine(url)
}

/// Whether the host of an address is among hosts that the host program allows: `host` for the default port, or
/// `host:port`.
pub(super) fn allows(hosts: &[String], url: &Url) -> bool {
    hosts.iter().any(|host| is_at(url, host))
}

/// An option that allows a host: the flag of the command, and the method of the builder of runtimes.
#[derive(Clone, Copy)]
pub(crate) struct HostOption {
    flag: &'static str,
    method: &'static str,
}

/// Allows requests to a host.
pub(crate) const BASE_URL_HOST: HostOption = HostOption {
    flag: "--allow-base-url",
    method: "allow_base_url",
};

/// Allows sending the key to a host, and requests.
pub(crate) const KEY_HOST: HostOption = HostOption {
    flag: "--allow-key-host",
    method: "allow_key_host",
};

impl HostOption {
    /// Describes how to allow the host of a URL.
    pub(super) fn advice(self, host: &str) -> String {
        format!(
            "use `{} {host}` (in code, `RuntimeBuilder::{}`)",
            self.flag, self.method
        )
    }

    /// Checks a host that is given: `HOST` or `HOST:PORT`, and neither a URL nor a pattern for several hosts.
    ///
    /// # Errors
    /// Configuration, with a suggestion.
    pub(crate) fn check(self, text: &str) -> Result<(), Error> {
        let found = text.trim();
        if is_host(found) {
            return Ok(());
        }
        let quoted = shortened(found, QUOTED);
        let meant = Url::parse(found).ok().filter(Url::has_host);
        let meant = meant.or_else(|| Url::parse(&format!("https://{found}")).ok());
        let suggestion = match meant
            .and_then(|url| host_of(&url))
            .filter(|meant| is_host(meant))
        {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "such as `models.example` or `127.0.0.1:8080`".to_owned(),
        };
        Err(Error::configuration(format!(
            "`{}` is not a host for `{}` (in code, `RuntimeBuilder::{}`); write HOST or HOST:PORT, {suggestion}",
            quoted.escape_debug(),
            self.flag,
            self.method
        )))
    }
}

/// Whether a text is a host, or host and port, in the form that parsed URLs have.
fn is_host(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let Ok(url) = Url::parse(&format!("https://{text}")) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    let rest = text.strip_prefix(host);
    let is_port = rest.is_some_and(|rest| match rest.strip_prefix(':') {
        Some(port) => port.parse::<u16>().is_ok_and(|port| port > 0),
        None => rest.is_empty(),
    });
    is_port && !host.is_empty() && !host.contains('*')
}

#[cfg(test)]
mod tests {
    use super::{BASE_URL_HOST, KEY_HOST};

    #[test]
    fn accepts_hosts_with_and_without_a_port() {
        for good in [
            "models.example",
            "Models.Example:443",
            "127.0.0.1:8080",
            "localhost",
            "[::1]:8080",
            " my_host ",
        ] {
            KEY_HOST.check(good).expect(good);
        }
    }

    #[test]
    fn rejects_other_texts_as_hosts_and_suggests_a_fix() {
        for (bad, words) in [
            ("http://127.0.0.1:9400", "did you mean `127.0.0.1:9400`?"),
            (
                "https://models.example/v1",
                "did you mean `models.example`?",
            ),
            ("127.0.0.1:9400/", "did you mean `127.0.0.1:9400`?"),
            ("user@models.example", "did you mean `models.example`?"),
            ("127.1", "did you mean `127.0.0.1`?"),
            ("*", "write HOST or HOST:PORT, such as `models.example`"),
            ("*.example", "such as"),
            ("ex ample", "`ex ample` is not a host"),
            ("models.example:", "did you mean `models.example`?"),
            ("models.example:port", "such as"),
            ("", "such as"),
        ] {
            for (option, flag) in [
                (KEY_HOST, "--allow-key-host"),
                (BASE_URL_HOST, "--allow-base-url"),
            ] {
                let error = option.check(bad).expect_err(bad);
                assert!(error.is_configuration(), "{error:?}");
                assert!(error.to_string().contains(words), "{bad}: {error}");
                assert!(error.to_string().contains(flag), "{bad}: {error}");
            }
        }
    }
}
