use super::*;

fn doc(item: &str) -> DocComment {
    let item = format!("{item}\nstruct S;");
    let item: syn::DeriveInput = syn::parse_str(&item).expect("it parses");
    DocComment::of(&item.attrs)
}

fn described(item: &str) -> String {
    match doc(item).description() {
        Some(Description::Known(text)) => text,
        Some(Description::Computed(tokens)) => tokens.to_string(),
        None => String::new(),
    }
}

fn arguments(item: &str) -> Vec<(String, String)> {
    let items = arguments_of(&doc(item)).into_iter();
    items.map(|item| (item.name, item.text)).collect()
}

#[test]
fn reads_literals_as_text() {
    for (item, expected) in [
        (
            "/// Greets a\n/// person.\n///\n/// # Errors\n/// Never.",
            "Greets a person.",
        ),
        (
            "/** Boxed\n * comment\n *\n * # Heading\n * hidden */",
            "Boxed comment",
        ),
        ("/** Says\n   - one\n   - two */", "Says - one - two"),
        ("/// Says\n/// * one\n/// * two", "Says * one * two"),
        (
            "#[doc = \"One\"]\n#[doc(hidden)]\n#[doc = \"two\"]",
            "One two",
        ),
        ("#[inline]", ""),
        ("/// # Only a heading", ""),
    ] {
        assert_eq!(described(item), expected, "{item}");
    }
}

#[test]
fn keeps_expressions_as_code() {
    for (item, expected) in [
        (
            "#[doc = include_str!(\"a.md\")]",
            "& [include_str ! (\"a.md\")]",
        ),
        (
            "/// One\n#[doc = concat!(\"t\", \"wo\")]",
            "& [\" One\" , concat ! (\"t\" , \"wo\")]",
        ),
        (
            "#[cfg_attr(feature = \"x\", doc = \"a\", inline, cfg_attr(not(y), doc = \"b\"))]",
            "& [# [cfg (feature = \"x\")] \"a\" , \
             # [cfg (feature = \"x\")] # [cfg (not (y))] \"b\"]",
        ),
    ] {
        assert_eq!(described(item), expected, "{item}");
    }
}

#[test]
fn reads_lists_of_arguments() {
    let list = "/// Looks.\n/// * `not` - in a list of arguments\n///\n/// # Arguments\n///\n\
                /// * `city` - Where,\n///   in English\n/// - days: How far\n///     - `one`: nested\n\
                /// + **unit** \u{2013} Which\n/// one\n/// * no separator\n///\n/// * `r#type`:\n///   Later\n\
                ///\n/// text: x\n/// # Errors\n/// * `none` - never";
    let expected = [
        ("city", "Where, in English"),
        ("days", "How far - `one`: nested"),
        ("unit", "Which one"),
        ("r#type", "Later"),
    ];
    let expected: Vec<_> = expected.map(|(n, t)| (n.to_owned(), t.to_owned())).into();
    assert_eq!(arguments(list), expected);
    assert_eq!(arguments("/// ## Parameters:\n/// - a: b").len(), 1);
    assert_eq!(
        arguments("/// # Arguments\n/// ```\n/// * a: b\n/// ```").len(),
        0
    );
}
