//! A function whose body is kept as tokens: a tool needs its signature only, and a body that is unfinished or that syn
//! does not know is left to rustc.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, Pat, PatType, Signature, Visibility};

/// A function.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    body: TokenTree,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let function = Self::parse_any(input)?;
        match &function.body {
            TokenTree::Group(_) => Ok(function),
            other => Err(syn::Error::new(
                other.span(),
                "a tool does what its function does, so the function needs a body",
            )),
        }
    }
}

impl Function {
    fn parse_any(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }

    /// Parses a function without a body.
    pub(crate) fn parse_declaration(input: ParseStream<'_>) -> syn::Result<Self> {
        let function = Self::parse_any(input)?;
        match &function.body {
            TokenTree::Punct(punct) if punct.as_char() == ';' => Ok(function),
            other => Err(syn::Error::new(
                match other {
                    TokenTree::Group(body) => body.span_open(),
                    other => other.span(),
                },
                "the body of an agent function is its model; write `;` in place of the body",
            )),
        }
    }

    /// Returns the parameters, without `self`.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &PatType> {
        self.signature
            .inputs
            .iter()
            .filter_map(|input| match input {
                FnArg::Typed(parameter) => Some(parameter),
                FnArg::Receiver(_) => None,
            })
    }

    /// Returns the parameters, without `self`.
    pub(crate) fn parameters_mut(&mut self) -> impl Iterator<Item = &mut PatType> {
        let inputs = self.signature.inputs.iter_mut();
        inputs.filter_map(|input| match input {
            FnArg::Typed(parameter) => Some(parameter),
            FnArg::Receiver(_) => None,
        })
    }

    /// Returns the span of `Self` in the types of the parameters or of the result.
    pub(crate) fn self_type(&self) -> Option<Span> {
        let inputs = self.signature.inputs.to_token_stream();
        find_self(inputs).or_else(|| find_self(self.signature.output.to_token_stream()))
    }

    /// Whether the function is in an `impl` block or a trait, as far as its signature shows. A type
    /// is not allowed beside it.
    pub(crate) fn is_associated(&self) -> bool {
        self.signature.receiver().is_some() || self.self_type().is_some()
    }

    /// Returns the lints that are allowed or expected in the function, as allowed, because its
    /// expansion names the same types.
    pub(crate) fn allowed(&self) -> Vec<TokenStream> {
        let lints = self.attributes.iter().filter_map(|attribute| {
            let path = attribute.path();
            let is_lint = path.is_ident("allow") || path.is_ident("expect");
            let list = attribute.meta.require_list().ok().filter(|_| is_lint)?;
            let lints = &list.tokens;
            Some(quote!(#[allow(#lints)]))
        });
        lints.collect()
    }

    /// Returns its `#[cfg(…)]` attributes, which apply to the tool, too.
    pub(crate) fn conditions(&self) -> Vec<Attribute> {
        conditions(&self.attributes)
    }
}

/// Returns the name of a parameter, if its pattern is one: `name`, `mut name`, `ref name` or `name @ …`.
pub(crate) fn name_of(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(pattern) => Some(&pattern.ident),
        _ => None,
    }
}

/// Returns the `#[cfg(…)]` attributes among others.
pub(crate) fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect()
}

fn find_self(tokens: TokenStream) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => Some(ident.span()),
        TokenTree::Group(group) => find_self(group.stream()),
        _ => None,
    })
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attributes);
        self.visibility.to_tokens(tokens);
        self.signature.to_tokens(tokens);
        tokens.append(self.body.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::Function;
    use proc_macro2::TokenStream;
    use quote::ToTokens as _;

    #[test]
    fn keeps_all_tokens() {
        for function in [
            "fn f() { body! }",
            "#[inline] pub(crate) const async unsafe extern \"C\" fn f<'a, T: Copy, const N: usize>(\
                a: [T; N], b: &'a T,) -> impl Future<Output = T> + 'a where T: Clone { body! }",
            "fn f(#[cfg(a)] self) { let a = }",
            "fn f(mut self, mut a: u8) { a. }",
            "fn f<'a>(&'a mut self) { #![allow(a)] }",
            "fn f(&self, (a, b): (u8, u8), [c, ..]: [u8; 2]) {}",
            "fn f(self: std::sync::Arc<Self>, Pair::<u8, u8>(a, b): Pair<u8, u8>) {}",
            "fn f(a::Point { x: b, .. }: a::Point, ref c @ Some(_): Option<u8>, _: u8, &d: &u8) {}",
            "unsafe extern \"C\" fn f(a: u8, #[b] ...) {}",
            "unsafe extern \"C\" fn f(a: u8, b: ...) {}",
        ] {
            let parsed: Function = syn::parse_str(function).expect(function);
            let written: TokenStream = function.parse().expect("it lexes");
            let plain = |tokens: TokenStream| tokens.to_string().replace(' ', "");
            assert_eq!(plain(parsed.to_token_stream()), plain(written));
        }
    }

    #[test]
    fn refuses_functions_without_a_body() {
        assert!(syn::parse_str::<Function>("fn f();").is_err());
    }
}
