//! What cannot be said of the fields of variants that are one record in gram.

use super::enumeration::{Content, Variant};
use super::field::{CheckedField, Source};
use crate::constraints::Narrowing;
use crate::report::Report;
use agent_spec::binding::same_type;
use quote::ToTokens;

/// Reports defaults, which the runtime fills in before it is known which variant is meant, and words
/// that narrow what several variants have, of which the merged record keeps none.
pub(super) fn refuse_lost_settings(report: &Report, variants: &[Variant<'_>]) {
    let fields: Vec<_> = variants.iter().flat_map(fields_of).collect();
    for field in &fields {
        if let Some(place) = field.parsed.settings.default_word
            && field.flatten.is_none()
        {
            report.error(
                place,
                "a default would be filled in for every variant; leave it to serde: \
                 `#[serde(default = \"…\")]`",
            );
        }
        let of_this_name = fields
            .iter()
            .filter(|other| other.flatten.is_none() && other.name == field.name);
        let said: Vec<_> = of_this_name
            .map(|other| (other.narrowing, &other.source))
            .collect();
        if let Some(place) = field.narrowing.place()
            && !all_alike(&said)
        {
            report.error(
                place,
                format!(
                    "the field `{}` is in several variants, which are one record in gram: nothing \
                     narrows it for one of them; rename one, or check it in the function",
                    field.name
                ),
            );
        }
    }
}

/// The values of adjacently tagged variants all stand under one key.
pub(super) fn refuse_narrowed_values(report: &Report, variants: &[Variant<'_>]) {
    let holds_data = |variant: &&Variant<'_>| !matches!(variant.content, Content::Nothing);
    let count = variants.iter().filter(holds_data).count();
    let values: Vec<_> = variants
        .iter()
        .filter_map(|variant| match &variant.content {
            Content::Value(source, narrowing) => Some((*narrowing, source)),
            _ => None,
        })
        .collect();
    if count == values.len() && all_alike(&values) {
        return;
    }
    for place in values.iter().filter_map(|(narrowing, _)| narrowing.place()) {
        report.error(
            place,
            "the values of all variants are one type in gram, so nothing narrows those of one; name \
             the field, `{ value: T }`, as no other variant does, or check it in the function",
        );
    }
}

fn fields_of<'v, 'p>(variant: &'v Variant<'p>) -> &'v [CheckedField<'p>] {
    match &variant.content {
        Content::Record(fields) => fields,
        _ => &[],
    }
}

/// Whether the types stay one type, narrowed as each says.
fn all_alike(said: &[(&Narrowing, &Source<'_>)]) -> bool {
    said.windows(2).all(|pair| {
        let [(narrowing, ty), (other, other_type)] = pair else {
            return true;
        };
        narrowing.says_the_same(other) && is_same(ty, other_type)
    })
}

/// Whether two types are one as far as they are written.
pub(super) fn is_same(left: &Source<'_>, right: &Source<'_>) -> bool {
    match (left, right) {
        (Source::Rust(left), Source::Rust(right)) => {
            left.to_token_stream().to_string() == right.to_token_stream().to_string()
        }
        (Source::Stated(left, _), Source::Stated(right, _)) => same_type(&left.ty, &right.ty),
        _ => false,
    }
}
