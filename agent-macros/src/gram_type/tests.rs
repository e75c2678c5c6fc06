//! Expansion as a function: tokens in, tokens out. What the expansion does when it is compiled is
//! tested in the workspace's `tests/ui`.

use super::expand_gram_type;
use proc_macro2::TokenStream;

fn expansion(item: &str) -> String {
    let tokens: TokenStream = item.parse().expect("test input lexes");
    expand_gram_type(tokens).to_string()
}

/// Without blanks, which token streams print everywhere.
fn packed(item: &str) -> String {
    expansion(item).replace([' ', '\n'], "")
}

#[test]
fn derives_one_constant_for_a_struct() {
    let text = packed(
        "struct Person {
            /// Who it is,
            /// in full
            full_name: String,
            #[serde(default)]
            age: u8,
        }",
    );
    let rt = "::agent_runtime::__private";
    let field = |name: &str, ty: &str, description: &str| {
        format!("{rt}::Field::from_static(\"{name}\",{ty},{rt}::None,{description})")
    };
    let name = field(
        "full_name",
        &format!("<Stringas{rt}::GramType>::TYPE"),
        &format!("{rt}::Some(\"Whoitis,infull\")"),
    );
    let age = field(
        "age",
        &format!("const{{&{rt}::Type::optional_of(<u8as{rt}::GramType>::TYPE)}}"),
        &format!("{rt}::None"),
    );
    assert_eq!(
        text,
        format!(
            "#[allow(deprecated)]const_:()={{#[automatically_derived]impl{rt}::GramTypefor\
             Person{{constTYPE:&'static{rt}::Type=&{rt}::record(const{{&[{name},{age}]}});}}}};"
        )
    );
}

#[test]
fn the_path_of_the_crate_can_be_set() {
    let text = packed("#[gram(crate = my::facade)] struct A { a: u8 }");
    assert!(text.contains("my::facade::__private::GramType"), "{text}");
    assert!(!text.contains("::agent_runtime"), "{text}");
}

#[test]
fn uses_the_names_of_serde_attributes() {
    let text = packed(
        "#[serde(rename_all = \"camelCase\")] struct A {
            first_one: u8,
            #[serde(rename = \"SECOND\")] second_one: u8,
            r#type: u8,
            #[serde(skip)] third_one: u8,
            #[serde(skip_deserializing)] fourth_one: u8,
        }",
    );
    for name in ["\"firstOne\"", "\"SECOND\"", "\"type\""] {
        assert!(text.contains(name), "{name}: {text}");
    }
    for name in ["third", "fourth", "second_one"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
}

#[test]
fn keeps_the_aliases_of_fields_and_variants() {
    let text = packed(
        "struct A { #[serde(alias = \"b\", alias = \"a\")] a: u8, #[serde(default)] c: u8 }",
    );
    assert_eq!(text.matches(".with_aliases(").count(), 1, "{text}");
    assert!(text.contains(".with_aliases(const{&[\"b\"]})"), "{text}");
    let text =
        packed("enum E { #[serde(alias = \"one\")] A, #[serde(alias = \"two\")] B { b: u8 } }");
    assert!(
        text.contains("Host::Aliases(const{&[(\"one\",\"A\")]})"),
        "{text}"
    );
    assert!(text.contains(".with_aliases(const{&[\"two\"]})"), "{text}");
}

#[test]
fn puts_checks_of_a_generic_type_into_its_constant() {
    let plain = packed("struct A { #[gram(minimum = 1)] a: u8 }");
    assert!(
        plain.contains("const_:()=::agent_runtime::__private::check_keyword("),
        "{plain}"
    );
    let generic = packed("struct A<T> { #[gram(minimum = 1)] a: T }");
    assert!(!generic.contains("const_:()=::agent_runtime"), "{generic}");
    assert!(
        generic.contains("::Type={::agent_runtime::__private::check_keyword("),
        "{generic}"
    );
    assert!(
        generic.contains("whereT:::agent_runtime::__private::GramType"),
        "{generic}"
    );
}

#[test]
fn bounds_only_parameters_that_fields_use() {
    let text = packed(
        "struct A<'a, T, U, const N: usize> {
            a: [T; N], b: &'a str, #[serde(skip)] c: PhantomData<U>, #[gram(opaque)] d: U,
        }",
    );
    assert!(text.contains("impl<'a,T,U,constN:usize>"), "{text}");
    assert!(
        text.contains("A<'a,T,U,N>whereT:::agent_runtime::__private::GramType{"),
        "{text}"
    );
    assert!(!text.contains("U:::agent_runtime"), "{text}");
}

#[test]
fn lists_flattened_fields_as_parts() {
    let flattened = packed("struct A { a: u8, #[serde(flatten)] b: B }");
    assert!(
        flattened.contains("&::agent_runtime::__private::merged::<Self>()"),
        "{flattened}"
    );
    assert!(flattened.contains("Part::Flattened(<Bas"), "{flattened}");
    assert!(flattened.contains("check_flattened("), "{flattened}");
    let tagged = packed("#[serde(tag = \"t\")] enum A { B { b: u8 }, C }");
    assert_eq!(tagged.matches("Part::Variant(").count(), 2, "{tagged}");
    assert!(tagged.contains("texts([\"B\",\"C\"])"), "{tagged}");
    let adjacent = packed("#[serde(tag = \"t\", content = \"c\")] enum A { B(u8), C }");
    assert!(adjacent.contains("content_type::<Self>()"), "{adjacent}");
    assert!(adjacent.contains("Part::Unit"), "{adjacent}");
}

#[test]
fn a_mistake_gives_one_message_and_a_skeleton() {
    for item in [
        "struct A;",
        "struct A(u8, #[serde(skip_serializing)] u8, u8);",
        "struct A(u8, #[gram(default = 1)] u8);",
        "struct A { a: Vec<A> }",
        "struct A { #[gram(nothing)] a: u8 }",
        "struct A { #[serde(with = \"x\")] a: u8 }",
        "struct A<T> { #[serde(rename(serialize = \"b\"))] a: T }",
        "#[serde(from = \"B\")] struct A { a: u8 }",
        "enum A {}",
        "enum A { B(u8, #[serde(skip_deserializing)] u8) }",
        "#[serde(untagged)] enum A { B(u8), C }",
        "enum A { B, #[serde(untagged)] C }",
        "#[serde(untagged)] enum A { B { #[serde(flatten)] b: C } }",
        "enum A { B, #[serde(other)] C }",
    ] {
        let text = packed(item);
        assert_eq!(text.matches("compile_error").count(), 1, "{item}: {text}");
        assert!(
            text.contains("=::agent_runtime::__private::Type::REFUSED"),
            "{item}: {text}"
        );
    }
}

#[test]
fn writes_unions_and_tuples() {
    let tuple = packed("struct A(u8, #[serde(skip)] bool, String);");
    assert_eq!(tuple.matches("Type::borrowed(").count(), 2, "{tuple}");
    assert!(tuple.contains("::tuple(const{&["), "{tuple}");
    let mixed = packed("enum A { B, C(u8), D { d: u8 }, E }");
    assert!(mixed.contains("::variants(const{&["), "{mixed}");
    assert!(mixed.contains("texts([\"B\",\"E\"])"), "{mixed}");
    assert!(mixed.contains("WORDS"), "{mixed}");
    let untagged = packed("#[serde(untagged)] enum A { B(u8), C(String, u8) }");
    assert!(untagged.contains("any_of::<Self>()"), "{untagged}");
    assert!(untagged.contains("AlternativesforA"), "{untagged}");
    assert_eq!(
        untagged.matches("check_alternative::<A>").count(),
        2,
        "{untagged}"
    );
    let both = packed("#[serde(tag = \"t\")] enum A { B { b: u8 }, #[serde(untagged)] C(u8) }");
    assert!(
        both.contains("PartsforA") && both.contains("AlternativesforA"),
        "{both}"
    );
    assert_eq!(both.matches("check_alternative::<A>").count(), 2, "{both}");
}

#[test]
fn does_not_repeat_errors_of_serde() {
    for item in [
        "#[serde(tag = \"t\")] enum A { B(u8, u8) }",
        "#[serde(content = \"c\")] enum A { B(u8) }",
        "#[serde(transparent)] struct A { a: u8, b: u8 }",
        "#[serde(nonsense = 1)] struct A { a: u8 }",
        "#[serde(rename_all = \"Camel\")] struct A { a: u8 }",
    ] {
        let text = packed(item);
        assert!(!text.contains("compile_error"), "{item}: {text}");
        assert!(text.contains("GramTypeforA"), "{item}: {text}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let text =
        expansion("struct A { a: Vec<Self>, #[gram(x)] b: u8, #[gram(type = \"B\")] c: u8 }");
    assert_eq!(text.matches("compile_error").count(), 3, "{text}");
}

#[test]
fn bounds_the_types_that_fields_have_of_a_type_parameter() {
    let bounds = |item: &str| {
        let text = packed(item);
        let (_, bounds) = text.split_once("where").unwrap_or_default();
        let bounds = bounds.split('{').next().unwrap_or_default();
        bounds.replace(":::agent_runtime::__private::GramType", "")
    };
    assert_eq!(
        bounds("struct A<T: Iterator> { a: T::Item, #[serde(skip)] b: T }"),
        "T::Item"
    );
    assert_eq!(
        bounds("struct A<T: Iterator> { a: Vec<T::Item>, b: Option<T::Item> }"),
        "T::Item"
    );
    assert_eq!(
        bounds("struct A<T: Iterator> { a: <T as Iterator>::Item }"),
        "<TasIterator>::Item"
    );
    assert_eq!(
        bounds("struct A<T, U, V> { a: (T, Vec<U>), b: other::V, c: ::T, d: Option<V> }"),
        "T,U,V"
    );
    assert_eq!(bounds("struct A<T> { a: other::T }"), "");
}
