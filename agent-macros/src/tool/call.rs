//! The call of the function: from the arguments as text to the result of the tool.

use super::check::{CheckedParameter, CheckedTool};
use super::descriptor::expand_default_json;
use crate::tokens::respanned;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, TokenStreamExt as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Ident, Type};

/// The function that is called.
pub(crate) struct Callee {
    /// The path of the function.
    pub(crate) path: TokenStream,
    /// The type with the functions that make calls.
    pub(crate) calls: TokenStream,
    /// The code before the call, for a method.
    pub(crate) before: TokenStream,
    /// The first argument, for a method.
    pub(crate) receiver: Option<TokenStream>,
}

/// Returns the parameters of a function that makes a call. Their names begin with `__`, because a
/// parameter with the name of a user's constant would be a pattern that compares with it.
pub(crate) fn call_parameters(rt: &TokenStream) -> TokenStream {
    quote!(__text: &'a #rt::str, __context: &'a #rt::ToolContext)
}

/// Returns the body of a function with the [`call_parameters`].
pub(crate) fn expand_call(
    tool: &CheckedTool<'_>,
    callee: &Callee,
    descriptor: &TokenStream,
    rt: &TokenStream,
) -> TokenStream {
    let locals: Vec<Ident> = (0..tool.parameters.len())
        .map(|at| format_ident!("__p{at}", span = Span::mixed_site()))
        .collect();
    let arguments = Ident::new("__arguments", Span::mixed_site());
    let parameters = || tool.parameters.iter().zip(&locals);
    let takes = parameters().map(|(parameter, local)| {
        let conditions = &parameter.conditions;
        let taken = take(parameter, &arguments, rt);
        quote!(#(#conditions)* let #local = #taken;)
    });
    let passed = parameters().map(|(parameter, local)| {
        let (ty, conditions) = (&parameter.ty, &parameter.conditions);
        if parameter.is_reference {
            quote!(#(#conditions)* <#rt::BorrowedParameter<#ty>>::borrow(&#local))
        } else {
            quote!(#(#conditions)* #local)
        }
    });
    let passed = callee.receiver.iter().cloned().chain(passed);
    // The call has the span of the return type, which rustc marks if it cannot be the result of a
    // tool. All its tokens have the same span, because rustc joins spans of different origin to
    // that of the whole macro.
    let span = tool
        .returns
        .as_ref()
        .map_or(tool.function.span(), |ty| ty.span());
    let function = at(span, callee.path.clone());
    let passed = quote_spanned!(span=> (#(#passed),*));
    let call = quote!(#function #passed);
    // A path at the user's own tokens would lose the crate of `$crate` in a declarative macro, so
    // `rt` is an imported name.
    let (outcome, returned) = (quote!(#rt::outcome), quote!(#rt::Returned));
    let (outcome, returned) = (at(span, outcome), at(span, returned));
    // The argument spans from the first token of the type to the last, so that rustc marks all of
    // it.
    let end = tool.returns.as_ref().map_or(span, last_span);
    let into_result = quote_spanned!(end=> .into_result());
    let returned =
        |call: TokenStream| quote_spanned!(span=> #outcome(#returned(#call) #into_result));
    let (way, body) = if tool.is_async {
        let returned = returned(quote_spanned!(span=> #call.await));
        // rustc marks the block if the future cannot be sent to another thread.
        let block = quote_spanned!(tool.function.span()=> async move { #returned });
        (quote!(call_async), block)
    } else if tool.parsed.settings.flag("inline").is_some() {
        (quote!(call_inline), returned(call))
    } else {
        (quote!(call_blocking), returned(call))
    };
    // rustc marks the whole call if the future cannot be sent to another thread.
    let place = tool.function.span();
    let Callee { calls, before, .. } = callee;
    let called = at(place, quote!(#calls::#way));
    let unused = tool
        .parameters
        .is_empty()
        .then(|| quote!(let _ = #arguments;));
    // The hygiene of a macro keeps rustc from suggesting a shorter path here.
    let given_back = quote_spanned!(place=> (move || #body));
    let given_back = respanned(quote!(#rt::Ok #given_back), place);
    let read = quote_spanned!(place=> move |#arguments| {
        #unused
        #(#takes)*
        #before
        #given_back
    });
    // These names are resolved where the parameters are, not at the span.
    let passed = quote!(__text, __context);
    quote_spanned!(place=> #called((#descriptor, #passed), #read))
}

/// Returns the code that takes a parameter. A type that cannot be taken is reported at the
/// descriptor.
fn take(parameter: &CheckedParameter<'_>, arguments: &Ident, rt: &TokenStream) -> TokenStream {
    let CheckedParameter { name, ty, .. } = parameter;
    let default = expand_default_json(parameter, rt);
    let taken = if parameter.stated.is_some() {
        quote_spanned!(ty.span()=> <#ty as #rt::Take>)
    } else if parameter.is_reference {
        quote_spanned!(ty.span()=> <#rt::BorrowedParameter<#ty>>)
    } else {
        quote_spanned!(ty.span()=> <#rt::OwnedParameter<#ty>>)
    };
    // The call spans from the first token of the type to the last, so that rustc marks all of it if
    // serde cannot deserialize the type.
    let take = quote_spanned!(last_span(ty)=> ::take);
    let passed = respanned(quote!(#arguments, #name, #default), ty.span());
    let passed = quote_spanned!(last_span(ty)=> (#passed)?);
    quote!(#taken #take #passed)
}

/// Returns the span of the last token of a type.
fn last_span(ty: &Type) -> Span {
    let last = ty.to_token_stream().into_iter().last();
    last.map_or_else(|| ty.span(), |token| token.span())
}

/// Returns the tokens with this span and its hygiene.
fn at(span: Span, tokens: TokenStream) -> TokenStream {
    let mut placed = TokenStream::new();
    for mut token in tokens {
        token.set_span(span);
        placed.append(token);
    }
    placed
}
