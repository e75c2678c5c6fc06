//! Expressions in the input of macros.
//!
//! syn has trees for all expressions behind its feature `full`, which is a third of its build time. A library
//! needs their tokens, and a default the few forms that are data.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _, quote};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{ExprPath, Lit, Path, Token, Variant, bracketed, token};

/// Parses an expression of any form, and returns its tokens.
pub(crate) fn parse_expression(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let rest: TokenStream = input.fork().parse()?;
    let count = |tokens: TokenStream| tokens.into_iter().count();
    let before = count(rest.clone());
    // The value of a variant may be any expression, so syn finds its end without `full`, too. It does so for
    // all expressions that it has no tree for, to which those with `return` belong.
    let variant = |input: ParseStream<'_>| {
        input.parse::<Variant>()?;
        input.parse::<TokenStream>()
    };
    let after = match variant.parse2(quote!(V = return #rest)) {
        Ok(rest) => count(rest),
        Err(error) => return Err(syn::Error::new(error.span(), "expected an expression")),
    };
    let mut tokens = TokenStream::new();
    for _ in after..before {
        tokens.append(input.parse::<TokenTree>()?);
    }
    if tokens.is_empty() {
        return Err(input.error("expected an expression"));
    }
    Ok(tokens)
}

/// An expression that may be data.
#[derive(Clone)]
pub(crate) struct Expression {
    pub(crate) form: Form,
    tokens: TokenStream,
}

/// The forms of expressions that can be data. References, parentheses and the groups of declarative macros are
/// left out.
#[derive(Clone)]
pub(crate) enum Form {
    Literal {
        is_negative: bool,
        literal: Lit,
    },
    /// A path without `<T as Trait>`.
    Path(Path),
    List(Vec<Expression>),
    /// Any other expression.
    Other,
}

impl Parse for Expression {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let tokens = parse_expression(input)?;
        let form = parse_form.parse2(without_groups(tokens.clone()));
        Ok(Self {
            form: form.unwrap_or(Form::Other),
            tokens,
        })
    }
}

/// Returns an expression without the references, the parentheses and the groups of declarative macros around it.
fn without_groups(tokens: TokenStream) -> TokenStream {
    let mut rest = tokens.clone().into_iter();
    match (rest.next(), rest.next()) {
        (Some(TokenTree::Group(group)), None)
            if matches!(group.delimiter(), Delimiter::None | Delimiter::Parenthesis) =>
        {
            without_groups(group.stream())
        }
        (Some(TokenTree::Punct(and)), Some(_)) if and.as_char() == '&' => {
            without_groups(tokens.into_iter().skip(1).collect())
        }
        _ => tokens,
    }
}

fn parse_form(input: ParseStream<'_>) -> syn::Result<Form> {
    if input.peek(token::Bracket) {
        let content;
        bracketed!(content in input);
        let items = Punctuated::<Expression, Token![,]>::parse_terminated(&content)?;
        return Ok(Form::List(items.into_iter().collect()));
    }
    let is_negative = input.parse::<Option<Token![-]>>()?.is_some();
    if is_negative || input.peek(Lit) {
        let literal = input.parse()?;
        return Ok(Form::Literal {
            is_negative,
            literal,
        });
    }
    let path: ExprPath = input.parse()?;
    Ok(match path.qself {
        None => Form::Path(path.path),
        Some(_) => Form::Other,
    })
}

impl ToTokens for Expression {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(self.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::{Expression, Form, parse_expression};
    use quote::ToTokens as _;
    use syn::parse::{ParseStream, Parser as _};
    use syn::{Token, punctuated::Punctuated};

    #[test]
    fn ends_at_the_comma_after_an_expression() {
        for expression in [
            "a",
            "a::b::<C, D>()",
            "<A as B<C, D>>::e",
            "a?.b().await",
            "|a, b| a + b",
            "move |a: A<B, C>| -> A<B, C> { a }",
            "if a < b { c } else { d }.e()",
            "match a { b => c, _ => d }",
            "a as HashMap<B, C>",
            "[a, b]",
            "vec![a, b]",
            "A { b: c, ..d }",
            "&mut a",
            "a..=b",
            "a = b",
            "#[cfg(a)] b",
            "return a",
            "{ a; b }",
            "-1",
        ] {
            let parser = Punctuated::<Expression, Token![,]>::parse_terminated;
            let parsed = parser
                .parse_str(&format!("{expression}, last"))
                .expect(expression);
            let parsed: Vec<String> = parsed.iter().map(|e| plain(&e.to_token_stream())).collect();
            assert_eq!(
                parsed,
                [plain(&expression), "last".to_owned()],
                "{expression}"
            );
        }
    }

    fn plain(text: &impl ToString) -> String {
        text.to_string().replace(' ', "")
    }

    #[test]
    fn refuses_what_is_no_expression() {
        for text in ["", ", a", "a b", "a;", "let", "a + ", "1 2", "fn f() {}"] {
            let all = |input: ParseStream<'_>| parse_expression(input);
            assert!(all.parse_str(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reads_the_forms_of_data() {
        for (text, expected) in [
            ("1", "1"),
            ("-1", "- 1"),
            ("(-1.5)", "- 1.5"),
            ("\"a\"", "\"a\""),
            ("true", "true"),
            ("&\"a\"", "\"a\""),
            ("[1, (\"a\"), [A::B],]", "[1, \"a\", [A :: B]]"),
            ("&[1]", "[1]"),
            ("A::B", "A :: B"),
            ("<A>::B", "other"),
            ("1 + 2", "other"),
            ("-a", "other"),
            ("(1, 2)", "other"),
            ("[1; 2]", "other"),
            ("a()", "other"),
            ("a!()", "other"),
        ] {
            let expression: Expression = syn::parse_str(text).expect(text);
            assert_eq!(form(&expression), expected, "{text}");
        }
    }

    fn form(expression: &Expression) -> String {
        match &expression.form {
            Form::Literal {
                is_negative,
                literal,
            } => format!(
                "{}{}",
                if *is_negative { "- " } else { "" },
                literal.to_token_stream()
            ),
            Form::Path(path) => path.to_token_stream().to_string(),
            Form::List(items) => {
                let items: Vec<String> = items.iter().map(form).collect();
                format!("[{}]", items.join(", "))
            }
            Form::Other => "other".to_owned(),
        }
    }
}
