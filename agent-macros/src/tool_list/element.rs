//! The elements of a list of tools.

use crate::naming::method_hash;
use crate::tokens::respanned;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Expr, Ident, Path, PathArguments, QSelf, Token, Type, TypePath};

/// A tool, or tools, as `agent!` and `tool_set!` name them: by what is known when they are compiled.
pub(crate) enum Element {
    /// `say_hello`, `greetings::say_hello`: a function with `#[tool]`.
    Function(Path),
    /// `Db::find`: a method of a toolbox.
    Method { owner: TokenStream, name: Ident },
    /// `..Db`, `..GREETERS`: the tools of a toolbox or of a set.
    Spread(Box<Type>),
}

impl Element {
    /// The tokens that name it.
    pub(crate) fn tokens(&self) -> TokenStream {
        match self {
            Self::Function(path) => quote!(#path),
            Self::Method { owner, name } => quote!(#owner::#name),
            Self::Spread(ty) => quote!(..#ty),
        }
    }

    /// How it is written.
    pub(crate) fn name(&self) -> String {
        self.tokens().to_string().replace(' ', "")
    }

    /// The first and last token of its name.
    pub(crate) fn spans(&self) -> (Span, Span) {
        let tokens = match self {
            Self::Spread(ty) => quote!(#ty),
            _ => self.tokens(),
        };
        let mut tokens = tokens.into_iter();
        let first = tokens
            .next()
            .map_or_else(Span::call_site, |token| token.span());
        (first, tokens.last().map_or(first, |token| token.span()))
    }

    /// The tools, as a constant `ToolSet`.
    pub(crate) fn set(&self, rt: &TokenStream) -> TokenStream {
        match self {
            Self::Function(path) => {
                quote_spanned!(path.span()=> #rt::ToolSet::Tool(<#path as #rt::StaticTool>::DESCRIPTOR))
            }
            Self::Method { owner, name } => {
                let method = method_of(rt, owner, name);
                quote_spanned!(name.span()=> #rt::ToolSet::Tool(#method::DESCRIPTOR))
            }
            Self::Spread(ty) => {
                quote_spanned!(ty.span()=> <#ty as #rt::StaticTools>::TOOLS)
            }
        }
    }

    /// That there is such a method, at its name.
    pub(crate) fn check(&self, rt: &TokenStream) -> Option<TokenStream> {
        let Self::Method { owner, name } = self else {
            return None;
        };
        let method = method_of(rt, owner, name);
        let (toolbox, text) = (owner.to_string().replace(' ', ""), name.unraw().to_string());
        let check = respanned(quote!(#rt::check_method), name.span());
        let arguments = respanned(quote!((#method::IS_TOOL, #toolbox, #text)), name.span());
        // What is no toolbox is marked itself, so the owner keeps its own place.
        Some(quote!(const _: () = #check::<#owner> #arguments;))
    }
}

fn method_of(rt: &TokenStream, owner: &TokenStream, name: &Ident) -> TokenStream {
    let hash = method_hash(&name.unraw().to_string());
    quote_spanned!(name.span()=> <#rt::MethodOf<#owner, #hash>>)
}

impl Parse for Element {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![..]) {
            let dots = input.parse::<Token![..]>()?;
            refuse_lone_dots(input, &dots)?;
            return input.parse().map(|ty| Self::Spread(Box::new(ty)));
        }
        refuse_other_forms(input)?;
        let path: TypePath = input.parse()?;
        refuse_call(input)?;
        refuse_field(input)?;
        Ok(of_path(path.qself, path.path))
    }
}

/// A path is that of a method when what stands before its last name is a type: it starts with an
/// upper-case letter, is `Self`, has generic arguments, or is `<T>`.
fn of_path(qself: Option<QSelf>, mut path: Path) -> Element {
    let last = path.segments.len() - 1;
    let is_type = |segment: &syn::PathSegment| {
        let name = segment.ident.unraw().to_string();
        name.starts_with(|c: char| c.is_uppercase())
            || !matches!(segment.arguments, PathArguments::None)
    };
    let is_method = match (&qself, last) {
        (Some(_), _) => true,
        (None, 0) => false,
        (None, _) => is_type(&path.segments[last - 1]),
    };
    if !is_method {
        return Element::Function(path);
    }
    let name = path.segments[last].ident.clone();
    // `<T>::find` has the one segment `find`; the owner is `T`.
    if let (Some(qself), 0) = (&qself, last) {
        let ty = &qself.ty;
        return Element::Method {
            owner: quote!(#ty),
            name,
        };
    }
    path.segments.pop();
    path.segments.pop_punct();
    let owner = TypePath {
        attrs: Vec::new(),
        qself,
        path,
    };
    Element::Method {
        owner: owner.into_token_stream(),
        name,
    }
}

/// An element of `tools!`, where values may stand, too.
pub(crate) enum Part {
    /// What is known when it is compiled.
    Static(Element),
    /// `..db`: a toolbox, or anything else that is several tools.
    Spread(Expr),
    /// Any other expression: a tool.
    Value(Expr),
}

impl Parse for Part {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![..]) {
            let dots = input.parse::<Token![..]>()?;
            refuse_lone_dots(input, &dots)?;
            return input.parse().map(Self::Spread);
        }
        match input.parse::<Expr>()? {
            Expr::Path(path) if path.attrs.is_empty() => {
                Ok(Self::Static(of_path(path.qself, path.path)))
            }
            // `$f:path` and `$f:expr` of a macro by example arrive in a group without brackets.
            Expr::Group(group) => match *group.expr {
                Expr::Path(path) => Ok(Self::Static(of_path(path.qself, path.path))),
                expr => Ok(Self::Value(expr)),
            },
            // The parentheses say that this is a value; rustc would call them unnecessary.
            Expr::Paren(paren) if paren.attrs.is_empty() => Ok(Self::Value(*paren.expr)),
            expr => Ok(Self::Value(expr)),
        }
    }
}

fn refuse_lone_dots(input: ParseStream<'_>, dots: &Token![..]) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        let message = "after `..` comes what is spread, as in `..Db`";
        return Err(syn::Error::new(dots.spans[0], message));
    }
    Ok(())
}

fn refuse_other_forms(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(syn::LitStr) {
        return Err(input.error("a tool is named by its function, without quotes: `say_hello`"));
    }
    if let Ok(word) = input.fork().call(Ident::parse_any)
        && is_keyword(&word)
    {
        return Err(syn::Error::new(
            word.span(),
            format!("`{word}` is a keyword of Rust; a function of this name is written `r#{word}`"),
        ));
    }
    Ok(())
}

/// Whether a word cannot start the path of a function, but could name one as a raw identifier.
fn is_keyword(word: &Ident) -> bool {
    let text = word.to_string();
    !matches!(text.as_str(), "crate" | "self" | "super" | "Self" | "_")
        && syn::parse_str::<Ident>(&text).is_err()
        && syn::parse_str::<Ident>(&format!("r#{text}")).is_ok()
}

fn refuse_call(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(syn::token::Paren) {
        return Err(input.error("a tool is named here and not called; remove the parentheses"));
    }
    if input.peek(Token![!]) {
        return Err(input.error("a tool is named by its function; no macro can stand here"));
    }
    Ok(())
}

fn refuse_field(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Token![.]) {
        return Err(input.error(
            "the methods of a toolbox are named by its type: `Db::find`, or `..Db` for all",
        ));
    }
    Ok(())
}
