//! Imports of the functions of a list, where rustc cannot mistake them.
//!
//! The tool of a function is a type with the name of the function. A type path to a function without
//! `#[tool]` fails with "expected type, found function", which does not mention the attribute. An import
//! finds the function as well as the type. If there is no type, the name is that of a placeholder around the
//! import, and a check reports the missing attribute.
//!
//! The import is the only place that names the path of the function, so that a missing or private function
//! gives one error. Everything else names the function by the import, with the span of the token that an
//! editor should lead from.

use crate::crate_path::is_crate;
use crate::source_file::with_text;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Path, PathArguments};

/// A token that leads to the function of an element.
pub(crate) struct Mention {
    /// The place of the element in its list.
    pub(crate) element: usize,
    pub(crate) token: Span,
}

/// The body with the functions of a list in scope. For `say_hello`, which the gram token `sayHello`
/// mentions:
///
/// ```ignore
/// {
///     use rt::FunctionWithoutTool as __tool_say_hello;
///     {
///         #[allow(deprecated)]
///         use say_hello as __tool_say_hello;
///         const _: () = { let _ = (__tool_say_hello,); };   // at the gram token
///         …
///     }
/// }
/// ```
///
/// The paths are those of the list's elements, in its order; `None` for an element that is no function. A
/// deprecated function gives one warning: at the token that mentions it, or else at the import.
pub(crate) fn in_scope(
    rt: &TokenStream,
    paths: &[Option<&Path>],
    mentions: &[Mention],
    body: &TokenStream,
) -> TokenStream {
    let (mut placeholders, mut imports, mut mentioned) = (Vec::new(), Vec::new(), Vec::new());
    for (at, path) in paths.iter().enumerate() {
        let Some((path, import)) = path.and_then(|path| Some((path, opt_import(path)?))) else {
            continue;
        };
        let mention = mentions.iter().find(|mention| mention.element == at);
        let allowed = mention.map(|mention| {
            let mut import = import.clone();
            import.set_span(mention.token);
            mentioned.push(import);
            quote!(#[allow(deprecated)])
        });
        imports.push(quote! {
            #[allow(unused_imports)]
            #allowed
            use #path as #import;
        });
        placeholders.push(quote!(#rt::FunctionWithoutTool as #import));
    }
    if imports.is_empty() {
        return body.clone();
    }
    let mentioned =
        (!mentioned.is_empty()).then(|| quote!(const _: () = { let _ = (#(#mentioned,)*); };));
    quote! {{
        #[allow(unused_imports)]
        use {#(#placeholders),*};
        {
            #(#imports)*
            #mentioned
            #body
        }
    }}
}

/// Returns the type of the tool of a function.
pub(crate) fn tool_type(path: &Path) -> TokenStream {
    match opt_import(path) {
        Some(import) => quote!(#import),
        None => quote!(#path),
    }
}

/// Returns the name under which the function of a path is imported. `None` if the function cannot be
/// imported, so that the path is a type path.
fn opt_import(path: &Path) -> Option<Ident> {
    let plain = |segment: &syn::PathSegment| matches!(segment.arguments, PathArguments::None);
    let last = path.segments.last()?;
    let alone = path.segments.len() == 1 && path.leading_colon.is_none();
    let name = last.ident.unraw().to_string();
    if !path.segments.iter().all(plain)
        || (alone && (is_ambiguous(&name) || is_in(&last.ident, |text| is_in_doubt(text, &name))))
    {
        return None;
    }
    let names: Vec<String> = path
        .segments
        .iter()
        .map(|segment| segment.ident.unraw().to_string().replace('$', ""))
        .collect();
    Some(format_ident!(
        "__tool_{}",
        names.join("__"),
        span = last.ident.span()
    ))
}

/// Whether a name alone means something everywhere: a crate, a type or function of the language. An import
/// of a function of that name is ambiguous for rustc when a macro, such as `#[tool]`, made the function. A
/// type path is not.
fn is_ambiguous(name: &str) -> bool {
    const CRATES: [&str; 5] = ["alloc", "core", "proc_macro", "std", "test"];
    const TOOLS: [&str; 5] = ["clippy", "diagnostic", "miri", "rust_analyzer", "rustfmt"];
    const TYPES: [&str; 19] = [
        "bool", "char", "f128", "f16", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize",
        "str", "u128", "u16", "u32", "u64", "u8", "usize",
    ];
    const FUNCTIONS: [&str; 5] = ["align_of", "align_of_val", "drop", "size_of", "size_of_val"];
    [&CRATES[..], &TOOLS, &TYPES, &FUNCTIONS]
        .iter()
        .any(|names| names.contains(&name))
        || is_crate(name)
}

/// Returns the value of a function, for a check that the function is visible. `None` for a name that may be
/// misspelt, because rustc would report the name as a value, too.
pub(crate) fn opt_value(path: &Path) -> Option<TokenStream> {
    if let Some(import) = opt_import(path) {
        return Some(quote!(#import));
    }
    let name = path.get_ident()?;
    let text = name.unraw().to_string();
    is_in(name, |file| declares_indented_tool(file, &text)).then(|| quote!(#name))
}

/// Whether something holds for the text of the file of a token. In an editor without the file, nothing does.
fn is_in(token: &Ident, holds: impl Fn(&str) -> bool) -> bool {
    let file = token.span().local_file();
    file.is_some_and(|file| with_text(&file, holds).unwrap_or_default())
}

/// Whether an import is worse than a type path for a name alone, by the text of its file.
///
/// An import of a tool that is declared inside of a function is ambiguous for rustc if another item outside of the
/// function has the name, too. And for a name that the file neither declares nor imports, probably a misspelt one, rustc
/// reports "no external crate" for an import, and suggests a similar name for a type path.
fn is_in_doubt(text: &str, name: &str) -> bool {
    declares_indented_tool(text, name) || !mentions(text, name)
}

/// Whether a text declares a function or a variable of this name, or has the name in an import. For a
/// variable, rustc reports that imports cannot refer to it.
fn mentions(text: &str, name: &str) -> bool {
    let is_in = |part: &str| words(part).any(|word| word == name);
    let begins = |rest: &str| {
        let rest = rest.trim_start();
        words(rest.strip_prefix("r#").unwrap_or(rest)).next() == Some(name)
    };
    let mut words_before = ["fn ", "let ", "let mut "].into_iter();
    let is_declared = words_before.any(|word| text.split(word).skip(1).any(begins));
    let mut imports = text.split("use ").skip(1);
    is_declared || imports.any(|rest| is_in(rest.split(';').next().unwrap_or_default()))
}

/// Returns the words of a text, with empty ones between other characters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Whether a text declares an indented function of this name, with the word `tool` in the lines above that
/// belong to it. A function in modules alone does not count, because an import is ambiguous only inside of a
/// function.
fn declares_indented_tool(text: &str, name: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let declares = |line: &str| {
        let mut places = line.match_indices(name);
        places.any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            let before = before.strip_suffix("r#").unwrap_or(before);
            let is_word = !after.starts_with(in_name);
            is_word && before.trim_end().ends_with("fn") && before.ends_with(char::is_whitespace)
        })
    };
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().any(|(at, line)| {
        let is_inside = line.starts_with(char::is_whitespace) && declares(line);
        is_inside && !is_in_modules(&lines[..at], line) && {
            let above = lines[..at].iter().rev().map(|line| line.trim());
            let own = above.take_while(|line| !line.is_empty() && !line.ends_with(['{', '}', ';']));
            line.contains("tool") || own.into_iter().any(|line| line.contains("tool"))
        }
    })
}

/// Whether each line that a line is indented below begins a module.
fn is_in_modules(above: &[&str], line: &str) -> bool {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut inner = indentation(line);
    let above = above.iter().rev().filter(|line| !line.trim().is_empty());
    let mut outer = above.filter(|line| {
        let is_outer = indentation(line) < inner;
        inner = inner.min(indentation(line));
        is_outer
    });
    let begins_module = |line: &&str| {
        let mut keywords = words(line).filter(|word| ["fn", "mod"].contains(word));
        keywords.next() == Some("mod") && line.trim_end().ends_with('{')
    };
    outer.all(begins_module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_tools_that_may_be_inside_of_a_function() {
        for (text, expected) in [
            (
                "fn main() {\n    /// d\n    #[tool]\n    fn f() {}\n}",
                true,
            ),
            ("fn main() {\n    #[tool] async fn f() {}\n}", true),
            (
                "fn main() {\n    #[tool(\n        sequential,\n    )]\n    fn r#f() {}\n}",
                true,
            ),
            (
                "fn main() {\n    mod a {\n        #[tool]\n        fn f() {}\n    }\n}",
                true,
            ),
            (
                "mod a {\n    fn main() {\n        #[tool]\n        fn f() {}\n    }\n}",
                true,
            ),
            ("mod a {\n    #[tool]\n    fn f() {}\n}", false),
            (
                "pub(crate) mod a {\n    fn g() {\n        h();\n    }\n\n    mod b {\n        #[tool]\n        fn f() {}\n    }\n}",
                false,
            ),
            ("#[tool]\nfn f() {}", false),
            ("fn main() {\n    fn f() {}\n}", false),
            (
                "fn main() {\n    #[tool]\n    fn g() {}\n    fn f() {}\n}",
                false,
            ),
            ("fn main() {\n    #[tool]\n    fn f_g() {}\n}", false),
            ("fn main() {\n    #[tool]\n    fn g(f: u8) {}\n}", false),
            ("", false),
        ] {
            assert_eq!(declares_indented_tool(text, "f"), expected, "{text}");
        }
    }

    #[test]
    fn finds_names_that_a_file_declares_or_imports() {
        for (text, expected) in [
            ("fn weather() {}", true),
            ("pub async fn r#weather() {}", true),
            ("use places::weather;", true),
            ("pub use places::{other, inner::weather as sky};", true),
            ("use places::{\n    other,\n    weather,\n};", true),
            ("use places::*;", false),
            ("fn main() { tools![weather]; }", false),
            ("fn weather_of() {}\nuse places::weather2;", false),
            ("let weather = 1;", true),
            ("let mut weather = 1;", true),
            ("let other = weather;", false),
            ("", false),
        ] {
            assert_eq!(mentions(text, "weather"), expected, "{text}");
        }
    }

    #[test]
    fn imports_no_name_that_means_something_everywhere() {
        for (path, imported) in [
            ("get_time", Some("__tool_get_time")),
            ("r#match", Some("__tool_match")),
            ("::clocks::get_time", Some("__tool_clocks__get_time")),
            ("self::core", Some("__tool_self__core")),
            ("core", None),
            ("u8", None),
            ("drop", None),
            ("syn", None),
            ("agent_macros", None),
            ("get::<u8>", None),
        ] {
            let path = syn::parse_str(path).expect("a path");
            let import = opt_import(&path).map(|import| import.to_string());
            assert_eq!(import.as_deref(), imported);
        }
    }
}
