//! What a method takes as `self`.

use crate::report::Report;
use crate::tool::Function;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{ReceiverKind, Type};

const EXCLUSIVE: &str = "a tool is called from several tasks at once, so it cannot have its toolbox for itself; take \
     `&self`, and keep what changes in a `Mutex` or an atomic";

/// The `self` of a tool.
pub(super) enum Receiver {
    /// None: the function belongs to the type, and needs no value of it.
    None,
    /// `&self`
    Reference,
    /// `self: Type`; which types can be, rustc says.
    Typed(Box<Type>),
}

/// Reads what a method takes. Reports what a tool cannot take.
pub(super) fn check_receiver(report: &Report, function: &Function) -> Receiver {
    let Some(receiver) = function.receiver() else {
        return Receiver::None;
    };
    let span = receiver.self_token.span;
    match &receiver.kind {
        ReceiverKind::Value => report.error(
            span,
            "a tool is called again and again, so it cannot use its toolbox up; take `&self`, or \
             `self: Arc<Self>` to keep it",
        ),
        ReceiverKind::Reference(and, _, Some(_)) => {
            report.error_between(and.span, span, EXCLUSIVE);
        }
        ReceiverKind::Typed(_, ty) => match &**ty {
            Type::Reference(reference) if reference.mutability.is_some() => {
                report.error_between(reference.and_token.span, reference.elem.span(), EXCLUSIVE);
            }
            _ => return Receiver::Typed(ty.clone()),
        },
        _ => {}
    }
    Receiver::Reference
}

/// How a method gets its toolbox.
pub(super) struct Passed {
    /// What is done before the call is handed on.
    pub(super) before: TokenStream,
    /// What the method is given.
    pub(super) argument: Option<TokenStream>,
}

impl Receiver {
    /// The toolbox for a call. A function that runs on another thread takes an `Arc` along; all
    /// others borrow the tool's own.
    pub(super) fn expand(&self, on_thread: bool, rt: &TokenStream) -> Passed {
        if let Self::None = self {
            return Passed {
                before: TokenStream::new(),
                argument: None,
            };
        }
        let (before, shared) = if on_thread {
            let clone = quote!(let __this = #rt::Clone::clone(__this););
            (clone, quote!(&__this))
        } else {
            (TokenStream::new(), quote!(__this))
        };
        let argument = match self {
            Self::Typed(ty) => {
                let span: Span = ty.span();
                quote_spanned!(span=> <#ty as #rt::TakeSelf<'_, Self>>::take(#shared))
            }
            _ => quote!(&**#shared),
        };
        Passed {
            before,
            argument: Some(argument),
        }
    }
}
