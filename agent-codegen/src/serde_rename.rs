//! serde's `rename` attributes: `rename_all` if one rule restores all names of a type, else a `rename` for each.

use crate::attribute::{AttributeArgs, Literal};
use agent_spec::case::Case;

/// The `rename` attributes of a type's fields or variants.
pub(crate) struct Renames {
    /// The rule of `rename_all`, which restores all names.
    rule: Option<&'static str>,
    /// The `rename` of each field or variant whose name serde would not restore.
    pub(crate) own: Vec<Option<String>>,
}

/// The rules for names in snake case, the likeliest first.
const FIELD_RULES: [Case; 4] = [Case::Camel, Case::Kebab, Case::Pascal, Case::ScreamingSnake];

/// The rules for names in Pascal case, the likeliest first.
const VARIANT_RULES: [Case; 7] = [
    Case::Lower,
    Case::Snake,
    Case::Kebab,
    Case::Upper,
    Case::Camel,
    Case::ScreamingSnake,
    Case::ScreamingKebab,
];

/// Finds the `rename` attributes of fields, each given by its name in Rust and in the document.
pub(crate) fn field_renames(names: &[(String, String)]) -> Renames {
    renames(names, &FIELD_RULES, Case::field)
}

/// Finds the `rename` attributes of variants, each given by its name in Rust and in the document.
pub(crate) fn variant_renames(names: &[(String, String)]) -> Renames {
    renames(names, &VARIANT_RULES, Case::variant)
}

fn renames(
    names: &[(String, String)],
    rules: &[Case],
    renamed: fn(Case, &str) -> String,
) -> Renames {
    let bare = |rust: &str| rust.strip_prefix("r#").unwrap_or(rust).to_owned();
    let differ = names.iter().any(|(rust, name)| bare(rust) != *name);
    // serde's rules are defined for ASCII names without leading underscores.
    let are_plain = names
        .iter()
        .all(|(rust, _)| rust.is_ascii() && !rust.starts_with('_'));
    let restores_all = |rule: Case| {
        names
            .iter()
            .all(|(rust, name)| renamed(rule, &bare(rust)) == *name)
    };
    let rule = rules
        .iter()
        .find(|rule| differ && are_plain && restores_all(**rule));
    let own = names.iter().map(|(rust, name)| {
        // Names outside ASCII get a `rename`, because rustc normalizes their letters.
        let is_same = rule.is_some() || (name.is_ascii() && bare(rust) == *name);
        (!is_same).then(|| name.clone())
    });
    Renames {
        rule: rule.map(|rule| rule.name()),
        own: own.collect(),
    }
}

impl Renames {
    /// Returns the arguments of the type's own `#[serde(…)]`.
    pub(crate) fn container(&self) -> AttributeArgs {
        let mut serde = AttributeArgs::default();
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
    fn finds_one_rule_for_all_names() {
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
            assert_eq!(field_renames(&pairs(names)).rule, rule, "{names:?}");
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
            assert_eq!(variant_renames(&pairs(names)).rule, rule, "{names:?}");
        }
    }

    #[test]
    fn renames_names_that_no_rule_restores() {
        let own = field_renames(&pairs(&[("a", "a"), ("user_id", "userID")])).own;
        assert_eq!(own, [None, Some("userID".to_owned())]);
    }
}
