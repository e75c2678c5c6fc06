//! Lists of tools: `tools!`, which makes a library, and what `agent!` and `tool_set!` share with it.

mod element;
mod list;

pub(crate) use element::Element;
pub(crate) use list::{constants, read_list, refuse_repeated};

use crate::report::Report;
use element::Part;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned as _;

/// The path of agent-runtime, which the public macros put before what people write, in braces.
pub(crate) fn take_crate_path(input: TokenStream) -> (TokenStream, TokenStream) {
    let mut tokens = input.into_iter();
    let krate = match tokens.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => quote!(::agent_runtime),
    };
    (krate, tokens.collect())
}

/// The library as an expression. Functions of one name are refused when it is compiled, at the
/// second one; names that only values have, when the library is made. For
///
/// ```ignore
/// tools![say_hello, ..db]
/// ```
///
/// this is, with `rt` short for `::agent_runtime::__private`:
///
/// ```ignore
/// {
///     {
///         const SETS: &[rt::ToolSet] = &[rt::ToolSet::Tool(<say_hello as rt::StaticTool>::DESCRIPTOR)];
///         …
///     }
///     let mut library = rt::ToolLibrary::new();
///     rt::add_tools(&mut library, [rt::instance(<say_hello as rt::StaticTool>::TOOL)]);
///     rt::add_tools(&mut library, db);
///     library
/// }
/// ```
pub(crate) fn expand_tools(input: TokenStream) -> TokenStream {
    let (krate, tokens) = take_crate_path(input);
    let rt = quote!(#krate::__private);
    let report = Report::new();
    let parts: Vec<Part> = read_list(&report, tokens, "write `tools![say_hello, get_time]`");
    let library = Ident::new("library", Span::mixed_site());
    let (mut functions, mut values) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::Static(function @ Element::Function(_)) => {
                functions.push(function);
            }
            Part::Static(method) => {
                let name = method.name();
                let message = format!(
                    "`{name}` is a method, and a library calls it on a value; spread the value \
                     with `..value`, which registers its methods"
                );
                let (start, end) = method.spans();
                report.error_between(start, end, message);
            }
            Part::Spread(value) => {
                let add = quote_spanned!(value.span()=> #rt::add_tools);
                values.push((functions.len(), quote!(#add(&mut #library, #value);)));
            }
            Part::Value(value) => {
                let add = quote_spanned!(value.span()=> #rt::add_tool);
                values.push((functions.len(), quote!(#add(&mut #library, #value);)));
            }
        }
    }
    let repeated = refuse_repeated(&report, &mut functions, "library");
    for (before, _) in &mut values {
        *before -= repeated.iter().filter(|at| *at < before).count();
    }
    let added = in_order(&rt, &library, &functions, &values);
    // One name differs from all others.
    let constants = (functions.len() > 1).then(|| constants(&rt, &functions, "library"));
    let errors = report.finish();
    quote! {{
        #errors
        { #constants }
        #[allow(unused_mut)]
        let mut #library = #rt::ToolLibrary::new();
        #added
        #library
    }}
}

/// Adds functions, as many at once as stand together, and values, each after the functions that
/// stand before it.
fn in_order(
    rt: &TokenStream,
    library: &Ident,
    functions: &[Element],
    values: &[(usize, TokenStream)],
) -> TokenStream {
    let mut added = TokenStream::new();
    let mut from = 0;
    let end = (functions.len(), TokenStream::new());
    for (before, value) in values.iter().chain([&end]) {
        let together = &functions[from..*before];
        if !together.is_empty() {
            let instances = together.iter().map(|function| {
                let path = function.tokens();
                quote_spanned! {function.spans().0=>
                    #rt::instance(<#path as #rt::StaticTool>::TOOL)
                }
            });
            added.extend(quote!(#rt::add_tools(&mut #library, [#(#instances),*]);));
        }
        added.extend(value.clone());
        from = *before;
    }
    added
}
