//! Expansion as a function: tokens in, tokens out. What the expansion does when it is compiled is
//! tested in the workspace's `tests`.

use super::expand_with;
use proc_macro2::TokenStream;
use quote::quote;
use std::path::Path;

fn expansion(arguments: &str, item: &str) -> String {
    let parse = |text: &str| text.parse::<TokenStream>().expect("test input lexes");
    expand_tool(parse(arguments), parse(item)).to_string()
}

/// The function and the tool, with nothing around it.
fn expand_tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand_with(arguments, item, |_, _, tool| tool.clone())
}

#[test]
fn keeps_the_function() {
    let item = quote!(
        /// Greets.
        pub(crate) fn greet(name: String) -> String {
            name
        }
    );
    let expanded = expand_tool(TokenStream::new(), item.clone()).to_string();
    assert!(expanded.starts_with(&item.to_string()), "{expanded}");
    assert!(!expanded.contains("compile_error"), "{expanded}");
}

#[test]
fn the_function_stays_after_a_mistake() {
    for (arguments, item) in [
        ("", "fn greet() {}"),
        ("colour = 1", "/// Greets.\nfn greet() {}"),
        ("", "/// Greets.\nfn greet<T>(x: T) {}"),
        ("timeout = \"0s\"", "/// Greets.\nfn greet() {}"),
        ("read_only, destructive", "/// Greets.\nfn greet() {}"),
    ] {
        let expanded = expansion(arguments, item);
        assert!(expanded.contains("fn greet"), "{expanded}");
        assert!(expanded.contains("struct greet { }"), "{expanded}");
        assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let expanded = expansion(
        "timeout = 5, name = \"not a name\"",
        "fn greet((a, b): (u8, u8)) {}",
    );
    assert_eq!(expanded.matches("compile_error").count(), 4, "{expanded}");
}

#[test]
fn descriptor_has_names_and_descriptions() {
    let expanded = expansion(
        "",
        "/// Greets a\n/// person.\n///\n/// # Panics\n/// Never.\nfn say_hello(person_name: String) {}",
    );
    assert!(
        expanded.contains("\"sayHello\" , \"Greets a person.\""),
        "{expanded}"
    );
    assert!(expanded.contains("\"personName\""), "{expanded}");
    assert!(!expanded.contains("\"Panics\""), "{expanded}");
}

#[test]
fn generated_code_uses_absolute_paths() {
    let expanded = expansion(
        "",
        "/// Greets.\nfn greet(name: Option<String>) -> Result<String> {}",
    );
    for bare in [" Some (", " None ", " Ok (", " String ::"] {
        for (at, _) in expanded.match_indices(bare) {
            assert!(
                expanded[..at].ends_with("::"),
                "`{bare}` at {at} in {expanded}"
            );
        }
    }
}

#[test]
fn expands_the_same_without_span_text() {
    // Tokens made of text, as an editor's server makes them: no span has a place or a source.
    let item = "/// Greets.\n///\n/// # Arguments\n/// * `name` - Who\n#[inline]\n\
                pub async fn greet(#[tool(default = \"you\", min_length = 1)] name: &str, \
                #[tool(enum = [1, 2])] n: u8, c: &ToolContext) -> Result<String, E> { f(name) }";
    let expanded = expansion(
        "timeout = \"5s\", rename_all = \"PascalCase\", export",
        item,
    );
    assert!(!expanded.contains("compile_error"), "{expanded}");
    for part in [
        "pub async fn greet (name : & str , n : u8 , c : & ToolContext)",
        "pub struct greet { }",
        "descriptor (\"Greet\" , \"Greets.\" ,",
        "\"Name\"",
        "Some (\"Who\")",
        "__rt :: call_async (",
        "fn export_greet ()",
        "\"gram\"",
    ] {
        assert!(expanded.contains(part), "{part} in {expanded}");
    }
    syn_of_prettyplease::parse_file(&expanded).expect("it is Rust");
}

#[test]
fn uses_the_path_of_the_crate_attribute() {
    let expanded = expansion(
        "crate = facade::agents",
        "/// Greets.\nfn greet(name: &str) -> String {}",
    );
    assert!(!expanded.contains("agent_runtime"), "{expanded}");
    assert!(
        expanded.contains("use facade :: agents :: __private :: { self as __rt"),
        "{expanded}"
    );
}

#[test]
fn names_items_that_are_not_functions() {
    for (item, message) in [
        ("struct A;", "derive(GramType)"),
        ("pub(crate) enum A {}", "derive(GramType)"),
        ("impl A {}", "#[toolbox]"),
        ("unsafe impl Send for A {}", "#[toolbox]"),
        ("const A: u8 = 1;", "goes on a function"),
        ("static A: u8 = 1;", "goes on a function"),
        ("macro_rules! a { () => {} }", "goes on a function"),
        ("fn a();", "needs a body"),
    ] {
        let expanded = expansion("", item);
        assert!(expanded.contains(message), "{item}: {expanded}");
        assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
    }
}

/// Compares an expansion with a file, so that whoever changes it sees what a person would read.
/// `UPDATE_EXPECT=1` writes the file.
fn reads(name: &str, item: &str) {
    let item = item.parse().expect("test input lexes");
    let expanded = expand_tool(TokenStream::new(), item);
    let file = syn_of_prettyplease::parse2(expanded).expect("the expansion is Rust");
    let found = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/expansion")
        .join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &found).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "the expansion differs from {}; run with UPDATE_EXPECT=1 and read what changed:\n{found}",
        path.display()
    );
}

#[test]
fn expands_a_function() {
    reads(
        "function.rs",
        "/// Adds two numbers.
        fn add(
            /// The first.
            a: i64,
            #[tool(default = 1)]
            b: i64,
        ) -> i64 {
            a + b
        }",
    );
}

#[test]
fn expands_an_async_function() {
    reads(
        "async_function.rs",
        "/// Reads a page.
        pub async fn read_page(address: &str, context: &ToolContext) -> Result<String, Error> {
            fetch(address, context).await
        }",
    );
}

#[test]
fn consumes_only_our_attributes() {
    let expanded = expansion(
        "",
        "/// Greets.\n#[other::tool(x)]\nfn greet(#[agent_runtime::tool(name = \"who\")] n: &str) {}",
    );
    assert!(!expanded.contains("compile_error"), "{expanded}");
    assert!(expanded.contains("# [other :: tool (x)]"), "{expanded}");
    assert!(expanded.contains("\"who\""), "{expanded}");
    let twice = expansion("", "/// Greets.\n#[::agent_runtime::tool]\nfn greet() {}");
    assert!(twice.contains("is there twice"), "{twice}");
}

#[test]
fn default_can_be_a_list() {
    let expanded = expansion(
        "",
        "/// Greets.\nfn greet(#[tool(default = [1, -2])] n: Vec<i64>) {}",
    );
    assert!(!expanded.contains("compile_error"), "{expanded}");
    assert!(expanded.contains("Integer (- 2i128)"), "{expanded}");
}

#[test]
fn rejects_two_parameters_of_one_name() {
    let item = "/// Greets.\nfn greet(#[tool(name = \"b\")] a: u8, b: u8) {}";
    let expanded = expansion("", item);
    assert!(
        expanded.contains("two parameters are called `b`"),
        "{expanded}"
    );
    let exclusive = "/// Greets.\nfn greet(#[cfg(unix)] #[tool(name = \"b\")] a: u8, #[cfg(not(unix))] b: u8) {}";
    let expanded = expansion("", exclusive);
    assert!(!expanded.contains("compile_error"), "{expanded}");
}
