//! The constraint words in `#[tool(…)]` on a parameter and `#[gram(…)]` on a field: `minimum`,
//! `maximum`, `min_length`, `max_length`, `min_items`, `max_items`, `pattern`, `format` and `enum`.
//!
//! rustc decides whether they fit the Rust type: the expansion has a check at the token of each
//! word and of each value.

use crate::default::{DefaultValue, value_of};
use crate::report::Report;
use crate::settings::{Setting, SettingsReader};
use crate::tokens::{Tokens, respanned};
use agent_gram::Value;
use agent_gram::value::Text;
use agent_spec::types::Bound;
use agent_spec::validate::{fits_value, is_valid_pattern};
use agent_spec::{Constraints, Kind, Type};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::borrow::Cow;
use syn::spanned::Spanned;
use syn::{Expr, ExprArray, LitInt, LitStr};

/// The words in the spelling of attributes.
pub(crate) const WORDS: [&str; 9] = [
    "minimum",
    "maximum",
    "min_length",
    "max_length",
    "min_items",
    "max_items",
    "pattern",
    "format",
    "enum",
];

/// The constraints of a parameter or a field, with the spans of their words.
#[derive(Default)]
pub(crate) struct SpannedConstraints {
    constraints: Constraints,
    words: Vec<(&'static str, Span)>,
    /// The span of each value of `enum`.
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

    /// Reads a setting whose word is one of [`WORDS`], and reports an invalid value. Returns
    /// `false` for any other word.
    pub(crate) fn read(&mut self, reader: &SettingsReader<'_>, setting: &Setting) -> bool {
        let name = setting.word.to_string();
        let Some(word) = WORDS.into_iter().find(|word| *word == name) else {
            return false;
        };
        let constraints = &mut self.constraints;
        let read = match word {
            "minimum" => store(&mut constraints.minimum, bound(reader, setting)),
            "maximum" => store(&mut constraints.maximum, bound(reader, setting)),
            "min_length" => store(&mut constraints.min_length, count(reader, setting)),
            "max_length" => store(&mut constraints.max_length, count(reader, setting)),
            "min_items" => store(&mut constraints.min_items, count(reader, setting)),
            "max_items" => store(&mut constraints.max_items, count(reader, setting)),
            "pattern" => store(&mut constraints.pattern, pattern(reader, setting)),
            "format" => store(&mut constraints.format, text(reader, setting, "\"email\"")),
            _ => match choices(reader, setting) {
                Some(values) => {
                    self.choices = values.iter().map(|(_, span)| *span).collect();
                    let values = values.into_iter().map(|(value, _)| value);
                    constraints.enumeration = Cow::Owned(values.collect());
                    true
                }
                None => false,
            },
        };
        if read {
            self.words.push((word, setting.word.span()));
        }
        true
    }

    /// Reports constraints that contradict each other, and `enum` values and a default that they
    /// exclude.
    pub(crate) fn check(&self, report: &Report, default: Option<&DefaultValue>) {
        let Constraints {
            minimum,
            maximum,
            min_length,
            max_length,
            min_items,
            max_items,
            ..
        } = &self.constraints;
        let above = match (minimum, maximum) {
            (Some(Bound::Int(least)), Some(Bound::Int(most))) => least > most,
            (Some(least), Some(most)) => least.as_f64() > most.as_f64(),
            _ => false,
        };
        self.refuse_empty(report, above, "minimum", "maximum");
        let above = |least: &Option<u64>, most: &Option<u64>| {
            least.zip(*most).is_some_and(|(least, most)| least > most)
        };
        self.refuse_empty(
            report,
            above(min_length, max_length),
            "min_length",
            "max_length",
        );
        self.refuse_empty(
            report,
            above(min_items, max_items),
            "min_items",
            "max_items",
        );
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

    fn refuse_empty(&self, report: &Report, is_empty: bool, least: &str, most: &str) {
        let place = self.words.iter().find(|(word, _)| *word == least);
        if is_empty && let Some((_, span)) = place {
            report.error(
                *span,
                format!("`{least}` is above `{most}`, so no value is allowed; lower the one, or raise the other"),
            );
        }
    }

    /// Returns `const NAME: &Constraints = …;`, which the other expansions refer to.
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

fn store<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

fn bound(reader: &SettingsReader<'_>, setting: &Setting) -> Option<Bound> {
    let expression: Expr = reader.value(setting, "0")?;
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

fn pattern(reader: &SettingsReader<'_>, setting: &Setting) -> Option<Text> {
    let literal: LitStr = reader.value(setting, "\"^[a-z]+$\"")?;
    match is_valid_pattern(&literal.value()) {
        Ok(()) => Some(Text::from(literal.value())),
        Err(reason) => {
            let message = format!("this is not a regular expression: {reason}");
            reader.report().error(literal.span(), message);
            None
        }
    }
}

fn text(reader: &SettingsReader<'_>, setting: &Setting, example: &str) -> Option<Text> {
    let literal: LitStr = reader.value(setting, example)?;
    if literal.value().is_empty() {
        let message = format!("write a name: `{} = {example}`", setting.word);
        reader.report().error(literal.span(), message);
        return None;
    }
    Some(Text::from(literal.value()))
}

fn choices(reader: &SettingsReader<'_>, setting: &Setting) -> Option<Vec<(Value, Span)>> {
    let list: ExprArray = reader.value(setting, "[\"a\", \"b\"]")?;
    if list.elems.is_empty() {
        let message = "`enum` must allow at least one value";
        reader.report().error(list.span(), message);
        return None;
    }
    let mut values: Vec<(Value, Span)> = Vec::new();
    let mut all = true;
    for expression in &list.elems {
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
