//! Expansion as a function: tokens in, tokens out. What the expansion does when it is compiled is
//! tested in the workspace's `tests`.

use super::expand_toolbox;
use proc_macro2::TokenStream;

fn expansion(arguments: &str, item: &str) -> String {
    let parse = |text: &str| text.parse::<TokenStream>().expect("test input lexes");
    expand_toolbox(parse(arguments), parse(item)).to_string()
}

fn tokens(text: &str) -> String {
    text.parse::<TokenStream>()
        .expect("test input lexes")
        .to_string()
}

#[test]
fn keeps_the_block_without_our_attributes() {
    let block = |tool: &str, setting: &str| {
        format!(
            "impl<T: Store> Cache<T> where T: Copy {{
                const A: bool = !true;
                /// Finds. 
                {tool} pub(crate) async fn find(&self, {setting} id: u64) -> T {{ self.0 }}
                fn helper<'a>(&'a mut self) -> &'a T {{ &self.0 }}
                thread_local! {{ static B: u8 = 1; }}
                type C = u8;
            }}"
        )
    };
    let expanded = expansion(
        "",
        &block("#[tool(timeout = \"5s\")]", "#[tool(default = 1)]"),
    );
    assert!(!expanded.contains("compile_error"), "{expanded}");
    let packed = |text: &str| text.replace(' ', "");
    let block = packed(&tokens(&block("", "")));
    assert!(packed(&expanded).starts_with(&block), "{expanded}");
}

#[test]
fn the_block_stays_after_a_mistake() {
    for (arguments, item) in [
        ("", "impl Db { fn find(&self) {} }"),
        ("", "impl Db { #[tool] fn find(&self) {} }"),
        ("", "impl Db { /** Finds */ #[tool] fn find(&mut self) {} }"),
        ("", "impl Db { /** Finds */ #[tool] fn find(self) {} }"),
        ("", "impl Db { /** Finds */ #[tool = 1] fn find(&self) {} }"),
        (
            "",
            "impl Find for Db { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        (
            "",
            "impl<'a> Db<'a> { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        ("", "impl Db<'_> { /** Finds */ #[tool] fn find(&self) {} }"),
        (
            "",
            "impl Db { /** Finds */ #[tool(type_name = F)] fn find(&self) {} }",
        ),
        (
            "",
            "impl Db { /** Finds */ #[tool(crate = f)] fn find(&self) {} }",
        ),
        (
            "prefix = \"d b\"",
            "impl Db { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        (
            "colour = 1",
            "impl Db { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        (
            "part = A, parts = [B]",
            "impl Db { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        (
            "parts = [B, B]",
            "impl Db { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        (
            "parts = B",
            "impl Db { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        (
            "part = A, export",
            "impl Db { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        (
            "export",
            "impl<T> Db<T> { /** Finds */ #[tool] fn find(&self) {} }",
        ),
        (
            "",
            "impl Db { /** A */ #[tool] fn find(&self) {} /** B */ #[tool(name = \"find\")] fn get(&self) {} }",
        ),
    ] {
        let expanded = expansion(arguments, item);
        assert!(expanded.contains("fn find"), "{expanded}");
        assert!(!expanded.contains("# [tool"), "{expanded}");
        assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
    }
}

#[test]
fn only_a_method_that_runs_on_another_thread_gets_an_arc_of_its_own() {
    for (method, is_cloned) in [
        ("#[tool] fn find(&self) {}", true),
        ("#[tool(inline)] fn find(&self) {}", false),
        ("#[tool] async fn find(&self) {}", false),
    ] {
        let expanded = expansion("", &format!("impl Db {{ /** Finds */ {method} }}"));
        let clone = "let __this = __rt :: Clone :: clone (__this) ;";
        assert_eq!(expanded.contains(clone), is_cloned, "{method}: {expanded}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let expanded = expansion(
        "colour",
        "impl Db { #[tool(timeout = 5)] fn find(&mut self, (a, b): (u8, u8)) {} #[tool] fn get(self) {} }",
    );
    // The word, the timeout, two descriptions, the pattern and two receivers.
    assert_eq!(expanded.matches("compile_error").count(), 7, "{expanded}");
}

#[test]
fn keeps_items_that_are_not_blocks_of_methods() {
    for item in ["struct Db;", "fn find() {}", "mod a {}"] {
        let expanded = expansion("", item);
        assert!(expanded.starts_with(&tokens(item)), "{expanded}");
        assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
    }
}

#[test]
fn copies_cfg_attributes_to_all_generated_items() {
    let expanded = expansion(
        "part = Writes",
        "#[cfg(outer)] impl Db { /** Finds */ #[cfg(inner)] #[tool] fn find(&self, #[tool(default = 1)] id: u64) {} }",
    );
    // The block, the type of the part, and the constant that has all else.
    assert_eq!(expanded.matches("cfg (outer)").count(), 3, "{expanded}");
    // The method, its implementation, its default, its name in four lists, and the check of it.
    assert_eq!(expanded.matches("cfg (inner)").count(), 8, "{expanded}");
}

#[test]
fn prefixes_methods_without_a_name() {
    let expanded = expansion(
        "prefix = \"db\"",
        "impl Db { /** A */ #[tool] fn find_row(&self) {} /** B */ #[tool(name = \"get\")] fn b(&self) {} }",
    );
    assert!(expanded.contains("\"dbFindRow\""), "{expanded}");
    assert!(expanded.contains("\"get\""), "{expanded}");
}

#[test]
fn accepts_every_form_of_generics() {
    for (generics, ty) in [
        ("<>", "Db"),
        ("<T: Store>", "Db<T>"),
        ("<const N: usize>", "Db<N>"),
        ("<T: Store>", "Db<T>"),
        ("<T: Store,>", "Db<T>"),
    ] {
        let item =
            format!("impl{generics} {ty} {{ /** Finds */ #[tool] fn find(&self) -> u8 {{ 1 }} }}");
        let expanded = expansion("", &item);
        assert!(!expanded.contains("compile_error"), "{item}: {expanded}");
    }
}

#[test]
fn settings_that_methods_do_not_have_are_refused_with_advice() {
    for (setting, advice) in [
        ("type_name = F", "a method has no type of its own"),
        (
            "crate = f",
            "for all methods of a block write it in `#[toolbox(crate = path)]`",
        ),
    ] {
        let item = format!("impl Db {{ /** Finds */ #[tool({setting})] fn find(&self) {{}} }}");
        let expanded = expansion("", &item);
        assert!(expanded.contains(advice), "{expanded}");
    }
}
