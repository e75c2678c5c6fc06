//! What `#[tool]` stands on when that is no function.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Visibility};

/// An item that is no function.
pub(super) struct OtherItem {
    /// The word that says what it is.
    pub(super) keyword: Ident,
}

/// The words that begin items other than functions. `const`, `unsafe` and `extern` may begin a
/// function, too, but then there was another mistake in it.
const KEYWORDS: [&str; 10] = [
    "struct",
    "enum",
    "union",
    "impl",
    "trait",
    "mod",
    "static",
    "type",
    "use",
    "macro_rules",
];

/// Finds out what an item is; nothing for what may be a function with a mistake in it.
pub(super) fn other_item(item: TokenStream) -> Option<OtherItem> {
    let parser = |input: ParseStream<'_>| {
        let _ = input.call(Attribute::parse_outer)?;
        let _: Visibility = input.parse()?;
        let mut keyword = input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
        if keyword == "unsafe" && input.peek(syn::Token![impl]) {
            keyword = input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
        }
        let is_constant = keyword == "const" && input.peek2(syn::Token![:]);
        let rest: TokenStream = input.parse()?;
        drop(rest);
        Ok((keyword, is_constant))
    };
    let (keyword, is_constant) = parser.parse2(item).ok()?;
    let is_other = is_constant || KEYWORDS.iter().any(|other| keyword == other);
    is_other.then_some(OtherItem { keyword })
}

impl OtherItem {
    pub(super) fn message(&self) -> &'static str {
        match self.keyword.to_string().as_str() {
            "struct" | "enum" | "union" => {
                "`#[tool]` goes on a function; a type that tools take or give back has \
                 `#[derive(GramType)]`"
            }
            "impl" => {
                "`#[tool]` goes on a function; an `impl` block whose methods are tools has \
                 `#[toolbox]`, and `#[tool]` on each of these methods"
            }
            _ => "`#[tool]` goes on a function",
        }
    }
}
