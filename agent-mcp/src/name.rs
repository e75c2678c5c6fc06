//! The names of servers' tools. Documents, hosts, models and traces use the same name.

use agent_runtime::media::Sha256;
use std::collections::HashMap;

/// The maximum number of characters in the name of a tool, see [`agent_spec::names::is_tool_name`].
const LONGEST: usize = 63;

/// The hexadecimal digits of the hash in a name that is too long or not unique.
const DIGITS: usize = 8;

/// Returns the name of each tool of a server: the server's name, `_`, and the tool's own name, in which a character that
/// some provider refuses becomes `_`.
///
/// A name that is too long, or that two tools would have, ends with a hash of the tool's own name. So it depends on
/// neither the order of the tools nor on other tools that a server adds later, unless these have nearly the same name.
///
/// ```
/// let names = agent_mcp::tool_names("files", &["read", "read.text", "read/text"]);
/// assert_eq!(names, ["files_read", "files_read_text_4b02e355", "files_read_text_f84489ab"]);
/// ```
#[must_use]
pub fn tool_names(server: &str, tools: &[&str]) -> Vec<String> {
    let plain = tools.iter().map(|tool| safe(&format!("{server}_{tool}")));
    let plain: Vec<String> = plain.collect();
    let mut counts = HashMap::new();
    for name in &plain {
        *counts.entry(name.as_str()).or_insert(0_usize) += 1;
    }
    let names = plain.iter().zip(tools).map(|(name, tool)| {
        if name.len() <= LONGEST && counts[name.as_str()] == 1 {
            return name.clone();
        }
        with_hash(name, tool)
    });
    names.collect()
}

/// Returns the name of a tool of a server that no other tool has, even if it would have the same name without a hash.
#[cfg(feature = "client")]
pub(crate) fn unique_name(server: &str, tool: &str) -> String {
    with_hash(&safe(&format!("{server}_{tool}")), tool)
}

fn with_hash(name: &str, tool: &str) -> String {
    let hash = &Sha256::of(tool.as_bytes()).to_string()[..DIGITS];
    let start = &name[..name.len().min(LONGEST - DIGITS - 1)];
    format!("{start}_{hash}")
}

/// Returns a name with `_` in place of what some provider refuses.
fn safe(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let safe = name.chars().map(|c| if allowed(c) { c } else { '_' });
    safe.collect()
}

#[cfg(test)]
mod tests {
    use super::tool_names;
    use agent_spec::names::is_tool_name;

    #[test]
    fn names_are_what_every_provider_takes() {
        let long = "x".repeat(200);
        let tools = ["createIssue", "a.b", "日本", "", &long, "a b", "-"];
        let names = tool_names("git", &tools);
        assert!(names.iter().all(|name| is_tool_name(name)), "{names:?}");
        assert_eq!(names[0], "git_createIssue");
        assert_eq!(names[4].len(), 63);
    }

    #[test]
    fn a_name_does_not_depend_on_the_order() {
        let (one, other) = (
            tool_names("s", &["a.b", "a/b"]),
            tool_names("s", &["a/b", "a.b"]),
        );
        assert_eq!([&one[0], &one[1]], [&other[1], &other[0]]);
        assert_ne!(one[0], one[1]);
    }

    #[test]
    fn long_names_that_begin_alike_differ() {
        let (one, other) = ("x".repeat(100) + "1", "x".repeat(100) + "2");
        let names = tool_names("s", &[&one, &other]);
        assert_ne!(names[0], names[1]);
    }
}
