//! Expansion as a function: tokens in, tokens out. What the expansion does when it is compiled is
//! tested in the workspace's `tests`.

use super::expand_tool;
use proc_macro2::TokenStream;
use quote::quote;

fn expansion(arguments: &str, item: &str) -> String {
    let parse = |text: &str| text.parse::<TokenStream>().expect("test input lexes");
    expand_tool(parse(arguments), parse(item)).to_string()
}

#[test]
fn the_function_stays_as_it_is() {
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
fn names_and_descriptions_reach_the_descriptor() {
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
fn generated_code_names_everything_by_its_path() {
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
