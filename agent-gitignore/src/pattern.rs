//! One pattern of a `.gitignore` file, as `gitignore(5)` describes it.

use std::ops::Range;

/// The number of steps of a new budget.
const MAX_STEPS: u64 = 1 << 29;

/// The steps that are left to parse and match patterns: those of one call of a tool, or of one walk through folders.
#[derive(Debug)]
pub struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self::with_steps(MAX_STEPS)
    }
}

impl Budget {
    /// Returns a budget of this number of steps.
    #[must_use]
    pub const fn with_steps(steps: u64) -> Self {
        Self(steps)
    }

    /// Whether no steps are left. Then nothing matches.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.0 == 0
    }

    /// Takes steps, one for each byte that is read or compared.
    pub fn take(&mut self, steps: usize) {
        self.0 = self.0.saturating_sub(steps as u64);
    }

    /// Takes one step. Returns `false` if none are left.
    fn step(&mut self) -> bool {
        self.take(1);
        !self.is_spent()
    }
}

/// A pattern, which is a part of the text of its file.
#[derive(Debug)]
pub(super) struct Pattern {
    glob: Range<u32>,
    is_negated: bool,
    /// Whether it matches folders only.
    is_of_folders: bool,
    /// Whether it matches from the folder of the file on, and not at any depth below it.
    is_anchored: bool,
}

impl Pattern {
    /// Parses the lines of a file. Comments and patterns that match nothing are left out.
    pub(super) fn parse_all(text: &str) -> Vec<Self> {
        let mut patterns = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            patterns.extend(Self::parse(line, start));
            start += line.len();
        }
        patterns
    }

    /// Parses a line, which begins at `start`.
    fn parse(line: &str, start: usize) -> Option<Self> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut glob = without_last_blanks(line);
        if glob.starts_with('#') {
            return None;
        }
        let mut from = start;
        let is_negated = glob.starts_with('!');
        if is_negated {
            glob = &glob[1..];
            from += 1;
        }
        let is_of_folders = glob.ends_with('/');
        glob = glob.strip_suffix('/').unwrap_or(glob);
        let is_anchored = glob.contains('/');
        if let Some(rest) = glob.strip_prefix('/') {
            glob = rest;
            from += 1;
        }
        if glob.is_empty() || !is_valid(glob) {
            return None;
        }
        let from = u32::try_from(from).ok()?;
        let length = u32::try_from(glob.len()).ok()?;
        Some(Self {
            glob: from..from + length,
            is_negated,
            is_of_folders,
            is_anchored,
        })
    }

    /// Whether matching paths are not ignored.
    pub(super) fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// Whether a path matches that begins in the folder of the file, whose text is given.
    pub(super) fn matches(
        &self,
        text: &str,
        path: &str,
        is_folder: bool,
        budget: &mut Budget,
    ) -> bool {
        if !budget.step() || (self.is_of_folders && !is_folder) {
            return false;
        }
        let name = path.rfind('/').map_or(0, |at| at + 1);
        let path = if self.is_anchored {
            path
        } else {
            &path[name..]
        };
        let glob = &text[self.glob.start as usize..self.glob.end as usize];
        Glob { glob, path, budget }.matches()
    }
}

/// Removes the blanks at the end of a line that have no backslash before them.
fn without_last_blanks(line: &str) -> &str {
    let kept = line.trim_end_matches([' ', '\t']);
    let backslashes = kept.bytes().rev().take_while(|byte| *byte == b'\\').count();
    if backslashes % 2 == 1 && kept.len() < line.len() {
        return &line[..=kept.len()];
    }
    kept
}

/// Whether every class is closed, and a character follows every backslash. Other patterns match nothing.
fn is_valid(glob: &str) -> bool {
    let mut rest = glob;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '\\' => match rest[1..].chars().next() {
                Some(escaped) => &rest[1 + escaped.len_utf8()..],
                None => return false,
            },
            '[' => match Class::parse(rest) {
                Some(class) => &rest[class.length..],
                None => return false,
            },
            _ => &rest[first.len_utf8()..],
        };
    }
    true
}

/// A glob and the path that it is compared with.
struct Glob<'a> {
    glob: &'a str,
    path: &'a str,
    budget: &'a mut Budget,
}

/// A place to go on after a mismatch: the glob after an asterisk, and the path after the part that the asterisk
/// matches.
type Retry = Option<(usize, usize)>;

impl Glob<'_> {
    /// Whether the whole path matches. Only the last `*` and the last `**/` are tried again, because whatever an
    /// earlier one could match, the last one can match as well.
    fn matches(&mut self) -> bool {
        let (mut at, mut path_at) = (0, 0);
        let (mut star, mut folders): (Retry, Retry) = (None, None);
        loop {
            if !self.budget.step() {
                return false;
            }
            if self.is_globstar(at) {
                let next = at + 2;
                if next == self.glob.len() {
                    // Everything inside, and not the folder itself.
                    return path_at < self.path.len();
                }
                at = next + 1;
                folders = Some((at, path_at));
                star = None;
                continue;
            }
            match self.glob.as_bytes().get(at) {
                Some(b'*') => {
                    at += 1;
                    star = Some((at, path_at));
                    continue;
                }
                None if path_at == self.path.len() => return true,
                _ => {}
            }
            if let Some((length, path_length)) = self.character(at, path_at) {
                at += length;
                path_at += path_length;
                continue;
            }
            let bytes = self.path.as_bytes();
            if let Some((glob_at, from)) = star
                && bytes.get(from).is_some_and(|byte| *byte != b'/')
            {
                (at, path_at) = (glob_at, from + 1);
                star = Some((at, path_at));
            } else if let Some((glob_at, from)) = folders
                && let Some(length) = bytes[from..].iter().position(|byte| *byte == b'/')
            {
                (at, path_at) = (glob_at, from + length + 1);
                folders = Some((at, path_at));
                star = None;
            } else {
                return false;
            }
        }
    }

    /// Whether `**` stands for folders at this place: between slashes, or at an end.
    fn is_globstar(&self, at: usize) -> bool {
        let glob = self.glob.as_bytes();
        glob[at..].starts_with(b"**")
            && (at == 0 || glob[at - 1] == b'/')
            && matches!(glob.get(at + 2), None | Some(b'/'))
    }

    /// Compares one character. Returns the lengths of its part of the glob and of the path.
    fn character(&mut self, at: usize, path_at: usize) -> Option<(usize, usize)> {
        let glob = self.glob.as_bytes();
        let (first, byte) = (*glob.get(at)?, *self.path.as_bytes().get(path_at)?);
        match first {
            b'?' | b'[' => {
                // The place is inside of a character if an asterisk has matched a part of it.
                let found = self.path.get(path_at..)?.chars().next()?;
                if found == '/' {
                    return None;
                }
                if first == b'?' {
                    return Some((1, found.len_utf8()));
                }
                let class = Class::parse(self.glob.get(at..)?)?;
                // It is read twice: for its end, and for the character.
                self.budget.take(2 * class.length);
                class
                    .contains(found)
                    .then_some((class.length, found.len_utf8()))
            }
            b'\\' => (glob.get(at + 1) == Some(&byte)).then_some((2, 1)),
            first => (first == byte).then_some((1, 1)),
        }
    }
}

/// A class such as `[a-z]`.
struct Class<'a> {
    /// The text between the brackets, without `!`.
    items: &'a str,
    is_negated: bool,
    /// The length with the brackets.
    length: usize,
}

/// An item of a class.
enum Item<'a> {
    Range(char, char),
    /// The name of a class of POSIX, such as `digit`.
    Named(&'a str),
}

impl<'a> Class<'a> {
    /// Parses the class at the beginning of a text. `None` if it is not closed.
    fn parse(text: &'a str) -> Option<Self> {
        let mut rest = text.strip_prefix('[')?;
        let is_negated = rest.starts_with(['!', '^']);
        if is_negated {
            rest = &rest[1..];
        }
        let items = rest;
        loop {
            // A bracket at the beginning is an item.
            if rest.starts_with(']') && rest.len() < items.len() {
                let end = items.len() - rest.len();
                return Some(Self {
                    items: &items[..end],
                    is_negated,
                    length: text.len() - rest.len() + 1,
                });
            }
            (_, rest) = next_item(rest)?;
        }
    }

    fn contains(&self, c: char) -> bool {
        let mut rest = self.items;
        while let Some((item, after)) = next_item(rest) {
            let is_found = match item {
                Item::Range(first, last) => (first..=last).contains(&c),
                Item::Named(name) => is_named(name, c),
            };
            if is_found {
                return !self.is_negated;
            }
            rest = after;
        }
        self.is_negated
    }
}

/// Returns the first item of a class, and the text after it.
fn next_item(text: &str) -> Option<(Item<'_>, &str)> {
    if let Some(named) = text.strip_prefix("[:") {
        // No further than the name, because the text can have an opening of a name at each place.
        let length = named.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (name, rest) = named.split_at(length);
        if let Some(after) = rest.strip_prefix(":]") {
            return Some((Item::Named(name), after));
        }
    }
    let (first, rest) = next_character(text)?;
    match rest.strip_prefix('-') {
        Some(end) if !end.starts_with(']') && !end.is_empty() => {
            let (last, after) = next_character(end)?;
            Some((Item::Range(first, last), after))
        }
        _ => Some((Item::Range(first, first), rest)),
    }
}

/// Returns the first character of a text without its backslash, and the text after it.
fn next_character(text: &str) -> Option<(char, &str)> {
    let text = text.strip_prefix('\\').unwrap_or(text);
    let first = text.chars().next()?;
    Some((first, &text[first.len_utf8()..]))
}

fn is_named(name: &str, c: char) -> bool {
    match name {
        "alnum" => c.is_ascii_alphanumeric(),
        "alpha" => c.is_ascii_alphabetic(),
        "blank" => matches!(c, ' ' | '\t'),
        "cntrl" => c.is_ascii_control(),
        "digit" => c.is_ascii_digit(),
        "graph" => c.is_ascii_graphic(),
        "lower" => c.is_ascii_lowercase(),
        "print" => c.is_ascii_graphic() || c == ' ',
        "punct" => c.is_ascii_punctuation(),
        "space" => c.is_ascii_whitespace(),
        "upper" => c.is_ascii_uppercase(),
        "xdigit" => c.is_ascii_hexdigit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let (path, is_folder) = match path.strip_suffix('/') {
            Some(folder) => (folder, true),
            None => (path, false),
        };
        let patterns = Pattern::parse_all(pattern);
        let mut budget = Budget::default();
        patterns
            .iter()
            .any(|found| found.matches(pattern, path, is_folder, &mut budget))
    }

    #[test]
    fn matches_as_git_does() {
        for (pattern, yes, no) in [
            ("a", &["a", "x/a", "a/"][..], &["ab", "a/b"][..]),
            ("/a", &["a"], &["x/a"]),
            ("a/", &["a/", "x/a/"], &["a"]),
            ("a/b", &["a/b"], &["x/a/b", "a/b/c"]),
            (
                "*.log",
                &[".log", "a.log", "x/b.log"],
                &["a.logs", "a.log/b"],
            ),
            ("a*b*c", &["abc", "aXbYbZc"], &["ab", "abcd"]),
            ("x/*", &["x/a"], &["x/a/b", "x"]),
            ("x/*.c", &["x/a.c"], &["x/y/a.c"]),
            ("**/a", &["a", "x/a", "x/y/a"], &["xa"]),
            ("a/**", &["a/b", "a/b/c"], &["a", "a/"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb"]),
            (
                "**/x/*/y",
                &["x/1/y", "x/x/1/y", "a/x/x/y"],
                &["x/y", "x/1/2/y"],
            ),
            ("a**b", &["ab", "aXb"], &["a/b"]),
            ("?", &["a", "é", "x/a"], &["ab"]),
            ("a?b", &["aéb"], &["ab", "a/b"]),
            ("*é", &["aé", "éé"], &["e"]),
            ("*?", &["é", "aé"], &[]),
            ("[ab]c", &["ac", "bc"], &["cc", "c"]),
            ("[a-c]", &["b"], &["d", "-"]),
            ("[!a-c]", &["d", "é"], &["b"]),
            ("[^a]", &["b"], &["a"]),
            ("[]x]", &["]", "x"], &["a"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[\\]]", &["]"], &["\\"]),
            ("[[:digit:]x]", &["1", "x"], &[":", "d"]),
            ("a[!x]b", &["ayb"], &["a/b"]),
            ("\\#a", &["#a"], &["\\#a"]),
            ("\\!a", &["!a"], &["a"]),
            ("\\*", &["*"], &["a"]),
            ("a\\ ", &["a "], &["a"]),
            ("a  \t", &["a"], &["a  "]),
            ("a\r\n", &["a"], &["a\r"]),
            ("{a,b}", &["{a,b}"], &["a"]),
        ] {
            for path in yes {
                assert!(matches(pattern, path), "{pattern:?} {path:?}");
            }
            for path in no {
                assert!(!matches(pattern, path), "{pattern:?} {path:?}");
            }
        }
    }

    #[test]
    fn leaves_out_what_matches_nothing() {
        for line in ["", "#a", "/", "!", "  ", "[a", "a\\", "[]", "[!]", "!/"] {
            assert!(Pattern::parse_all(line).is_empty(), "{line:?}");
        }
    }

    #[test]
    fn takes_steps_for_each_item_of_a_class() {
        let text = format!("*[{}]z", "b".repeat(4000));
        let patterns = Pattern::parse_all(&text);
        let mut budget = Budget::default();
        assert!(!patterns[0].matches(&text, &"a".repeat(250), false, &mut budget));
        assert!(MAX_STEPS - budget.0 > 2 * 250 * 4000);
    }

    #[test]
    fn reads_the_names_in_a_class_once() {
        let text = format!("[{}]", "[:".repeat(2_000_000));
        assert_eq!(Pattern::parse_all(&text).len(), 1);
        assert!(matches("[[:digit:][:x:][:]", "1"));
        assert!(matches("[[:digit:][:x:][:]", "["));
        assert!(!matches("[[:digit:][:x:][:]", "x"));
    }

    #[test]
    fn stops_when_the_budget_is_spent() {
        let text = "*a*a*a*a*a*a*a*a*a*ab\n**/a/**/a/**/a/**/b";
        let patterns = Pattern::parse_all(text);
        let path = format!("{}{}", "a/".repeat(1000), "a".repeat(1000));
        let mut budget = Budget::default();
        assert!(
            !patterns
                .iter()
                .any(|found| found.matches(text, &path, false, &mut budget))
        );
        assert!(
            MAX_STEPS - budget.0 < 20_000_000,
            "{}",
            MAX_STEPS - budget.0
        );
        let mut budget = Budget::with_steps(1000);
        assert!(!patterns[0].matches(text, &path, false, &mut budget));
        assert!(budget.is_spent());
    }
}
