//! One small change to a text.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The tokens that are inserted at wrong positions.
const INSERTS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "::",
    "|",
    "@",
    "@@",
    "..",
    "...",
    ".",
    "-",
    "->",
    "<-",
    "=",
    "=>",
    "<=",
    "~",
    "~>",
    "<~",
    "-->",
    "==",
    "a",
    "true",
    "null",
    "1",
    "0",
    "-1",
    "1.5",
    "0x1F",
    "08",
    "0o7",
    "10s",
    "1.5s",
    "01",
    "1e5",
    "\"s\"",
    "'s'",
    "`s`",
    "``",
    "```",
    "```\nx```",
    "```md\nx\n```",
    "md`x`",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\n",
    "\\x",
    "/",
    "//",
    "// c\n",
    "/**",
    "*/",
    "/* c */",
    "/**/",
    "/** c */",
    "é",
    "\u{a0}",
    "\u{0}",
    " ",
    "\n",
    "\r\n",
    "\r",
    "k: 1",
    "{k: 1}",
    "{}",
    "[]",
    "[1]",
    "@k(1)",
    "@@i",
    "(b)",
    "[c]",
    "| x",
    "$",
    ";",
    "+",
    "\u{feff}",
];

/// One change.
#[derive(Clone, Debug)]
pub(crate) enum Mutation {
    /// Leaves out a piece.
    Delete(Index),
    /// Says a piece twice.
    Duplicate(Index),
    /// Has two pieces change places.
    Swap(Index, Index),
    /// Puts a text between two pieces.
    Insert(Index, &'static str),
    /// Leaves out a character.
    DeleteCharacter(Index),
    /// Says a character twice.
    DuplicateCharacter(Index),
    /// Has a character and the next one change places.
    SwapCharacters(Index),
    /// Puts a text before a character, inside of a token, too.
    InsertAtCharacter(Index, &'static str),
}

pub(crate) fn mutation() -> impl Strategy<Value = Mutation> {
    use Mutation::{
        Delete, DeleteCharacter, Duplicate, DuplicateCharacter, Insert, InsertAtCharacter, Swap,
        SwapCharacters,
    };
    let at = any::<Index>;
    prop_oneof![
        1 => at().prop_map(Delete),
        1 => at().prop_map(Duplicate),
        1 => (at(), at()).prop_map(|(left, right)| Swap(left, right)),
        1 => (at(), select(INSERTS)).prop_map(|(at, text)| Insert(at, text)),
        1 => at().prop_map(DeleteCharacter),
        1 => at().prop_map(DuplicateCharacter),
        1 => at().prop_map(SwapCharacters),
        3 => (at(), select(INSERTS)).prop_map(|(at, text)| InsertAtCharacter(at, text)),
    ]
}

impl Mutation {
    /// The changed text. Pieces are never empty in number, but may be empty texts.
    pub(crate) fn apply(&self, pieces: &[String]) -> String {
        let mut pieces = pieces.to_vec();
        let mut characters: Vec<char> = pieces.concat().chars().collect();
        let count = pieces.len();
        match self {
            Self::Delete(at) => {
                pieces.remove(at.index(count));
            }
            Self::Duplicate(at) => {
                let at = at.index(count);
                pieces.insert(at, pieces[at].clone());
            }
            Self::Swap(left, right) => pieces.swap(left.index(count), right.index(count)),
            Self::Insert(at, text) => pieces.insert(at.index(count + 1), (*text).to_owned()),
            _ => {}
        }
        let length = characters.len();
        match self {
            Self::InsertAtCharacter(at, text) => {
                let at = at.index(length + 1);
                characters.splice(at..at, text.chars());
            }
            // Nothing can be taken from an empty text.
            _ if length == 0 => {}
            Self::DeleteCharacter(at) => {
                characters.remove(at.index(length));
            }
            Self::DuplicateCharacter(at) => {
                let at = at.index(length);
                characters.insert(at, characters[at]);
            }
            Self::SwapCharacters(at) => {
                let at = at.index(length);
                characters.swap(at, (at + 1).min(length - 1));
            }
            _ => return pieces.concat(),
        }
        characters.into_iter().collect()
    }
}
