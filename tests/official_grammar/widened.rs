//! The differences that need the structure of a text: values inside values, and depth.

use crate::official_grammar::tokens::{Kind, Token};

/// The contents of a pair of brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    /// A pattern, a node, or the subject of an arrow.
    Pattern,
    /// A record, or the value of an annotation: here any value may stand.
    Outer,
    /// A map or an array.
    Inner,
}

/// The text with `0` for whatever value the official grammar has no place for: empty arrays, and
/// arrays and maps inside arrays and maps. Only what is right by itself is replaced, so that a
/// mistake stays a mistake.
pub(crate) fn narrow(mut tokens: Vec<Token>) -> Vec<Token> {
    while let Some((start, end)) = innermost_widened(&tokens) {
        tokens.splice(start..=end, [Token::new(Kind::Number, "0")]);
    }
    tokens
}

/// The first value without other values inside that the official grammar has no place for.
fn innermost_widened(tokens: &[Token]) -> Option<(usize, usize)> {
    let mut open: Vec<(usize, Opened)> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if token.kind != Kind::Mark {
            continue;
        }
        match token.text.as_str() {
            "(" | "[" | "{" => open.push((index, opened(tokens, index, &open))),
            ")" | "]" | "}" => {
                let (start, kind) = open.pop()?;
                let outer = open.last().map(|(_, outer)| *outer);
                let inside = significant(&tokens[start + 1..index]);
                let is_array = tokens[start].is("[") && token.is("]");
                let is_map = tokens[start].is("{") && token.is("}");
                let widened = match outer {
                    Some(Opened::Inner) => true,
                    // An array of scalars is official in a map, but not in an array; to tell them
                    // apart is not needed, since `0` is right in both.
                    _ => is_array && inside.is_empty(),
                };
                let right = (is_array && (inside.is_empty() || is_list(&inside, scalar_end)))
                    || (is_map && (inside.is_empty() || is_list(&inside, entry_end)));
                if kind == Opened::Inner && widened && right {
                    return Some((start, index));
                }
            }
            _ => {}
        }
    }
    None
}

fn opened(tokens: &[Token], index: usize, open: &[(usize, Opened)]) -> Opened {
    let outer = open.last().map_or(Opened::Pattern, |(_, outer)| *outer);
    if outer != Opened::Pattern {
        return Opened::Inner;
    }
    let before: Vec<&Token> = significant(&tokens[..index]);
    let annotation = matches!(before.as_slice(), [.., at, key]
        if at.is("@") && key.kind == Kind::Word)
        && !matches!(before.as_slice(), [.., first, second, _] if first.is("@") && second.is("@"));
    if tokens[index].is("{") || (tokens[index].is("(") && annotation) {
        Opened::Outer
    } else {
        Opened::Pattern
    }
}

fn significant(tokens: &[Token]) -> Vec<&Token> {
    tokens.iter().filter(|token| !token.is_trivia()).collect()
}

/// Whether it is one or more of something, with a comma between each two.
fn is_list(tokens: &[&Token], item_end: fn(&[&Token]) -> Option<usize>) -> bool {
    let Some(end) = item_end(tokens) else {
        return false;
    };
    match tokens.get(end) {
        None => true,
        Some(comma) => comma.is(",") && is_list(&tokens[end + 1..], item_end),
    }
}

/// The length of `key: scalar`.
fn entry_end(tokens: &[&Token]) -> Option<usize> {
    let [key, colon, ..] = tokens else {
        return None;
    };
    let is_key = match key.kind {
        Kind::Word => true,
        Kind::Quoted => is_text(key) && !key.text.starts_with('\''),
        _ => false,
    };
    if !is_key || !colon.is(":") {
        return None;
    }
    scalar_end(&tokens[2..]).map(|length| length + 2)
}

/// The length of `scalar = range | number | boolean | tagged | symbol | string`.
fn scalar_end(tokens: &[&Token]) -> Option<usize> {
    if let Some(lower) = number_end(tokens) {
        return match tokens.get(lower) {
            Some(dots) if dots.is("...") => Some(lower + 1),
            Some(dots) if dots.is("..") => {
                number_end(&tokens[lower + 1..]).map(|upper| lower + 1 + upper)
            }
            _ => Some(lower),
        };
    }
    let first = tokens.first()?;
    match first.kind {
        Kind::Word => match tokens.get(1) {
            Some(next) if next.kind == Kind::Quoted && next.text.starts_with('`') => {
                is_text(next).then_some(2)
            }
            _ => Some(1),
        },
        Kind::Quoted => is_text(first).then_some(1),
        Kind::Fence => is_fence(first).then_some(1),
        Kind::Mark if first.is("...") => number_end(&tokens[1..]).map(|upper| upper + 1),
        _ => None,
    }
}

/// The length of a number with its sign.
fn number_end(tokens: &[&Token]) -> Option<usize> {
    match tokens {
        [number, ..] if number.kind == Kind::Number => is_number(&number.text).then_some(1),
        [minus, number, ..] if minus.is("-") && number.kind == Kind::Number => {
            // Hexadecimal and octal numbers have no sign, and what follows a zero is a unit.
            let signed = !number.text.starts_with('0') || number.text.starts_with("0.") || {
                number.text[1..]
                    .bytes()
                    .all(|next| next.is_ascii_alphabetic())
            };
            (signed && is_number(&number.text)).then_some(2)
        }
        _ => None,
    }
}

fn is_number(number: &str) -> bool {
    if let Some(digits) = number.strip_prefix("0x")
        && !digits.is_empty()
        && digits.bytes().all(|next| next.is_ascii_hexdigit())
    {
        return true;
    }
    let rest = number.trim_start_matches(|next: char| next.is_ascii_digit());
    let whole = &number[..number.len() - rest.len()];
    if whole.len() > 1 && whole.starts_with('0') {
        return rest.is_empty() && whole.bytes().all(|next| next <= b'7');
    }
    match rest.strip_prefix('.') {
        Some(fraction) => fraction.bytes().all(|next| next.is_ascii_digit()),
        None => rest.bytes().all(|next| next.is_ascii_alphabetic()),
    }
}

/// Whether its escapes are right.
fn is_text(quoted: &Token) -> bool {
    let quote = quoted.text.chars().next().unwrap_or('"');
    let mut characters = quoted.text.chars().skip(1);
    while let Some(character) = characters.next() {
        if character == '\\' {
            let escaped = characters.next();
            let right = escaped.is_some_and(|next| next == quote || "bfnrt/\\".contains(next));
            if !right {
                return false;
            }
        }
    }
    true
}

/// Whether its first line has nothing but a tag.
fn is_fence(fence: &Token) -> bool {
    let line = fence.text.lines().next().unwrap_or_default();
    let tag = line.strip_prefix("```").unwrap_or_default().trim();
    let starts = tag
        .bytes()
        .next()
        .is_none_or(|first| first.is_ascii_alphabetic() || first == b'_');
    starts
        && tag
            .bytes()
            .all(|next| next.is_ascii_alphanumeric() || b"_.@-".contains(&next))
}

/// The maximum nesting of brackets: one less than the limit, because the content of the innermost
/// brackets counts, too.
const DEEP: usize = 127;

/// The text with names for the innermost brackets, as long as it is nested too deep.
pub(crate) fn shallow(mut tokens: Vec<Token>) -> Vec<Token> {
    while let Some((start, end)) = deepest_bracket(&tokens) {
        tokens.splice(start..=end, [Token::new(Kind::Word, "x")]);
    }
    tokens
}

/// The place of a bracket `[x]` or `[x | x]` that stands as an element too deep inside others.
fn deepest_bracket(tokens: &[Token]) -> Option<(usize, usize)> {
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if token.is("[") || token.is("(") || token.is("{") {
            open.push(index);
        } else if token.is("]") || token.is(")") || token.is("}") {
            let depth = open.len();
            let start = open.pop()?;
            let inside = significant(&tokens[start + 1..index]);
            let flat = match inside.as_slice() {
                [name] => name.kind == Kind::Word,
                [name, bar, other] => {
                    name.kind == Kind::Word && bar.is("|") && other.kind == Kind::Word
                }
                _ => false,
            };
            let before = significant(&tokens[..start]);
            let element = before
                .last()
                .is_some_and(|before| before.is("|") || before.is(","));
            if depth > DEEP && tokens[start].is("[") && token.is("]") && flat && element {
                return Some((start, index));
            }
        }
    }
    None
}
