//! A text cut into tokens, roughly and without loss: enough to find the places where the two
//! parsers are known to differ.

/// The kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// White space.
    Blank,
    /// A comment, `/**/` included.
    Comment,
    /// A bare word.
    Word,
    /// A number without its sign.
    Number,
    /// Text between quotes on one line, escapes not looked at.
    Quoted,
    /// Text that has its closing quote only after a line end and what may follow that.
    LateClose,
    /// A fence, tag included.
    Fence,
    /// Anything else, a character or a run of dots or colons.
    Mark,
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

impl Token {
    pub(crate) fn new(kind: Kind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { kind, text }
    }

    pub(crate) fn is_trivia(&self) -> bool {
        matches!(self.kind, Kind::Blank | Kind::Comment)
    }

    pub(crate) fn is(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }
}

/// The tokens of a text; joined, they are the text.
pub(crate) fn tokens(mut text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    while let Some(first) = text.chars().next() {
        let (kind, length) = token(text, first);
        let (token, rest) = text.split_at(length);
        tokens.push(Token::new(kind, token));
        text = rest;
    }
    tokens
}

/// The text of tokens.
pub(crate) fn joined(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect()
}

fn token(text: &str, first: char) -> (Kind, usize) {
    let some = |kind, length: Option<usize>| length.map(|length| (kind, length));
    let found = match first {
        _ if is_blank(first) => Some((Kind::Blank, run(text, is_blank))),
        'a'..='z' | 'A'..='Z' | '_' => Some((Kind::Word, run(text, is_word))),
        '0'..='9' => Some((Kind::Number, number_length(text))),
        '/' => some(Kind::Comment, comment_length(text)),
        '`' if text.starts_with("```") => some(Kind::Fence, fence_length(text)),
        '"' | '\'' | '`' => quoted(text, first),
        '.' | ':' => Some((Kind::Mark, run(text, |next| next == first))),
        _ => None,
    };
    found.unwrap_or((Kind::Mark, first.len_utf8()))
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '@' | '-')
}

/// The number of bytes of such characters.
fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|character| !of(character)).unwrap_or(text.len())
}

fn number_length(text: &str) -> usize {
    let mut length = run(text, |next| next.is_ascii_digit());
    if let Some(fraction) = text[length..].strip_prefix('.') {
        let digits = run(fraction, |next| next.is_ascii_digit());
        length += if digits > 0 { 1 + digits } else { 0 };
    }
    length + run(&text[length..], |next| next.is_ascii_alphanumeric())
}

/// The length of a comment. The official parser takes `/**/` for the beginning of one.
fn comment_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        Some(run(text, |next| next != '\n'))
    } else {
        let inner = text.strip_prefix("/**")?;
        let end = inner.find("*/")?;
        Some(text.len() - inner.len() + end + "*/".len())
    }
}

fn fence_length(text: &str) -> Option<usize> {
    let line_end = text.find('\n')?;
    let close = text[line_end..].find("```")?;
    Some(line_end + close + "```".len())
}

fn quoted(text: &str, quote: char) -> Option<(Kind, usize)> {
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '\n' => {
                let close = at + trivia_length(&text[at..]);
                let closed = text[close..].starts_with(quote);
                return closed.then_some((Kind::LateClose, close + 1));
            }
            _ if character == quote => return Some((Kind::Quoted, at + 1)),
            _ => {}
        }
    }
    None
}

/// The length of the white space and comments at the beginning of a text.
fn trivia_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let more = run(rest, is_blank) + comment_length(rest).unwrap_or(0);
        if more == 0 {
            return length;
        }
        length += if rest.starts_with(is_blank) {
            run(rest, is_blank)
        } else {
            more
        };
    }
}
