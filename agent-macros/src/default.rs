//! The value of `default = …` in an attribute. It must be a literal, because it is written in gram,
//! too.

use crate::report::Report;
use crate::tokens::{Tokens, call_at};
use agent_gram::Value;
use agent_gram::value::{Array, Decimal, Text};
use agent_spec::Type;
use agent_spec::json::json_text;
use agent_spec::validate::fits_value;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned;
use syn::{Expr, ExprUnary, Lit, Path, UnOp};

/// A default as a gram value and as JSON.
pub(crate) struct DefaultValue {
    pub(crate) value: Value,
    /// The default as JSON text, from which the parameter's type is deserialized.
    pub(crate) json: String,
    /// The span of the expression.
    pub(crate) span: Span,
}

impl DefaultValue {
    /// Reports a default that does not fit the type that an attribute states.
    pub(crate) fn check_stated(&self, report: &Report, stated: &Type) {
        if let Err(reason) = fits_value(stated, &self.value) {
            let message = format!("the default does not fit the type that is stated: {reason}");
            report.error(self.span, message);
        }
    }
}

/// A default of a parameter.
pub(crate) enum ParameterDefault {
    /// A literal.
    Known(DefaultValue),
    /// An expression with variants of enums, whose texts only rustc knows.
    Variants(Expr),
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
    expression: &Expr,
) -> Option<ParameterDefault> {
    if names_variants(expression) {
        return Some(ParameterDefault::Variants(expression.clone()));
    }
    read_default(report, expression).map(ParameterDefault::Known)
}

/// Whether an expression is a path, or a list of paths and literals.
fn names_variants(expression: &Expr) -> bool {
    match without_groups(expression) {
        Expr::Array(list) if list.attrs.is_empty() => {
            let is_known = |item: &Expr| names_variants(item) || value_of(item).is_ok();
            list.elems.iter().any(names_variants) && list.elems.iter().all(is_known)
        }
        expression => opt_path(expression).is_some(),
    }
}

/// Returns the path that an expression is, without `<T as Trait>` and attributes.
fn opt_path(expression: &Expr) -> Option<&Path> {
    match expression {
        Expr::Path(path) if path.qself.is_none() && path.attrs.is_empty() => Some(&path.path),
        _ => None,
    }
}

/// Returns an expression without the references, the parentheses and the groups of declarative macros around it.
pub(crate) fn without_groups(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(group) => without_groups(&group.expr),
        Expr::Paren(paren) => without_groups(&paren.expr),
        Expr::Reference(reference) if reference.mutability.is_none() => {
            without_groups(&reference.expr)
        }
        expression => expression,
    }
}

/// Returns the value of an expression with variants, as code for a `const`.
pub(crate) fn expand_variants(rt: &TokenStream, expression: &Expr) -> TokenStream {
    let expression = without_groups(expression);
    if let Some(path) = opt_path(expression) {
        let last = path.segments.last();
        let name = last.map(|segment| segment.ident.unraw().to_string());
        // rustc marks the `&` of a path that is no variant.
        let arguments = quote_spanned!(path.span()=> &#path, #name);
        let word = call_at(path.span(), quote!(#rt::word_of), arguments);
        return quote!(#rt::Value::String(#rt::Text::from_static(#word)));
    }
    if let (Expr::Array(list), true) = (expression, names_variants(expression)) {
        let items = list.elems.iter().map(|item| expand_variants(rt, item));
        return quote!(#rt::Value::Array(#rt::Array::from_static(const { &[#(#items),*] })));
    }
    match value_of(expression) {
        Ok(value) => Tokens { rt }.value(&value),
        // `names_variants` has excluded all other expressions.
        Err(_) => quote!(#rt::Value::Boolean(false)),
    }
}

/// Reads a default. Reports an expression that is not a literal.
pub(crate) fn read_default(report: &Report, expression: &Expr) -> Option<DefaultValue> {
    let message = match value_of(expression) {
        Ok(value) => {
            return Some(DefaultValue {
                json: json_text(&value),
                value,
                span: expression.span(),
            });
        }
        Err(Some(message)) => message,
        Err(None) => "a default must be a literal, since it is written in gram too: text, a number, `true`, `false`, \
                      or a list of these; or, for an enum with `#[derive(GramType)]`, one of its variants without data"
            .to_owned(),
    };
    report.error(expression.span(), message);
    None
}

/// Returns the value of a literal. The error is a message about it, or `None` if the expression is
/// not a literal.
pub(crate) fn value_of(expression: &Expr) -> Result<Value, Option<String>> {
    match without_groups(expression) {
        Expr::Lit(literal) if literal.attrs.is_empty() => literal_value(&literal.lit, false),
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            attrs,
        }) if attrs.is_empty() => match &**expr {
            Expr::Lit(literal) => literal_value(&literal.lit, true),
            _ => Err(None),
        },
        Expr::Array(list) if list.attrs.is_empty() => {
            let items: Result<Vec<Value>, _> = list.elems.iter().map(value_of).collect();
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
