//! A method that is a tool, free of mistakes, and its code.

use super::receiver::{Receiver, check_receiver};
use crate::naming::method_hash;
use crate::report::Report;
use crate::tool::{
    Callee, CheckedTool, ParsedTool, call_parameters, check_tool, expand_call, expand_descriptor,
    expand_slots,
};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;
use syn::ext::IdentExt as _;

/// A method that is a tool.
pub(super) struct CheckedMethod<'p> {
    pub(super) tool: CheckedTool<'p>,
    receiver: Receiver,
    /// Where its name is said.
    pub(super) name_span: Span,
}

/// A method as code.
pub(super) struct MethodCode {
    /// What stands in the implementation of `Method`.
    pub(super) body: TokenStream,
    /// What only rustc can check, each at its own place.
    pub(super) checks: Vec<TokenStream>,
}

pub(super) fn check_method<'p>(
    report: &Report,
    parsed: &'p ParsedTool,
) -> Option<CheckedMethod<'p>> {
    let receiver = check_receiver(report, &parsed.function);
    let tool = check_tool(report, parsed)?;
    Some(CheckedMethod {
        tool,
        receiver,
        name_span: match &parsed.settings.name {
            Some(name) => name.span(),
            None => parsed.function.signature.ident.span(),
        },
    })
}

/// The trait by which the tool of a method is found, `Method<HASH>`.
pub(super) fn method_trait(method: &Ident, rt: &TokenStream) -> TokenStream {
    let hash = method_hash(&method.unraw().to_string());
    quote!(#rt::Method<#hash>)
}

impl CheckedMethod<'_> {
    pub(super) fn expand(&self, rt: &TokenStream) -> MethodCode {
        let tool = &self.tool;
        let function = &tool.function;
        let method = method_trait(function, rt);
        let this = quote!(<Self as #method>);
        let slots = expand_slots(tool, rt);
        let descriptor = expand_descriptor(tool, &this, rt);
        let passed = self.receiver.expand(!tool.is_async && !tool.inline, rt);
        let callee = Callee {
            path: quote!(Self::#function),
            calls: quote!(<#rt::Calls<Self>>),
            before: passed.before,
            receiver: passed.argument,
        };
        let call = expand_call(tool, &callee, &quote!(#this::DESCRIPTOR), rt);
        let parameters = call_parameters(rt);
        let list = &slots.list;
        let mut checks = slots.checks;
        checks.extend(tool.description.expand_check(rt, function.span()));
        MethodCode {
            body: quote! {
                const SLOTS: &'static [#rt::Slot] = #list;
                const DESCRIPTOR: &'static #rt::ToolDescriptor = #descriptor;
                fn call<'a>(__this: &'a #rt::Arc<Self>, #parameters) -> #rt::ToolFuture<'a> {
                    #call
                }
            },
            checks,
        }
    }
}
