//! The items that stand for types: structs, enums, and names for long types.

use super::attribute::Settings;
use super::field::described;
use super::identifier::Scope;
use super::literal::Literal;
use super::rename::{of_fields, of_variants};
use super::type_name::Place;
use super::types::Types;
use super::width::{LINE, width_of};
use agent_spec::Field;

/// A struct for a record.
pub(super) fn structure(
    types: &mut Types,
    name: &str,
    fields: &[Field],
    place: &Place,
    is_wide: bool,
) -> String {
    let mut scope = Scope::default();
    let names: Vec<(String, String)> = fields
        .iter()
        .map(|field| (scope.snake(field.name(), "field"), field.name().to_owned()))
        .collect();
    let renames = of_fields(&names);
    let mut lines = head(place, "Clone, Debug, Deserialize, GramType, Serialize");
    lines.extend(renames.container().lines("serde", 0));
    if fields.is_empty() {
        lines.push(format!("pub struct {name} {{}}"));
        return lines.join("\n");
    }
    lines.push(format!("pub struct {name} {{"));
    for ((field, (ident, _)), rename) in fields.iter().zip(&names).zip(&renames.own) {
        let mut serde = Settings::default();
        serde.add_if("rename", rename.as_deref().map(Literal::text));
        let (ty, mut gram) = types.of_field(field, &place.field(field.name()), is_wide);
        let docs = described(field, &mut gram);
        let all = docs
            .into_iter()
            .chain(serde.lines("serde", 4))
            .chain(gram.lines("gram", 4));
        lines.extend(all.map(|line| format!("    {line}")));
        lines.push(format!("    pub {ident}: {ty},"));
    }
    lines.push("}".to_owned());
    lines.join("\n")
}

/// An enum for a text of which only some words are allowed: variants with these words.
pub(super) fn enumeration(name: &str, variants: &[(String, String)], place: &Place) -> String {
    let renames = of_variants(variants);
    let derives = "Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize";
    let mut lines = head(place, derives);
    lines.extend(renames.container().lines("serde", 0));
    lines.push(format!("pub enum {name} {{"));
    for ((variant, _), rename) in variants.iter().zip(&renames.own) {
        let mut serde = Settings::default();
        serde.add_if("rename", rename.as_deref().map(Literal::text));
        lines.extend(
            serde
                .lines("serde", 4)
                .iter()
                .map(|line| format!("    {line}")),
        );
        lines.push(format!("    {variant},"));
    }
    lines.push("}".to_owned());
    lines.join("\n")
}

/// A struct around a type that is narrowed.
pub(super) fn newtype(name: &str, settings: &Settings, ty: &str, place: &Place) -> String {
    let mut lines = head(place, "Clone, Debug, Deserialize, GramType, Serialize");
    lines.extend(of_fields(&[]).container().lines("serde", 0));
    lines.extend(settings.lines("gram", 0));
    let line = format!("pub struct {name}(pub {ty});");
    if width_of(&line) <= LINE {
        lines.push(line);
    } else {
        lines.push(format!("pub struct {name}(\n    pub {ty},\n);"));
    }
    lines.join("\n")
}

/// A name for a type that would be long.
pub(super) fn alias(name: &str, ty: &str, place: &Place) -> String {
    format!("/// {}\npub type {name} = {ty};", place.sentence())
}

fn head(place: &Place, derives: &str) -> Vec<String> {
    vec![
        format!("/// {}", place.sentence()),
        format!("#[derive({derives})]"),
    ]
}
