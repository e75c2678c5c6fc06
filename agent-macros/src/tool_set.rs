//! `tool_set!`: tools under one name.

use crate::import::{in_scope, tool_type};
use crate::report::Report;
use crate::tool::conditions;
use crate::tool_list::{Element, constants, paths_of, read_list, refuse_repeated, take_crate_path};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Ident, Token, Visibility, bracketed};

const EXAMPLE: &str = "write `tool_set! { pub GREETERS = [say_hello, ..Db] }`";

/// `pub NAME = […]`, with attributes.
struct Head {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    list: TokenStream,
}

impl Parse for Head {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let list;
        bracketed!(list in input);
        let list = list.parse()?;
        input.parse::<Option<Token![;]>>()?;
        Ok(Self {
            attributes,
            visibility,
            name,
            list,
        })
    }
}

/// The set: a type, so that `..GREETERS` means the same as `..Db`. For
///
/// ```ignore
/// tool_set! { pub GREETERS = [say_hello, say_goodbye] }
/// ```
///
/// this is, with `rt` short for `::agent_runtime::__private`:
///
/// ```ignore
/// pub struct GREETERS {}
/// impl rt::StaticTools for GREETERS {
///     const TOOLS: rt::ToolSet = { const SETS: … = …; rt::ToolSet::Sets(SETS) };
/// }
/// impl rt::IntoTools for GREETERS { … }   // when all are functions
/// ```
pub(crate) fn expand_tool_set(input: TokenStream) -> TokenStream {
    let (krate, tokens) = take_crate_path(input);
    let rt = quote!(#krate::__private);
    let report = Report::default();
    let head = match Head::parse.parse2(tokens) {
        Ok(head) => head,
        Err(error) => {
            let message = format!("{error}; {EXAMPLE}");
            report.error(error.span(), message);
            return report.finish();
        }
    };
    let Head {
        attributes,
        visibility,
        name,
        list,
    } = head;
    let mut elements: Vec<Element> = read_list(&report, list, EXAMPLE);
    refuse_repeated(&report, &mut elements, "set");
    let constants = constants(&rt, &elements, "set");
    let instances: Option<Vec<TokenStream>> = elements
        .iter()
        .map(|element| {
            let ty = tool_type(element.path()?);
            Some(quote!(#rt::instance(<#ty as #rt::StaticTool>::TOOL)))
        })
        .collect();
    let values = instances.map(|instances| {
        let list = quote!(#rt::list_of([#(#instances),*]));
        let list = in_scope(&rt, &paths_of(&elements), &[], &list);
        quote! {
            #[automatically_derived]
            impl #rt::IntoTools for #name {
                fn into_tools(self) -> #rt::Vec<#rt::Arc<dyn #rt::Tool>> {
                    #list
                }
            }
        }
    });
    let conditions = conditions(&attributes);
    let errors = report.finish();
    let tools = quote!(#constants #rt::ToolSet::Sets(SETS));
    let tools = in_scope(&rt, &paths_of(&elements), &[], &tools);
    quote! {
        #errors
        #(#attributes)*
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(#rt::Clone, #rt::Copy, #rt::Debug, #rt::Default)]
        #visibility struct #name {}
        #(#conditions)*
        const _: () = {
            #[automatically_derived]
            impl #rt::StaticTools for #name {
                const TOOLS: #rt::ToolSet = { #tools };
            }
            #values
        };
    }
}
