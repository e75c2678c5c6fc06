//! Lists of tools: `tools!`, which builds a library, and the parts that `agent!` and `tool_set!`
//! share with it.

use crate::import::{in_scope, opt_value, tool_type};
use crate::locked_tool::LockedTool;
use crate::report::Report;
use crate::source_file::refuse_as_item;
use crate::tokens::{call_between, respanned};
use agent_spec::__private::name_hash;
use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::HashSet;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprPath, Ident, Path, PathArguments, QSelf, Token, Type, TypePath};

/// The advice for a library outside of functions.
const AS_ITEM: &str = "a library is made at run time: write `let library = tools![…];` in a function, or name the tools \
                       for `agent!` with `tool_set! { pub NAME = […] }`";

/// Splits off the path of agent-runtime, which the public macros put in braces before their input.
pub(crate) fn take_crate_path(input: TokenStream) -> (TokenStream, TokenStream) {
    let mut tokens = input.into_iter();
    let krate = match tokens.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => quote!(::agent_runtime),
    };
    (krate, tokens.collect())
}

/// The library as an expression. Functions of one name are refused at compile time, at the second function.
/// Names that only values have are compared when the library is made. For
///
/// ```ignore
/// tools![say_hello, ..db]
/// ```
///
/// this is, with `rt` short for `::agent_runtime::__private`:
///
/// ```ignore
/// {
///     use say_hello as __tool_say_hello;   // see `import`
///     {
///         const SETS: &[rt::ToolSet] =
///             &[rt::ToolSet::Tool(<__tool_say_hello as rt::StaticTool>::DESCRIPTOR)];
///         …
///     }
///     let mut library = rt::ToolLibrary::new();
///     rt::add_tools(&mut library, [rt::instance(<__tool_say_hello as rt::StaticTool>::TOOL)]);
///     rt::add_tools(&mut library, db);
///     library
/// }
/// ```
pub(crate) fn expand_tools(input: TokenStream) -> TokenStream {
    let (krate, tokens) = take_crate_path(input);
    let rt = quote!(#krate::__private);
    if let Some(misplaced) = refuse_as_item("tools", &tokens, AS_ITEM) {
        return misplaced;
    }
    let report = Report::default();
    let elements: Vec<ToolsElement> =
        read_list(&report, tokens, "write `tools![say_hello, get_time]`");
    let library = Ident::new("library", Span::mixed_site());
    let (mut functions, mut added) = (Vec::new(), TokenStream::new());
    for element in elements {
        match element {
            ToolsElement::Static(function @ Element::Function(_)) => {
                added.extend(function.add(&rt, &library));
                functions.push(function);
            }
            ToolsElement::Static(method) => {
                let name = method.name();
                let message = format!(
                    "`{name}` is a method, and a library calls it on a value; spread the value \
                     with `..value`, which registers its methods"
                );
                let (start, end) = method.spans();
                report.error_between(start, end, message);
            }
            ToolsElement::Spread(value) => {
                let add = quote_spanned!(value.span()=> #rt::add_tools);
                added.extend(quote!(#add(&mut #library, #value);));
            }
            ToolsElement::Value(value) => {
                let add = quote_spanned!(value.span()=> #rt::add_tool);
                added.extend(quote!(#add(&mut #library, #value);));
            }
        }
    }
    refuse_repeated(&report, &mut functions, "library");
    let constants = (!functions.is_empty()).then(|| constants(&rt, &functions, "library"));
    let errors = report.finish();
    let body = quote! {
        { #constants }
        #[allow(unused_mut)]
        let mut #library = #rt::ToolLibrary::new();
        #added
        #library
    };
    let body = in_scope(&rt, &paths_of(&functions), &[], &body);
    quote!({ #errors #body })
}

/// Returns the paths of the functions among the elements, for [`in_scope`].
pub(crate) fn paths_of(elements: &[Element]) -> Vec<Option<&Path>> {
    elements.iter().map(Element::path).collect()
}

/// A tool, or several tools, known at compile time, as in `agent!` and `tool_set!`.
#[derive(Clone)]
pub(crate) enum Element {
    /// `say_hello`, `greetings::say_hello`: a function with `#[tool]`.
    Function(Path),
    /// `Db::find`: a method of a toolbox.
    Method { owner: TokenStream, name: Ident },
    /// `..Db`, `..GREETERS`: the tools of a toolbox or of a set.
    Spread(Box<Type>),
    /// A tool of an MCP server, from a document.
    Locked(Box<LockedTool>),
}

impl Element {
    /// Returns the path of a function.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Function(path) => Some(path),
            _ => None,
        }
    }

    /// Returns the tokens of the element.
    pub(crate) fn tokens(&self) -> TokenStream {
        match self {
            Self::Function(path) => quote!(#path),
            Self::Method { owner, name } => quote!(#owner::#name),
            Self::Spread(ty) => quote!(..#ty),
            Self::Locked(tool) => {
                let mut name = Literal::string(tool.spec.name());
                name.set_span(tool.span);
                quote!(#name)
            }
        }
    }

    /// Returns the type of the tool of a function; other elements as they are written.
    pub(crate) fn ty(&self) -> TokenStream {
        match self {
            Self::Function(path) => tool_type(path),
            other => other.tokens(),
        }
    }

    /// Returns the element as it is written.
    pub(crate) fn name(&self) -> String {
        self.tokens().to_string().replace(' ', "")
    }

    /// Returns the spans of the first and last token of its name.
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

    /// Returns the tools as a constant `ToolSet`.
    pub(crate) fn set(&self, rt: &TokenStream) -> TokenStream {
        match self {
            Self::Function(path) => {
                let ty = tool_type(path);
                let descriptor = match opt_value(path) {
                    // A private function has only its type here.
                    Some(function) => {
                        quote!(#rt::visible(<#ty as #rt::StaticTool>::LISTED, &#function))
                    }
                    None => quote!(<#ty as #rt::StaticTool>::DESCRIPTOR),
                };
                quote_spanned!(path.span()=> #rt::ToolSet::Tool(#descriptor))
            }
            Self::Method { owner, name } => {
                let method = method_of(rt, owner, name);
                quote_spanned!(name.span()=> #rt::ToolSet::Tool(#method::DESCRIPTOR))
            }
            Self::Spread(ty) => {
                quote_spanned!(ty.span()=> <#ty as #rt::StaticTools>::TOOLS)
            }
            Self::Locked(tool) => {
                let descriptor = tool.descriptor(rt);
                quote!(#rt::ToolSet::Tool(#descriptor))
            }
        }
    }

    /// Returns a statement that adds the tools to a library. Methods have no value to be called on.
    pub(crate) fn add(&self, rt: &TokenStream, library: &Ident) -> TokenStream {
        match self {
            Self::Spread(ty) => {
                quote_spanned!(ty.span()=> #rt::add_tools(&mut #library, <#rt::ToolsOf<#ty>>::tools());)
            }
            _ => {
                let ty = self.ty();
                let tool = quote!(<#ty as #rt::StaticTool>::TOOL);
                quote_spanned!(self.spans().0=> #rt::add_tools(&mut #library, [#rt::instance(#tool)]);)
            }
        }
    }

    /// Returns a check that the method exists, at its name.
    pub(crate) fn check(&self, rt: &TokenStream) -> Option<TokenStream> {
        let Self::Method { owner, name } = self else {
            return None;
        };
        let method = method_of(rt, owner, name);
        let (toolbox, text) = (owner.to_string().replace(' ', ""), name.unraw().to_string());
        let check = respanned(quote!(#rt::check_method), name.span());
        let arguments = respanned(quote!((#method::IS_TOOL, #toolbox, #text)), name.span());
        // The owner keeps its own span, so that rustc marks a type that is not a toolbox.
        Some(quote!(const _: () = #check::<#owner> #arguments;))
    }
}

fn method_of(rt: &TokenStream, owner: &TokenStream, name: &Ident) -> TokenStream {
    let hash = name_hash(&name.unraw().to_string());
    quote_spanned!(name.span()=> <#rt::MethodOf<#owner, #hash>>)
}

impl Parse for Element {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![..]) {
            let dots = input.parse::<Token![..]>()?;
            refuse_lone_dots(input, &dots)?;
            return input.parse().map(|ty| Self::Spread(Box::new(ty)));
        }
        refuse_dynamic(input)?;
        refuse_other_forms(input)?;
        let path: TypePath = input.parse()?;
        refuse_after_path(input)?;
        Ok(of_path(path.qself, path.path))
    }
}

/// Classifies a path. It is a method if the part before its last name is a type: it begins with an
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

/// An element of `tools!`, which also accepts values.
pub(crate) enum ToolsElement {
    /// A tool or tools known at compile time.
    Static(Element),
    /// `..db`: a toolbox, or another value that holds several tools.
    Spread(Box<Expr>),
    /// Any other expression, whose value is a tool.
    Value(Box<Expr>),
}

impl Parse for ToolsElement {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![..]) {
            let dots = input.parse::<Token![..]>()?;
            refuse_lone_dots(input, &dots)?;
            return input.parse().map(Self::Spread);
        }
        refuse_dynamic(input)?;
        let value: Expr = input.parse()?;
        refuse_field(&value)?;
        Ok(match opt_path(&value) {
            Some(path) => Self::Static(of_path(path.qself.clone(), path.path.clone())),
            None => Self::Value(Box::new(without_parentheses(value))),
        })
    }
}

/// Refuses `db.find` without parentheses. If it is no field but a method, rustc's advice is to call it.
fn refuse_field(value: &Expr) -> syn::Result<()> {
    let Expr::Field(field) = value else {
        return Ok(());
    };
    let (base, whole) = (&field.base, value.to_token_stream());
    let whole = whole.to_string().replace(' ', "");
    let base = base.to_token_stream().to_string().replace(' ', "");
    let message = format!(
        "a library gets all methods of a toolbox: write `..{base}`; a field that holds a tool is written in \
         parentheses, `({whole})`, and one that holds several `..{whole}`"
    );
    Err(syn::Error::new_spanned(value, message))
}

/// Returns the path that an expression is. The `$f:expr` of a declarative macro is in an invisible group.
fn opt_path(value: &Expr) -> Option<&ExprPath> {
    match value {
        Expr::Path(path) if path.attrs.is_empty() => Some(path),
        Expr::Group(group) => opt_path(&group.expr),
        _ => None,
    }
}

/// Returns a value without the parentheses that mark it, which rustc would call unnecessary in the expansion.
fn without_parentheses(value: Expr) -> Expr {
    match value {
        Expr::Paren(paren) if paren.attrs.is_empty() => *paren.expr,
        value => value,
    }
}

fn refuse_lone_dots(input: ParseStream<'_>, dots: &Token![..]) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        let message = "after `..` comes what is spread, as in `..Db`";
        return Err(syn::Error::new(dots.spans[0], message));
    }
    Ok(())
}

/// Whether `dynamic name` is next, or `dynamic "name"`, which is refused. `dynamic` alone is a function.
pub(crate) fn is_dynamic(input: ParseStream<'_>) -> bool {
    let fork = input.fork();
    fork.call(Ident::parse_any)
        .is_ok_and(|word| word == "dynamic")
        && (fork.peek(Ident::peek_any) || fork.peek(syn::LitStr))
}

fn refuse_dynamic(input: ParseStream<'_>) -> syn::Result<()> {
    if is_dynamic(input) {
        return Err(input.error(
            "`dynamic` is for the tools of `agent!`, which has no code for them; here every tool has a \
             function",
        ));
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

/// Whether a word cannot begin the path of a function, but is valid as a raw identifier.
fn is_keyword(word: &Ident) -> bool {
    let text = word.to_string();
    !matches!(text.as_str(), "crate" | "self" | "super" | "Self" | "_")
        && syn::parse_str::<Ident>(&text).is_err()
        && syn::parse_str::<Ident>(&format!("r#{text}")).is_ok()
}

fn refuse_after_path(input: ParseStream<'_>) -> syn::Result<()> {
    let message = if input.peek(syn::token::Paren) {
        "a tool is named here and not called; remove the parentheses"
    } else if input.peek(Token![!]) {
        "a tool is named by its function; a macro is not allowed here"
    } else if input.peek(Token![.]) {
        "the methods of a toolbox are named by its type: `Db::find`, or `..Db` for all"
    } else {
        return Ok(());
    };
    Err(input.error(message))
}

/// Parses the elements of a list, with or without brackets. Reports errors with an example.
pub(crate) fn read_list<T: Parse>(report: &Report, tokens: TokenStream, example: &str) -> Vec<T> {
    let parser = Punctuated::<T, Token![,]>::parse_terminated;
    match parser.parse2(tokens) {
        Ok(elements) => elements.into_iter().collect(),
        Err(error) => {
            let said = error.to_string();
            // The messages of syn are about Rust syntax and not about tools.
            let message = if said.starts_with("expected") || said.starts_with("unexpected") {
                format!("a tool is named by its function; {example}")
            } else {
                said
            };
            report.error(error.span(), message);
            Vec::new()
        }
    }
}

/// Removes and reports repeated elements. Two different names of one tool are found at compile
/// time.
pub(crate) fn refuse_repeated(report: &Report, elements: &mut Vec<Element>, owner: &str) {
    let mut seen = HashSet::new();
    elements.retain(|element| {
        let is_new = seen.insert(element.tokens().to_string());
        if !is_new {
            let name = element.name();
            let (start, end) = element.spans();
            report.error_between(
                start,
                end,
                format!("`{name}` is already among the tools of this {owner}; remove it here"),
            );
        }
        is_new
    });
}

/// Returns the constants `SETS`, with one entry for each element, and `TOOLS`, with all tools in
/// one list. A further constant for each method fails if the method does not exist. Another
/// constant fails at the first function without `#[tool]`, or the first element whose tool has the name of
/// an earlier one. [`in_scope`] must be around the constants.
pub(crate) fn constants(rt: &TokenStream, elements: &[Element], owner: &str) -> TokenStream {
    let sets = elements.iter().map(|element| element.set(rt));
    let unique = elements.iter().enumerate().skip(1).map(|(at, element)| {
        let (start, end) = element.spans();
        call_between(start, end, quote!(#rt::check_unique), quote!(LIST, #at))
    });
    // A function without `#[tool]` has a placeholder in its place.
    let tagged = elements.iter().enumerate().filter_map(|(at, element)| {
        element.path()?;
        let (start, end) = element.spans();
        let check = quote!(#rt::check_tagged);
        Some(call_between(start, end, check, quote!(LIST, #at)))
    });
    let names: Vec<_> = elements.iter().map(Element::name).collect();
    let names = names.join("\n");
    let checks: Vec<_> = elements
        .iter()
        .filter_map(|element| element.check(rt))
        .collect();
    let fallback = (!checks.is_empty()).then(|| {
        quote! {
            #[allow(unused_imports)]
            use #rt::FallbackMethod as _;
        }
    });
    quote! {
        #fallback
        #(#checks)*
        #[allow(dead_code, deprecated)]
        const SETS: &[#rt::ToolSet] = &[#(#sets),*];
        #[allow(dead_code)]
        const TOOLS: &[#rt::ListedTool] =
            &#rt::list_tools::<{ #rt::ToolSet::Sets(SETS).len() }>(SETS);
        const _: () = if #rt::has_mistakes(TOOLS) {
            const LIST: &#rt::WrittenList =
                &#rt::WrittenList { tools: TOOLS, elements: #names, owner: #owner };
            #(#tagged;)*
            #(#unique;)*
        };
    }
}
