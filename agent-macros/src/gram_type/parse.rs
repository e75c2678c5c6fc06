//! Parses the type.

use super::serde::{AttributeTarget, Serde, read_serde};
use super::settings::{
    FieldSettings, TypeSettings, read_field_settings, read_type_settings, refuse_variant_settings,
};
use crate::doc::DocComment;
use crate::report::Report;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Generics, Ident, Type};

/// A type with its attributes.
pub(super) struct ParsedType {
    pub(super) name: Ident,
    pub(super) generics: Generics,
    pub(super) settings: TypeSettings,
    pub(super) serde: Serde,
    pub(super) body: Body,
}

/// The content of a type.
pub(super) enum Body {
    Struct(ParsedFields),
    Enum(Vec<ParsedVariant>),
}

/// The fields and their style.
pub(super) struct ParsedFields {
    pub(super) style: Style,
    pub(super) fields: Vec<ParsedField>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Named,
    Tuple,
    Unit,
}

/// A field with its attributes.
pub(super) struct ParsedField {
    /// The name without the mark of a raw identifier; `None` in a tuple.
    pub(super) name: Option<String>,
    /// The span of the name, or of the type in a tuple.
    pub(super) place: Span,
    pub(super) ty: Type,
    pub(super) description: Option<String>,
    pub(super) settings: FieldSettings,
    pub(super) serde: Serde,
}

/// A variant with its attributes.
pub(super) struct ParsedVariant {
    pub(super) name: Ident,
    pub(super) description: Option<String>,
    pub(super) serde: Serde,
    pub(super) fields: ParsedFields,
}

/// Parses the type and all attributes. Returns `None` if the item cannot have values.
pub(super) fn parse_type(report: &Report, item: TokenStream) -> Option<ParsedType> {
    let item: DeriveInput = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => {
            report.syn(&error);
            return None;
        }
    };
    let body = match &item.data {
        Data::Struct(data) => Body::Struct(parse_fields(report, &data.fields)),
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| {
                refuse_variant_settings(report, &variant.attrs);
                ParsedVariant {
                    name: variant.ident.clone(),
                    description: description(&variant.attrs),
                    serde: read_serde(report, &variant.attrs, AttributeTarget::Variant),
                    fields: parse_fields(report, &variant.fields),
                }
            });
            Body::Enum(variants.collect())
        }
        Data::Union(data) => {
            report.error(
                data.union_token.span,
                "serde cannot read a union, and gram has no type for it; write a struct or an enum",
            );
            return None;
        }
    };
    Some(ParsedType {
        settings: read_type_settings(report, &item.attrs),
        serde: read_serde(report, &item.attrs, AttributeTarget::Type),
        name: item.ident,
        generics: item.generics,
        body,
    })
}

fn parse_fields(report: &Report, fields: &Fields) -> ParsedFields {
    let style = match fields {
        Fields::Named(_) => Style::Named,
        Fields::Unnamed(_) => Style::Tuple,
        Fields::Unit => Style::Unit,
    };
    let fields = fields.iter().map(|field| ParsedField {
        name: field.ident.as_ref().map(plain_name),
        place: match &field.ident {
            Some(name) => name.span(),
            None => field.ty.span(),
        },
        ty: field.ty.clone(),
        description: description(&field.attrs),
        settings: read_field_settings(report, &field.attrs),
        serde: read_serde(report, &field.attrs, AttributeTarget::Field),
    });
    ParsedFields {
        style,
        fields: fields.collect(),
    }
}

/// Returns a name without the mark of a raw identifier, as serde writes it.
pub(super) fn plain_name(name: &Ident) -> String {
    name.unraw().to_string()
}

fn description(attributes: &[syn::Attribute]) -> Option<String> {
    DocComment::of(attributes).known_description()
}
