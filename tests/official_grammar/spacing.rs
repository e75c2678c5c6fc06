//! White space and comments between tokens.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The texts between tokens: mostly nothing or a blank.
const GAPS: &[&str] = &[
    "",
    "",
    "",
    "",
    "",
    "",
    " ",
    " ",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\u{b}",
    "\u{c}",
    "\r",
    "  \n  ",
    "// c\n",
    " // it's \"c\" ` [\r\n",
    "/** c */",
    "/***/",
    "/** \n * c **/",
    "//\n",
    "// /** \n",
    "/** // */",
];

/// The gaps of a document: used in turn, repeatedly.
pub(crate) fn gaps() -> impl Strategy<Value = Vec<&'static str>> {
    vec(select(GAPS), 1..12)
}

/// The tokens with what stands between them, as pieces of a text: a token, a gap, a token, …; a gap
/// at both ends.
pub(crate) fn space(tokens: &[String], gaps: &[&'static str]) -> Vec<String> {
    let mut gaps = gaps.iter().cycle();
    let mut gap = || gaps.next().copied().unwrap_or_default();
    let mut pieces = vec![gap().to_owned()];
    for (index, token) in tokens.iter().enumerate() {
        pieces.push(token.clone());
        let between = match gap() {
            "" if tokens
                .get(index + 1)
                .is_some_and(|next| run_together(token, next)) =>
            {
                " "
            }
            gap => gap,
        };
        pieces.push(between.to_owned());
    }
    pieces
}

/// Whether two tokens without anything between them would be read as other tokens.
fn run_together(left: &str, right: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'@');
    let starts_word = |text: &str| text.bytes().next().is_some_and(word);
    let is_word = |text: &str| {
        let mut bytes = text.trim_start_matches('-').bytes();
        bytes
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let ticks = |text: &str| text.starts_with('`');
    (is_word(left) && starts_word(right)) || (ticks(left) && ticks(right))
}
