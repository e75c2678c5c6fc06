//! A function as its signature and tokens.
//!
//! The trees that syn has for functions, patterns and statements are behind its feature `full`, which is a
//! third of its build time. A tool needs the signature and the names of its parameters; all else is tokens.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _, quote};
use syn::parse::discouraged::Speculative as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Abi, AngleBracketedGenericArguments, Attribute, Generics, Lifetime, Path, ReturnType, Token,
    Type, Visibility, parenthesized, token,
};

/// A function whose body is kept as tokens.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    body: TokenTree,
}

/// The signature of a function.
pub(crate) struct Signature {
    pub(crate) constness: Option<Token![const]>,
    pub(crate) asyncness: Option<Token![async]>,
    pub(crate) unsafety: Option<Token![unsafe]>,
    pub(crate) abi: Option<Abi>,
    pub(crate) fn_token: Token![fn],
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    parentheses: token::Paren,
    pub(crate) inputs: Punctuated<Input, Token![,]>,
    pub(crate) output: ReturnType,
}

/// An element between the parentheses of a signature.
pub(crate) enum Input {
    Receiver(Box<Receiver>),
    Parameter(Box<Parameter>),
    /// The `...` of a function of C, with its attributes and its pattern.
    Variadic(TokenStream),
}

/// The `self` of a method.
pub(crate) struct Receiver {
    attributes: Vec<Attribute>,
    pub(crate) reference: Option<(Token![&], Option<Lifetime>)>,
    pub(crate) mutability: Option<Token![mut]>,
    pub(crate) self_token: Token![self],
    pub(crate) ty: Option<(Token![:], Type)>,
}

/// A parameter with its attributes.
pub(crate) struct Parameter {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) pattern: Pattern,
    colon: Token![:],
    pub(crate) ty: Type,
}

/// The pattern of a parameter.
#[derive(Clone)]
pub(crate) struct Pattern {
    pub(crate) kind: PatternKind,
    tokens: TokenStream,
}

/// The kinds of patterns that tools distinguish.
#[derive(Clone)]
pub(crate) enum PatternKind {
    /// `name`, `mut name`, `ref name`, `name @ …`
    Name(Ident),
    /// `_`
    Wild,
    /// `Extension(name)`: a pattern with one part.
    Newtype(Ident),
    /// Any other pattern.
    Other,
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
}

impl Parse for Signature {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (constness, asyncness) = (input.parse()?, input.parse()?);
        let (unsafety, abi) = (input.parse()?, input.parse()?);
        let (fn_token, ident) = (input.parse()?, input.parse()?);
        let mut generics: Generics = input.parse()?;
        let content;
        let parentheses = parenthesized!(content in input);
        let inputs = Punctuated::parse_terminated(&content)?;
        let output = input.parse()?;
        generics.where_clause = input.parse()?;
        let mut misplaced = inputs.iter().skip(1).filter_map(Input::receiver);
        if let Some(receiver) = misplaced.next() {
            let message = "unexpected method receiver";
            return Err(syn::Error::new(receiver.self_token.span, message));
        }
        Ok(Self {
            constness,
            asyncness,
            unsafety,
            abi,
            fn_token,
            ident,
            generics,
            parentheses,
            inputs,
            output,
        })
    }
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let variadic = |before: TokenStream| -> syn::Result<Self> {
            let dots: Token![...] = input.parse()?;
            Ok(Self::Variadic(quote!(#(#attributes)* #before #dots)))
        };
        if input.peek(Token![...]) {
            return variadic(TokenStream::new());
        }
        let ahead = input.fork();
        if let Ok(mut receiver) = ahead.call(parse_receiver) {
            input.advance_to(&ahead);
            if receiver.reference.is_none() && input.peek(Token![:]) {
                receiver.ty = Some((input.parse()?, input.parse()?));
            }
            receiver.attributes = attributes;
            return Ok(Self::Receiver(Box::new(receiver)));
        }
        let pattern: Pattern = input.parse()?;
        let colon: Token![:] = input.parse()?;
        if input.peek(Token![...]) {
            return variadic(quote!(#pattern #colon));
        }
        Ok(Self::Parameter(Box::new(Parameter {
            attributes,
            pattern,
            colon,
            ty: input.parse()?,
        })))
    }
}

/// Parses `self`, `mut self` or `&'a mut self`.
fn parse_receiver(input: ParseStream<'_>) -> syn::Result<Receiver> {
    let mut reference = None;
    if input.peek(Token![&]) {
        reference = Some((input.parse()?, input.parse()?));
    }
    let receiver = Receiver {
        attributes: Vec::new(),
        reference,
        mutability: input.parse()?,
        self_token: input.parse()?,
        ty: None,
    };
    if input.peek(Token![::]) {
        return Err(input.error("expected `:`"));
    }
    Ok(receiver)
}

impl Parse for Pattern {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut tokens = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            if input.peek(Token![::]) && input.peek3(Token![<]) {
                // A comma between these arguments does not end the pattern.
                let arguments = input.parse::<AngleBracketedGenericArguments>()?;
                arguments.to_tokens(&mut tokens);
            } else if input.peek(Token![::]) {
                input.parse::<Token![::]>()?.to_tokens(&mut tokens);
            } else if input.peek(Token![:]) {
                break;
            } else {
                tokens.append(input.parse::<TokenTree>()?);
            }
        }
        if tokens.is_empty() {
            return Err(input.error("expected a parameter"));
        }
        let kind = parse_kind.parse2(tokens.clone());
        Ok(Self {
            kind: kind.unwrap_or(PatternKind::Other),
            tokens,
        })
    }
}

fn parse_kind(input: ParseStream<'_>) -> syn::Result<PatternKind> {
    if input.peek(Token![_]) {
        input.parse::<Token![_]>()?;
        return Ok(PatternKind::Wild);
    }
    let ahead = input.fork();
    if let Ok(path) = ahead.call(Path::parse_mod_style)
        && ahead.peek(token::Paren)
    {
        drop(path);
        input.advance_to(&ahead);
        let content;
        parenthesized!(content in input);
        let parts = Punctuated::<Pattern, Token![,]>::parse_terminated(&content)?;
        return Ok(match (parts.len(), parts.first()) {
            (1, Some(part)) => match &part.kind {
                PatternKind::Name(name) => PatternKind::Newtype(name.clone()),
                _ => PatternKind::Other,
            },
            _ => PatternKind::Other,
        });
    }
    input.parse::<Option<Token![ref]>>()?;
    input.parse::<Option<Token![mut]>>()?;
    let name = input.parse()?;
    if input.peek(Token![@]) {
        input.parse::<TokenStream>()?;
    }
    Ok(PatternKind::Name(name))
}

impl Pattern {
    /// Returns the name, if the pattern is one.
    pub(crate) fn name(&self) -> Option<&Ident> {
        match &self.kind {
            PatternKind::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl Input {
    pub(crate) fn receiver(&self) -> Option<&Receiver> {
        match self {
            Self::Receiver(receiver) => Some(receiver),
            _ => None,
        }
    }
}

impl Signature {
    /// Returns the parameters, without `self`.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.inputs.iter().filter_map(|input| match input {
            Input::Parameter(parameter) => Some(&**parameter),
            _ => None,
        })
    }

    /// Returns the span of the `...` of a function of C.
    pub(crate) fn variadic(&self) -> Option<Span> {
        self.inputs.iter().find_map(|input| match input {
            Input::Variadic(tokens) => Some(tokens.span()),
            _ => None,
        })
    }
}

impl Function {
    /// Returns `self`, if the function is a method.
    pub(crate) fn receiver(&self) -> Option<&Receiver> {
        self.signature.inputs.first()?.receiver()
    }

    /// Returns the span of `Self` in the types of the parameters or of the result.
    pub(crate) fn self_type(&self) -> Option<Span> {
        let inputs = self.signature.inputs.to_token_stream();
        find_self(inputs).or_else(|| find_self(self.signature.output.to_token_stream()))
    }

    /// Whether the function is in an `impl` block or a trait, as far as its signature shows. A type
    /// is not allowed beside it.
    pub(crate) fn is_associated(&self) -> bool {
        self.receiver().is_some() || self.self_type().is_some()
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

impl ToTokens for Signature {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.constness.to_tokens(tokens);
        self.asyncness.to_tokens(tokens);
        self.unsafety.to_tokens(tokens);
        self.abi.to_tokens(tokens);
        self.fn_token.to_tokens(tokens);
        self.ident.to_tokens(tokens);
        self.generics.to_tokens(tokens);
        self.parentheses
            .surround(tokens, |tokens| self.inputs.to_tokens(tokens));
        self.output.to_tokens(tokens);
        self.generics.where_clause.to_tokens(tokens);
    }
}

impl ToTokens for Input {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Receiver(receiver) => receiver.to_tokens(tokens),
            Self::Parameter(parameter) => parameter.to_tokens(tokens),
            Self::Variadic(variadic) => variadic.to_tokens(tokens),
        }
    }
}

impl ToTokens for Receiver {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attributes);
        if let Some((and, lifetime)) = &self.reference {
            and.to_tokens(tokens);
            lifetime.to_tokens(tokens);
        }
        self.mutability.to_tokens(tokens);
        self.self_token.to_tokens(tokens);
        if let Some((colon, ty)) = &self.ty {
            colon.to_tokens(tokens);
            ty.to_tokens(tokens);
        }
    }
}

impl ToTokens for Parameter {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attributes);
        self.pattern.to_tokens(tokens);
        self.colon.to_tokens(tokens);
        self.ty.to_tokens(tokens);
    }
}

impl ToTokens for Pattern {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(self.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::{Function, PatternKind};
    use proc_macro2::TokenStream;
    use quote::ToTokens as _;

    fn function(signature: &str) -> syn::Result<Function> {
        syn::parse_str(&format!("{signature} {{ body! }}"))
    }

    #[test]
    fn keeps_all_tokens() {
        for signature in [
            "fn f()",
            "#[inline] pub(crate) const async unsafe extern \"C\" fn f<'a, T: Copy, const N: usize>(\
                a: [T; N], b: &'a T,) -> impl Future<Output = T> + 'a where T: Clone",
            "fn f(#[cfg(a)] self)",
            "fn f(mut self, mut a: u8)",
            "fn f<'a>(&'a mut self)",
            "fn f(&self, (a, b): (u8, u8), [c, ..]: [u8; 2])",
            "fn f(self: std::sync::Arc<Self>, Pair::<u8, u8>(a, b): Pair<u8, u8>)",
            "fn f(a::Point { x: b, .. }: a::Point, ref c @ Some(_): Option<u8>, _: u8, &d: &u8)",
            "unsafe extern \"C\" fn f(a: u8, #[b] ...)",
            "unsafe extern \"C\" fn f(a: u8, b: ...)",
        ] {
            let parsed = function(signature).expect(signature);
            let written: TokenStream = format!("{signature} {{ body! }}")
                .parse()
                .expect("it lexes");
            let plain = |tokens: TokenStream| tokens.to_string().replace(' ', "");
            assert_eq!(
                plain(parsed.to_token_stream()),
                plain(written),
                "{signature}"
            );
        }
    }

    #[test]
    fn tells_patterns_apart() {
        for (pattern, expected) in [
            ("name", "name name"),
            ("mut name", "name name"),
            ("ref mut name", "name name"),
            ("name @ Some(_)", "name name"),
            ("r#type", "name r#type"),
            ("_", "wild"),
            ("Extension(store)", "newtype store"),
            ("agent_runtime::Extension(mut store,)", "newtype store"),
            ("Extension(_)", "other"),
            ("Pair(a, b)", "other"),
            ("(a, b)", "other"),
            ("Point { x, y }", "other"),
            ("&name", "other"),
            ("a::B", "other"),
        ] {
            let parsed = function(&format!("fn f({pattern}: T)")).expect(pattern);
            let parameter = parsed.signature.parameters().next().expect("it has one");
            let found = match &parameter.pattern.kind {
                PatternKind::Name(name) => format!("name {name}"),
                PatternKind::Wild => "wild".to_owned(),
                PatternKind::Newtype(name) => format!("newtype {name}"),
                PatternKind::Other => "other".to_owned(),
            };
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn refuses_signatures_with_mistakes() {
        for signature in [
            "fn f(a)",
            "fn f(a, b: u8)",
            "fn f(: u8)",
            "fn f(a: )",
            "fn f(a: u8, self)",
            "fn f(a: u8 b: u8)",
            "fn (a: u8)",
        ] {
            assert!(function(signature).is_err(), "{signature}");
        }
        assert!(syn::parse_str::<Function>("fn f();").is_err());
    }
}
