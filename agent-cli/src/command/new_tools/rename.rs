//! What serde makes of Rust names: `rename_all`, where one rule gives all names of a type back.

use super::attribute::Settings;
use super::literal::Literal;

/// The names of the fields or variants of a type: in Rust, and in the document.
pub(super) struct Renames {
    /// The rule that gives all of them back, when they differ.
    pub(super) rule: Option<&'static str>,
    /// The name of each that serde does not give back by itself.
    pub(super) own: Vec<Option<String>>,
}

type Rule = (&'static str, fn(&str) -> String);

const FIELD_RULES: [Rule; 4] = [
    ("camelCase", field_as_camel),
    ("kebab-case", |field| field.replace('_', "-")),
    ("PascalCase", field_as_pascal),
    ("SCREAMING_SNAKE_CASE", |field| field.to_ascii_uppercase()),
];

const VARIANT_RULES: [Rule; 7] = [
    ("lowercase", |variant| variant.to_ascii_lowercase()),
    ("snake_case", |variant| variant_parted(variant, '_')),
    ("kebab-case", |variant| variant_parted(variant, '-')),
    ("UPPERCASE", |variant| variant.to_ascii_uppercase()),
    ("camelCase", |variant| {
        variant[..1].to_ascii_lowercase() + &variant[1..]
    }),
    ("SCREAMING_SNAKE_CASE", |variant| {
        variant_parted(variant, '_').to_ascii_uppercase()
    }),
    ("SCREAMING-KEBAB-CASE", |variant| {
        variant_parted(variant, '-').to_ascii_uppercase()
    }),
];

/// How the fields of a struct get their names: pairs of the name in Rust and that in the document.
pub(super) fn of_fields(names: &[(String, String)]) -> Renames {
    renames(names, &FIELD_RULES)
}

/// The same for the variants of an enum.
pub(super) fn of_variants(names: &[(String, String)]) -> Renames {
    renames(names, &VARIANT_RULES)
}

fn renames(names: &[(String, String)], rules: &[Rule]) -> Renames {
    let bare = |rust: &str| rust.strip_prefix("r#").unwrap_or(rust).to_owned();
    let differ = names.iter().any(|(rust, name)| bare(rust) != *name);
    // serde's rules are for names in ASCII, and say nothing of underscores before a name.
    let are_plain = names
        .iter()
        .all(|(rust, _)| rust.is_ascii() && !rust.starts_with('_'));
    let gives_all = |(_, rule): &&Rule| {
        names.iter().all(|(rust, name)| {
            let rust = bare(rust);
            !rust.trim_start_matches('_').is_empty() && rule(&rust) == *name
        })
    };
    let rule = rules
        .iter()
        .find(|rule| differ && are_plain && gives_all(rule));
    let own = names.iter().map(|(rust, name)| {
        // rustc may spell letters that are not ASCII in another way.
        let is_same = rule.is_some() || (name.is_ascii() && bare(rust) == *name);
        (!is_same).then(|| name.clone())
    });
    Renames {
        rule: rule.map(|(word, _)| *word),
        own: own.collect(),
    }
}

impl Renames {
    /// `#[serde(…)]` of the type.
    pub(super) fn container(&self) -> Settings {
        let mut serde = Settings::default();
        serde.add("crate", Literal::text("agent_runtime::serde"));
        serde.add_if("rename_all", self.rule.map(Literal::text));
        serde
    }
}

fn field_as_pascal(field: &str) -> String {
    field.split('_').map(capitalised).collect()
}

fn field_as_camel(field: &str) -> String {
    let pascal = field_as_pascal(field);
    pascal[..1].to_ascii_lowercase() + &pascal[1..]
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn variant_parted(variant: &str, between: char) -> String {
    let mut out = String::new();
    for (at, c) in variant.chars().enumerate() {
        if at > 0 && c.is_ascii_uppercase() {
            out.push(between);
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(names: &[(&str, &str)]) -> Vec<(String, String)> {
        let pair = |(rust, name): &(&str, &str)| ((*rust).to_owned(), (*name).to_owned());
        names.iter().map(pair).collect()
    }

    #[test]
    fn one_rule_for_all_names() {
        for (names, rule) in [
            (&[("name", "name")][..], None),
            (&[("r#type", "type")], None),
            (
                &[("name", "name"), ("first_name", "firstName")],
                Some("camelCase"),
            ),
            (&[("zip_code", "zip-code")], Some("kebab-case")),
            (&[("größe_x", "größeX")], None),
            (&[("_2nd", "2nd")], None),
        ] {
            assert_eq!(of_fields(&pairs(names)).rule, rule, "{names:?}");
        }
        for (names, rule) in [
            (
                &[("Celsius", "celsius"), ("Kelvin", "kelvin")][..],
                Some("lowercase"),
            ),
            (
                &[("LightBlue", "light-blue"), ("Red", "red")],
                Some("kebab-case"),
            ),
            (&[("Si", "SI")], Some("UPPERCASE")),
            (&[("Red", "red"), ("Si", "SI")], None),
        ] {
            assert_eq!(of_variants(&pairs(names)).rule, rule, "{names:?}");
        }
    }

    #[test]
    fn names_that_no_rule_gives_back_are_named() {
        let own = of_fields(&pairs(&[("a", "a"), ("user_id", "userID")])).own;
        assert_eq!(own, [None, Some("userID".to_owned())]);
    }
}
