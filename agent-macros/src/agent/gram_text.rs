//! Turns Rust tokens back into gram, with a map from the text to the tokens.
//!
//! Rust has its own tokens: `a-b` arrives as three, `10s` as one, and strings in any form that Rust
//! has. Tokens that touch in the source are joined; strings are converted by their value.

use super::options::is_punct;
use proc_macro2::{Delimiter, LineColumn, Spacing, Span, TokenStream, TokenTree};
use syn::Lit;

/// Gram with the token of each piece of the text.
#[derive(Default)]
pub(crate) struct GramText {
    pub(crate) text: String,
    /// The pieces with their offsets in the text, in order.
    pieces: Vec<Piece>,
}

struct Piece {
    start: usize,
    end: usize,
    span: Span,
}

impl GramText {
    pub(crate) fn of_tokens(tokens: TokenStream) -> Self {
        let mut builder = Builder::default();
        builder.stream(tokens);
        builder.written
    }

    /// Returns the first and last token of a span of the text.
    pub(super) fn spans(&self, span: agent_gram::Span) -> (Span, Span) {
        let last = self.pieces.len().saturating_sub(1);
        // The piece that contains the start, or the next one if it is between two pieces.
        let start = self
            .pieces
            .partition_point(|piece| piece.end <= span.start)
            .min(last);
        let end = self
            .pieces
            .partition_point(|piece| piece.start < span.end)
            .max(start + 1)
            - 1;
        match (self.pieces.get(start), self.pieces.get(end.min(last))) {
            (Some(start), Some(end)) => (start.span, end.span),
            _ => (Span::call_site(), Span::call_site()),
        }
    }
}

#[derive(Default)]
struct Builder {
    written: GramText,
    last_end: Option<LineColumn>,
    last_glue: bool,
}

impl Builder {
    fn stream(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let glue = Glue::of(&tokens, at);
            at += 1;
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    // `///` arrives as `#[doc = "…"]`, `//!` as `#![doc = "…"]`. Comments mean
                    // nothing in gram.
                    let bang = usize::from(is_punct(tokens.get(at), '!'));
                    match tokens.get(at + bang) {
                        Some(TokenTree::Group(group)) if is_doc(&group.stream()) => at += bang + 1,
                        _ => self.piece("#", punct.span(), glue),
                    }
                }
                TokenTree::Punct(punct) => {
                    let mut text = [0; 4];
                    let text = punct.as_char().encode_utf8(&mut text);
                    self.piece(text, punct.span(), glue);
                }
                TokenTree::Ident(ident) => {
                    let text = ident.to_string();
                    let text = text.strip_prefix("r#").unwrap_or(&text);
                    self.piece(text, ident.span(), glue);
                }
                TokenTree::Literal(literal) => {
                    let text = literal_text(literal);
                    self.piece(&text, literal.span(), glue);
                }
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => {
                            self.stream(group.stream());
                            continue;
                        }
                    };
                    self.piece(open, group.span_open(), Glue::NONE);
                    self.stream(group.stream());
                    self.piece(close, group.span_close(), Glue::NONE);
                }
            }
        }
    }

    fn piece(&mut self, text: &str, span: Span, glue: Glue) {
        let (start, end) = (span.start(), span.end());
        // A span without a location, as in an editor that expands without source text, has equal
        // ends.
        let placed = start != end;
        let touches = match self.last_end {
            Some(last) if placed => last == start,
            _ => self.last_glue || glue.before,
        };
        let GramText { text: out, pieces } = &mut self.written;
        if !touches && !out.is_empty() {
            let new_line = self
                .last_end
                .is_some_and(|last| placed && last.line < start.line);
            out.push(if new_line { '\n' } else { ' ' });
        }
        let from = out.len();
        out.push_str(text);
        pieces.push(Piece {
            start: from,
            end: out.len(),
            span,
        });
        self.last_end = placed.then_some(end);
        self.last_glue = glue.after;
    }
}

/// The sides on which a token touches its neighbours, judged by the tokens alone if they have no locations.
/// Characters that gram allows in names are assumed to be inside a name.
#[derive(Clone, Copy)]
struct Glue {
    before: bool,
    after: bool,
}

impl Glue {
    const NONE: Self = Self {
        before: false,
        after: false,
    };

    fn of(tokens: &[TokenTree], at: usize) -> Self {
        let TokenTree::Punct(punct) = &tokens[at] else {
            return Self::NONE;
        };
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let (after, second) = (tokens.get(at + 1), tokens.get(at + 2));
        let joint = punct.spacing() == Spacing::Joint;
        match punct.as_char() {
            // `@description("…")` begins a new token, `a@b` does not.
            '@' => Self {
                before: is_word(before)
                    && is_word(after)
                    && !is_group(second, Delimiter::Parenthesis),
                after: true,
            },
            '.' => Self {
                before: is_word(before) || is_punct(before, '.'),
                after: joint || is_word(after),
            },
            // Part of a name or a number, or of an arrow with a subject: `a-b`, `-5`,
            // `-[:KNOWS]->`.
            '-' | '=' | '~' => Self {
                before: (is_word(before) && is_word(after)) || is_group(before, Delimiter::Bracket),
                after: joint || is_word(after) || is_group(after, Delimiter::Bracket),
            },
            _ => Self {
                before: false,
                after: joint,
            },
        }
    }
}

/// Whether a token is a name or a number.
fn is_word(token: Option<&TokenTree>) -> bool {
    match token {
        Some(TokenTree::Ident(_)) => true,
        Some(TokenTree::Literal(literal)) => !matches!(
            Lit::new(literal.clone()),
            Lit::Str(_) | Lit::Char(_) | Lit::ByteStr(_) | Lit::CStr(_)
        ),
        _ => false,
    }
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

fn is_doc(tokens: &TokenStream) -> bool {
    matches!(tokens.clone().into_iter().next(), Some(TokenTree::Ident(ident)) if ident == "doc")
}

/// Converts a literal to gram: a text by its value, others as they are written.
fn literal_text(literal: &proc_macro2::Literal) -> String {
    match Lit::new(literal.clone()) {
        Lit::Str(text) => quoted(&text.value()),
        Lit::Char(text) => quoted(&text.value().to_string()),
        _ => literal.to_string(),
    }
}

fn quoted(text: &str) -> String {
    agent_gram::print::writer::to_string(|writer| writer.quoted(text, b'"'))
}
