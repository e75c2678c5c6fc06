//! The value of `default = …` in an attribute: a literal, since it must be written in gram too.

use crate::report::Report;
use agent_gram::Value;
use agent_gram::value::Text;
use agent_gram::value::{Array, Decimal};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, Lit, UnOp};

/// A default in both forms.
pub(crate) struct Default {
    pub(crate) value: Value,
    /// As JSON text, which the parameter's type is read from.
    pub(crate) json: String,
    /// Where it stands.
    pub(crate) span: Span,
}

/// Reads a default. Reports what is no literal.
pub(crate) fn read_default(report: &Report, expression: &Expr) -> Option<Default> {
    match value_of(expression) {
        Ok(value) => {
            let json = json_of(&value);
            Some(Default {
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
                 text, a number, `true`, `false`, or a list of these",
            );
            None
        }
    }
}

/// The value of a literal; an error says what is wrong with it, `None` when it is no literal.
pub(crate) fn value_of(expression: &Expr) -> Result<Value, Option<String>> {
    match expression {
        Expr::Lit(literal) => literal_value(&literal.lit, false),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match &*unary.expr {
            Expr::Lit(literal) => literal_value(&literal.lit, true),
            _ => Err(None),
        },
        Expr::Array(array) => {
            let items: Result<Vec<Value>, _> = array.elems.iter().map(value_of).collect();
            Array::new(items?)
                .map(Value::Array)
                .map_err(|error| Some(error.to_string()))
        }
        Expr::Group(group) => value_of(&group.expr),
        Expr::Paren(paren) => value_of(&paren.expr),
        Expr::Reference(reference) => value_of(&reference.expr),
        _ => Err(None),
    }
}

fn literal_value(literal: &Lit, negative: bool) -> Result<Value, Option<String>> {
    match literal {
        Lit::Str(text) if !negative => Ok(Value::String(Text::from(text.value()))),
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

fn json_of(value: &Value) -> String {
    match value {
        Value::String(text) => json_string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.as_slice().iter().map(json_of).collect();
            format!("[{}]", items.join(","))
        }
        Value::Decimal(value) => value.text().to_owned(),
        Value::Integer(value) => value.to_string(),
        Value::Boolean(value) => value.to_string(),
        // A literal gives nothing else.
        _ => "null".to_owned(),
    }
}

fn json_string(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
