//! The known differences, as data.
//!
//! A difference is written as the change that removes it from a text, since a predicate wide enough
//! to find it would hide other faults of the same texts. A text about which the parsers disagree is
//! explained when, with the differences removed one after another, both parsers agree about what is
//! left, and no removal changed the mind of the parser that it must not matter to.

use crate::official_grammar::parsers::{official_accepts, we_accept};
use crate::official_grammar::tokens::{Kind, Token, joined, tokens};
use crate::official_grammar::widened;

/// The parser that accepts more than the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wider {
    /// We do.
    Ours,
    /// The official parser does.
    Official,
}

/// One difference.
pub(crate) struct Difference {
    pub(crate) name: &'static str,
    /// The reason why the difference is right.
    pub(crate) reason: &'static str,
    pub(crate) wider: Wider,
    /// Texts that only the wider parser takes.
    pub(crate) examples: &'static [fn() -> String],
    /// The text without the difference.
    remove: fn(Vec<Token>) -> Vec<Token>,
}

/// All of them, in the order in which they are removed.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "the character U+0000",
        reason: "text and comments hold any character; the official lexer takes this one for the end of the text",
        wider: Wider::Ours,
        examples: &[|| "({k: \"\0\"}) // \0".into()],
        remove: |tokens| inside_texts(tokens, |text| text.replace('\0', "x")),
    },
    Difference {
        name: "comment marks at the beginning of a text",
        reason: "between quotes there are no comments; the official lexer looks for one before the text",
        wider: Wider::Ours,
        examples: &[
            || "({k: \"//cdn\"})".into(),
            || "({k: ' //cdn'})".into(),
            || "({`//cdn`: 1})".into(),
            || "({k: ```\n // let x```})".into(),
        ],
        remove: |tokens| map(tokens, without_comment_marks),
    },
    Difference {
        name: "a line end before a closing quote",
        reason: "text between quotes stands on one line; the official parser takes white space and comments before the closing quote",
        wider: Wider::Official,
        examples: &[|| "({k: \"text\n\"})".into(), || "(`a\n // c\n`)".into()],
        remove: |tokens| map(tokens, closed_on_its_line),
    },
    Difference {
        name: "`/**/`",
        reason: "the grammar's own comment says that it is no comment; the official lexer takes it with what follows up to `*/`",
        wider: Wider::Official,
        examples: &[|| "/**/ */ (a)".into()],
        remove: |tokens| {
            map(tokens, |token| match token.kind {
                Kind::Comment if token.text.starts_with("/**/") => {
                    Token::new(Kind::Comment, "/** */")
                }
                _ => token,
            })
        },
    },
    Difference {
        name: "numbers that no computer word holds",
        reason: "a value must be held: whole numbers have 128 bits, decimals are 64-bit floats",
        wider: Wider::Official,
        examples: &[
            || format!("({{k: {}}})", "9".repeat(40)),
            || format!("({{k: 0x{}}})", "f".repeat(33)),
            || format!("({{k: -{}.0}})", "9".repeat(400)),
            || format!("({{k: {}s}})", "9".repeat(400)),
        ],
        remove: |tokens| {
            map(tokens, |token| match token.kind {
                Kind::Number => Token::new(Kind::Number, short_number(&token.text)),
                _ => token,
            })
        },
    },
    Difference {
        name: "nested too deep",
        reason: "depth is bounded, so that no text can exhaust the stack",
        wider: Wider::Official,
        examples: &[|| format!("{}{}", "[x | ".repeat(128) + "[y]", "]".repeat(128))],
        remove: widened::shallow,
    },
    Difference {
        name: "decimal measurements",
        reason: "a widening: other readers of gram take them, too",
        wider: Wider::Ours,
        examples: &[|| "({k: -1.50usd})".into(), || "({k: 1.5s..2s})".into()],
        remove: |tokens| {
            map(tokens, |token| match token.kind {
                Kind::Number => Token::new(Kind::Number, without_fraction_before_unit(&token.text)),
                _ => token,
            })
        },
    },
    Difference {
        name: "`true` and `false` as tags",
        reason: "a tag is a symbol, and these are symbols elsewhere",
        wider: Wider::Ours,
        examples: &[
            || "({k: true`x`})".into(),
            || "({k: false /** c */ `x`})".into(),
        ],
        remove: other_tags,
    },
    Difference {
        name: "arrays of anything, empty arrays, and maps of anything",
        reason: "a widening: specs nest lists of fields, and a default may be any value",
        wider: Wider::Ours,
        examples: &[
            || "({k: []})".into(),
            || "({k: [{a: 1}, {}]})".into(),
            || "({k: {a: {b: [[1]]}}})".into(),
            || "@k([[], {a: []}]) (b)".into(),
        ],
        remove: widened::narrow,
    },
];

/// The known differences in a text, because of which the parsers disagree about it.
///
/// # Errors
/// When no known difference explains it: what was left, and who takes that.
pub(crate) fn explain(text: &str) -> Result<Vec<&'static str>, String> {
    let mut text = text.to_owned();
    let mut applied = Vec::new();
    for difference in DIFFERENCES {
        let without = joined(&(difference.remove)(tokens(&text)));
        if without == text {
            continue;
        }
        let unmoved = match difference.wider {
            Wider::Ours => we_accept(&text) == we_accept(&without),
            Wider::Official => official_accepts(&text) == official_accepts(&without),
        };
        if !unmoved {
            return Err(format!(
                "{}: {text:?} and {without:?} are not the same",
                difference.name
            ));
        }
        applied.push(difference.name);
        text = without;
    }
    if official_accepts(&text) == we_accept(&text) {
        Ok(applied)
    } else {
        Err(format!("without {applied:?} {text:?} is left"))
    }
}

fn map(tokens: Vec<Token>, change: impl Fn(Token) -> Token) -> Vec<Token> {
    tokens.into_iter().map(change).collect()
}

fn inside_texts(tokens: Vec<Token>, change: impl Fn(&str) -> String) -> Vec<Token> {
    map(tokens, |token| match token.kind {
        Kind::Comment | Kind::Quoted | Kind::LateClose | Kind::Fence => {
            Token::new(token.kind, change(&token.text))
        }
        _ => token,
    })
}

/// Puts something before the marks.
fn without_comment_marks(token: Token) -> Token {
    let start = match token.kind {
        Kind::Quoted | Kind::LateClose => 1,
        Kind::Fence => token.text.find('\n').map_or(token.text.len(), |at| at + 1),
        _ => return token,
    };
    let (before, text) = token.text.split_at(start);
    let inner = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    if inner.starts_with("//") || inner.starts_with("/**") {
        Token::new(token.kind, format!("{before}x{text}"))
    } else {
        token
    }
}

fn closed_on_its_line(token: Token) -> Token {
    if token.kind != Kind::LateClose {
        return token;
    }
    let line = token.text.split('\n').next().unwrap_or_default();
    let quote = token.text.chars().next_back().unwrap_or('"');
    Token::new(Kind::Quoted, format!("{line}{quote}"))
}

/// The number with at most thirty digits in a row.
fn short_number(number: &str) -> String {
    let mut row = 0;
    let keep = |character: &char| {
        row = if character.is_ascii_hexdigit() {
            row + 1
        } else {
            0
        };
        row <= 30
    };
    number.chars().filter(keep).collect()
}

/// `1.50usd` as `1usd`.
fn without_fraction_before_unit(number: &str) -> String {
    let Some((whole, fraction)) = number.split_once('.') else {
        return number.to_owned();
    };
    let unit = fraction.trim_start_matches(|next: char| next.is_ascii_digit());
    let is_unit = !unit.is_empty() && unit.bytes().all(|next| next.is_ascii_alphabetic());
    if is_unit {
        format!("{whole}{unit}")
    } else {
        number.to_owned()
    }
}

/// Writes `t` for `true` and `false` before text in backticks.
fn other_tags(mut tokens: Vec<Token>) -> Vec<Token> {
    for index in 0..tokens.len() {
        let next = tokens[index + 1..].iter().find(|next| !next.is_trivia());
        let tags = next.is_some_and(|next| next.kind == Kind::Quoted && next.text.starts_with('`'));
        let word = &mut tokens[index];
        if word.kind == Kind::Word && tags && matches!(word.text.as_str(), "true" | "false") {
            word.text = "t".to_owned();
        }
    }
    tokens
}
