//! Rust tokens back to the gram text they were written as, with a map from text to token.
//!
//! Rust has cut the text into its own tokens: `a-b` arrives in three pieces, `10s` in one, strings
//! in any of Rust's forms. Pieces that touch in the source are joined; strings count by their value.

use proc_macro2::{Delimiter, LineColumn, Spacing, Span, TokenStream, TokenTree};
use syn::Lit;

/// Gram text with the token behind each piece.
pub(crate) struct GramText {
    pub(crate) text: String,
    /// Where each piece starts and ends in the text, in order.
    pieces: Vec<Piece>,
}

struct Piece {
    start: usize,
    end: usize,
    span: Span,
}

impl GramText {
    pub(crate) fn of_tokens(tokens: TokenStream) -> Self {
        let mut builder = Builder {
            text: String::new(),
            pieces: Vec::new(),
            last_end: None,
            last_is_joint: false,
        };
        builder.stream(tokens);
        Self {
            text: builder.text,
            pieces: builder.pieces,
        }
    }

    /// The first and last token of a stretch of text.
    pub(super) fn spans(&self, span: agent_gram::Span) -> (Span, Span) {
        let last = self.pieces.len().saturating_sub(1);
        // The piece the stretch starts in; between two pieces, the next one.
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

struct Builder {
    text: String,
    pieces: Vec<Piece>,
    last_end: Option<LineColumn>,
    last_is_joint: bool,
}

impl Builder {
    fn stream(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    // `///` arrives as `#[doc = "…"]`, `//!` as `#![doc = "…"]`. Comments mean
                    // nothing in gram.
                    if matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '!')
                    {
                        tokens.next();
                    }
                    match tokens.peek() {
                        Some(TokenTree::Group(group)) if is_doc(&group.stream()) => {
                            tokens.next();
                        }
                        _ => self.piece("#", punct.span(), false),
                    }
                }
                TokenTree::Punct(punct) => {
                    let mut text = [0; 4];
                    let text = punct.as_char().encode_utf8(&mut text);
                    self.piece(text, punct.span(), punct.spacing() == Spacing::Joint);
                }
                TokenTree::Ident(ident) => {
                    let text = ident.to_string();
                    let text = text.strip_prefix("r#").unwrap_or(&text);
                    self.piece(text, ident.span(), false);
                }
                TokenTree::Literal(literal) => {
                    let text = literal_text(&literal);
                    self.piece(&text, literal.span(), false);
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
                    self.piece(open, group.span_open(), false);
                    self.stream(group.stream());
                    self.piece(close, group.span_close(), false);
                }
            }
        }
    }

    fn piece(&mut self, text: &str, span: Span, joint: bool) {
        let (start, end) = (span.start(), span.end());
        // A span without a place, as in an editor that expands without source text, starts and
        // ends at the same point. Then only joint punctuation is known to touch what follows.
        let placed = start != end;
        let touches = match self.last_end {
            Some(last) if placed => last == start,
            _ => self.last_is_joint,
        };
        if !touches && !self.text.is_empty() {
            let new_line = self
                .last_end
                .is_some_and(|last| placed && last.line < start.line);
            self.text.push(if new_line { '\n' } else { ' ' });
        }
        let from = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece {
            start: from,
            end: self.text.len(),
            span,
        });
        self.last_end = placed.then_some(end);
        self.last_is_joint = joint;
    }
}

fn is_doc(tokens: &TokenStream) -> bool {
    matches!(tokens.clone().into_iter().next(), Some(TokenTree::Ident(ident)) if ident == "doc")
}

/// A literal as gram: text by its value, everything else as written.
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
