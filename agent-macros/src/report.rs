//! Collects errors, so that all errors of an item are reported at once.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use std::cell::RefCell;
use std::fmt::Display;

/// The errors so far. Dropping a report without reading it is a bug in this crate.
#[derive(Debug, Default)]
pub(crate) struct Report {
    errors: RefCell<Option<syn::Error>>,
}

impl Report {
    /// Adds an error at a token.
    pub(crate) fn error(&self, span: Span, message: impl Display) {
        self.add(syn::Error::new(span, message));
    }

    /// Adds an error that spans from one token to another.
    pub(crate) fn error_between(&self, start: Span, end: Span, message: impl Display) {
        let ends = [start, end].map(|span| Ident::new("_", span));
        self.add(syn::Error::new_spanned(quote!(#(#ends)*), message));
    }

    /// Adds an error at a part of the item, from its first token to its last.
    pub(crate) fn error_on(&self, part: &impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(part, message));
    }

    /// Adds the errors of syn, each at its first token.
    pub(crate) fn syn(&self, error: &syn::Error) {
        for error in error.clone() {
            self.error(error.span(), &error);
        }
    }

    fn add(&self, error: syn::Error) {
        let mut errors = self.errors.borrow_mut();
        match errors.as_mut() {
            Some(errors) => errors.combine(error),
            None => *errors = Some(error),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.borrow().is_none()
    }

    /// Returns the errors as code, one `compile_error!` each.
    pub(crate) fn finish(self) -> TokenStream {
        let errors = self.errors.take();
        errors.map_or_else(TokenStream::new, syn::Error::into_compile_error)
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.is_empty(), "mistakes were found and not reported");
        }
    }
}
