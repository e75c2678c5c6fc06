//! Rust source as a list of tokens, with doc comments and without other comments.

/// A token, and the line that it starts in, counted from 1.
#[derive(Debug, PartialEq)]
pub(crate) struct Token<'s> {
    pub(crate) kind: Kind<'s>,
    pub(crate) line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind<'s> {
    Word(&'s str),
    /// `->` and `::` are single marks, every other mark is one character.
    Mark(&'s str),
    /// A string, character, number or lifetime.
    Literal,
    /// The text of one `///`, `//!`, `/** */` or `/*! */`.
    Doc {
        text: &'s str,
        inner: bool,
    },
}

impl Kind<'_> {
    pub(crate) fn is_mark(self, mark: &str) -> bool {
        matches!(self, Self::Mark(found) if found == mark)
    }

    pub(crate) fn is_word(self, word: &str) -> bool {
        matches!(self, Self::Word(found) if found == word)
    }
}

/// Splits Rust source into tokens. The source must compile: mistakes are not reported.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let (length, kind) = next(rest, first);
        tokens.extend(kind.map(|kind| Token { kind, line }));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// The length of the next piece of source, and its token; blanks and comments have none.
fn next(rest: &str, first: char) -> (usize, Option<Kind<'_>>) {
    if rest.starts_with("//") {
        return line_comment(rest);
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    if let Some(length) = raw_string(rest) {
        return (length, Some(Kind::Literal));
    }
    if let Some(length) = quoted(rest) {
        return (length, Some(Kind::Literal));
    }
    if first.is_alphabetic() || first == '_' {
        let length = word_length(rest);
        return (length, Some(Kind::Word(&rest[..length])));
    }
    if first.is_ascii_digit() {
        return (word_length(rest), Some(Kind::Literal));
    }
    if first.is_whitespace() {
        return (first.len_utf8(), None);
    }
    let length = match rest.get(..2) {
        Some("->" | "::") => 2,
        _ => first.len_utf8(),
    };
    (length, Some(Kind::Mark(&rest[..length])))
}

fn word_length(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len())
}

fn line_comment(rest: &str) -> (usize, Option<Kind<'_>>) {
    let length = rest.find('\n').unwrap_or(rest.len());
    let comment = &rest[..length];
    let outer = comment
        .strip_prefix("///")
        .filter(|text| !text.starts_with('/'));
    let inner = comment.strip_prefix("//!");
    let doc = inner.or(outer).map(|text| Kind::Doc {
        text: text.trim(),
        inner: inner.is_some(),
    });
    (length, doc)
}

/// A block comment, which can hold others.
fn block_comment(rest: &str) -> (usize, Option<Kind<'_>>) {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    let comment = rest[..at].trim_end_matches("*/");
    let outer = comment
        .strip_prefix("/**")
        .filter(|text| !text.starts_with('*'));
    let inner = comment.strip_prefix("/*!");
    let doc = inner.or(outer).map(|text| Kind::Doc {
        text: text.trim(),
        inner: inner.is_some(),
    });
    (at, doc)
}

/// The length of `r"…"`, `r#"…"#`, `br"…"` or `cr"…"`.
fn raw_string(rest: &str) -> Option<usize> {
    let after = rest
        .strip_prefix("br")
        .or_else(|| rest.strip_prefix("cr"))
        .or_else(|| rest.strip_prefix('r'))?;
    let text = after.trim_start_matches('#');
    let fence = &after[..after.len() - text.len()];
    let text = text.strip_prefix('"')?;
    let end = text.find(&format!("\"{fence}"))? + 1 + fence.len();
    Some(rest.len() - text.len() + end)
}

/// The length of a string, a character or a lifetime.
fn quoted(rest: &str) -> Option<usize> {
    let text = rest.trim_start_matches(['b', 'c']);
    let prefix = rest.len() - text.len();
    if prefix > 1 {
        return None;
    }
    if let Some(body) = text.strip_prefix('"') {
        return Some(prefix + 1 + end_of_quote(body, '"'));
    }
    let body = text.strip_prefix('\'')?;
    let mut chars = body.chars();
    let first = chars.next()?;
    if first == '\\' || chars.next() == Some('\'') {
        return Some(prefix + 1 + end_of_quote(body, '\''));
    }
    Some(prefix + 1 + word_length(body))
}

/// The index behind the quote that ends a text. Escaped quotes are skipped.
fn end_of_quote(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return at + 1;
        }
    }
    body.len()
}

/// The index behind the bracket that closes the one at `open`.
pub(crate) fn after_group(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Mark("(" | "[" | "{") => depth += 1,
            Kind::Mark(")" | "]" | "}") => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// The index behind an attribute at `at`, `#[…]` or `#![…]`, if there is one.
pub(crate) fn after_attribute(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    if !kind(at)?.is_mark("#") {
        return None;
    }
    let open = if kind(at + 1)?.is_mark("!") {
        at + 2
    } else {
        at + 1
    };
    kind(open)?.is_mark("[").then(|| after_group(tokens, open))
}

/// The index behind an item under `#[cfg(test)]` that starts at `at`, and its name when it is a module in
/// a file of its own.
pub(crate) fn after_test_item(tokens: &[Token<'_>], at: usize) -> Option<(usize, Option<String>)> {
    let mut after = after_attribute(tokens, at)?;
    let has = |word: &str| {
        tokens[at..after]
            .iter()
            .any(|token| token.kind.is_word(word))
    };
    if !(has("cfg") && has("test")) || has("not") {
        return None;
    }
    while let Some(next) = after_attribute(tokens, after) {
        after = next;
    }
    let mut module = None;
    let mut end = after;
    while let Some(token) = tokens.get(end) {
        match token.kind {
            Kind::Word("mod") => {
                if let (Some(Kind::Word(name)), Some(Kind::Mark(";"))) = (
                    tokens.get(end + 1).map(|token| token.kind),
                    tokens.get(end + 2).map(|token| token.kind),
                ) {
                    module = Some(name.to_owned());
                }
                end += 1;
            }
            Kind::Mark("{") => return Some((after_group(tokens, end), module)),
            Kind::Mark("(" | "[") => end = after_group(tokens, end),
            Kind::Mark(";" | ",") => return Some((end + 1, module)),
            _ => end += 1,
        }
    }
    Some((end, module))
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};

    fn kinds(source: &str) -> Vec<Kind<'_>> {
        tokens(source).into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn words_in_strings_and_comments_are_no_tokens() {
        let source = "a /* b /* c */ d */ \"e\\\"f\" r#\"g\"h\"# b'i' '\\'' 'j // k\n'l'";
        let expected = [
            Kind::Word("a"),
            Kind::Literal,
            Kind::Literal,
            Kind::Literal,
            Kind::Literal,
            Kind::Literal,
            Kind::Literal,
        ];
        assert_eq!(kinds(source), expected);
    }

    #[test]
    fn doc_comments_are_tokens() {
        let source = "//! In.\n/// Out.\n//// Neither.\n/** Block. */ x";
        let doc = |text, inner| Kind::Doc { text, inner };
        let expected = [
            doc("In.", true),
            doc("Out.", false),
            doc("Block.", false),
            Kind::Word("x"),
        ];
        assert_eq!(kinds(source), expected);
    }

    #[test]
    fn tokens_know_their_lines() {
        let lines: Vec<usize> = tokens("a\n\"\n\" b\n\nc").iter().map(|t| t.line).collect();
        assert_eq!(lines, [1, 2, 3, 5]);
    }
}
