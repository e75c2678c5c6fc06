//! The settings in `#[gram(…)]`, on a type and on a field.

use crate::constraints::{SpannedConstraints, words_after};
use crate::report::Report;
use crate::settings::{Setting, SettingsReader, StatedType};
use agent_spec::{Kind, Type};
use proc_macro2::Span;
use syn::{Attribute, Expr, LitStr, Path};

/// The words of a field, besides those of the constraints.
const FIELD_WORDS: [&str; 4] = ["description", "default", "opaque", "type"];

/// The settings of a type.
#[derive(Default)]
pub(super) struct TypeSettings {
    pub(super) krate: Option<Path>,
    pub(super) stated: Option<StatedType>,
    pub(super) narrowing: SpannedConstraints,
}

/// The settings of a field.
#[derive(Default)]
pub(super) struct FieldSettings {
    pub(super) description: Option<LitStr>,
    pub(super) default: Option<Expr>,
    /// The span of the word `default`.
    pub(super) default_word: Option<Span>,
    pub(super) stated: Option<StatedType>,
    pub(super) narrowing: SpannedConstraints,
    /// The span of the first word.
    pub(super) place: Option<Span>,
}

/// Reads all `#[gram(…)]` of a type.
pub(super) fn read_type_settings(report: &Report, attributes: &[Attribute]) -> TypeSettings {
    let mut read = TypeSettings::default();
    each_setting(report, attributes, |reader, setting| {
        match setting.word.to_string().as_str() {
            "opaque" | "type" => state(&mut read.stated, reader, setting),
            "crate" => read.krate = reader.crate_path(setting),
            _ if read.narrowing.read(reader, setting) => {}
            _ => {
                let known = words_after(&["crate", "opaque", "type"]);
                reader.unknown(&setting.word, &known, "a type");
            }
        }
    });
    read.narrowing.check(report, None);
    read
}

/// Reads all `#[gram(…)]` of a field.
pub(super) fn read_field_settings(report: &Report, attributes: &[Attribute]) -> FieldSettings {
    let mut read = FieldSettings::default();
    each_setting(report, attributes, |reader, setting| {
        read.place.get_or_insert(setting.word.span());
        match setting.word.to_string().as_str() {
            "opaque" | "type" => state(&mut read.stated, reader, setting),
            "description" => read.description = reader.value(setting, "\"Who it is for\""),
            "default" => {
                read.default_word = Some(setting.word.span());
                read.default = reader.value(setting, "\"world\"");
            }
            _ if read.narrowing.read(reader, setting) => {}
            _ => reader.unknown(&setting.word, &words_after(&FIELD_WORDS), "a field"),
        }
    });
    read
}

/// Reports all `#[gram(…)]` of a variant, which has no settings.
pub(super) fn refuse_variant_settings(report: &Report, attributes: &[Attribute]) {
    let words = words_after(&FIELD_WORDS);
    each_setting(report, attributes, |_, setting| {
        let name = setting.word.to_string();
        let hint = match agent_spec::names::nearest(&name, words.iter().copied()) {
            Some("description") => "describe it with a doc comment".to_owned(),
            Some(meant) => format!("did you mean `{meant}` on the field in it?"),
            None => "it has none, and its name is serde's: `#[serde(rename = \"…\")]`".to_owned(),
        };
        let message = format!("`{name}` is not a setting of a variant; {hint}");
        report.error(setting.word.span(), message);
    });
}

fn each_setting(
    report: &Report,
    attributes: &[Attribute],
    mut take: impl FnMut(&SettingsReader<'_>, &Setting),
) {
    let mut reader = SettingsReader::new(report);
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("gram"))
    {
        let tokens = match attribute.meta.require_list() {
            Ok(list) => list.tokens.clone(),
            Err(error) => {
                report.error(error.span(), "write `#[gram(description = \"…\")]`");
                continue;
            }
        };
        reader.each(tokens, &mut take);
    }
}

/// Reads `opaque` and `type = "…"`, which exclude each other.
fn state(stated: &mut Option<StatedType>, reader: &SettingsReader<'_>, setting: &Setting) {
    let span = setting.word.span();
    let ty = if setting.word == "opaque" {
        reader.flag(setting).map(|_| Type::new(Kind::Any))
    } else {
        let stated = reader.type_expression(setting, "\"[Text]\"");
        stated.map(|stated| stated.ty)
    };
    let Some(ty) = ty else {
        return;
    };
    if stated.is_some() {
        reader.report().error(
            span,
            "`opaque` and `type` both state the type; keep one of them",
        );
        return;
    }
    *stated = Some(StatedType { ty, span });
}
