//! Doc comments: the descriptions of a tool and of its parameters.

use crate::settings::skip_to_comma;
use crate::tokens::call_at;
use agent_spec::doc_comment;
use agent_spec::doc_comment::{is_fence, is_heading};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaList, Token};

/// A doc comment: the texts of all `#[doc = …]`.
#[derive(Default)]
pub(crate) struct DocComment {
    pieces: Vec<DocAttribute>,
}

struct DocAttribute {
    text: DocText,
    /// The conditions of the `#[cfg_attr(…, doc = …)]` around it.
    conditions: Vec<TokenStream>,
    span: Span,
}

enum DocText {
    /// A literal.
    Known(String),
    /// An expression that only rustc can evaluate, such as `include_str!("…")`.
    Computed(TokenStream),
}

/// The description of a tool or a parameter.
#[derive(Clone)]
pub(crate) enum Description {
    /// A text.
    Known(String),
    /// Parts of a doc comment, from which rustc computes the text.
    Computed(TokenStream),
}

impl DocComment {
    /// Collects the doc comment from attributes.
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let mut doc = Self::default();
        for attribute in attributes {
            doc.add(&attribute.meta, &[]);
        }
        doc
    }

    fn add(&mut self, meta: &Meta, conditions: &[TokenStream]) {
        match meta {
            Meta::NameValue(named) if named.path.is_ident("doc") => {
                self.pieces.push(DocAttribute {
                    text: text_of(&named.value),
                    conditions: conditions.to_vec(),
                    span: named.value.span(),
                });
            }
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                if let Some((condition, metas)) = conditional(list) {
                    let conditions = [conditions, &[condition]].concat();
                    for meta in &metas {
                        self.add(meta, &conditions);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the description: the text up to the first heading. `None` if it is empty.
    pub(crate) fn description(&self) -> Option<Description> {
        if self.pieces.is_empty() {
            return None;
        }
        let known: Option<Vec<&str>> = self.pieces.iter().map(DocAttribute::known).collect();
        let Some(known) = known else {
            let pieces = self.pieces.iter().map(|piece| {
                let conditions = &piece.conditions;
                let text = match &piece.text {
                    DocText::Known(text) => text.to_token_stream(),
                    DocText::Computed(tokens) => tokens.clone(),
                };
                quote!(#(#[cfg(#conditions)])* #text)
            });
            return Some(Description::Computed(quote!(&[#(#pieces),*])));
        };
        Some(doc_comment::description(&known))
            .filter(|text| !text.is_empty())
            .map(Description::Known)
    }

    /// Returns the description, unless only rustc can compute it.
    pub(crate) fn known_description(&self) -> Option<String> {
        match self.description()? {
            Description::Known(text) => Some(text),
            Description::Computed(_) => None,
        }
    }

    /// Returns the unconditional lines, each with its span.
    fn lines(&self) -> impl Iterator<Item = (&str, Span)> {
        let known = self
            .pieces
            .iter()
            .filter_map(|piece| Some((piece.known()?, piece.span)));
        known.flat_map(|(text, span)| text.split('\n').map(move |line| (line, span)))
    }
}

impl DocAttribute {
    /// Returns the text, if it is a literal without conditions.
    fn known(&self) -> Option<&str> {
        match &self.text {
            DocText::Known(text) if self.conditions.is_empty() => Some(text),
            _ => None,
        }
    }
}

impl Description {
    /// Returns the description as an expression of type `&'static str`.
    pub(crate) fn expand(&self, rt: &TokenStream) -> TokenStream {
        match self {
            Description::Known(text) => text.to_token_stream(),
            Description::Computed(pieces) => quote! {{
                const __PIECES: &[&#rt::str] = #pieces;
                const __TEXT: [#rt::u8; #rt::description_len(__PIECES)] =
                    #rt::description_bytes(__PIECES);
                #rt::text_of(&__TEXT)
            }},
        }
    }

    /// Returns an item whose evaluation fails if the computed description is empty.
    pub(crate) fn expand_check(&self, rt: &TokenStream, place: Span) -> Option<TokenStream> {
        let Description::Computed(pieces) = self else {
            return None;
        };
        let check = call_at(place, quote!(#rt::check_described), quote!(__PIECES));
        Some(quote! {
            const _: () = {
                const __PIECES: &[&#rt::str] = #pieces;
                #check
            };
        })
    }
}

fn text_of(value: &Expr) -> DocText {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => DocText::Known(without_stars(&text.value())),
        Expr::Group(group) => text_of(&group.expr),
        other => DocText::Computed(other.to_token_stream()),
    }
}

/// Splits the condition from the attributes of a `cfg_attr`.
fn conditional(list: &MetaList) -> Option<(TokenStream, Punctuated<Meta, Token![,]>)> {
    let parser = |input: ParseStream<'_>| {
        let condition = skip_to_comma(input);
        input.parse::<Token![,]>()?;
        Ok((condition, Punctuated::parse_terminated(input)?))
    };
    list.parse_args_with(parser).ok()
}

/// Whether a `#[cfg_attr(…)]` contains an attribute that satisfies `is`.
pub(crate) fn has_conditional(attribute: &Attribute, is: impl Fn(&Meta) -> bool + Copy) -> bool {
    fn search(meta: &Meta, is: impl Fn(&Meta) -> bool + Copy) -> bool {
        match meta {
            Meta::List(list) if list.path.is_ident("cfg_attr") => conditional(list)
                .is_some_and(|(_, metas)| metas.iter().any(|meta| is(meta) || search(meta, is))),
            _ => false,
        }
    }
    search(&attribute.meta, is)
}

/// Removes the `*` that begins every line but the first of a boxed block comment.
fn without_stars(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let boxed = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('*');
    if lines.clone().all(|line| line.trim().is_empty()) || !lines.clone().all(boxed) {
        return text.to_owned();
    }
    let mut out = first.to_owned();
    for line in lines {
        let line = line.trim_start();
        out.push('\n');
        out.push_str(line.strip_prefix('*').unwrap_or(line));
    }
    out
}

/// The documentation of one parameter in a list.
pub(crate) struct ArgumentDoc {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// The headings of a parameter list, in lower case.
const HEADINGS: [&str; 4] = ["arguments", "parameters", "args", "params"];

const BULLETS: [&str; 3] = ["* ", "- ", "+ "];

/// Returns the items of the parameter lists of a doc comment, in order.
pub(crate) fn arguments_of(doc: &DocComment) -> Vec<ArgumentDoc> {
    let mut found: Vec<ArgumentDoc> = Vec::new();
    let mut in_list = false;
    let mut in_code = false;
    // The indentation of the item that the next line may continue.
    let mut open = None;
    for (raw, span) in doc.lines() {
        let line = raw.trim();
        in_code ^= is_fence(line);
        if !in_code && is_heading(line) {
            in_list = is_list_heading(line);
            open = None;
            continue;
        }
        if !in_list || in_code {
            continue;
        }
        let indent = raw.len() - raw.trim_start().len();
        match (item(line), open) {
            // A list inside an item belongs to its text.
            (Some((name, text)), at) if at.is_none_or(|at| indent <= at) => {
                open = Some(indent);
                found.push(ArgumentDoc {
                    name: name.to_owned(),
                    text: text.to_owned(),
                    span,
                });
            }
            // A list item of another kind ends the list.
            (_, Some(at)) if !line.is_empty() && (indent > at || !is_bullet(line)) => {
                if let Some(last) = found.last_mut() {
                    if !last.text.is_empty() {
                        last.text.push(' ');
                    }
                    last.text.push_str(line);
                }
            }
            _ => open = None,
        }
    }
    found
}

fn is_list_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#').trim().trim_end_matches(':');
    HEADINGS.contains(&title.to_ascii_lowercase().as_str())
}

fn is_bullet(line: &str) -> bool {
    BULLETS.iter().any(|bullet| line.starts_with(bullet))
}

/// Splits a list item into its name and text: ``* `name` - text``, `- name: text` and so on.
fn item(line: &str) -> Option<(&str, &str)> {
    let item = BULLETS
        .iter()
        .find_map(|bullet| line.strip_prefix(bullet))?
        .trim_start();
    let quoted = [("**`", "`**"), ("**", "**"), ("`", "`")];
    let quoted = quoted
        .into_iter()
        .find_map(|(start, end)| Some((item.strip_prefix(start)?, end)));
    let (name, rest) = match quoted {
        Some((rest, end)) => rest.split_once(end)?,
        None => {
            let end = item.find(|c: char| !c.is_alphanumeric() && c != '_');
            item.split_at(end.unwrap_or(item.len()))
        }
    };
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '#' | '-'));
    let rest = rest.trim_start();
    let text = [":", "-", "\u{2013}", "\u{2014}", "=>"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark));
    is_name.then_some((name, text?.trim()))
}

#[cfg(test)]
mod tests;
