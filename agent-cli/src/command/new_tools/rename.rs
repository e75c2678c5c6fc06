//! What serde makes of Rust names: `rename_all`, where one rule gives all names of a type back.

use super::attribute::Settings;
use super::literal::Literal;
use agent_spec::case::Case;

/// The names of the fields or variants of a type: in Rust, and in the document.
pub(super) struct Renames {
    /// The rule that gives all of them back, when they differ.
    pub(super) rule: Option<&'static str>,
    /// The name of each that serde does not give back by itself.
    pub(super) own: Vec<Option<String>>,
}

/// Those that change a name in snake case, the likeliest first.
const FIELD_RULES: [Case; 4] = [Case::Camel, Case::Kebab, Case::Pascal, Case::ScreamingSnake];

/// Those that change a name in Pascal case.
const VARIANT_RULES: [Case; 7] = [
    Case::Lower,
    Case::Snake,
    Case::Kebab,
    Case::Upper,
    Case::Camel,
    Case::ScreamingSnake,
    Case::ScreamingKebab,
];

/// How the fields of a struct get their names: pairs of the name in Rust and that in the document.
pub(super) fn of_fields(names: &[(String, String)]) -> Renames {
    renames(names, &FIELD_RULES, Case::field)
}

/// The same for the variants of an enum.
pub(super) fn of_variants(names: &[(String, String)]) -> Renames {
    renames(names, &VARIANT_RULES, Case::variant)
}

fn renames(
    names: &[(String, String)],
    rules: &[Case],
    renamed: fn(Case, &str) -> String,
) -> Renames {
    let bare = |rust: &str| rust.strip_prefix("r#").unwrap_or(rust).to_owned();
    let differ = names.iter().any(|(rust, name)| bare(rust) != *name);
    // serde's rules are for names in ASCII, and say nothing of underscores before a name.
    let are_plain = names
        .iter()
        .all(|(rust, _)| rust.is_ascii() && !rust.starts_with('_'));
    let gives_all = |rule: Case| {
        names
            .iter()
            .all(|(rust, name)| renamed(rule, &bare(rust)) == *name)
    };
    let rule = rules
        .iter()
        .find(|rule| differ && are_plain && gives_all(**rule));
    let own = names.iter().map(|(rust, name)| {
        // rustc may spell letters that are not ASCII in another way.
        let is_same = rule.is_some() || (name.is_ascii() && bare(rust) == *name);
        (!is_same).then(|| name.clone())
    });
    Renames {
        rule: rule.map(|rule| rule.name()),
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
