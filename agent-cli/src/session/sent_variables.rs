//! The consent to send variables of the environment to MCP servers, which no document can give.

use crate::input::discard_typed;
use crate::outcome::CommandError;
use crate::output::to_stderr;
use crate::run_journal::shell_word;
use agent_http::{host_of, is_at, is_this_machine};
use agent_spec::instruction::variables;
use agent_spec::mcp::{McpLock, McpTransport};
use agent_spec::terminal;
use reqwest::Url;
use std::io::{self, IsTerminal};

/// The maximum number of characters of a name or an address that is shown, because a document of somebody else can have
/// any text.
const MAX_SHOWN: usize = 300;

/// The option `--allow-env-to`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SentVariables {
    /// Send this variable of the environment to this host, if the document of an MCP server names it in a header. Without a
    /// port, the usual port is meant. Over plain http, a variable is sent to this machine only; may be given several times
    #[arg(long = "allow-env-to", value_name = "NAME=HOST[:PORT]", value_parser = destination)]
    allowed: Vec<Destination>,
}

/// A variable, and the host that gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Destination {
    name: String,
    /// The host, and its port if that is not the usual one.
    host: String,
}

/// Parses `NAME=HOST[:PORT]`.
fn destination(text: &str) -> Result<Destination, &'static str> {
    const EXAMPLE: &str = "write the name of a variable and a host, such as DOCS_TOKEN=docs.example or TOKEN=127.0.0.1:8080";
    let (name, host) = text.split_once('=').ok_or(EXAMPLE)?;
    let (name, host) = (name.trim(), host.trim());
    let is_host = Url::parse(&format!("https://{host}")).is_ok();
    if !is_host || name.is_empty() || host.contains(['/', '\\', '@', '?', '#', '*']) {
        return Err(EXAMPLE);
    }
    Ok(Destination {
        name: name.to_owned(),
        host: host.to_owned(),
    })
}

/// Refuses a server that would get variables over plain http on another machine.
///
/// # Errors
/// Returns an error that names the server and the variables.
pub(crate) fn refuse_plain_http(lock: &McpLock) -> Result<(), CommandError> {
    match sent(lock) {
        Some((url, names)) if url.scheme() != "https" && !is_this_machine(&url) => {
            let host = terminal::line(&host_of(&url).unwrap_or_default(), MAX_SHOWN);
            Err(CommandError::new(format!(
                "the MCP server `{}` would get {} over plain http, which everybody on the way to `{host}` can read; \
                 variables are sent to `https://` addresses and to this machine only",
                lock.name(),
                shown(&names)
            )))
        }
        _ => Ok(()),
    }
}

/// Returns the address of a server that gets variables of the environment in its headers, and their names. A
/// server whose address cannot be parsed gets no variables, because connecting fails.
fn sent(lock: &McpLock) -> Option<(Url, Vec<&str>)> {
    let McpTransport::Http { url, headers } = lock.transport() else {
        return None;
    };
    let mut names: Vec<&str> = headers
        .iter()
        .flat_map(|(_, text)| variables(text))
        .collect();
    names.sort_unstable();
    names.dedup();
    let url = Url::parse(url).ok().filter(|_| !names.is_empty())?;
    Some((url, names))
}

fn shown(names: &[&str]) -> String {
    let names = names
        .iter()
        .map(|name| format!("`{}`", terminal::line(name, MAX_SHOWN)));
    names.collect::<Vec<_>>().join(", ")
}

impl SentVariables {
    /// Checks that the servers of documents may get the variables that the documents name. Asks once about
    /// the variables that no option allows, if `may_ask` and there is a terminal.
    ///
    /// # Errors
    /// Returns an error that names the variables, the hosts and the option.
    pub(crate) fn check<'a>(
        &self,
        locks: impl IntoIterator<Item = &'a McpLock>,
        may_ask: bool,
    ) -> Result<(), CommandError> {
        let mut missing = Vec::new();
        for lock in locks {
            refuse_plain_http(lock)?;
            let Some((url, names)) = sent(lock) else {
                continue;
            };
            let host = host_of(&url).unwrap_or_default();
            for name in names {
                let wanted = Destination {
                    name: name.to_owned(),
                    host: host.clone(),
                };
                let is_known = |(_, known): &(_, Destination)| *known == wanted;
                let mut allowed = self.allowed.iter();
                let is_allowed =
                    allowed.any(|allowed| allowed.name == name && is_at(&url, &allowed.host));
                if !is_allowed && !missing.iter().any(is_known) {
                    missing.push((lock.name(), wanted));
                }
            }
        }
        if missing.is_empty() || may_ask && is_agreed(&missing) {
            return Ok(());
        }
        let options = missing.iter().map(|(_, Destination { name, host })| {
            format!(" --allow-env-to {}={}", shell_word(name), shell_word(host))
        });
        let options = options.collect::<String>();
        Err(CommandError::new(format!(
            "variables of your environment are sent to MCP servers only with your consent:\n{}  allow it with{}",
            lines(&missing),
            terminal::line(&options, MAX_SHOWN * missing.len())
        )))
    }
}

/// Writes a line for each variable.
fn lines(missing: &[(&str, Destination)]) -> String {
    let lines = missing.iter().map(|(server, Destination { name, host })| {
        let (name, host) = (
            terminal::line(name, MAX_SHOWN),
            terminal::line(host, MAX_SHOWN),
        );
        format!("  {name} to {host}, the server `{server}`\n")
    });
    lines.collect()
}

/// Asks a person on a terminal whether these variables may be sent.
fn is_agreed(missing: &[(&str, Destination)]) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    discard_typed();
    to_stderr(&format!(
        "these variables of your environment are about to be sent:\n{}send them? [y/N] ",
        lines(missing)
    ));
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    let answer = answer.trim().to_ascii_lowercase();
    read.is_ok() && ["y", "yes"].contains(&answer.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(url: &str, headers: &str) -> McpLock {
        let text = format!("[docs:Mcp {{url: \"{url}\", headers: {{{headers}}}}} | ]");
        McpLock::parse(&text.replace(" | ]", "]")).expect("a document")
    }

    fn allowing(options: &[&str]) -> SentVariables {
        let allowed = options.iter().map(|text| destination(text).expect(text));
        SentVariables {
            allowed: allowed.collect(),
        }
    }

    #[test]
    fn a_variable_is_sent_to_the_allowed_host_alone() {
        const KEY: &str = "authorization: \"Bearer {{KEY}}\"";
        for (url, headers, allowed, is_sent) in [
            ("https://a.example/mcp", KEY, "KEY=a.example", true),
            ("https://A.Example/mcp", KEY, "KEY=a.example", true),
            ("https://a.example/mcp", KEY, "KEY=A.example:443", true),
            (
                "https://a.example:8443/mcp",
                KEY,
                "KEY=a.example:8443",
                true,
            ),
            ("https://a.example:8443/mcp", KEY, "KEY=a.example", false),
            ("https://a.example/mcp", KEY, "KEY=a.example:8443", false),
            ("https://a.example/mcp", KEY, "OTHER=a.example", false),
            ("https://a.example/mcp", KEY, "key=a.example", false),
            (
                "https://a.example.evil.example/mcp",
                KEY,
                "KEY=a.example",
                false,
            ),
            (
                "https://evil.example/a.example",
                KEY,
                "KEY=a.example",
                false,
            ),
            ("http://a.example/mcp", KEY, "KEY=a.example", false),
            ("http://10.0.0.7/mcp", KEY, "KEY=10.0.0.7", false),
            (
                "http://localhost.evil.example/mcp",
                KEY,
                "KEY=localhost.evil.example",
                false,
            ),
            ("http://127.0.0.1:8080/mcp", KEY, "KEY=127.0.0.1:8080", true),
            ("http://127.0.0.1:8080/mcp", KEY, "KEY=127.0.0.1", false),
            ("http://127.0.0.1/mcp", KEY, "KEY=127.0.0.1:80", true),
            ("http://127.1:8080/mcp", KEY, "KEY=127.0.0.1:8080", true),
            ("http://[::1]:8080/mcp", KEY, "KEY=[::1]:8080", true),
            (
                "http://[::ffff:127.0.0.1]/mcp",
                KEY,
                "KEY=[::ffff:127.0.0.1]",
                true,
            ),
            (
                "http://[::ffff:10.0.0.7]/mcp",
                KEY,
                "KEY=[::ffff:10.0.0.7]",
                false,
            ),
            ("http://localhost./mcp", KEY, "KEY=localhost", true),
            ("https://a.example./mcp", KEY, "KEY=a.example", true),
            ("http://localhost/mcp", KEY, "KEY=localhost", true),
            (
                "https://a.example/mcp",
                "x-a: \"{{A}}{{ B }}\"",
                "A=a.example",
                false,
            ),
            (
                "https://a.example/mcp",
                "x-a: \"plain\"",
                "OTHER=b.example",
                true,
            ),
            (
                "http://a.example/mcp",
                "x-a: \"plain\"",
                "OTHER=b.example",
                true,
            ),
        ] {
            let checked = allowing(&[allowed]).check([&lock(url, headers)], false);
            assert_eq!(
                checked.is_ok(),
                is_sent,
                "{url} {headers} {allowed}: {checked:?}"
            );
        }
    }

    #[test]
    fn the_error_names_each_variable_once_with_its_option() {
        let both = [
            lock(
                "https://a.example/mcp",
                "x-a: \"{{A}}\", x-b: \"{{B}} {{A}}\"",
            ),
            lock("https://$(b).example/mcp", "x-a: \"{{A}}\""),
        ];
        let error = allowing(&[]).check(&both, false).expect_err("no consent");
        let text = error.to_string();
        for part in [
            "A to a.example, the server `docs`",
            "B to a.example",
            " --allow-env-to A=a.example --allow-env-to B=a.example --allow-env-to A='$(b).example'",
        ] {
            assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
        }
        allowing(&["A=a.example", "B=a.example", "A=$(b).example"])
            .check(&both, false)
            .expect("consent");
    }

    #[test]
    fn other_texts_than_a_name_and_a_host_are_refused() {
        for text in [
            "",
            "KEY",
            "KEY=",
            "=a.example",
            "KEY=*",
            "KEY=*.example",
            "KEY=https://a.example",
            "KEY=a.example/mcp",
            "KEY=user@a.example",
            "KEY=a b",
        ] {
            destination(text).expect_err(text);
        }
    }
}
