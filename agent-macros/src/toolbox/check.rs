//! Checks the rules across the methods of a toolbox.

use super::block::Block;
use super::parse::ParsedToolbox;
use crate::report::Report;
use crate::tool::{CheckedTool, Function, ParsedTool, check_tool, conditions};
use agent_spec::names::is_tool_name;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use std::collections::{HashMap, HashSet};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, GenericParam, Ident, ItemImpl, Path, ReceiverKind, Type};

/// A block without errors.
pub(super) struct CheckedToolbox<'p> {
    pub(super) krate: TokenStream,
    pub(super) head: &'p ItemImpl,
    /// The `#[cfg(…)]` attributes of the block.
    pub(super) conditions: Vec<Attribute>,
    pub(super) methods: Vec<CheckedMethod<'p>>,
    /// The name of the block, if it is not the first of its type.
    pub(super) part: Option<&'p Ident>,
    /// The other blocks of the type.
    pub(super) parts: Vec<&'p Path>,
    /// The file that the gram is written to.
    pub(super) export: Option<Export>,
}

/// A method that is a tool.
pub(super) struct CheckedMethod<'p> {
    pub(super) tool: CheckedTool<'p>,
    pub(super) receiver: Receiver,
    /// The span of its name.
    pub(super) name_span: Span,
}

/// The `self` of a tool.
pub(super) enum Receiver {
    /// No `self`: an associated function.
    None,
    /// `&self`
    Reference,
    /// `self: Type`. rustc checks that the type is allowed.
    Typed(Box<Type>),
}

/// A file that the gram of a toolbox is written to.
pub(super) struct Export {
    pub(super) span: Span,
    pub(super) folder: String,
    /// The name of the type.
    pub(super) name: String,
}

/// Checks all rules. Returns `None` if an error leaves no toolbox to describe.
pub(super) fn check_toolbox<'p>(
    report: &Report,
    parsed: &'p ParsedToolbox,
) -> Option<CheckedToolbox<'p>> {
    let block = &parsed.block;
    if let Some((of_trait, _)) = &block.head.trait_ {
        report.error_between(
            block.head.impl_token.span,
            of_trait.span(),
            "`#[toolbox]` goes on an `impl` block of the type itself, since what the methods of a \
             trait take is the trait's affair; write `impl Type`, with methods that call these",
        );
        return None;
    }
    refuse_lifetimes(report, parsed);
    check_settings(report, parsed);
    let methods: Vec<Option<CheckedMethod<'p>>> = parsed
        .tools()
        .map(|tool| check_method(report, tool))
        .collect();
    if methods.is_empty() && parsed.settings.parts.is_none() {
        report.error(
            block.head.self_ty.span(),
            "this block has no tool; write `#[tool]` on the methods that are to be called by a model",
        );
    }
    let export = check_export(report, parsed);
    let methods: Vec<CheckedMethod<'p>> = methods.into_iter().collect::<Option<_>>()?;
    refuse_doubles(report, &methods);
    Some(CheckedToolbox {
        krate: parsed.krate(),
        head: &block.head,
        conditions: conditions(&block.head.attrs),
        methods,
        part: parsed.settings.part.as_ref(),
        parts: parsed.parts(),
        export,
    })
}

impl ParsedToolbox {
    /// Returns the other blocks that this one lists, each once.
    pub(super) fn parts(&self) -> Vec<&Path> {
        let mut seen = HashSet::new();
        let parts = self.settings.parts.iter().flat_map(|(_, parts)| parts);
        parts
            .filter(|path| seen.insert(path.to_token_stream().to_string()))
            .collect()
    }
}

/// Reports a lifetime. A toolbox lives as long as the library that holds it, so it cannot borrow.
fn refuse_lifetimes(report: &Report, parsed: &ParsedToolbox) {
    if let Some(span) = opt_borrow(&parsed.block) {
        report.error(
            span,
            "a toolbox lives as long as any library that has it, so it cannot borrow; let it own \
             what it needs, or share it in an `Arc`",
        );
    }
}

/// Returns the span of a lifetime of the type. Besides `'static`, rustc accepts `'_` as the only
/// lifetime without a declaration.
pub(super) fn opt_borrow(block: &Block) -> Option<Span> {
    let declared = block.head.generics.lifetimes().next();
    let declared = declared.map(|parameter| parameter.lifetime.span());
    declared.or_else(|| opt_elided(block.head.self_ty.to_token_stream()))
}

/// Returns the span of `'_` in a type.
fn opt_elided(tokens: TokenStream) -> Option<Span> {
    let mut after_quote = None;
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                after_quote = Some(punct.span());
                continue;
            }
            proc_macro2::TokenTree::Ident(ident) if after_quote.is_some() && ident == "_" => {
                return Some(ident.span());
            }
            proc_macro2::TokenTree::Group(group) => {
                if let Some(span) = opt_elided(group.stream()) {
                    return Some(span);
                }
            }
            _ => {}
        }
        after_quote = None;
    }
    None
}

fn check_settings(report: &Report, parsed: &ParsedToolbox) {
    let settings = &parsed.settings;
    if let (Some(_), Some((span, _))) = (&settings.part, &settings.parts) {
        report.error(
            *span,
            "a part has no parts of its own; list all of them at the first block",
        );
    }
    if let Some(prefix) = &settings.prefix
        && !is_tool_name(&prefix.value())
    {
        report.error(
            prefix.span(),
            "a prefix is the start of a tool's name: a letter or `_`, then letters, digits, `_` or `-`",
        );
    }
    let mut seen = HashSet::new();
    for path in settings.parts.iter().flat_map(|(_, parts)| parts) {
        if !seen.insert(path.to_token_stream().to_string()) {
            report.error(path.span(), "this part is listed twice; remove one");
        }
    }
}

fn check_export(report: &Report, parsed: &ParsedToolbox) -> Option<Export> {
    let (span, folder) = parsed.settings.export.clone()?;
    if parsed.settings.part.is_some() {
        report.error(
            span,
            "the file has the tools of all parts, so write `export` at the first block",
        );
        return None;
    }
    if let Some(parameter) = parsed.block.head.generics.params.first() {
        report.error(
            span,
            format!(
                "what the tools look like depends on `{}`, so there is no one file to write; \
                 write a test that exports the `GRAM` of one type",
                parameter_name(parameter)
            ),
        );
        return None;
    }
    let name = match &*parsed.block.head.self_ty {
        Type::Path(path) => path.path.segments.last()?.ident.unraw().to_string(),
        other => other.to_token_stream().to_string(),
    };
    Some(Export { span, folder, name })
}

fn parameter_name(parameter: &GenericParam) -> String {
    match parameter {
        GenericParam::Type(parameter) => parameter.ident.to_string(),
        GenericParam::Const(parameter) => parameter.ident.to_string(),
        GenericParam::Lifetime(parameter) => parameter.lifetime.to_string(),
    }
}

/// Reports two tools of one name in this block. Tools with conditions can exclude each other, so
/// they are not compared.
fn refuse_doubles(report: &Report, methods: &[CheckedMethod<'_>]) {
    let mut names: HashMap<&str, &CheckedMethod<'_>> = HashMap::new();
    for method in methods {
        if !method.tool.conditions.is_empty() {
            continue;
        }
        if let Some(first) = names.insert(&method.tool.name, method)
            // rustc reports two functions of one name.
            && first.tool.function != method.tool.function
        {
            report.error(
                method.name_span,
                format!(
                    "two tools of this toolbox are called `{}`: this one and the method `{}`; \
                     set another name with `#[tool(name = \"…\")]`",
                    method.tool.name, first.tool.function
                ),
            );
        }
    }
}

fn check_method<'p>(report: &Report, parsed: &'p ParsedTool) -> Option<CheckedMethod<'p>> {
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

const EXCLUSIVE: &str = "a tool is called from several tasks at once, so it cannot have its toolbox for itself; take \
     `&self`, and keep what changes in a `Mutex` or an atomic";

/// Returns the receiver of a method. Reports one that a tool cannot have.
fn check_receiver(report: &Report, function: &Function) -> Receiver {
    let Some(receiver) = function.signature.receiver() else {
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
