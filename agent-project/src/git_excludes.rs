//! The file of git's `core.excludesFile`, which has the patterns that a user ignores in all repositories.

use agent_spec::file::read_up_to;
use std::path::{Path, PathBuf};

/// The maximum number of bytes of a file with the configuration of git. A larger one is not read.
const MAX_CONFIGURATION: u64 = 1 << 20;

/// The configuration of the user and of the system.
pub(crate) struct UserConfiguration {
    home: Option<PathBuf>,
    /// The value of `core.excludesFile`.
    named: Option<String>,
    /// The file that git reads if its configuration names none.
    usual: Option<PathBuf>,
}

impl UserConfiguration {
    /// Reads the files with the configuration.
    pub(crate) fn read() -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let folder = match variable("XDG_CONFIG_HOME") {
            Some(folder) => Some(PathBuf::from(folder)),
            None => home.as_ref().map(|home| home.join(".config")),
        };
        let folder = folder.map(|folder| folder.join("git"));
        let of_user = match variable("GIT_CONFIG_GLOBAL") {
            Some(file) => vec![PathBuf::from(file)],
            None => {
                let files = [
                    home.as_ref().map(|home| home.join(".gitconfig")),
                    folder.as_ref().map(|folder| folder.join("config")),
                ];
                files.into_iter().flatten().collect()
            }
        };
        let of_system =
            variable("GIT_CONFIG_SYSTEM").map_or("/etc/gitconfig".into(), PathBuf::from);
        let mut files = of_user.into_iter().chain([of_system]);
        Self {
            home,
            named: files.find_map(|file| excludes_file_in(&read(&file)?)),
            usual: folder.map(|folder| folder.join("ignore")),
        }
    }

    /// Returns the file with the patterns for the work tree in `folder`. `configuration` is the text of the repository's
    /// own file.
    pub(crate) fn excludes_file(
        &self,
        folder: &Path,
        configuration: Option<&str>,
    ) -> Option<PathBuf> {
        let own = configuration.and_then(excludes_file_in);
        let Some(name) = own.as_ref().or(self.named.as_ref()) else {
            return self.usual.clone();
        };
        Some(match name.strip_prefix("~/") {
            Some(rest) => self.home.as_ref()?.join(rest),
            // Git reads it from the folder of the work tree.
            None => folder.join(name),
        })
    }
}

/// Reads a file with configuration. `None` if it cannot be read, as git does without it.
pub(crate) fn read(file: &Path) -> Option<String> {
    String::from_utf8(read_up_to(file, MAX_CONFIGURATION).ok()?).ok()
}

/// Returns the last value of `excludesFile` in the section `core`.
fn excludes_file_in(configuration: &str) -> Option<String> {
    let text = configuration.replace("\r\n", "\n");
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (mut is_core, mut found) = (false, None);
    loop {
        // A setting may be on the line of its section.
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return found;
        };
        match first {
            '#' | ';' => rest = after_line(rest),
            '[' => {
                let (section, after) = section(&rest[1..]);
                is_core = section.eq_ignore_ascii_case("core");
                rest = after;
            }
            _ => {
                let (key, after) =
                    rest.split_at(rest.find(['=', '\n', '#', ';']).unwrap_or(rest.len()));
                let Some(after) = after.strip_prefix('=') else {
                    rest = after;
                    continue;
                };
                let (value, after) = value(after);
                if is_core && key.trim().eq_ignore_ascii_case("excludesfile") {
                    found = Some(value);
                }
                rest = after;
            }
        }
    }
}

/// Returns the name of a section, which may have a quoted part, and the text after its bracket.
fn section(text: &str) -> (&str, &str) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\n' => return (&text[..at], &text[at..]),
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return (&text[..at], &text[at + 1..]),
            _ => {}
        }
    }
    (text, "")
}

/// Returns the value after `=`, without its quotes and its comment, and the text after it.
fn value(text: &str) -> (String, &str) {
    let (mut value, mut length, mut is_quoted) = (String::new(), 0, false);
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\n' => {
                value.truncate(length);
                return (value, &text[at..]);
            }
            '#' | ';' if !is_quoted => {
                value.truncate(length);
                return (value, after_line(&text[at..]));
            }
            '"' => is_quoted = !is_quoted,
            '\\' => match characters.next() {
                // The value continues on the next line.
                None | Some((_, '\n')) => {}
                Some((_, escaped)) => {
                    value.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'b' => '\u{8}',
                        other => other,
                    });
                    length = value.len();
                }
            },
            // Blanks at the ends are no part of the value, unless they are quoted.
            c if c.is_whitespace() && !is_quoted => {
                if length > 0 {
                    value.push(c);
                }
            }
            c => {
                value.push(c);
                length = value.len();
            }
        }
    }
    value.truncate(length);
    (value, "")
}

/// Returns the text after the first line end.
fn after_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are those that git finds.
    #[test]
    fn finds_the_file_with_the_patterns_of_the_user() {
        for (configuration, expected) in [
            ("[core]\n\texcludesFile = ~/.ignored\n", Some("~/.ignored")),
            ("[Core]\nexcludesfile=\"/a b\"\r\n", Some("/a b")),
            (
                "[core]\nexcludesfile = a\n[user]\n[core]\nexcludesfile = b",
                Some("b"),
            ),
            ("[core] excludesFile = a", Some("a")),
            ("[core]excludesFile=a\n[user] name = b", Some("a")),
            ("[user] [core] excludesFile = a", Some("a")),
            ("[core]\nexcludesFile = a ; why", Some("a")),
            (
                "[core] # why\n;excludesFile = b\nexcludesFile = a#b",
                Some("a"),
            ),
            ("[core]\nexcludesFile = \"a;b \" # why\n", Some("a;b ")),
            (
                "[core]\nexcludesFile = a\"b c\"d\\\\e\\\"\n",
                Some("ab cd\\e\""),
            ),
            ("[core]\nexcludesFile = a\\\r\n  b\r\n", Some("a  b")),
            (
                "[x \"]\\\"[core]\"]\nexcludesFile = b\n[core]\nexcludesFile = a",
                Some("a"),
            ),
            ("\u{feff}[core]\nbare\nexcludesFile = a", Some("a")),
            ("[core]\nexcludesFile =\n", Some("")),
            ("[core]\nexcludesFile\n", None),
            ("[core \"x\"]\nexcludesFile = a", None),
            ("[user]\nexcludesfile = a", None),
            ("[core]\neditor = a", None),
            ("[core", None),
            ("=\n==\\", None),
            ("", None),
        ] {
            let found = excludes_file_in(configuration);
            assert_eq!(found.as_deref(), expected, "{configuration:?}");
        }
    }

    #[test]
    fn reads_configuration_in_linear_time() {
        for text in ["[core]", "[", "\\", "\"", "a=", "\n", ";", "a=\\\n"] {
            let long = text.repeat((MAX_CONFIGURATION as usize) / text.len());
            assert_eq!(excludes_file_in(&long), None);
        }
    }
}
