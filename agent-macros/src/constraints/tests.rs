use super::*;
use quote::format_ident;

/// The messages for an attribute's words, and the narrowing.
fn read(words: &str) -> (SpannedConstraints, String) {
    let report = Report::default();
    let mut narrowing = SpannedConstraints::default();
    let mut reader = SettingsReader::new(&report);
    let tokens = words.parse().expect("test input lexes");
    reader.each(tokens, |reader, setting| {
        assert!(narrowing.read(reader, setting), "{words}");
    });
    narrowing.check(&report, None);
    (narrowing, report.finish().to_string())
}

#[test]
fn reads_all_keywords() {
    let (narrowing, errors) = read(
        "minimum = -1, maximum = 2.5, exclusive_minimum = -2, exclusive_maximum = 2.6, \
         multiple_of = 0.1, min_length = 1, max_length = 2, min_items = 3, max_items = 4, \
         pattern = \"^a\", format = \"word\", enum = [\"ab\", 2, true]",
    );
    assert_eq!(errors, "");
    let constraints = &narrowing.constraints;
    assert_eq!(constraints.minimum, Some(Bound::Int(-1)));
    assert_eq!(constraints.maximum.as_ref().map(Bound::as_f64), Some(2.5));
    assert_eq!(
        (constraints.min_length, constraints.max_items),
        (Some(1), Some(4))
    );
    assert_eq!(constraints.exclusive_minimum, Some(Bound::Int(-2)));
    let multiple = constraints.multiple_of.as_ref().map(Bound::as_f64);
    assert_eq!(multiple, Some(0.1));
    assert_eq!(narrowing.words.len(), 12);
}

#[test]
fn each_mistake_gives_one_message() {
    for (words, message) in [
        ("minimum = 2, maximum = 1", "`minimum` is above `maximum`"),
        ("min_length = 2, max_length = 1", "`min_length` is above"),
        ("min_items = 2, max_items = 1", "`min_items` is above"),
        (
            "exclusive_minimum = 1, maximum = 1",
            "`exclusive_minimum` is not below `maximum`",
        ),
        ("multiple_of = 0", "must be a number above 0"),
        ("enum = [1, 5], multiple_of = 5", "no value may be this one"),
        ("minimum = \"a\"", "write a number: `minimum = 0`"),
        ("minimum = 1 << 2", "write a number"),
        ("min_length = -1", "write a whole number: `min_length = 1`"),
        ("max_items = 1.5", "write `max_items = 1`"),
        ("pattern = \"(\"", "this is not a regular expression"),
        ("format = \"\"", "write a name"),
        ("enum = []", "at least one value"),
        ("enum = [1, 1]", "this value is listed already"),
        ("enum = \"a\"", "write `enum = ["),
        ("enum = [a]", "a value must be a literal"),
        ("enum = [1, 5], maximum = 3", "no value may be this one"),
        ("enum", "write `enum = ["),
    ] {
        let (_, errors) = read(words);
        assert_eq!(
            errors.matches("compile_error").count(),
            1,
            "{words}: {errors}"
        );
        let plain = errors.replace("\\\"", "\"");
        assert!(plain.contains(message), "{words}: {errors}");
    }
}

#[test]
fn reports_a_forbidden_default() {
    for (words, default, fits) in [
        ("minimum = 2", "1", false),
        ("minimum = 2", "2", true),
        ("pattern = \"^a$\"", "\"b\"", false),
        ("enum = [\"a\"]", "\"b\"", false),
        ("format = \"date\"", "\"2024-02-30\"", false),
        ("min_length = 2", "\"äö\"", true),
    ] {
        let (narrowing, _) = read(words);
        let report = Report::default();
        let expression = syn::parse_str(default).expect("test input parses");
        let default = crate::default::read_default(&report, &expression);
        narrowing.check(&report, default.as_ref());
        assert_eq!(report.is_empty(), fits, "{words}");
        let _ = report.finish();
    }
}

#[test]
fn checks_have_the_span_of_each_word_and_value() {
    let (narrowing, _) = read("enum = [1, 2], minimum = 0");
    let own = format_ident!("OWN");
    let checks = narrowing.checks(&quote!(rt), &quote!(TYPE), &own);
    let text = quote!(#(#checks;)*).to_string();
    assert_eq!(
        text.matches("check_keyword (TYPE , rt :: Keyword ::")
            .count(),
        2,
        "{text}"
    );
    assert_eq!(text.matches("check_choice (TYPE").count(), 2, "{text}");
}
