//! The value of `default = …` in an attribute. It must be a literal, because it is written in gram,
//! too.

use crate::expression::{Expression, Form};
use crate::report::Report;
use crate::tokens::{Tokens, respanned};
use agent_gram::Value;
use agent_gram::value::Text;
use agent_gram::value::{Array, Decimal};
use agent_spec::json::json_text;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Lit;
use syn::spanned::Spanned;

/// A default as a gram value and as JSON.
pub(crate) struct DefaultValue {
    pub(crate) value: Value,
    /// The default as JSON text, from which the parameter's type is deserialized.
    pub(crate) json: String,
    /// The span of the expression.
    pub(crate) span: Span,
}

/// A default of a parameter.
pub(crate) enum ParameterDefault {
    /// A literal.
    Known(DefaultValue),
    /// An expression with variants of enums, whose texts only rustc knows.
    Variants(Expression),
}

impl ParameterDefault {
    /// Returns the value of a literal.
    pub(crate) fn known(&self) -> Option<&DefaultValue> {
        match self {
            Self::Known(value) => Some(value),
            Self::Variants(_) => None,
        }
    }
}

/// Reads a default that may name variants of enums. Reports any other expression that is not a
/// literal.
pub(crate) fn read_parameter_default(
    report: &Report,
    expression: &Expression,
) -> Option<ParameterDefault> {
    if names_variants(expression) {
        return Some(ParameterDefault::Variants(expression.clone()));
    }
    read_default(report, expression).map(ParameterDefault::Known)
}

/// Whether an expression is a path, or a list of paths and literals.
fn names_variants(expression: &Expression) -> bool {
    match &expression.form {
        Form::Path(_) => true,
        Form::List(items) => {
            let is_said = |item: &Expression| names_variants(item) || value_of(item).is_ok();
            items.iter().any(names_variants) && items.iter().all(is_said)
        }
        _ => false,
    }
}

/// Returns the value of an expression with variants, as code for a `const`.
pub(crate) fn expand_variants(rt: &TokenStream, expression: &Expression) -> TokenStream {
    match &expression.form {
        Form::Path(path) => {
            let name = path.segments.last().map(|segment| {
                let name = segment.ident.to_string();
                name.strip_prefix("r#").unwrap_or(&name).to_owned()
            });
            let place = path.span();
            let word = respanned(quote!(#rt::word_of), place);
            let arguments = quote_spanned!(place=> (&#path, #name));
            quote!(#rt::Value::String(#rt::Text::from_static(#word #arguments)))
        }
        Form::List(items) => {
            let items = items.iter().map(|item| expand_variants(rt, item));
            quote!(#rt::Value::Array(#rt::Array::from_static(const { &[#(#items),*] })))
        }
        _ => match value_of(expression) {
            Ok(value) => Tokens { rt }.value(&value),
            // `names_variants` has excluded all other expressions.
            Err(_) => quote!(#rt::Value::Boolean(false)),
        },
    }
}

/// Reads a default. Reports an expression that is not a literal.
pub(crate) fn read_default(report: &Report, expression: &Expression) -> Option<DefaultValue> {
    match value_of(expression) {
        Ok(value) => {
            let json = json_text(&value);
            Some(DefaultValue {
                value,
                json,
                span: expression.span(),
            })
        }
        Err(Some(message)) => {
            report.error(expression.span(), message);
            None
        }
        Err(None) => {
            report.error(
                expression.span(),
                "a default must be a literal, since it is written in gram too: \
                 text, a number, `true`, `false`, or a list of these; or, for an enum with \
                 `#[derive(GramType)]`, one of its variants without data",
            );
            None
        }
    }
}

/// Returns the value of a literal. The error is a message about it, or `None` if the expression is
/// not a literal.
pub(crate) fn value_of(expression: &Expression) -> Result<Value, Option<String>> {
    match &expression.form {
        Form::Literal {
            is_negative,
            literal,
        } => literal_value(literal, *is_negative),
        Form::List(items) => {
            let items: Result<Vec<Value>, _> = items.iter().map(value_of).collect();
            Array::new(items?)
                .map(Value::Array)
                .map_err(|error| Some(error.to_string()))
        }
        _ => Err(None),
    }
}

fn literal_value(literal: &Lit, negative: bool) -> Result<Value, Option<String>> {
    match literal {
        Lit::Str(text) if !negative => Ok(Value::String(Text::from(text.value()))),
        // A `char` is a text of one character in gram and in JSON.
        Lit::Char(char) if !negative => Ok(Value::String(Text::from(char.value().to_string()))),
        Lit::Bool(flag) if !negative => Ok(Value::Boolean(flag.value)),
        Lit::Int(number) => {
            let digits = number.base10_digits();
            let text = if negative {
                format!("-{digits}")
            } else {
                digits.to_owned()
            };
            text.parse()
                .map(Value::Integer)
                .map_err(|_| Some(format!("`{text}` does not fit into 128 bits")))
        }
        Lit::Float(number) => {
            let value: f64 = number.base10_digits().parse().map_err(|_| None)?;
            let value = if negative { -value } else { value };
            Decimal::new(value)
                .map(Value::Decimal)
                .map_err(|error| Some(error.to_string()))
        }
        _ => Err(None),
    }
}
