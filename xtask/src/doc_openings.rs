//! The rule that a doc comment begins with the thing or with a verb.

use crate::breach::Breach;
use crate::rust_tokens::{Kind, Token, after_attribute, after_group, tokens};
use crate::workspace::{files_below, members, read, relative, root};

/// The words that no doc comment begins with, because they name no thing that can be searched for.
const FORBIDDEN: [&str; 6] = ["What", "Who", "Of", "One that", "Such", "Those"];

/// The word that only the doc comment of a `bool` begins with.
const ONLY_BOOL: &str = "Whether";

/// Finds the doc comments in the `src` folders that begin with a forbidden word.
pub(crate) fn breaches() -> Vec<Breach> {
    let mut found = Vec::new();
    for member in members() {
        for file in files_below(&root().join(member).join("src"), &["rs"]) {
            for (line, text) in forbidden_openings(&read(&file)) {
                found.push(Breach {
                    rule: "doc-opening",
                    key: text,
                    place: format!("{}:{line}", relative(&file)),
                });
            }
        }
    }
    found
}

/// The forbidden first lines of doc comments, with their line numbers.
fn forbidden_openings(source: &str) -> Vec<(usize, String)> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Kind::Doc { inner, .. } = tokens[at].kind else {
            at += 1;
            continue;
        };
        let mut end = at;
        let mut comment = Vec::new();
        // Attributes can be between the lines of one comment.
        loop {
            match tokens.get(end).map(|token| token.kind) {
                Some(Kind::Doc { text, inner: same }) if same == inner => {
                    comment.push((tokens[end].line, text));
                    end += 1;
                }
                Some(Kind::Mark("#")) if !inner => match after_attribute(&tokens, end) {
                    Some(after) => end = after,
                    None => break,
                },
                _ => break,
            }
        }
        let is_bool = !inner && is_bool(&tokens[end..]);
        for (line, text) in openings(&comment) {
            if is_forbidden(text, is_bool) {
                found.push((line, text.to_owned()));
            }
        }
        at = end;
    }
    found
}

/// The first line of a comment, and the first line below each of its headings.
fn openings<'s>(comment: &[(usize, &'s str)]) -> Vec<(usize, &'s str)> {
    let mut openings = Vec::new();
    let mut is_opening = true;
    let mut in_code = false;
    for &(line, text) in comment {
        if text.starts_with("```") {
            in_code = !in_code;
        }
        let is_heading = !in_code && text.starts_with("# ");
        if is_opening && !text.is_empty() && !is_heading {
            let text = text.lines().next().unwrap_or_default();
            openings.push((line, text));
            is_opening = false;
        }
        is_opening |= is_heading;
    }
    openings
}

fn is_forbidden(text: &str, is_bool: bool) -> bool {
    let begins_with = |words: &str| {
        text.strip_prefix(words)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    FORBIDDEN.into_iter().any(begins_with) || (!is_bool && begins_with(ONLY_BOOL))
}

/// Whether the item that a comment is about is a `bool`: a field, constant or variant of such a type, or
/// a function that returns one. A wrapped `bool` counts, such as `Option<bool>` and `AtomicBool`.
fn is_bool(item: &[Token<'_>]) -> bool {
    let mut is_function = false;
    let mut is_returned = false;
    let mut angles = 0_usize;
    let mut at = 0;
    while let Some(token) = item.get(at) {
        match token.kind {
            Kind::Word("fn") => is_function = true,
            Kind::Word("bool" | "AtomicBool") if !is_function || is_returned => return true,
            Kind::Mark("->") if angles == 0 => is_returned = true,
            Kind::Mark("<") => angles += 1,
            Kind::Mark(">") => angles = angles.saturating_sub(1),
            // The parameters of a function, or those of a type of functions.
            Kind::Mark("(") if is_function && !is_returned => {
                at = after_group(item, at);
                continue;
            }
            Kind::Mark("{" | "}" | ";") => return false,
            Kind::Mark(",") if angles == 0 => return false,
            _ => {}
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::forbidden_openings;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let found = forbidden_openings(source);
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, expected, "{source}");
    }

    #[test]
    fn only_the_first_line_of_a_comment_and_of_a_section_is_an_opening() {
        check("//! What it is.\n//! What more.", &["What it is."]);
        check("/// The size.\n/// What is left.\nstruct A;", &[]);
        check(
            "/// The size.\n///\n/// # Errors\n/// Who asks.\nfn a();",
            &["Who asks."],
        );
        check(
            "/// The size.\n/// ```\n/// # fn a() {}\n/// Of::b();\n/// ```\nfn a();",
            &[],
        );
    }

    #[test]
    fn forbidden_words_are_whole_words() {
        check("/// Whatever is left.\nstruct A;", &[]);
        check("/// One that stays.\nstruct A;", &["One that stays."]);
        check("/// One message.\nstruct A;", &[]);
        check("/// Offset in bytes.\nstruct A;", &[]);
    }

    #[test]
    fn whether_is_for_bools() {
        check("/// Whether it is.\nfn a(&self) -> bool {}", &[]);
        check(
            "/// Whether it is.\n#[must_use]\nfn a<T, U>(x: T) -> bool {}",
            &[],
        );
        check(
            "struct A {\n/// Whether it is.\npub b: Option<bool>,\n}",
            &[],
        );
        check("enum A {\n/// Whether it is.\nB(bool),\n}", &[]);
        check(
            "/// Whether it is.\nfn a(b: bool) -> u8 {}",
            &["Whether it is."],
        );
        check(
            "struct A {\n/// Whether it is.\nb: u8, c: bool }",
            &["Whether it is."],
        );
        check("//! Whether it is.\nfn a() -> bool {}", &["Whether it is."]);
        check(
            "/// Whether it is.\nenum A { B(bool) }",
            &["Whether it is."],
        );
    }
}
