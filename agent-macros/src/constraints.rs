//! The constraint words in `#[tool(…)]` on a parameter and `#[gram(…)]` on a field: `minimum`,
//! `maximum`, `exclusive_minimum`, `exclusive_maximum`, `multiple_of`, `min_length`, `max_length`, `min_items`, `max_items`, `pattern`, `format` and `enum`.
//!
//! rustc decides whether they fit the Rust type: the expansion has a check at the token of each
//! word and of each value.

use crate::default::{DefaultValue, value_of};
use crate::expression::{Expression, Form};
use crate::report::Report;
use crate::settings::{Setting, SettingsReader};
use crate::tokens::{Tokens, respanned};
use agent_gram::Value;
use agent_spec::types::{Bound, Constraint};
use agent_spec::validate::{fits_value, is_valid_pattern};
use agent_spec::vocabulary::{Keyword, KeywordValue};
use agent_spec::{Constraints, Kind, Type};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::borrow::Cow;
use syn::spanned::Spanned;
use syn::{LitInt, LitStr};

/// The words, as attributes spell them.
pub(crate) fn words() -> impl Iterator<Item = &'static str> + Clone {
    Keyword::in_attributes().map(Keyword::word)
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
        let constraints = &mut self.constraints;
        match keyword.value() {
            KeywordValue::Number => {
                constraints.set(keyword, Constraint::Number(&bound(reader, setting)?));
            }
            KeywordValue::Count => {
                constraints.set(keyword, Constraint::Count(count(reader, setting)?));
            }
            KeywordValue::Pattern => {
                constraints.set(keyword, Constraint::Text(&pattern(reader, setting)?));
            }
            KeywordValue::Text => {
                constraints.set(
                    keyword,
                    Constraint::Text(&text(reader, setting, "\"email\"")?),
                );
            }
            // `schema` has no word in attributes, so that only `enum` is left.
            KeywordValue::Values | KeywordValue::Part | KeywordValue::Schema => {
                let choices = choices(reader, setting)?;
                self.choices = choices.iter().map(|(_, span)| *span).collect();
                let values: Vec<Value> = choices.into_iter().map(|(value, _)| value).collect();
                constraints.set(keyword, Constraint::Values(&values));
            }
        }
        Some(())
    }

    /// Reports words that contradict each other, and values and a default that they forbid.
    pub(crate) fn check(&self, report: &Report, default: Option<&DefaultValue>) {
        if let Some((least, greatest)) = self.constraints.opt_empty_range() {
            let place = |wanted: Keyword| self.words.iter().find(|(word, _)| *word == wanted);
            if let Some((_, span)) = place(least) {
                let relation = match least.is_exclusive() || greatest.is_exclusive() {
                    true => "not below",
                    false => "above",
                };
                let (least, greatest) = (least.word(), greatest.word());
                report.error(
                    *span,
                    format!(
                        "`{least}` is {relation} `{greatest}`, so no value is allowed; lower the one, or \
                         raise the other"
                    ),
                );
            }
        }
        if let (Some(of), Some((_, span))) = (
            &self.constraints.multiple_of,
            self.words
                .iter()
                .find(|(word, _)| *word == Keyword::MultipleOf),
        ) && !of.is_positive()
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
            let check = respanned(quote!(#rt::check_keyword), *span);
            let word = tokens.keyword(*word);
            let arguments = respanned(quote!((#ty, #word, #own)), *span);
            quote!(#check #arguments)
        });
        let values = self.constraints.enumeration().iter().zip(&self.choices);
        let values = values.map(|(value, span)| {
            let value = tokens.value(value);
            let check = respanned(quote!(#rt::check_choice), *span);
            let arguments = respanned(quote!((#ty, const { &#value })), *span);
            quote!(#check #arguments)
        });
        words.chain(values).collect()
    }
}

fn bound(reader: &SettingsReader<'_>, setting: &Setting) -> Option<Bound> {
    let expression: Expression = reader.value(setting, "0")?;
    match value_of(&expression) {
        Ok(Value::Integer(value)) => Some(Bound::Int(value)),
        Ok(Value::Decimal(value)) => Some(Bound::Double(value)),
        Ok(_) | Err(None) => {
            let message = format!("write a number: `{} = 0`", setting.word);
            reader.report().error(expression.span(), message);
            None
        }
        Err(Some(message)) => {
            reader.report().error(expression.span(), message);
            None
        }
    }
}

fn count(reader: &SettingsReader<'_>, setting: &Setting) -> Option<u64> {
    let literal: LitInt = reader.value(setting, "1")?;
    let count = literal.base10_parse();
    count
        .map_err(|_| {
            let message = format!("write a whole number: `{} = 1`", setting.word);
            reader.report().error(literal.span(), message);
        })
        .ok()
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
    let list: Expression = reader.value(setting, example)?;
    let Form::List(items) = &list.form else {
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
