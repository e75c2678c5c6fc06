//! The `#[serde(…)]` attributes that change the JSON form of values.
//!
//! Words that serde does not know are ignored, because serde reports them.

use crate::report::Report;
use agent_spec::case::Case;
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Lit, Meta, Token};

/// The attributes of a type, a variant or a field. A flag is the span of its word.
#[derive(Default)]
pub(super) struct Serde {
    pub(super) rename: Option<String>,
    pub(super) rename_all: Option<Case>,
    pub(super) rename_all_fields: Option<Case>,
    pub(super) default: Option<Span>,
    pub(super) skip: Option<Span>,
    pub(super) skip_serializing: Option<Span>,
    pub(super) skip_deserializing: Option<Span>,
    pub(super) flatten: Option<Span>,
    pub(super) transparent: Option<Span>,
    pub(super) tag: Option<(String, Span)>,
    pub(super) content: Option<(String, Span)>,
    pub(super) untagged: Option<Span>,
    pub(super) deny_unknown_fields: bool,
    /// The further names under which a field or a variant is read.
    pub(super) aliases: Vec<String>,
    /// Words that give values a form that only their author knows.
    pub(super) other_forms: Vec<(String, Span)>,
    /// The span of a name for one direction only.
    pub(super) one_way: Option<Span>,
}

/// The item that an attribute is on. A word can have a different meaning on each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AttributeTarget {
    Type,
    Variant,
    Field,
}

/// Reads all `#[serde(…)]` of a type, variant or field.
pub(super) fn read_serde(
    report: &Report,
    attributes: &[Attribute],
    target: AttributeTarget,
) -> Serde {
    let mut read = Serde::default();
    let lists = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde"));
    for attribute in lists {
        let words = Punctuated::<Meta, Token![,]>::parse_terminated;
        // serde reports an attribute that cannot be parsed.
        let Ok(words) = attribute.parse_args_with(words) else {
            continue;
        };
        for word in words {
            read.take(&word, target);
        }
    }
    if let Some(span) = read.one_way {
        report.error(
            span,
            "this is read under one name and written under another, and a gram type has one name \
             for both; give both the same, or keep only `rename = \"…\"`",
        );
    }
    read
}

impl Serde {
    fn take(&mut self, meta: &Meta, target: AttributeTarget) {
        let Some(word) = meta.path().get_ident() else {
            return;
        };
        let span = word.span();
        match word.to_string().as_str() {
            "rename" => self.rename = self.name(meta),
            "rename_all" => self.rename_all = self.name(meta).as_deref().and_then(Case::from_name),
            "rename_all_fields" => {
                self.rename_all_fields = self.name(meta).as_deref().and_then(Case::from_name);
            }
            "default" => self.default = Some(span),
            "skip" => self.skip = Some(span),
            "skip_serializing" | "skip_serializing_if" => self.skip_serializing = Some(span),
            "skip_deserializing" => self.skip_deserializing = Some(span),
            "flatten" => self.flatten = Some(span),
            "transparent" => self.transparent = Some(span),
            "tag" => self.tag = text(meta).map(|text| (text, span)),
            "content" => self.content = text(meta).map(|text| (text, span)),
            "untagged" => self.untagged = Some(span),
            "alias" => self.aliases.extend(text(meta)),
            "deny_unknown_fields" => self.deny_unknown_fields = true,
            "with" | "serialize_with" | "deserialize_with" | "getter" | "from" | "try_from"
            | "into" | "remote" | "other" | "field_identifier" | "variant_identifier" => {
                // `from` and similar words are for types, `with` and similar words for fields.
                let known_here = match word.to_string().as_str() {
                    "from" | "try_from" | "into" | "remote" | "field_identifier"
                    | "variant_identifier" => target == AttributeTarget::Type,
                    "getter" => target == AttributeTarget::Field,
                    "other" => target == AttributeTarget::Variant,
                    _ => target != AttributeTarget::Type,
                };
                if known_here {
                    self.other_forms.push((word.to_string(), span));
                }
            }
            // `bound`, `borrow`, `crate` and `expecting` do not change the gram type. serde
            // reports unknown words.
            _ => {}
        }
    }

    /// Returns the name in `rename = "…"` or `rename(serialize = "…", deserialize = "…")`.
    fn name(&mut self, meta: &Meta) -> Option<String> {
        let Meta::List(list) = meta else {
            return text(meta);
        };
        let words = Punctuated::<Meta, Token![,]>::parse_terminated;
        let words = list.parse_args_with(words).ok()?;
        let of = |wanted: &str| {
            let mut found = words.iter().filter(|word| word.path().is_ident(wanted));
            found.next().and_then(text)
        };
        let (written, read) = (of("serialize"), of("deserialize"));
        if written != read {
            self.one_way = Some(list.span());
        }
        read
    }
}

/// Returns the text of `word = "…"`.
fn text(meta: &Meta) -> Option<String> {
    if let Meta::NameValue(pair) = meta
        && let Expr::Lit(literal) = &pair.value
        && let Lit::Str(text) = &literal.lit
    {
        return Some(text.value());
    }
    None
}
