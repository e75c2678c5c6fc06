//! The constraint words in `#[tool(…)]` on a parameter and `#[gram(…)]` on a field, such as `minimum`, `pattern` and
//! `enum`.
//!
//! rustc decides whether they fit the Rust type: the expansion has a check at the token of each
//! word and of each value.

use crate::default::{DefaultValue, value_of, without_groups};
use crate::report::Report;
use crate::settings::{Setting, SettingsReader};
use crate::tokens::{Tokens, call_at};
use agent_gram::Value;
use agent_spec::types::{Bound, Constraint};
use agent_spec::validate::{fits_value, is_valid_pattern};
use agent_spec::vocabulary::{Keyword, KeywordValue};
use agent_spec::{Constraints, Kind, Type};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::borrow::Cow;
use syn::spanned::Spanned;
use syn::{Expr, ExprArray, LitInt, LitStr};

/// Returns other words of an attribute, and then those of the constraints.
pub(crate) fn words_after(own: &[&'static str]) -> Vec<&'static str> {
    let words = Keyword::in_attributes().map(Keyword::word);
    own.iter().copied().chain(words).collect()
}

/// The constraints of a parameter or a field, with the spans of their words.
#[derive(Default)]
pub(crate) struct SpannedConstraints {
    constraints: Constraints,
    words: Vec<(Keyword, Span)>,
    /// The place of each value of `enum`.
    choices: Vec<Span>,
}

impl SpannedConstraints {
    /// Whether there are no constraints.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the span of the first word.
    pub(crate) fn place(&self) -> Option<Span> {
        self.words.first().map(|(_, span)| *span)
    }

    /// Reads a setting whose word is a keyword that narrows types; returns `false` for any other. Reports
    /// a wrong value.
    pub(crate) fn read(&mut self, reader: &SettingsReader<'_>, setting: &Setting) -> bool {
        let Some(keyword) = Keyword::from_word(&setting.word.to_string()) else {
            return false;
        };
        if self.read_value(reader, setting, keyword).is_some() {
            self.words.push((keyword, setting.word.span()));
        }
        true
    }

    fn read_value(
        &mut self,
        reader: &SettingsReader<'_>,
        setting: &Setting,
        keyword: Keyword,
    ) -> Option<()> {
        let mut set = |constraint: Constraint<'_>| self.constraints.set(keyword, constraint);
        match keyword.value() {
            KeywordValue::Number => set(Constraint::Number(&bound(reader, setting)?)),
            KeywordValue::Count => set(Constraint::Count(count(reader, setting)?)),
            KeywordValue::Pattern => set(Constraint::Text(&pattern(reader, setting)?)),
            KeywordValue::Text => set(Constraint::Text(&text(reader, setting, "\"email\"")?)),
            // `schema` has no word in attributes, so that only `enum` is left.
            KeywordValue::Values | KeywordValue::Part | KeywordValue::Schema => {
                let (values, places): (Vec<Value>, Vec<Span>) =
                    choices(reader, setting)?.into_iter().unzip();
                set(Constraint::Values(&values));
                self.choices = places;
            }
        }
        Some(())
    }

    /// Reports words that contradict each other, and values and a default that they forbid.
    pub(crate) fn check(&self, report: &Report, default: Option<&DefaultValue>) {
        let place = |wanted: Keyword| self.words.iter().find(|(word, _)| *word == wanted);
        if let Some((least, greatest)) = self.constraints.opt_empty_range()
            && let Some((_, span)) = place(least)
        {
            let relation = match least.is_exclusive() || greatest.is_exclusive() {
                true => "not below",
                false => "above",
            };
            let (least, greatest) = (least.word(), greatest.word());
            let message = format!(
                "`{least}` is {relation} `{greatest}`, so no value is allowed; lower the one, or raise the other"
            );
            report.error(*span, message);
        }
        if let Some(of) = &self.constraints.multiple_of
            && let Some((_, span)) = place(Keyword::MultipleOf)
            && !of.is_positive()
        {
            report.error(*span, "`multiple_of` must be a number above 0");
        }
        let mut unlisted = self.constraints.clone();
        unlisted.enumeration = Cow::Borrowed(&[]);
        let unlisted = Type::new(Kind::Any).with_constraints(unlisted);
        for (value, span) in self.constraints.enumeration().iter().zip(&self.choices) {
            if let Err(reason) = fits_value(&unlisted, value) {
                report.error(
                    *span,
                    format!("no value may be this one, since the same attribute narrows the type: {reason}"),
                );
            }
        }
        if let Some(default) = default {
            let narrowed = Type::new(Kind::Any).with_constraints(self.constraints.clone());
            if let Err(reason) = fits_value(&narrowed, &default.value) {
                report.error(default.span, format!("the default does not fit: {reason}"));
            }
        }
    }

    /// `const NAME: &Constraints = …;`, which the other tokens name.
    pub(crate) fn item(&self, rt: &TokenStream, name: &Ident) -> TokenStream {
        let constraints = Tokens { rt }.constraints(&self.constraints);
        quote!(const #name: &'static #rt::Constraints = &#constraints;)
    }

    /// Returns the constrained type as an expression of type `&'static Type`, as `ty` is. `own` is
    /// the name of the item.
    pub(crate) fn narrowed(&self, rt: &TokenStream, ty: &TokenStream, own: &Ident) -> TokenStream {
        quote! {
            const {
                &#rt::Type::narrowed(
                    #ty,
                    const { &#rt::Constraints::over(#own, #rt::Type::constraints(#ty)) },
                )
            }
        }
    }

    /// Returns the checks against the unconstrained type, one statement each. `ty` is an expression
    /// of type `Option<&'static Type>`, which is `None` for the context of a call.
    pub(crate) fn checks(
        &self,
        rt: &TokenStream,
        ty: &TokenStream,
        own: &Ident,
    ) -> Vec<TokenStream> {
        let tokens = Tokens { rt };
        let words = self.words.iter().map(|(word, span)| {
            let word = tokens.keyword(*word);
            call_at(*span, quote!(#rt::check_keyword), quote!(#ty, #word, #own))
        });
        let values = self.constraints.enumeration().iter().zip(&self.choices);
        let values = values.map(|(value, span)| {
            let value = tokens.value(value);
            let arguments = quote!(#ty, const { &#value });
            call_at(*span, quote!(#rt::check_choice), arguments)
        });
        words.chain(values).collect()
    }
}

fn bound(reader: &SettingsReader<'_>, setting: &Setting) -> Option<Bound> {
    let expression: Expr = reader.value(setting, "0")?;
    let message = match value_of(&expression) {
        Ok(Value::Integer(value)) => return Some(Bound::Int(value)),
        Ok(Value::Decimal(value)) => return Some(Bound::Double(value)),
        Ok(_) | Err(None) => format!("write a number: `{} = 0`", setting.word),
        Err(Some(message)) => message,
    };
    reader.report().error(expression.span(), message);
    None
}

fn count(reader: &SettingsReader<'_>, setting: &Setting) -> Option<u64> {
    let literal: LitInt = reader.value(setting, "1")?;
    let count = literal.base10_parse().ok();
    if count.is_none() {
        let message = format!("write a whole number: `{} = 1`", setting.word);
        reader.report().error(literal.span(), message);
    }
    count
}

fn pattern(reader: &SettingsReader<'_>, setting: &Setting) -> Option<String> {
    let literal: LitStr = reader.value(setting, "\"^[a-z]+$\"")?;
    match is_valid_pattern(&literal.value()) {
        Ok(()) => Some(literal.value()),
        Err(reason) => {
            let message = format!("this is not a regular expression: {reason}");
            reader.report().error(literal.span(), message);
            None
        }
    }
}

fn text(reader: &SettingsReader<'_>, setting: &Setting, example: &str) -> Option<String> {
    let literal: LitStr = reader.value(setting, example)?;
    if literal.value().is_empty() {
        let message = format!("write a name: `{} = {example}`", setting.word);
        reader.report().error(literal.span(), message);
        return None;
    }
    Some(literal.value())
}

fn choices(reader: &SettingsReader<'_>, setting: &Setting) -> Option<Vec<(Value, Span)>> {
    let example = "[\"a\", \"b\"]";
    let list: Expr = reader.value(setting, example)?;
    let Expr::Array(ExprArray { elems: items, .. }) = without_groups(&list) else {
        let message = format!("write `{} = {example}`", setting.word);
        reader.report().error(list.span(), message);
        return None;
    };
    if items.is_empty() {
        let message = "`enum` must allow at least one value";
        reader.report().error(list.span(), message);
        return None;
    }
    let mut values: Vec<(Value, Span)> = Vec::new();
    let mut all = true;
    for expression in items {
        let span = expression.span();
        let message = match value_of(expression) {
            Ok(value) if values.iter().any(|(known, _)| *known == value) => {
                "this value is listed already".to_owned()
            }
            Ok(value) => {
                values.push((value, span));
                continue;
            }
            Err(Some(message)) => message,
            Err(None) => "a value must be a literal, since it is written in gram too: text, a \
                          number, `true`, `false`, or a list of these"
                .to_owned(),
        };
        reader.report().error(span, message);
        all = false;
    }
    all.then_some(values)
}

#[cfg(test)]
mod tests;
