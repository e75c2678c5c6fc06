//! The file around a macro's input, for better errors: a macro gets only its input.

use crate::report::Report;
use proc_macro2::{Span, TokenStream, TokenTree};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use syn::Item;

/// Calls a function with the text of a file, which is read once for each state of the file. Returns `None` without a text.
pub(crate) fn with_text<T>(file: &Path, read: impl Fn(&str) -> T) -> Option<T> {
    static LAST: Mutex<Option<(PathBuf, SystemTime, String)>> = Mutex::new(None);

    let modified = std::fs::metadata(file)
        .and_then(|data| data.modified())
        .ok()?;
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if !matches!(&*last, Some((path, at, _)) if path == file && *at == modified) {
        let text = std::fs::read_to_string(file).ok()?;
        *last = Some((file.to_owned(), modified, text));
    }
    last.as_ref().map(|(_, _, text)| read(text))
}

/// Returns the error for a macro `name` that is outside of functions in its file. There an expression is no valid
/// expansion, and rustc's error would name a hidden macro. Without the file, as in some editors, returns `None`.
pub(crate) fn refuse_as_item(name: &str, input: &TokenStream, advice: &str) -> Option<TokenStream> {
    let first = input.clone().into_iter().next()?;
    if !is_item(name, input, first.span()) {
        return None;
    }
    let report = Report::default();
    let place = match &first {
        TokenTree::Group(group) => group.span_open(),
        token => token.span(),
    };
    report.error(
        place,
        format!("`{name}!` is an expression here, and stands outside of functions; {advice}"),
    );
    Some(report.finish())
}

fn is_item(name: &str, input: &TokenStream, first: Span) -> bool {
    let (file, line) = (first.local_file(), first.start().line);
    let is_item = |text: &str| {
        begins_line(text, line, name) && {
            let parsed = syn::parse_file(text);
            parsed.is_ok_and(|file| has_item(&file.items, name, &leaves(input)))
        }
    };
    file.is_some_and(|file| with_text(&file, is_item).unwrap_or_default())
}

/// Whether the last `name!` up to a line begins its line, with or without a path before it. The file is
/// parsed only in this case, because parsing takes longer.
fn begins_line(text: &str, line: usize, name: &str) -> bool {
    let call = format!("{name}!");
    let lines: Vec<&str> = text.lines().take(line).collect();
    let mut before = lines.iter().rev();
    let before = before.find_map(|line| line.rfind(&call).map(|at| &line[..at]));
    before.is_some_and(|before| {
        let is_path = |c: char| c.is_alphanumeric() || "_:".contains(c);
        before.trim_start().chars().all(is_path)
    })
}

/// Whether one of the items, or an item of one of their modules, is the macro with this input.
fn has_item(items: &[Item], name: &str, input: &[String]) -> bool {
    items.iter().any(|item| match item {
        Item::Macro(item) => {
            let last = item.mac.path.segments.last();
            last.is_some_and(|last| last.ident == name) && leaves(&item.mac.tokens) == input
        }
        Item::Mod(module) => {
            let content = module.content.as_ref();
            content.is_some_and(|(_, items)| has_item(items, name, input))
        }
        _ => false,
    })
}

/// Returns the tokens without the blanks between them, which a macro may lose.
fn leaves(tokens: &TokenStream) -> Vec<String> {
    let mut leaves = Vec::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => {
                leaves.push(format!("{:?}", group.delimiter()));
                leaves.extend(self::leaves(&group.stream()));
                leaves.push(String::new());
            }
            token => leaves.push(token.to_string()),
        }
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_macros_outside_of_functions() {
        let input: TokenStream = "[a:Agent {k: 1} | b, c]".parse().expect("tokens");
        for (text, line, expected) in [
            ("agent! { [a:Agent {k: 1} | b, c] }", 1, true),
            (
                "agent! {\n    [a:Agent {k: 1} |\n     b, c] // note\n}",
                2,
                true,
            ),
            ("agent_runtime::agent!([a:Agent{k:1}|b,c]);", 1, true),
            (
                "mod m {\n    agent! { [a:Agent {k: 1} | b, c] }\n}",
                2,
                true,
            ),
            (
                "static A: Agent =\n    agent! { [a:Agent {k: 1} | b, c] };",
                2,
                false,
            ),
            (
                "fn f() -> Agent {\n    agent! { [a:Agent {k: 1} | b, c] }\n}",
                2,
                false,
            ),
            (
                "fn f() { let _ = agent! { [a:Agent {k: 1} | b, c] }; }",
                1,
                false,
            ),
            ("agent! { [a:Agent {k: 2} | b, c] }", 1, false),
            ("tools! { [a:Agent {k: 1} | b, c] }", 1, false),
            ("agent! { [a:Agent {k: 1} | b, c] }\nfn (", 1, false),
            ("", 1, false),
        ] {
            let found = begins_line(text, line, "agent") && {
                let parsed = syn::parse_file(text);
                parsed.is_ok_and(|file| has_item(&file.items, "agent", &leaves(&input)))
            };
            assert_eq!(found, expected, "{text}");
        }
    }
}
