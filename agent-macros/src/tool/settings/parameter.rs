//! The settings in `#[tool(…)]` on a parameter.

use super::words::{DEFAULT, DESCRIPTION, NAME, TYPE, refuse_parameter_word};
use super::{is_tool, is_tool_meta};
use crate::constraints::Narrowing;
use crate::doc::has_conditional;
use crate::report::Report;
use crate::settings::{Reader, Setting};
use agent_spec::Type;
use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, LitStr};

/// The settings of a parameter.
#[derive(Default)]
pub(crate) struct ParameterSettings {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) default: Option<Expr>,
    pub(crate) stated: Option<Stated>,
    pub(crate) narrowing: Narrowing,
}

/// A gram type that somebody stated in place of the one that rustc would find.
pub(crate) struct Stated {
    pub(crate) ty: Type,
    pub(crate) span: Span,
}

/// Reads all `#[tool(…)]` of a parameter.
pub(crate) fn read_parameter_settings(
    report: &Report,
    attributes: &[Attribute],
) -> ParameterSettings {
    let mut reader = Reader::new(report);
    let mut read = ParameterSettings::default();
    for attribute in attributes {
        if has_conditional(attribute, is_tool_meta) {
            report.error_on(
                &attribute.meta,
                "the settings of a parameter cannot depend on a condition; write the parameter \
                 once under `#[cfg(…)]` and once under `#[cfg(not(…))]`",
            );
        }
        if !is_tool(attribute) {
            continue;
        }
        let tokens = match attribute.meta.require_list() {
            Ok(list) => list.tokens.clone(),
            Err(_) => {
                report.error(
                    attribute.path().span(),
                    "on a parameter, say what it is about: `#[tool(description = \"…\")]`",
                );
                continue;
            }
        };
        for setting in reader.settings(tokens) {
            if !reader.is_new(&setting) {
                continue;
            }
            match setting.word.to_string().as_str() {
                NAME => read.name = reader.value(&setting, "\"personName\""),
                DESCRIPTION => read.description = reader.value(&setting, "\"Who to greet\""),
                DEFAULT => read.default = reader.value(&setting, "\"world\""),
                TYPE => read.stated = read_type(&reader, &setting),
                _ if read.narrowing.read(&reader, &setting) => {}
                _ => refuse_parameter_word(&reader, &setting.word),
            }
        }
    }
    read
}

fn read_type(reader: &Reader<'_>, setting: &Setting) -> Option<Stated> {
    let literal: LitStr = reader.value(setting, "\"{id: Text}\"")?;
    match Type::from_expression(&literal.value()) {
        Ok(ty) => Some(Stated {
            ty,
            span: literal.span(),
        }),
        Err(message) => {
            reader.report().error(literal.span(), message);
            None
        }
    }
}
