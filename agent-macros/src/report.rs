//! Collects errors, so that all errors of an item are reported at once.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use std::cell::RefCell;

/// The errors so far. Dropping a report without reading it is a bug in this crate.
#[derive(Debug, Default)]
pub(crate) struct Report {
    errors: RefCell<Option<Vec<SpannedError>>>,
}

#[derive(Debug)]
struct SpannedError {
    start: Span,
    end: Span,
    message: String,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self {
            errors: RefCell::new(Some(Vec::new())),
        }
    }

    /// Adds an error at a token.
    pub(crate) fn error(&self, span: Span, message: impl Into<String>) {
        self.error_between(span, span, message);
    }

    /// Adds an error that spans from one token to another.
    pub(crate) fn error_between(&self, start: Span, end: Span, message: impl Into<String>) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(SpannedError {
                start,
                end,
                message: message.into(),
            });
        }
    }

    /// Adds an error at a part of the item, from its first token to its last.
    pub(crate) fn error_on(&self, part: &impl ToTokens, message: impl Into<String>) {
        let mut spans = part.to_token_stream().into_iter().map(|token| token.span());
        let start = spans.next().unwrap_or_else(Span::call_site);
        let end = spans.last().unwrap_or(start);
        self.error_between(start, end, message);
    }

    /// Adds the errors of syn.
    pub(crate) fn syn(&self, error: &syn::Error) {
        for error in error.clone() {
            self.error(error.span(), error.to_string());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.borrow().as_ref().is_none_or(Vec::is_empty)
    }

    /// Returns the errors as code, one `compile_error!` each.
    pub(crate) fn finish(self) -> TokenStream {
        let errors = self.errors.take().unwrap_or_default();
        let mut code = TokenStream::new();
        code.append_all(errors.iter().map(SpannedError::to_compile_error));
        code
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let unread = self
                .errors
                .borrow()
                .as_ref()
                .is_some_and(|errors| !errors.is_empty());
            assert!(!unread, "mistakes were found and not reported");
        }
    }
}

impl SpannedError {
    /// Returns `::core::compile_error! { "…" }`. Its first tokens have the start span and its last
    /// the end span, so that rustc marks everything between.
    fn to_compile_error(&self) -> TokenStream {
        let punct = |ch, spacing, span| {
            let mut punct = Punct::new(ch, spacing);
            punct.set_span(span);
            TokenTree::Punct(punct)
        };
        let mut message = Literal::string(&self.message);
        message.set_span(self.end);
        let mut body = Group::new(Delimiter::Brace, TokenTree::Literal(message).into());
        body.set_span(self.end);
        let mut code = TokenStream::new();
        code.append_all([
            punct(':', Spacing::Joint, self.start),
            punct(':', Spacing::Alone, self.start),
            TokenTree::Ident(Ident::new("core", self.start)),
            punct(':', Spacing::Joint, self.start),
            punct(':', Spacing::Alone, self.start),
            TokenTree::Ident(Ident::new("compile_error", self.start)),
            punct('!', Spacing::Alone, self.start),
            TokenTree::Group(body),
        ]);
        code
    }
}
